#pragma once

/// The floors of the house (docs/explanation/design.md#floors): which header may include which. One table, and a reader
/// of #include lines that holds headers against it.

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace house {

using words = std::set<std::string, std::less<>>;

/// One folder under include/warpkit and what its headers may include besides their own folder.
struct floor {
    std::string folder;
    words below;                 ///< folders it may include
    bool hana = false;           ///< whether it may include Boost.Hana
    bool heavy = true;           ///< whether it may include the heavy standard headers
    words heavy_exceptions = {}; ///< headers of this folder that may include heavy standard headers
};

/// A room of the floor gpu/: a folder of it, and which other rooms its headers may include. Headers at the top of the
/// floor put the rooms together and may include all of them.
struct room {
    std::string folder;
    words below;
};
std::vector<room> const& rooms();

/// All floors, ground first.
std::vector<floor> const& floors();

/// Standard headers that cost a host thousands of lines; no policy needs them.
words const& heavy_headers();

/// `text` with comments and literals blanked out, line ends kept; include paths are not literals.
std::string without_comments(std::string_view text);

/// What is wrong with the header at `path` (below include/, such as "warpkit/warp/gto.hpp"), whose content is `text`.
/// Each complaint is "path:line: why".
std::vector<std::string> complaints(std::string_view path, std::string_view text);

/// The same for all headers below `include_dir`, in order of path.
std::vector<std::string> complaints(std::filesystem::path const& include_dir);

} // namespace house
