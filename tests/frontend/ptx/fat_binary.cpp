// The PTX inside fat binaries. What the container looks like is what a toolkit's tools write
// (frontend/ptx/fat_binary.hpp); here it is built field by field.

#include <warpkit/frontend/ptx/fat_binary.hpp>

#include <catch.hpp>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

using Catch::Matchers::Contains;
using warpkit::ptx::fat_binary_text;
using warpkit::ptx::fat_images;

namespace {

std::string number(std::uint64_t value, unsigned bytes) {
    std::string text;
    for (unsigned k = 0; k < bytes; ++k) text += static_cast<char>(value >> 8 * k & 0xff);
    return text;
}

struct image {
    unsigned kind;
    unsigned architecture;
    std::string bytes;
    unsigned flags = 0;
    std::uint64_t size = 0; ///< when it is decompressed
};
// A header of 64 bytes and what is behind it, to a multiple of 8.
std::string image_of(image const& i) {
    auto const padded = (i.bytes.size() + 7) / 8 * 8;
    auto text = number(i.kind, 2) + number(0x101, 2) + number(64, 4) + number(padded, 8) +
                number(i.bytes.size(), 4) + number(0, 4) + number(0, 2) + number(9, 2) +
                number(i.architecture, 4) + number(0, 8) + number(0x11 | i.flags, 8) + number(0, 8) +
                number(i.size, 8);
    text += i.bytes;
    text.resize(64 + padded);
    return text;
}
std::string binary_of(std::string const& images) {
    return number(0xBA55ED50, 4) + number(1, 2) + number(16, 2) + number(images.size(), 8) + images;
}
std::string ptx_of(unsigned architecture) {
    return ".version 8.0\n.target sm_" + std::to_string(architecture) + "\n.address_size 64\n";
}

std::string error_of(std::string_view bytes) {
    try {
        static_cast<void>(fat_binary_text(bytes));
    } catch (warpkit::error const& e) {
        return e.what();
    }
    return {};
}

} // namespace

TEST_CASE("A fat binary's PTX is that of its newest architecture", "[ptx][fat_binary]") {
    auto const old = image_of({1, 70, ptx_of(70)});
    auto const young = image_of({1, 90, ptx_of(90) + std::string(3, '\0')});
    auto const code = image_of({2, 100,
                                "\x7F"
                                "ELF..."});
    CHECK(fat_binary_text(binary_of(old)) == ptx_of(70));
    CHECK(fat_binary_text(binary_of(old + young + code)) == ptx_of(90));
    CHECK(fat_binary_text(binary_of(code + young + old)) == ptx_of(90));

    auto const whole = binary_of(old + code + young);
    CHECK(warpkit::ptx::is_fat_binary(whole));
    CHECK(warpkit::ptx::fat_binary_size(whole.data()) == whole.size());
    auto const images = fat_images(whole);
    REQUIRE(images.size() == 3);
    CHECK(images[0].architecture == 70);
    CHECK(images[1].holds == warpkit::ptx::fat_image::content::machine_code);
    CHECK(images[2].bytes.substr(0, ptx_of(90).size()) == ptx_of(90));
    CHECK_FALSE(warpkit::ptx::is_fat_binary(ptx_of(70)));
}

TEST_CASE("Compressed PTX of a fat binary is decompressed", "[ptx][fat_binary]") {
    std::string text = ptx_of(90);
    for (unsigned k = 0; k < 200; ++k) text += "add.f32 %f1, %f2, %f3;\n";
    std::string packed(2 * text.size(), '\0');
#ifdef WARPKIT_HAS_ZSTD
    packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
    auto const zstd = image_of({1, 90, packed, 0x8000, text.size()});
    CHECK(fat_binary_text(binary_of(zstd)) == text);
    CHECK_THAT(error_of(binary_of(image_of({1, 90, packed, 0x8000, text.size() + 1}))),
               Contains("is corrupt"));
#else
    CHECK_THAT(error_of(binary_of(image_of({1, 90, packed, 0x8000, 5}))), Contains("libzstd-dev"));
#endif
    packed.assign(2 * text.size(), '\0');
#ifdef WARPKIT_HAS_LZ4
    packed.resize(static_cast<std::size_t>(LZ4_compress_default(
        text.data(), packed.data(), static_cast<int>(text.size()), static_cast<int>(packed.size()))));
    auto const lz4 = image_of({1, 86, packed, 0x2000, text.size()});
    CHECK(fat_binary_text(binary_of(lz4)) == text);
    packed[packed.size() / 2] = static_cast<char>(~packed[packed.size() / 2]);
    packed.resize(packed.size() - 3);
    CHECK_THAT(error_of(binary_of(image_of({1, 86, packed, 0x2000, text.size()}))), Contains("is corrupt"));
#else
    CHECK_THAT(error_of(binary_of(image_of({1, 86, packed, 0x2000, 5}))), Contains("liblz4-dev"));
#endif
}

TEST_CASE("What is wrong with a fat binary is said", "[ptx][fat_binary]") {
    CHECK_THAT(error_of(ptx_of(70)), Contains("this is no fat binary"));
    CHECK_THAT(error_of(binary_of("")),
               Contains("a fat binary without PTX: compile with nvcc -gencode arch=compute_90"));
    CHECK_THAT(error_of(binary_of(image_of({2, 86, "code"}))),
               Contains("with machine code for sm_86") && Contains("arch=compute_86,code=compute_86"));
    auto other = binary_of(image_of({1, 90, ptx_of(90)}));
    other[4] = 2;
    CHECK_THAT(error_of(other), Contains("of version 2; version 1 is known"));
    CHECK_THAT(error_of(binary_of(image_of({1, 90, "x", 0x8000, std::uint64_t{1} << 40}))),
               Contains("more than a gibibyte is refused"));

    // Cut off anywhere, and with any byte changed: an error, or some text, and never a byte outside.
    auto const good = binary_of(image_of({1, 70, ptx_of(70)}) + image_of({1, 90, ptx_of(90)}));
    for (std::size_t k = 0; k < good.size(); ++k) {
        std::string const cut(good, 0, k); // of its own length, so that a sanitizer sees what lies behind
        CHECK_FALSE(error_of(cut).empty());
    }
    std::mt19937 random(1);
    for (unsigned round = 0; round < 20000; ++round) {
        auto changed = good;
        for (unsigned k = 0; k <= round % 3; ++k) changed[random() % 160] = static_cast<char>(random());
        static_cast<void>(error_of(changed));
    }
}
