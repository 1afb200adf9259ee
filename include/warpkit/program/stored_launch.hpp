#pragma once
/// \file
/// Launches whose CTAs have been executed, kept to be timed as often as wanted: in memory up to a budget, what is
/// beyond it in a temporary file.

#include <warpkit/base/error.hpp>
#include <warpkit/program/stream.hpp>
#include <warpkit/program/stream_code.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace warpkit {

/// Where streams are kept.
struct store_options {
    std::uint64_t memory = std::uint64_t{1} << 30; ///< bytes; what comes when they are full goes to the file
    std::filesystem::path folder = {}; ///< of the file; empty: where temporary files belong (TMPDIR)
};

/// Blocks of bytes by number. The file is made when it is needed first and has no name from then on: however the
/// process ends, it is gone. (Where open files cannot lose their name, it goes when this object does.)
class stream_store {
public:
    explicit stream_store(store_options options = {}) : options_(std::move(options)) {}

    /// Keeps `size` bytes, as number count(). Throws `error` when the disk is full.
    void add(std::uint8_t const* bytes, std::size_t size) {
        block b;
        b.size = size;
        if (memory_ + size + sizeof(block) <= options_.memory) {
            b.bytes = std::make_unique<std::uint8_t[]>(size);
            for (std::size_t i = 0; i < size; ++i) b.bytes[i] = bytes[i];
            memory_ += size + sizeof(block);
        } else {
            if (!file_) open();
            b.at = disk_;
            seek(disk_);
            if (std::fwrite(bytes, 1, size, file_.get()) != size || std::fflush(file_.get()) != 0)
                fail("cannot write to it");
            disk_ += size;
        }
        blocks_.push_back(std::move(b));
    }
    /// The bytes of a number, in the store or in `buffer`: they stay as long as both do. Any number of threads may read
    /// at once.
    std::uint8_t const* read(std::size_t number, std::vector<std::uint8_t>& buffer) const {
        auto const& b = blocks_[number];
        if (b.bytes) return b.bytes.get();
        buffer.resize(b.size);
        std::lock_guard const lock(reading_);
        seek(b.at);
        if (std::fread(buffer.data(), 1, b.size, file_.get()) != b.size) fail("cannot read from it");
        return buffer.data();
    }
    std::size_t count() const noexcept { return blocks_.size(); }
    /// Bytes held in memory, and on disk.
    std::uint64_t memory() const noexcept { return memory_; }
    std::uint64_t disk() const noexcept { return disk_; }

private:
    struct block {
        std::unique_ptr<std::uint8_t[]> bytes; ///< null: in the file
        std::uint64_t at = 0;
        std::size_t size = 0;
    };
    struct closer {
        std::filesystem::path path;
        void operator()(std::FILE* f) const noexcept {
            std::fclose(f);
            std::error_code gone_already;
            std::filesystem::remove(path, gone_already);
        }
    };

    void open() {
        std::error_code failed;
        auto folder = options_.folder;
        if (folder.empty()) folder = std::filesystem::temp_directory_path(failed);
        if (failed)
            throw error(
                "there is no folder for what does not fit into memory: TMPDIR names one that is not there; "
                "name another one or allow more memory");
        std::random_device random;
        for (unsigned tries = 0; tries < 100 && !failed; ++tries) {
            auto const path = folder / ("warpkit-" + std::to_string(random()) + std::to_string(random()));
            if (auto* const f = std::fopen(path.string().c_str(), "w+bx")) { // x: never another one's file
                std::filesystem::remove(path, failed);
                file_ = std::unique_ptr<std::FILE, closer>(f, closer{path});
                return;
            }
        }
        throw error("cannot make a temporary file in " + folder.string() +
                    " for what does not fit into memory; name another folder (TMPDIR) or allow more memory");
    }
    void seek(std::uint64_t to) const {
        if (std::fseek(file_.get(), static_cast<long>(to), SEEK_SET) != 0) fail("cannot seek in it");
    }
    [[noreturn]] void fail(std::string const& what) const {
        throw error("the temporary file for executed thread blocks, " + std::to_string(disk_) + " bytes: " +
                    what + "; is the disk full? name another folder (TMPDIR) or allow more memory");
    }

    store_options options_;
    std::vector<block> blocks_;
    std::uint64_t memory_ = 0;
    std::uint64_t disk_ = 0;
    std::unique_ptr<std::FILE, closer> file_;
    mutable std::mutex reading_; ///< of the file, whose position is one
};

/// One launch, executed CTA by CTA in the order of their numbers. Program, addresses and store must outlive it, and it
/// stays where it is while a machine runs it. Others may be kept in the same store meanwhile.
class stored_launch {
public:
    /// Executes and keeps them all; calls `progress(ctas so far)` after each.
    template <class Progress>
    stored_launch(kernel_launch const& from, stream_store& store, Progress&& progress)
        : shape_(from),
          code_(*from.program),
          store_(&store) {
        cta_stream streams;
        std::vector<std::uint8_t> bytes;
        for (std::uint64_t cta = 0; cta < from.ctas(); ++cta) {
            streams.reset(from.warps_per_cta());
            from.fill(from.source, cta, streams);
            for (auto const& w : streams.warps) instructions_ += w.size();
            bytes.clear();
            code_.encode(streams, bytes);
            numbers_.push_back(store.count());
            store.add(bytes.data(), bytes.size());
            progress(cta + 1);
        }
        shape_.source = nullptr;
    }

    /// For one machine at a time; each of several machines that run the launch at once has its own. The launch must
    /// outlive it.
    class reader {
    public:
        explicit reader(stored_launch const& from) : from_(&from), code_(from.code_) {}
        reader(reader const&) = delete;
        reader& operator=(reader const&) = delete;

        /// The launch as the timing model takes it, as often as wanted, one at a time: CTAs in any order.
        kernel_launch launch() {
            auto l = from_->shape_;
            l.source = this;
            l.fill = [](void* self, std::uint64_t cta, cta_stream& out) {
                auto& s = *static_cast<reader*>(self);
                s.code_.decode(s.from_->store_->read(s.from_->numbers_[cta], s.buffer_), out);
            };
            return l;
        }

    private:
        stored_launch const* from_;
        stream_code code_; ///< what it knows of a CTA while it decodes one
        std::vector<std::uint8_t> buffer_;
    };
    /// The launch, read by one machine at a time.
    kernel_launch launch() {
        if (!own_) own_ = std::make_unique<reader>(*this);
        return own_->launch();
    }
    /// Warp instructions of all CTAs.
    std::uint64_t instructions() const noexcept { return instructions_; }

private:
    kernel_launch shape_;
    stream_code code_;
    stream_store* store_;
    std::vector<std::size_t> numbers_; ///< of its CTAs in the store
    std::uint64_t instructions_ = 0;
    std::unique_ptr<reader> own_;
};

} // namespace warpkit
