#pragma once
/// \file
/// Launch files: one launch of a PTX kernel without a host program, as JSON. docs/reference/launch_files.md has the
/// schema.

#include <warpkit/frontend/device.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpkit {

/// A launch file, read and checked. A regular value.
class launch_file {
public:
    /// Gives a file's content; throws error when it cannot, or when there are more than `most` bytes.
    using file_reader = std::function<std::string(std::string const& name, std::size_t most)>;
    /// Puts bytes into a file.
    using file_writer = std::function<void(std::string const& name, std::string_view bytes)>;

    /// `text` is the JSON, `name` how messages call it. File names in it go to `read` as they stand. Throws error
    /// "name: path: what is wrong", the path as in arguments[2].u32; for what is no JSON with line and column.
    launch_file(std::string_view text, std::string const& name, file_reader const& read);

    std::string const& ptx() const noexcept { return ptx_; }
    std::string const& ptx_name() const noexcept { return ptx_name_; }
    std::string const& kernel() const noexcept { return request_.kernel; }
    /// The files that run() writes, as the launch file names them.
    std::vector<std::string> output_files() const;
    /// The shape in short: "grid 64 block 256".
    std::string shape() const;

    /// Allocates and fills the buffers, launches, and writes the outputs that have a file; gives the others as text.
    std::string run(device& d, file_writer const& write) const;

private:
    friend class launch_file_reader;
    struct buffer {
        std::string name;
        std::string type;
        std::size_t size = 0; ///< bytes of an element
        std::vector<std::byte> content;
    };
    struct output {
        std::size_t buffer = 0;
        std::size_t count = 0;
        std::string file; ///< empty: text for the caller
    };
    /// Bytes in the arguments that are the address of a buffer.
    struct pointer {
        std::size_t at = 0;
        std::size_t buffer = 0;
        std::uint64_t offset = 0;
    };

    std::string ptx_;
    std::string ptx_name_;
    launch_request request_;
    std::vector<buffer> buffers_;
    std::vector<pointer> pointers_;
    std::vector<output> outputs_;
};

/// Where a file that the launch file `path` names lies.
std::string path_beside(std::string const& path, std::string const& name);
/// Reads and writes files relative to the folder of the launch file `path`.
launch_file::file_reader files_beside(std::string const& path);
launch_file::file_writer write_beside(std::string const& path);

} // namespace warpkit
