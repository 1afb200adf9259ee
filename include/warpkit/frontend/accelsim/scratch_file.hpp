#pragma once
/// \file
/// A file without a name, for what is too much for memory.

#include <warpkit/base/error.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

namespace warpkit::accelsim::detail {

/// Bytes that are appended, and then read at any place. It is gone with the object.
class scratch_file {
public:
    /// `copy_of`: what it is for, in messages.
    explicit scratch_file(std::string copy_of) : copy_of_(std::move(copy_of)), file_(std::tmpfile()) {
        if (file_ == nullptr) throw error("cannot make a temporary file for a copy of " + copy_of_);
    }
    scratch_file(scratch_file const&) = delete;
    scratch_file& operator=(scratch_file const&) = delete;
    ~scratch_file() { std::fclose(file_); }

    std::uint64_t size() const noexcept { return size_; }
    void append(std::string_view bytes) {
        if (!at_end_ && std::fseek(file_, 0, SEEK_END) != 0)
            throw error("cannot write a copy of " + copy_of_);
        at_end_ = true;
        if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size())
            throw error("no room for a copy of " + copy_of_);
        size_ += bytes.size();
    }
    /// How many of `most` bytes there are from `at` on.
    std::size_t read(std::uint64_t at, char* to, std::size_t most) {
        at_end_ = false;
        if (std::fseek(file_, static_cast<long>(at), SEEK_SET) != 0)
            throw error("cannot read a copy of " + copy_of_);
        return std::fread(to, 1, most, file_);
    }

private:
    std::string copy_of_;
    std::FILE* file_;
    std::uint64_t size_ = 0;
    bool at_end_ = true;
};

} // namespace warpkit::accelsim::detail
