// What matrix instructions take in a tensor core, by shape and type.
#include <warpkit/frontend/builder.hpp>
#include <warpkit/machine/parameters.hpp>

#include "catch.hpp"

#include <algorithm>

using namespace warpkit;

namespace {

/// As the A100's tensor cores were measured to be: 256 multiply-adds of halves in a cycle (Sun et al., IEEE TPDS 34(1),
/// table 3).
core_numbers measured() {
    core_numbers n;
    n.latency.fill(3);
    n.initiation.fill(2);
    auto const rate = [&](matrix_type t) -> std::uint32_t& {
        return n.tensor_rate[static_cast<unsigned>(t) - 1];
    };
    rate(matrix_type::f16) = 256;
    rate(matrix_type::tf32) = 128;
    rate(matrix_type::s8) = 512;
    n.tensor_pipeline = 9;
    n.tensor_passes = 2;
    return n;
}
execution_time of(matrix_type type, unsigned rows, unsigned columns, unsigned depth,
                  core_numbers const& n = measured(), op_class kind = op_class::tensor) {
    kernel_builder k("product");
    auto const i = k.op(kind, {0}, {1, 2});
    if (type != matrix_type::none) k.product(i, type, rows, columns, depth);
    return execution_time_of(n, k.program().instructions[i]);
}

} // namespace

TEST_CASE("a tensor core is taken for as long as its rate says, and the result comes so many passes later") {
    CHECK(of(matrix_type::f16, 16, 8, 16) == execution_time{25, 8});
    CHECK(of(matrix_type::f16, 16, 8, 8) == execution_time{17, 4});
    CHECK(of(matrix_type::f16, 16, 16, 16) == execution_time{41, 16}); // wmma
    CHECK(of(matrix_type::tf32, 16, 8, 8) == execution_time{25, 8});
    CHECK(of(matrix_type::s8, 16, 8, 32) == execution_time{25, 8});
    auto n = measured();
    n.tensor_rate[0] = 300; // what is begun is a whole cycle
    CHECK(of(matrix_type::f16, 16, 8, 16, n) == execution_time{23, 7});
    n.tensor_start = 2; // as the H100's mma has it
    CHECK(of(matrix_type::f16, 16, 8, 16, n) == execution_time{23, 9});
}

TEST_CASE("what a tensor core has no rate for takes the time of its class, and so does what is no product") {
    execution_time const of_class{3, 2};
    CHECK(of(matrix_type::bf16, 16, 8, 16) == of_class);
    CHECK(of(matrix_type::none, 0, 0, 0) == of_class); // of a trace
    CHECK(of(matrix_type::rows, 16, 8, 16) == of_class);
    CHECK(of(matrix_type::f16, 16, 8, 16, measured(), op_class::load) == of_class);
    CHECK(of(matrix_type::f16, 16, 8, 0) == execution_time{11, 1}); // of no extent: a cycle
}

TEST_CASE("no instruction takes longer than the longest that is told") {
    auto const n = measured();
    auto const longest = longest_latency(n);
    CHECK(longest == 9 + 2 * (largest_product / 128));
    CHECK(of(matrix_type::tf32, 255, 65535, 65535).latency == longest);
    core_numbers plain;
    plain.latency.fill(3);
    plain.latency[7] = 19;
    CHECK(longest_latency(plain) == 19);
}
