// The example of docs/reference/dram.md, word for word.
#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/dram/channel.hpp>
#include <warpkit/dram/fr_fcfs.hpp>
#include <warpkit/dram/standards.hpp>

#include "catch.hpp"
#include "source_tree.hpp"

#include <cstdint>

// example begins
using namespace warpkit;

/// DRAM cycles in which one channel of a GTX 480 reads `count` consecutive atoms.
cycle cycles_to_read(std::uint64_t count) {
    dram::address_mapping const map(dram::gtx480_mapping, 1);
    dram::channel<dram::fr_fcfs> channel(dram::gddr5_gtx480, 64);
    cycle now = 0;
    for (std::uint64_t next = 0, done = 0; done < count;) {
        while (next < count && channel.can_accept()) {
            auto const at = map.decode(next * channel.numbers().atom_bytes());
            dram::request r;
            r.token = next++;
            r.bank = static_cast<std::uint16_t>(at.bank);
            r.row = at.row;
            r.column = at.column;
            channel.push(r);
        }
        channel.tick(now, [&](dram::request const&) { ++done; });
        if (done < count) now = channel.next_event(now);
    }
    return now;
}
// example ends

TEST_CASE("the example of docs/reference/dram.md") {
    CHECK(cycles_to_read(1) == 24);            // tRCD + CL
    CHECK(cycles_to_read(10000) < 20000 + 50); // tCCD each
}

TEST_CASE("docs/reference/dram.md shows the example that is compiled") {
    auto const source = source_text("tests/dram/example.cpp");
    auto const begin = source.find("// example begins\n") + 18;
    auto const example = source.substr(begin, source.find("// example ends\n") - begin);
    CHECK_THAT(source_text("docs/reference/dram.md"), Catch::Contains(example));
}
