#pragma once
/// \file
/// Compressed traces: xz, gzip and Zstandard, each if its library is there. The CMake target warpkit::compression links
/// what it finds and defines WARPKIT_HAS_LZMA, WARPKIT_HAS_ZLIB and WARPKIT_HAS_ZSTD.

#include <warpkit/base/error.hpp>
#include <warpkit/frontend/accelsim/text.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#ifdef WARPKIT_HAS_LZMA
#include <lzma.h>
#endif
#ifdef WARPKIT_HAS_ZLIB
#include <zlib.h>
#endif
#ifdef WARPKIT_HAS_ZSTD
#include <zstd.h>
#endif

namespace warpkit::accelsim {

/// Compresses what is written to it; `finish` ends the file.
struct compressor {
    byte_sink write;
    std::function<void()> finish;
};

/// The text of one frame, which has that many bytes. Throws `error` when it has not.
using frame_decoder = std::function<std::string(std::string_view frame, std::size_t size)>;

/// A way to compress. Without its library all functions are null.
struct codec {
    std::string_view name;    ///< "xz"
    std::string_view suffix;  ///< ".xz"
    std::string_view magic;   ///< with which files begin
    std::string_view package; ///< Debian's and Ubuntu's name of the library
    byte_stream (*decode)(byte_stream in) = nullptr;
    compressor (*encode)(byte_sink out) = nullptr;
    /// Of Zstandard alone: frames by themselves, perhaps with a dictionary; and the bytes of text that the first bytes
    /// of a frame tell, the largest number if they do not.
    frame_decoder (*frames)(std::string const& dictionary) = nullptr;
    std::uint64_t (*frame_size)(std::string_view head) = nullptr;
};

namespace detail {

inline constexpr std::size_t codec_buffer = std::size_t{1} << 16;

/// The common half of all decoders: hands over input, and gives output as it comes. Step is the library's: bool
/// step(input, input size, output, output size), which moves all four along and says whether a frame has ended.
template <class Step>
class decoder {
public:
    decoder(byte_stream in, std::string_view name) : in_(std::move(in)), name_(name), input_(codec_buffer) {}

    std::size_t operator()(char* to, std::size_t most) {
        auto const wanted = most;
        while (most == wanted) {
            if (begin_ == end_ && !ended_) {
                begin_ = 0;
                end_ = in_(input_.data(), input_.size());
                ended_ = end_ == 0;
            }
            if (ended_ && between_) return 0;
            auto const had = end_ - begin_;
            auto const* from = input_.data() + begin_;
            auto left = had;
            if (between_ && !step_.begin()) throw error("cannot begin to decompress " + name_ + " data");
            between_ = false;
            between_ = step_(from, left, to, most, name_);
            begin_ = end_ - left;
            if (ended_ && !between_ && most == wanted) throw error("the " + name_ + " data ends too soon");
        }
        return wanted - most;
    }

private:
    byte_stream in_;
    std::string name_;
    Step step_;
    std::vector<char> input_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    bool ended_ = false;
    bool between_ = true; ///< no frame is open
};

/// std::function wants copies; there is only one of these.
template <class Step>
byte_stream make_decoder(byte_stream in, char const* name) {
    auto const d = std::make_shared<decoder<Step>>(std::move(in), name);
    return [d](char* to, std::size_t most) { return (*d)(to, most); };
}

#ifdef WARPKIT_HAS_LZMA
struct xz_step {
    xz_step() = default;
    xz_step(xz_step const&) = delete;
    xz_step& operator=(xz_step const&) = delete;
    ~xz_step() { lzma_end(&stream); }
    bool begin() noexcept { return lzma_stream_decoder(&stream, std::uint64_t{1} << 30, 0) == LZMA_OK; }
    bool operator()(char const*& from, std::size_t& left, char*& to, std::size_t& most,
                    std::string const& name) {
        stream.next_in = reinterpret_cast<std::uint8_t const*>(from);
        stream.avail_in = left;
        stream.next_out = reinterpret_cast<std::uint8_t*>(to);
        stream.avail_out = most;
        auto const result = lzma_code(&stream, LZMA_RUN);
        from = reinterpret_cast<char const*>(stream.next_in);
        left = stream.avail_in;
        to = reinterpret_cast<char*>(stream.next_out);
        most = stream.avail_out;
        if (result == LZMA_MEMLIMIT_ERROR)
            throw error("the " + name + " data needs more than 1 GiB to decompress");
        if (result != LZMA_OK && result != LZMA_STREAM_END && result != LZMA_BUF_ERROR)
            throw error("corrupt " + name + " data");
        return result == LZMA_STREAM_END;
    }
    lzma_stream stream = LZMA_STREAM_INIT;
};
inline compressor xz_compressor(byte_sink out) {
    struct state {
        ~state() { lzma_end(&stream); }
        lzma_stream stream = LZMA_STREAM_INIT;
        byte_sink out;
        std::vector<std::uint8_t> output = std::vector<std::uint8_t>(codec_buffer);
        void run(std::string_view in, lzma_action action) {
            stream.next_in = reinterpret_cast<std::uint8_t const*>(in.data());
            stream.avail_in = in.size();
            for (;;) {
                stream.next_out = output.data();
                stream.avail_out = output.size();
                auto const result = lzma_code(&stream, action);
                out({reinterpret_cast<char const*>(output.data()), output.size() - stream.avail_out});
                if (result == LZMA_STREAM_END) return;
                if (result != LZMA_OK) throw error("cannot compress: liblzma says " + std::to_string(result));
                if (action == LZMA_RUN && stream.avail_in == 0) return;
            }
        }
    };
    auto const s = std::make_shared<state>();
    s->out = std::move(out);
    if (lzma_easy_encoder(&s->stream, 2, LZMA_CHECK_CRC64) != LZMA_OK)
        throw error("cannot begin to compress: liblzma refuses");
    return {[s](std::string_view in) { s->run(in, LZMA_RUN); }, [s] { s->run({}, LZMA_FINISH); }};
}
#endif

#ifdef WARPKIT_HAS_ZLIB
struct gzip_step {
    gzip_step() = default;
    gzip_step(gzip_step const&) = delete;
    gzip_step& operator=(gzip_step const&) = delete;
    ~gzip_step() { inflateEnd(&stream); }
    bool begin() noexcept {
        if (open) return inflateReset(&stream) == Z_OK;
        open = inflateInit2(&stream, 15 + 16) == Z_OK;
        return open;
    }
    bool operator()(char const*& from, std::size_t& left, char*& to, std::size_t& most,
                    std::string const& name) {
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(from));
        stream.avail_in = static_cast<uInt>(left);
        stream.next_out = reinterpret_cast<Bytef*>(to);
        stream.avail_out = static_cast<uInt>(most);
        auto const result = inflate(&stream, Z_NO_FLUSH);
        from = reinterpret_cast<char const*>(stream.next_in);
        left = stream.avail_in;
        to = reinterpret_cast<char*>(stream.next_out);
        most = stream.avail_out;
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
            throw error("corrupt " + name + " data");
        return result == Z_STREAM_END;
    }
    z_stream stream{};
    bool open = false;
};
inline compressor gzip_compressor(byte_sink out) {
    struct state {
        ~state() { deflateEnd(&stream); }
        z_stream stream{};
        byte_sink out;
        std::vector<Bytef> output = std::vector<Bytef>(codec_buffer);
        void run(std::string_view in, int flush) {
            stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
            stream.avail_in = static_cast<uInt>(in.size());
            for (;;) {
                stream.next_out = output.data();
                stream.avail_out = static_cast<uInt>(output.size());
                auto const result = deflate(&stream, flush);
                out({reinterpret_cast<char const*>(output.data()), output.size() - stream.avail_out});
                if (result == Z_STREAM_END) return;
                if (result != Z_OK && result != Z_BUF_ERROR)
                    throw error("cannot compress: zlib says " + std::to_string(result));
                if (flush == Z_NO_FLUSH && stream.avail_in == 0) return;
            }
        }
    };
    auto const s = std::make_shared<state>();
    s->out = std::move(out);
    if (deflateInit2(&s->stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        throw error("cannot begin to compress: zlib refuses");
    return {[s](std::string_view in) { s->run(in, Z_NO_FLUSH); }, [s] { s->run({}, Z_FINISH); }};
}
#endif

#ifdef WARPKIT_HAS_ZSTD
struct zstd_step {
    zstd_step() = default;
    zstd_step(zstd_step const&) = delete;
    zstd_step& operator=(zstd_step const&) = delete;
    ~zstd_step() { ZSTD_freeDStream(stream); }
    bool begin() noexcept {
        if (stream == nullptr) stream = ZSTD_createDStream();
        return stream != nullptr && ZSTD_isError(ZSTD_initDStream(stream)) == 0;
    }
    bool operator()(char const*& from, std::size_t& left, char*& to, std::size_t& most,
                    std::string const& name) {
        ZSTD_inBuffer in{from, left, 0};
        ZSTD_outBuffer out{to, most, 0};
        auto const result = ZSTD_decompressStream(stream, &out, &in);
        if (ZSTD_isError(result) != 0) throw error("corrupt " + name + " data");
        from += in.pos;
        left -= in.pos;
        to += out.pos;
        most -= out.pos;
        return result == 0;
    }
    ZSTD_DStream* stream = nullptr;
};
inline compressor zstd_compressor(byte_sink out) {
    struct state {
        ~state() { ZSTD_freeCStream(stream); }
        ZSTD_CStream* stream = ZSTD_createCStream();
        byte_sink out;
        std::vector<char> output = std::vector<char>(codec_buffer);
        void run(std::string_view text, ZSTD_EndDirective directive) {
            ZSTD_inBuffer in{text.data(), text.size(), 0};
            for (;;) {
                ZSTD_outBuffer to{output.data(), output.size(), 0};
                auto const left = ZSTD_compressStream2(stream, &to, &in, directive);
                if (ZSTD_isError(left) != 0)
                    throw error(std::string("cannot compress: ") + ZSTD_getErrorName(left));
                out({output.data(), to.pos});
                if (directive == ZSTD_e_end ? left == 0 : in.pos == in.size) return;
            }
        }
    };
    auto const s = std::make_shared<state>();
    s->out = std::move(out);
    if (s->stream == nullptr) throw error("cannot begin to compress: libzstd refuses");
    return {[s](std::string_view in) { s->run(in, ZSTD_e_continue); }, [s] { s->run({}, ZSTD_e_end); }};
}
inline frame_decoder zstd_frames(std::string const& dictionary) {
    struct state {
        state() = default;
        state(state const&) = delete;
        state& operator=(state const&) = delete;
        ~state() {
            ZSTD_freeDDict(dictionary);
            ZSTD_freeDCtx(context);
        }
        ZSTD_DCtx* context = nullptr;
        ZSTD_DDict* dictionary = nullptr;
    };
    auto const s = std::make_shared<state>();
    s->context = ZSTD_createDCtx();
    if (!dictionary.empty()) s->dictionary = ZSTD_createDDict(dictionary.data(), dictionary.size());
    if (s->context == nullptr || (!dictionary.empty() && s->dictionary == nullptr))
        throw error("cannot begin to decompress zstd data: its dictionary is corrupt");
    return [s](std::string_view frame, std::size_t size) {
        std::string text(size, '\0');
        auto const n = ZSTD_decompress_usingDDict(s->context, text.data(), size, frame.data(), frame.size(),
                                                  s->dictionary);
        if (ZSTD_isError(n) != 0 || n != size) throw error("corrupt zstd data");
        return text;
    };
}
inline std::uint64_t zstd_frame_size(std::string_view head) {
    auto const n = ZSTD_getFrameContentSize(head.data(), head.size());
    return n == ZSTD_CONTENTSIZE_ERROR || n == ZSTD_CONTENTSIZE_UNKNOWN ? ~std::uint64_t{0} : n;
}
#endif

} // namespace detail

/// All that there are; with functions where this translation unit was compiled with the library.
[[maybe_unused]] static std::vector<codec> codecs() {
    std::vector<codec> all = {{"xz", ".xz", {"\xFD\x37zXZ\0", 6}, "liblzma-dev"},
                              {"gzip", ".gz", "\x1F\x8B", "zlib1g-dev"},
                              {"zstd", ".zst", "\x28\xB5\x2F\xFD", "libzstd-dev"}};
#ifdef WARPKIT_HAS_LZMA
    all[0].decode = [](byte_stream in) { return detail::make_decoder<detail::xz_step>(std::move(in), "xz"); };
    all[0].encode = detail::xz_compressor;
#endif
#ifdef WARPKIT_HAS_ZLIB
    all[1].decode = [](byte_stream in) {
        return detail::make_decoder<detail::gzip_step>(std::move(in), "gzip");
    };
    all[1].encode = detail::gzip_compressor;
#endif
#ifdef WARPKIT_HAS_ZSTD
    all[2].decode = [](byte_stream in) {
        return detail::make_decoder<detail::zstd_step>(std::move(in), "zstd");
    };
    all[2].encode = detail::zstd_compressor;
    all[2].frames = detail::zstd_frames;
    all[2].frame_size = detail::zstd_frame_size;
#endif
    return all;
}

} // namespace warpkit::accelsim
