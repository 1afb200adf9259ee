/// The order that CUDA's streams give launches (docs/model/dispatch.md#streams), as its programming guide has it.

#include <warpkit/program/stream_order.hpp>

#include "catch.hpp"

using namespace warpkit;
using launches = stream_order::launches;

TEST_CASE("a stream's launches come one after the other, those of two do not", "[program]") {
    stream_order o;
    CHECK(o.launch(1) == launches{});
    CHECK(o.launch(2) == launches{});
    CHECK(o.launch(1) == launches{0});
    CHECK(o.launch(2) == launches{1});
    CHECK(o.made() == 4);
}

TEST_CASE("the default stream waits for the others, and they for it", "[program]") {
    stream_order o;
    o.launch(1);
    o.launch(2);
    CHECK(o.launch(0) == launches{0, 1});
    CHECK(o.launch(1) == launches{2});
    CHECK(o.launch(3) == launches{2}); // seen for the first time
    CHECK(o.launch(0) == launches{2, 3, 4});
}

TEST_CASE("a non-blocking stream and the default one let each other be", "[program]") {
    stream_order o;
    o.do_not_block(1);
    CHECK(o.launch(1) == launches{});
    CHECK(o.launch(0) == launches{});
    CHECK(o.launch(1) == launches{0});
    CHECK(o.launch(0) == launches{1});
}

TEST_CASE("an event stands for what its stream was given before", "[program]") {
    stream_order o;
    o.launch(1);
    auto const event = o.record(1);
    o.launch(1);
    o.launch(2);
    o.wait(2, event);
    CHECK(o.launch(2) == launches{0, 2});
    CHECK(o.launch(3) == launches{}); // waits for nothing

    // Of the default stream: all that it would wait for. Who waits in it holds up all that comes behind.
    stream_order d;
    d.launch(1);
    CHECK(d.record(0) == launches{0});
    d.do_not_block(9);
    d.launch(9);
    d.wait(0, d.record(9));
    CHECK(d.launch(2) == launches{1});
}

TEST_CASE("what the host waits for has ended before it launches again", "[program]") {
    stream_order o;
    o.launch(1);
    o.launch(2);
    o.host_waits(o.record(1));
    CHECK(o.launch(3) == launches{0});
    CHECK(o.launch(2) == launches{0, 1});
    o.host_waits();
    CHECK(o.launch(4) == launches{0, 2, 3}); // the last of each stream

    stream_order copies; // cudaMemcpy waits as the default stream does
    copies.do_not_block(1);
    copies.launch(1);
    copies.launch(2);
    copies.host_copies();
    CHECK(copies.launch(3) == launches{1});
}

TEST_CASE("a launch that comes after all before begins a group", "[program]") {
    group_boundaries alone;
    for (std::uint32_t k = 0; k < 4; ++k) CHECK(alone.begins(k == 0 ? launches{} : launches{k - 1}));

    group_boundaries b;
    CHECK(b.begins({}));           // 0
    CHECK_FALSE(b.begins({}));     // 1 beside it
    CHECK_FALSE(b.begins({0}));    // 2 behind 0, beside 1
    CHECK_FALSE(b.begins({2}));    // 3 behind 2 and so behind 0
    CHECK(b.begins({1, 3}));       // 4 behind all
    CHECK_FALSE(b.begins({0, 3})); // 5 waits for what is over
    CHECK(b.begins({4, 5}));
}

TEST_CASE("handles of streams become numbers", "[program]") {
    stream_numbers n;
    CHECK(n.of(0x7f00) == 1);
    CHECK(n.of(0) == 0);
    CHECK(n.of(1) == 0); // cudaStreamLegacy
    CHECK(n.of(0x8000) == 2);
    CHECK(n.of(0x7f00) == 1);
}
