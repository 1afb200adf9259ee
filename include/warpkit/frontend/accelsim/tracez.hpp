#pragma once
/// \file
/// Traces of Accel-Sim 2.0 (.tracez) as the grouped text of which they are made: Zstandard frames, a few to each warp,
/// behind a header, and an index at the end (docs/model/traces.md#tracez). Frames are decompressed as they are read.

#include <warpkit/base/error.hpp>
#include <warpkit/frontend/accelsim/compression.hpp>
#include <warpkit/frontend/accelsim/text.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpkit::accelsim {

namespace detail {

/// Bytes of a file, from any place on.
using byte_file = std::function<byte_stream(std::uint64_t offset)>;

/// Reads numbers and bytes one behind the other; the lowest byte of a number comes first.
class binary_reader {
public:
    binary_reader(byte_file open, std::uint64_t at) : open_(std::move(open)) { seek(at); }

    void seek(std::uint64_t at) {
        // A step over a frame is mostly within what has been read ahead.
        if (at >= buffer_at_ && at - buffer_at_ <= filled_ && in_) {
            next_ = static_cast<std::size_t>(at - buffer_at_);
            return;
        }
        in_ = open_(at);
        buffer_at_ = at;
        next_ = filled_ = 0;
    }
    std::uint64_t offset() const noexcept { return buffer_at_ + next_; }
    std::uint32_t number() { return static_cast<std::uint32_t>(little_endian(4)); }
    std::uint64_t wide_number() { return little_endian(8); }
    /// At most `size` bytes; fewer at the end of the file.
    std::string some(std::size_t size) {
        std::string bytes;
        while (bytes.size() < size && fill()) {
            auto const n = std::min(size - bytes.size(), filled_ - next_);
            bytes.append(buffer_.data() + next_, n);
            next_ += n;
        }
        return bytes;
    }
    std::string exactly(std::size_t size) {
        auto bytes = some(size);
        if (bytes.size() != size) throw error("the file is cut off, or its index is wrong");
        return bytes;
    }

private:
    bool fill() {
        if (next_ != filled_) return true;
        buffer_at_ += filled_;
        next_ = 0;
        filled_ = in_(buffer_.data(), buffer_.size());
        return filled_ != 0;
    }
    std::uint64_t little_endian(std::size_t size) {
        std::uint64_t n = 0;
        auto const bytes = exactly(size);
        for (std::size_t i = 0; i < size; ++i)
            n |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
        return n;
    }

    byte_file open_;
    byte_stream in_;
    std::uint64_t buffer_at_ = 0;
    std::size_t next_ = 0;
    std::size_t filled_ = 0;
    std::vector<char> buffer_ = std::vector<char>(codec_buffer);
};

/// The text of a .tracez: pieces that are words of ours, and frames.
class tracez_text {
public:
    static constexpr std::uint64_t most_of_frame = std::uint64_t{1} << 28; ///< bytes of text
    static constexpr std::uint32_t most_of_dictionary = std::uint32_t{1} << 28;

    /// `size`: of the file. Throws `error` without the file's name.
    tracez_text(byte_file open, std::uint64_t size, std::string header, codec const& zstd)
        : open_(std::move(open)) {
        binary_reader in(open_, header.size() + 1);
        auto const dictionary = in.number();
        static_cast<void>(in.number()); // how many instructions the writer wanted in a frame
        if (dictionary > most_of_dictionary)
            throw error("a dictionary of " + std::to_string(dictionary) + " bytes; the file is corrupt");
        frames_ = zstd.frames(in.exactly(dictionary));
        auto const first = in.offset();
        if (size < first + 8) throw error("the file is cut off before its index");
        in.seek(size - 8);
        auto const index = in.wide_number();
        if (index < first || index > size - 12)
            throw error("its last 8 bytes, the place of the index, are " + std::to_string(index) +
                        ": the file is cut off or corrupt");
        say(std::move(header));
        say("\n#\n");
        in.seek(index);
        auto const blocks = read_index(in, size - index);
        for (auto const& b : blocks) add(b, in, zstd, index);
        pieces_.push_back({end_, 0, 0});
    }

    std::uint64_t size() const noexcept { return end_; }
    /// Reads on from `offset` of the text; keeps this alive.
    static byte_stream read_from(std::shared_ptr<tracez_text const> const& text, std::uint64_t offset) {
        struct state {
            std::shared_ptr<tracez_text const> text;
            binary_reader file;
            std::uint64_t at;
            std::size_t piece = none;
            std::string bytes = {}; ///< of that piece
        };
        auto const s = std::make_shared<state>(state{text, binary_reader(text->open_, 0), offset});
        return [s](char* to, std::size_t most) -> std::size_t {
            auto const& t = *s->text;
            std::size_t done = 0;
            while (done != most && s->at < t.end_) {
                auto const p = t.piece_at(s->at, s->piece);
                if (p != s->piece) {
                    s->bytes = t.text_of(p, s->file);
                    s->piece = p;
                }
                auto const from = static_cast<std::size_t>(s->at - t.pieces_[p].begin);
                auto const n = std::min(most - done, s->bytes.size() - from);
                std::memcpy(to + done, s->bytes.data() + from, n);
                done += n;
                s->at += n;
            }
            return done;
        };
    }

private:
    static constexpr std::size_t none = ~std::size_t{0};

    struct piece {
        std::uint64_t begin = 0;  ///< in the text
        std::uint64_t at = 0;     ///< in the file; or in words_
        std::uint32_t packed = 0; ///< bytes in the file; 0: words
    };
    struct warp {
        std::uint32_t instructions = 0;
        std::uint32_t frames = 0;
        std::uint64_t at = 0;
    };
    struct block {
        std::array<std::uint32_t, 3> id{}; ///< x, y and z
        std::uint32_t rank = 0;            ///< in its cluster
        std::vector<warp> warps;
    };

    /// Sorted by the blocks' numbers: they come in the order in which the tracer saw them.
    static std::vector<block> read_index(binary_reader& in, std::uint64_t size) {
        auto const bounded = [](std::uint64_t count, std::uint64_t bytes_each, std::uint64_t all,
                                char const* what) {
            if (count > all / bytes_each)
                throw error("an index of " + std::to_string(count) + ' ' + what +
                            " is longer than the file; it is corrupt");
            return count;
        };
        std::vector<block> blocks(bounded(in.number(), 44, size, "thread blocks"));
        for (auto& b : blocks) {
            for (auto& n : b.id) n = in.number();
            for (unsigned skipped = 0; skipped < 6; ++skipped)
                static_cast<void>(in.number()); // its cluster's place
            b.rank = in.number();
            b.warps.resize(bounded(in.number(), 16, size, "warps"));
            for (auto& w : b.warps) {
                w.instructions = in.number();
                w.frames = in.number();
                w.at = in.wide_number();
                for (auto k = bounded(w.frames, 4, size, "frames"); k != 0; --k)
                    static_cast<void>(in.number()); // instructions in it, which its text tells
            }
        }
        std::stable_sort(blocks.begin(), blocks.end(), [](block const& a, block const& b) {
            return std::lexicographical_compare(a.id.rbegin(), a.id.rend(), b.id.rbegin(), b.id.rend());
        });
        return blocks;
    }
    void add(block const& b, binary_reader& in, codec const& zstd, std::uint64_t index) {
        auto const n = [](std::uint64_t number) { return std::to_string(number); };
        say("#BEGIN_TB\nthread block = " + n(b.id[0]) + ',' + n(b.id[1]) + ',' + n(b.id[2]) + '\n');
        if (b.rank != 0) say("cluster rank = " + n(b.rank) + '\n');
        for (std::size_t w = 0; w < b.warps.size(); ++w) {
            auto const& of = b.warps[w];
            say("warp = " + n(w) + "\ninsts = " + n(of.instructions) + '\n');
            if (of.at > index) throw error("a warp behind the index; the file is corrupt");
            in.seek(of.at);
            static_cast<void>(in.number()); // instructions
            if (in.number() != of.frames) throw error("the index and a warp differ; the file is corrupt");
            for (std::uint32_t k = 0; k < of.frames; ++k) {
                auto const packed = in.number();
                auto const at = in.offset();
                if (packed == 0 || packed > index - std::min(at, index))
                    throw error("a frame of " + n(packed) + " bytes reaches beyond the index");
                auto const size =
                    zstd.frame_size(in.some(std::min<std::size_t>(packed, most_of_frame_header)));
                if (size > most_of_frame)
                    throw error("a frame of Zstandard data does not tell its size, or more than " +
                                n(most_of_frame) + " bytes");
                pieces_.push_back({end_, at, packed});
                end_ += size;
                say("\n"); // which the last line of a frame may lack
                in.seek(at + packed);
            }
        }
        say("#END_TB\n");
    }
    void say(std::string_view words) {
        if (!pieces_.empty() && pieces_.back().packed == 0) {
            words_ += words; // goes on
        } else {
            pieces_.push_back({end_, words_.size(), 0});
            words_ += words;
        }
        end_ += words.size();
    }
    /// The piece that has this byte of the text; mostly `last`, or the next one.
    std::size_t piece_at(std::uint64_t at, std::size_t last) const noexcept {
        for (auto p = last; p != none && p < last + 2 && p + 1 < pieces_.size(); ++p)
            if (at >= pieces_[p].begin && at < pieces_[p + 1].begin) return p;
        auto const behind = std::upper_bound(pieces_.begin(), pieces_.end(), at,
                                             [](std::uint64_t a, piece const& p) { return a < p.begin; });
        return static_cast<std::size_t>(behind - pieces_.begin()) - 1;
    }
    std::string text_of(std::size_t p, binary_reader& file) const {
        auto const& of = pieces_[p];
        auto const size = static_cast<std::size_t>(pieces_[p + 1].begin - of.begin);
        if (of.packed == 0) return words_.substr(static_cast<std::size_t>(of.at), size);
        file.seek(of.at);
        return frames_(file.exactly(of.packed), size);
    }

    static constexpr std::size_t most_of_frame_header = 18;

    byte_file open_;
    frame_decoder frames_;
    std::string words_;
    std::vector<piece> pieces_; ///< the last one is empty, and stands at the end
    std::uint64_t end_ = 0;
};

} // namespace detail

/// The header of a .tracez: all before the first NUL of `head`, which is the beginning of a file; or nothing, if that
/// is no such file.
inline std::string_view tracez_header(std::string_view head) noexcept {
    if (head.empty() || head[0] != '-') return {};
    auto const nul = head.find('\0');
    return nul == head.npos ? std::string_view() : head.substr(0, nul);
}
/// How much of a file's beginning tracez_header() wants to see: headers are shorter.
inline constexpr std::size_t tracez_head = std::size_t{1} << 16;

/// A .tracez of `size` bytes as grouped text, of which thread blocks come in the order of their numbers. Lines in
/// messages are those of this text. `zstd` is the codec of that name. Throws `error` if its library was not there when
/// this was compiled, or if the file is cut off or corrupt.
inline text_source tracez_source(std::string name, std::function<byte_stream(std::uint64_t)> open,
                                 std::uint64_t size, std::string header, codec const& zstd) {
    if (zstd.frames == nullptr)
        throw error(name +
                    ": this is a trace of Accel-Sim 2.0, which is compressed, and the program was built " +
                    "without the library for it; install " + std::string(zstd.package) + " and build again");
    std::shared_ptr<detail::tracez_text const> text;
    try {
        text = std::make_shared<detail::tracez_text>(std::move(open), size, std::move(header), zstd);
    } catch (error const& e) {
        throw error(name + ": " + e.what());
    }
    return {std::move(name), true,
            [text](std::uint64_t offset) { return detail::tracez_text::read_from(text, offset); }};
}

} // namespace warpkit::accelsim
