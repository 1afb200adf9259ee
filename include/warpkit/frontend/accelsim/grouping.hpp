#pragma once
/// \file
/// Raw traces (.trace), as the tracer writes them: each line begins with its thread block and warp, and they come in
/// the order of the GPU that ran them. Grouped by thread blocks they read as any other (.traceg).

#include <warpkit/frontend/accelsim/header.hpp>
#include <warpkit/frontend/accelsim/scratch_file.hpp>
#include <warpkit/frontend/accelsim/text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace warpkit::accelsim {

namespace detail {

/// Whether a line can be an instruction's: it begins with a digit to base 16.
inline bool begins_with_digit(std::string_view line) noexcept {
    while (!line.empty() && word_reader::is_blank(line.front())) line.remove_prefix(1);
    return !line.empty() && word_reader::digit_of(line.front()) < 16;
}

/// The blocks of a raw trace, in the order of their numbers, in a file without a name.
class grouped_text : public std::enable_shared_from_this<grouped_text> {
public:
    /// `raw` is read twice; of the thread blocks that are under way, up to `most_held` bytes are kept in memory.
    grouped_text(text_source raw, trace_header const& header, std::size_t most_held)
        : raw_(std::move(raw)),
          header_(header),
          warps_(static_cast<unsigned>((header.block.count() + lanes - 1) / lanes)),
          most_held_(most_held),
          file_(raw_.name) {
        count_lines();
        group();
    }

    text_source source() {
        auto const self = shared_from_this();
        return {raw_.name, true,
                [self](std::uint64_t offset) -> byte_stream {
                    return [self, offset](char* to, std::size_t most) mutable {
                        auto const n = self->read(offset, to, most);
                        offset += n;
                        return n;
                    };
                },
                [self](std::uint64_t line) { return self->original(line); }};
    }

private:
    /// Bytes of the file.
    struct extent {
        std::uint64_t at = 0;
        std::uint64_t size = 0;
        std::uint64_t before = 0; ///< of the whole text
    };
    struct warp_text {
        std::string held;
        std::vector<extent> written;
        std::uint64_t lines = 0;
    };
    struct block {
        std::uint64_t left = 0; ///< lines that are still to come
        std::vector<warp_text> warps;
        std::vector<extent> text; ///< all of it, when no line is left
    };
    struct place {
        std::uint64_t cta = 0;
        std::uint64_t warp = 0;
        friend bool operator==(place const&, place const&) = default;
    };

    /// Calls `header` with the lines before the first instruction, `instruction` with each one's place and text.
    template <class Header, class Instruction>
    void each_line(Header&& header, Instruction&& instruction) const {
        line_reader in(raw_);
        bool begun = false;
        while (in.next()) {
            auto const line = in.line();
            if (!begins_with_digit(line)) {
                if (!begun)
                    header(line);
                else if (!line.empty() && line[0] != '#' && line[0] != '-' && !word_reader(line).done())
                    in.refuse("expected an instruction with its thread block and warp, found '" +
                              std::string(line.substr(0, 40)) + '\'');
                continue;
            }
            begun = true;
            word_reader words(line);
            std::uint64_t x = 0;
            std::uint64_t y = 0;
            std::uint64_t z = 0;
            place at;
            if (!words.decimal(x) || !words.decimal(y) || !words.decimal(z) || !words.decimal(at.warp))
                in.refuse("expected x, y, z of the thread block and the warp before the PC");
            auto const& g = header_.grid;
            if (x >= g.x || y >= g.y || z >= g.z)
                in.refuse("there is no thread block " + std::to_string(x) + ',' + std::to_string(y) + ',' +
                          std::to_string(z) + " in a grid of " + std::to_string(g.x) + ',' +
                          std::to_string(g.y) + ',' + std::to_string(g.z));
            if (at.warp >= warps_)
                in.refuse("there is no warp " + std::to_string(at.warp) + " in a thread block of " +
                          std::to_string(warps_));
            at.cta = x + g.x * (y + std::uint64_t{g.y} * z);
            if (!header_.has_places()) {
                words.skip_blanks();
                instruction(in, at, std::string_view(words.at(), words.left()));
            } else {
                instruction(in, at, line);
            }
        }
    }
    void count_lines() {
        each_line([this](std::string_view line) { head_.append(line) += '\n'; },
                  [this](line_reader const&, place at, std::string_view) { ++blocks_[at.cta].left; });
    }
    void group() {
        file_.append(head_);
        std::size_t held = 0;
        each_line([](std::string_view) {},
                  [&](line_reader const& in, place at, std::string_view line) {
                      auto& b = blocks_[at.cta];
                      if (b.left == 0) in.refuse("the file has changed since it was looked through");
                      b.warps.resize(warps_);
                      auto& w = b.warps[at.warp];
                      w.held.append(line) += '\n';
                      ++w.lines;
                      held += line.size() + 1;
                      if (--b.left == 0) {
                          for (auto const& each : b.warps) held -= each.held.size();
                          finish(at.cta, b);
                      }
                      if (held > most_held_) {
                          for (auto& [cta, other] : blocks_)
                              for (auto& each : other.warps) put(each.held, each.written);
                          held = 0;
                      }
                  });
        std::vector<std::uint64_t> order;
        for (auto const& [cta, b] : blocks_) order.push_back(cta);
        std::sort(order.begin(), order.end());
        all_.push_back({0, head_.size(), 0});
        for (auto const cta : order)
            for (auto e : blocks_[cta].text) {
                e.before = all_.back().before + all_.back().size;
                all_.push_back(e);
            }
        blocks_.clear();
    }
    /// Moves text to the file.
    void put(std::string& text, std::vector<extent>& to) {
        if (text.empty()) return;
        auto const at = file_.size();
        file_.append(text);
        if (!to.empty() && to.back().at + to.back().size == at)
            to.back().size += text.size();
        else
            to.push_back({at, text.size(), 0});
        std::string().swap(text);
    }
    void finish(std::uint64_t cta, block& b) {
        auto const& g = header_.grid;
        auto const x = cta % g.x;
        auto const y = cta / g.x % g.y;
        auto const z = cta / g.x / g.y;
        auto text = "#BEGIN_TB\nthread block = " + std::to_string(x) + ',' + std::to_string(y) + ',' +
                    std::to_string(z) + '\n';
        for (std::size_t w = 0; w < b.warps.size(); ++w) {
            auto& warp = b.warps[w];
            if (warp.lines == 0) continue;
            text += "warp = " + std::to_string(w) + "\ninsts = " + std::to_string(warp.lines) + '\n';
            if (!warp.written.empty()) {
                put(text, b.text);
                b.text.insert(b.text.end(), warp.written.begin(), warp.written.end());
            }
            text += warp.held;
        }
        text += "#END_TB\n";
        put(text, b.text);
        std::vector<warp_text>().swap(b.warps);
    }

    std::size_t read(std::uint64_t offset, char* to, std::size_t most) {
        auto const behind = std::upper_bound(all_.begin(), all_.end(), offset,
                                             [](std::uint64_t o, extent const& e) { return o < e.before; });
        auto const& e = *std::prev(behind);
        auto const skipped = offset - e.before;
        if (skipped >= e.size) return 0;
        return file_.read(e.at + skipped, to,
                          static_cast<std::size_t>(std::min<std::uint64_t>(most, e.size - skipped)));
    }

    /// Where a line of the grouped text stands in the raw trace: looked for where it is asked, which is in messages.
    std::uint64_t original(std::uint64_t line) {
        auto const heads = static_cast<std::uint64_t>(std::count(head_.begin(), head_.end(), '\n'));
        if (line <= heads) return line;
        auto const grouped = source();
        line_reader in(grouped);
        place at;
        std::uint64_t nth = 0; // instruction of its warp, from 1 on
        std::uint64_t x = 0;
        std::uint64_t y = 0;
        std::uint64_t z = 0;
        while (in.number() < line && in.next()) {
            if (in.number() <= heads) continue;
            word_reader words(in.line());
            std::string text(in.line());
            std::replace(text.begin(), text.end(), ',', ' ');
            text += '\n';
            word_reader numbers({text.data(), text.size() - 1});
            if (numbers.skip("thread block =") && numbers.decimal(x) && numbers.decimal(y) &&
                numbers.decimal(z))
                at.cta = x + header_.grid.x * (y + std::uint64_t{header_.grid.y} * z);
            else if (words.skip("warp ="))
                words.decimal(at.warp), nth = 0;
            else if (begins_with_digit(in.line()))
                ++nth;
        }
        std::uint64_t found = 0;
        each_line([](std::string_view) {},
                  [&](line_reader const& raw, place p, std::string_view) {
                      if (p == at && (nth == 0 || --nth == 0) && found == 0) found = raw.number();
                  });
        return found == 0 ? line : found;
    }

    text_source raw_;
    trace_header header_;
    unsigned warps_;
    std::size_t most_held_;
    scratch_file file_;
    std::string head_; ///< the lines before the first instruction
    std::unordered_map<std::uint64_t, block> blocks_;
    std::vector<extent> all_; ///< of the grouped text, in its order
};

} // namespace detail

/// A raw trace, grouped by thread blocks, in a temporary file; places in messages stay those of the raw one. It is read
/// twice; text of the thread blocks that were resident at once is kept in memory, up to `most_held` bytes. Throws
/// `error` for lines without thread block and warp, and for those that the grid has not.
inline text_source grouped(text_source raw, trace_header const& header,
                           std::size_t most_held = std::size_t{256} << 20) {
    return std::make_shared<detail::grouped_text>(std::move(raw), header, most_held)->source();
}

} // namespace warpkit::accelsim
