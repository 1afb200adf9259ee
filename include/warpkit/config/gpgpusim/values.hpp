#pragma once
/// \file
/// The small languages in which GPGPU-Sim and Accel-Sim write the values of options: caches, DRAM timings, clock domains,
/// lists. As in the GPGPU-Sim 3.x manual and the comments of the tested configurations; GPGPU-Sim 3.0's older forms too.
/// Each reader takes a whole text and throws `error` for anything else: what was expected where, and the grammar.

#include <warpkit/base/error.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpkit::gpgpusim {

/// Reads a text from left to right.
class value_reader {
public:
    /// `grammar` is told in messages. Both texts must stay.
    value_reader(std::string_view text, std::string_view grammar) : text_(text), grammar_(grammar) {}

    bool at_end() const noexcept { return at_ == text_.size(); }
    /// The next character; 0 at the end.
    char next() const noexcept { return at_end() ? '\0' : text_[at_]; }
    /// Whether it is this one, which is then behind us.
    bool take(char c) noexcept {
        if (at_end() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    void expect(char c) {
        if (!take(c)) refuse(std::string("expected '") + c + "'");
    }
    /// A whole number, at most `most`.
    std::uint64_t whole(std::string_view what, std::uint64_t most = 0xffffffff) {
        skip_blanks();
        auto const begin = at_;
        std::uint64_t value = 0;
        for (; !at_end() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
            if (at_ - begin > 18) refuse("too many digits");
            value = value * 10 + static_cast<std::uint64_t>(text_[at_] - '0');
        }
        if (at_ == begin) refuse("expected a whole number, " + std::string(what));
        if (value > most) {
            at_ = begin;
            refuse(std::string(what) + " can be " + std::to_string(most) + " at most");
        }
        skip_blanks();
        return value;
    }
    std::uint32_t number(std::string_view what) { return static_cast<std::uint32_t>(whole(what)); }
    /// A number in thousandths: "3500.5" is 3,500,500.
    std::uint64_t thousandths(std::string_view what) {
        auto value = whole(what, 1'000'000'000) * 1000;
        if (!take('.')) return value;
        std::uint64_t unit = 100;
        bool any = false;
        for (; !at_end() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_, unit /= 10) {
            any = true;
            if (unit == 0 && text_[at_] != '0') refuse("more than three digits behind the point");
            value += unit * static_cast<std::uint64_t>(text_[at_] - '0');
        }
        if (!any) refuse("expected digits behind the point");
        skip_blanks();
        return value;
    }
    /// One of these letters.
    char letter(std::string_view of, std::string_view what) {
        if (at_end() || of.find(text_[at_]) == of.npos)
            refuse("expected one of the letters " + std::string(of) + ", " + std::string(what));
        return text_[at_++];
    }
    /// Letters and digits.
    std::string word(std::string_view what) {
        skip_blanks();
        auto const begin = at_;
        auto const belongs = [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        };
        while (!at_end() && belongs(text_[at_])) ++at_;
        if (at_ == begin) refuse("expected " + std::string(what));
        return std::string(text_.substr(begin, at_ - begin));
    }
    void skip_blanks() noexcept {
        while (!at_end() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    }
    void expect_end() {
        skip_blanks();
        if (!at_end()) refuse("expected the end");
    }
    [[noreturn]] void refuse(std::string const& why) const {
        auto const found =
            at_end() ? std::string("the end") : '\'' + std::string(text_.substr(at_, 12)) + '\'';
        throw error(why + " at position " + std::to_string(at_ + 1) + ", found " + found + "; write " +
                    std::string(grammar_));
    }

private:
    std::string_view text_;
    std::string_view grammar_;
    std::size_t at_ = 0;
};

/// A cache as an option describes it. Letters are GPGPU-Sim's.
struct cache_text {
    bool none = false; ///< there is no such cache; all else is then 0
    bool sectored = false;
    std::uint32_t sets = 0;
    std::uint32_t line = 0;
    std::uint32_t ways = 0;
    char replacement = 'L'; ///< L, F
    char write = 'R';       ///< R, B, T, E, L
    char allocation = 'm';  ///< m, f, s
    char write_miss = 'N';  ///< N, W, F, L
    char index = 'L';       ///< L, H, P, X, C
    char mshr = 'A';        ///< A, S; F, T: a texture cache's FIFOs
    std::uint32_t entries = 0;
    std::uint32_t merges = 0;
    std::uint32_t queue = 0;
    std::uint32_t second_queue = 0; ///< of a texture cache the result FIFO, else without meaning
    std::uint32_t port = 0;         ///< bytes; 0: a line

    std::uint64_t bytes() const noexcept { return std::uint64_t{sets} * line * ways; }
    friend bool operator==(cache_text const&, cache_text const&) = default;
};

inline constexpr std::string_view cache_grammar =
    "none, or [N:|S:]sets:line:ways,replacement L|F:store R|B|T|E|L:allocation m|f|s[:store miss N|W|F|L]"
    "[:index L|H|P|X|C],MSHRs A|S|F|T:entries:merges,queue[:second queue][,port]";

/// `S:4:128:64,L:T:m:L:L,A:512:8,16:0,32`; before GPGPU-Sim 4 without the first letter, before 3.2 without the index, and in
/// 3.0 with a colon in place of the first comma and no kind of store miss.
inline cache_text read_cache(std::string_view text) {
    cache_text c;
    if (text == "none") {
        c.none = true;
        return c;
    }
    value_reader in(text, cache_grammar);
    if (in.next() == 'N' || in.next() == 'S') {
        c.sectored = in.letter("NS", "whether it has sectors") == 'S';
        in.expect(':');
    }
    c.sets = in.number("sets");
    in.expect(':');
    c.line = in.number("bytes of a line");
    in.expect(':');
    c.ways = in.number("ways");
    if (!in.take(':')) in.expect(',');
    c.replacement = in.letter("LF", "the replacement");
    in.expect(':');
    c.write = in.letter("RBTEL", "what becomes of stores");
    in.expect(':');
    c.allocation = in.letter("mfs", "when a line gets its place");
    if (in.take(':')) {
        c.write_miss = in.letter("NWFL", "what becomes of stores that miss");
        if (in.take(':')) c.index = in.letter("LHPXC", "the set index");
    }
    in.expect(',');
    c.mshr = in.letter("ASFT", "the kind of MSHRs");
    in.expect(':');
    c.entries = in.number("MSHR entries");
    in.expect(':');
    c.merges = in.number("merges of an MSHR");
    in.expect(',');
    c.queue = in.number("the miss queue");
    if (in.take(':')) c.second_queue = in.number("the result FIFO");
    if (in.take(',')) c.port = in.number("bytes of the data port");
    in.expect_end();
    return c;
}

/// DRAM timings as an option gives them, under its names.
struct dram_text {
    std::uint32_t nbk = 0, ccd = 0, rrd = 0, rcd = 0, ras = 0, rp = 0, rc = 0, cl = 0, wl = 0, cdlr = 0,
                  wr = 0;
    std::uint32_t nbkgrp = 1, ccdl = 0, rtpl = 0;
    bool has_wr = true; ///< GPGPU-Sim 3.0 had none
    friend bool operator==(dram_text const&, dram_text const&) = default;
};

inline constexpr std::string_view dram_grammar =
    "nbk=16:CCD=2:RRD=6:RCD=12:RAS=28:RP=12:RC=40:CL=12:WL=4:CDLR=5:WR=12[:nbkgrp=4:CCDL=3:RTPL=2], or the "
    "values "
    "alone in the order nbk:CCD:RRD:RCD:RAS:RP:RC:CL:WL:CDLR[:WR[:nbkgrp:CCDL:RTPL]]";

/// Named values in any order, or values alone.
inline dram_text read_dram_timing(std::string_view text) {
    dram_text t;
    struct named {
        std::string_view name;
        std::uint32_t dram_text::*member;
        bool needed;
    };
    static constexpr std::array<named, 14> all = {{{"nbk", &dram_text::nbk, true},
                                                   {"CCD", &dram_text::ccd, true},
                                                   {"RRD", &dram_text::rrd, true},
                                                   {"RCD", &dram_text::rcd, true},
                                                   {"RAS", &dram_text::ras, true},
                                                   {"RP", &dram_text::rp, true},
                                                   {"RC", &dram_text::rc, true},
                                                   {"CL", &dram_text::cl, true},
                                                   {"WL", &dram_text::wl, true},
                                                   {"CDLR", &dram_text::cdlr, true},
                                                   {"WR", &dram_text::wr, true},
                                                   {"nbkgrp", &dram_text::nbkgrp, false},
                                                   {"CCDL", &dram_text::ccdl, false},
                                                   {"RTPL", &dram_text::rtpl, false}}};
    value_reader in(text, dram_grammar);
    if (text.find('=') == text.npos) {
        std::size_t n = 0;
        do {
            if (n == all.size()) in.refuse("more than 14 values");
            t.*all[n].member = in.number(all[n].name);
            ++n;
        } while (in.take(':'));
        in.expect_end();
        if (n != 10 && n != 11 && n != 14) in.refuse(std::to_string(n) + " values");
        t.has_wr = n > 10;
        return t;
    }
    std::uint32_t given = 0;
    while (true) {
        in.skip_blanks();
        if (in.at_end()) break;
        auto const name = in.word("the name of a timing");
        std::size_t i = 0;
        while (i != all.size() && all[i].name != name) ++i;
        if (i == all.size()) in.refuse("there is no timing " + name);
        if ((given >> i & 1) != 0) in.refuse(name + " is given twice");
        given |= 1U << i;
        in.skip_blanks();
        in.expect('=');
        t.*all[i].member = in.number(name);
        if (!in.take(':') && !in.take(';')) break;
    }
    in.expect_end();
    for (std::size_t i = 0; i != all.size(); ++i)
        if (all[i].needed && (given >> i & 1) == 0) in.refuse(std::string(all[i].name) + " is missing");
    return t;
}

/// `1447.0:1447.0:1447.0:850.0`: MHz of core, interconnect, L2 and DRAM, as kHz.
inline std::array<std::uint64_t, 4> read_clocks(std::string_view text) {
    value_reader in(text, "core:interconnect:L2:DRAM in MHz, as 700.0:700.0:700.0:924.0");
    std::array<std::uint64_t, 4> khz{};
    for (std::size_t i = 0; i < 4; ++i) {
        if (i != 0) in.expect(':');
        khz[i] = in.thousandths("MHz");
        if (khz[i] == 0) in.refuse("a clock of 0 MHz");
    }
    in.expect_end();
    return khz;
}

/// Whole numbers with `between` between them, from `fewest` to `most` of them.
inline std::vector<std::uint32_t> read_list(std::string_view text, char between, std::size_t fewest,
                                            std::size_t most, std::string_view grammar) {
    value_reader in(text, grammar);
    std::vector<std::uint32_t> all;
    do {
        if (all.size() == most) in.refuse("more than " + std::to_string(most) + " numbers");
        all.push_back(in.number("one of the list"));
    } while (in.take(between));
    in.expect_end();
    if (all.size() < fewest) in.refuse("fewer than " + std::to_string(fewest) + " numbers");
    return all;
}

/// A special unit of Accel-Sim.
struct unit_text {
    bool enabled = false;
    std::uint32_t units = 0;
    std::uint32_t latency = 0; ///< the most that there is room for
    std::uint32_t issue_width = 0;
    std::uint32_t dispatch_width = 0;
    std::string name;
    friend bool operator==(unit_text const&, unit_text const&) = default;
};

/// `1,4,4,4,4,BRA`
inline unit_text read_unit(std::string_view text) {
    value_reader in(text, "enabled,units,latency,issue width,dispatch width,name, as 1,4,4,4,4,BRA");
    unit_text u;
    u.enabled = in.whole("enabled", 1) != 0;
    in.expect(',');
    u.units = in.number("units");
    in.expect(',');
    u.latency = in.number("latency");
    in.expect(',');
    u.issue_width = in.number("issue width");
    in.expect(',');
    u.dispatch_width = in.number("dispatch width");
    in.expect(',');
    u.name = in.word("a name");
    in.expect_end();
    return u;
}

} // namespace warpkit::gpgpusim
