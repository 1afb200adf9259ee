#pragma once
/// \file
/// The PTX inside fat binaries: what NVIDIA's compilers embed in objects and programs, and keep in .fatbin files. A
/// header is followed by images, each machine code or PTX text for one architecture, as it stands or compressed.
/// NVIDIA's documentation names the container (CUDA Binary Utilities, "Overview") and not its fields; these are what
/// its tools write, of version 1.
///
/// Text is decompressed by the library of its kind, if it is there: the CMake target warpkit::compression links what it
/// finds and defines WARPKIT_HAS_LZ4 (older toolkits) and WARPKIT_HAS_ZSTD (that of CUDA 13).

#include <warpkit/base/error.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#ifdef WARPKIT_HAS_LZ4
#include <lz4.h>
#endif
#ifdef WARPKIT_HAS_ZSTD
#include <zstd.h>
#endif

namespace warpkit::ptx {

/// One image of a fat binary. Its bytes are the fat binary's own.
struct fat_image {
    enum class content : std::uint16_t { text = 1, machine_code = 2 };
    enum class packing { none, lz4, zstd };

    content holds{};           ///< other values are the toolkit's other kinds
    packing packed{};          ///< how its bytes are compressed
    unsigned architecture = 0; ///< 90 of sm_90
    std::string_view bytes;    ///< as they are stored
    std::size_t size = 0;      ///< bytes when they are decompressed
};

namespace detail {

inline constexpr std::size_t fat_header =
    16; // bytes: magic, version, size of the header, size of what follows
inline constexpr std::size_t most_fat_text = 1 << 30; // bytes; no compiler writes more

/// A little-endian number of the type T at that place, which must be inside.
template <class T>
T fat_field(std::string_view bytes, std::size_t at) {
    if (bytes.size() < sizeof(T) || at > bytes.size() - sizeof(T))
        throw error("the fat binary ends in the middle of a header: it is cut off");
    T value = 0;
    for (std::size_t k = sizeof(T); k-- > 0;)
        value = static_cast<T>((value << 8U) | static_cast<unsigned char>(bytes[at + k]));
    return value;
}

} // namespace detail

/// The bytes that a fat binary begins with.
inline constexpr std::string_view fat_binary_mark = "\x50\xED\x55\xBA";

/// Whether these bytes begin as a fat binary does, and have its whole header.
inline bool is_fat_binary(std::string_view bytes) {
    return bytes.size() >= detail::fat_header && bytes.starts_with(fat_binary_mark);
}

/// The bytes that a fat binary in memory has, by its own header, which must be whole.
inline std::size_t fat_binary_size(char const* begins) {
    std::string_view const header(begins, detail::fat_header);
    return detail::fat_field<std::uint16_t>(header, 6) + detail::fat_field<std::uint64_t>(header, 8);
}

/// What a fat binary holds, in its order.
/// \throws error if it is none, is cut off, or names sizes that cannot be.
inline std::vector<fat_image> fat_images(std::string_view bytes) {
    using detail::fat_field;
    if (!is_fat_binary(bytes)) throw error("this is no fat binary of a CUDA toolkit");
    if (auto const version = fat_field<std::uint16_t>(bytes, 4); version != 1)
        throw error({"a fat binary of version ", std::uint64_t{version}, "; version 1 is known"});
    auto const header = fat_field<std::uint16_t>(bytes, 6);
    auto const body = fat_field<std::uint64_t>(bytes, 8);
    if (header < detail::fat_header || header > bytes.size() || body > bytes.size() - header)
        throw error("the fat binary is shorter than its header says: it is cut off");
    bytes = bytes.substr(header, body);

    std::vector<fat_image> images;
    while (!bytes.empty()) {
        auto const own = fat_field<std::uint32_t>(bytes, 4);
        auto const padded = fat_field<std::uint64_t>(bytes, 8);
        auto const flags = fat_field<std::uint64_t>(bytes, 40);
        if (own < 64 || own > bytes.size() || padded > bytes.size() - own)
            throw error("an image of the fat binary is longer than what is left of it: it is cut off");
        fat_image image;
        image.holds = static_cast<fat_image::content>(fat_field<std::uint16_t>(bytes, 0));
        image.architecture = fat_field<std::uint32_t>(bytes, 28);
        image.bytes = bytes.substr(own, padded);
        image.size = padded;
        if ((flags & 0x2000U) != 0) image.packed = fat_image::packing::lz4;
        if ((flags & 0x8000U) != 0) image.packed = fat_image::packing::zstd;
        if (image.packed != fat_image::packing::none) {
            auto const packed = fat_field<std::uint32_t>(bytes, 16);
            if (packed > padded) throw error("a compressed image of the fat binary is longer than its place");
            image.bytes = image.bytes.substr(0, packed);
            image.size = fat_field<std::uint64_t>(bytes, 56);
        }
        images.push_back(image);
        bytes.remove_prefix(own + padded);
    }
    return images;
}

/// The text of an image of text.
/// \throws error if it is corrupt, or its library is not there.
[[maybe_unused]] static std::string fat_text(fat_image const& image) {
    if (image.size > detail::most_fat_text)
        throw error({"PTX of ", std::uint64_t{image.size},
                     " bytes in a fat binary: more than a gibibyte is refused"});
    std::string text(image.size, '\0');
    std::string_view library;
    bool whole = true;
    switch (image.packed) {
    case fat_image::packing::none:
        text = image.bytes;
        break;
    case fat_image::packing::lz4:
#ifdef WARPKIT_HAS_LZ4
        whole = LZ4_decompress_safe(image.bytes.data(), text.data(), static_cast<int>(image.bytes.size()),
                                    static_cast<int>(text.size())) == static_cast<int>(text.size());
#else
        library = "LZ4 (liblz4-dev)";
#endif
        break;
    case fat_image::packing::zstd:
#ifdef WARPKIT_HAS_ZSTD
        whole =
            ZSTD_decompress(text.data(), text.size(), image.bytes.data(), image.bytes.size()) == text.size();
#else
        library = "Zstandard (libzstd-dev)";
#endif
        break;
    }
    if (!library.empty())
        throw error({"the PTX is compressed, and this was built without ", library,
                     ": build it with that library, or compile with nvcc -Xfatbin -no-compress"});
    if (!whole) throw error("the compressed PTX of a fat binary is corrupt");
    text.resize(text.find_last_not_of('\0') + 1);
    return text;
}

/// The PTX of a fat binary; of several, that of the newest architecture, and of these the last.
/// \throws error also if there is none; it names the option that embeds it.
[[maybe_unused]] static std::string fat_binary_text(std::string_view bytes) {
    fat_image const* newest = nullptr;
    unsigned machine_code = 0;
    auto const images = fat_images(bytes);
    for (auto const& image : images) {
        if (image.holds == fat_image::content::machine_code) machine_code = image.architecture;
        if (image.holds != fat_image::content::text) continue;
        if (newest == nullptr || image.architecture >= newest->architecture) newest = &image;
    }
    if (newest == nullptr) {
        auto const number = machine_code == 0 ? "90" : std::to_string(machine_code);
        throw error({"a fat binary without PTX",
                     machine_code == 0 ? "" : ", with machine code for sm_" + number,
                     ": compile with nvcc -gencode arch=compute_", number, ",code=compute_", number});
    }
    return fat_text(*newest);
}

} // namespace warpkit::ptx
