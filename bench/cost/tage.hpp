#pragma once
// A model of how a processor guesses branches, for hosts whose counters cannot be read.

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cost {

/// Guesses conditional branches by tagged tables of geometric history lengths: A. Seznec and P. Michaud, "A case for
/// (partially) tagged geometric history length branch prediction", Journal of Instruction-Level Parallelism 8, 2006.
///
/// A table of two-bit counters by address, and eight tables of 4,096 three-bit counters by address and the latest 5, 9,
/// 15, 25, 43, 75, 128 and 220 outcomes, with tags of 11 bits and two bits of use: 68 KB. The longest history that is
/// known guesses; after a wrong guess a longer one is begun.
///
/// Real processors begin to guess before they know how the branches before ended, learn when these retire, look at
/// several instructions at once, and add loop counters and correctors of which their makers tell little. Here each
/// branch has been learned when the next is guessed, and no other program takes entries. So numbers of two versions of
/// a program can be compared, not seconds foretold.
class tage {
public:
    static constexpr unsigned tables = 8;
    static constexpr unsigned shortest = 5;
    static constexpr unsigned longest = 220;

    tage() : base_(1U << base_bits) {
        for (unsigned i = 1; i <= tables; ++i) {
            auto& t = tables_[i - 1];
            t.entries.resize(1U << index_bits);
            t.length = history_length(i);
            t.index = {t.length, index_bits};
            t.tag = {t.length, tag_bits};
            t.tag_again = {t.length, tag_bits - 1};
        }
    }

    /// How many outcomes table i looks at, from 1 on: a geometric series.
    static unsigned history_length(unsigned i) {
        auto const ratio = static_cast<double>(longest) / shortest;
        return static_cast<unsigned>(std::lround(shortest * std::pow(ratio, (i - 1) / (tables - 1.0))));
    }

    /// Whether the branch was guessed; learns what it did.
    bool guesses(std::uint64_t address, bool taken) {
        auto const found = look_up(address);
        auto const longest_below = [&](unsigned i) { // that knows the branch; 0 is the base
            do --i;
            while (i != 0 && found[i].there->tag != found[i].tag);
            return i;
        };
        auto const provider = longest_below(tables + 1);
        auto& base = base_[address % base_.size()];
        bool guess = base >= 0;
        if (provider == 0) {
            count(base, taken, 2);
        } else {
            auto const alternate = longest_below(provider);
            auto& e = *found[provider].there;
            bool const own_guess = e.counter >= 0;
            bool const other_guess = (alternate == 0 ? base : found[alternate].there->counter) >= 0;
            bool const is_new = e.useful == 0 && (e.counter == 0 || e.counter == -1);
            guess = is_new && distrust_new_ >= 0 ? other_guess : own_guess;
            if (own_guess != other_guess) {
                if (is_new) count(distrust_new_, other_guess == taken, 4);
                if (own_guess == taken && e.useful < most_useful) ++e.useful;
                if (own_guess != taken && e.useful > 0) --e.useful;
            }
            if (e.useful == 0 && alternate == 0) count(base, taken, 2);
            count(e.counter, taken, 3);
        }
        if (guess != taken) begin_longer(provider, taken, found);
        if (++learned_ % forget_after == 0)
            for (auto& t : tables_)
                for (auto& e : t.entries) e.useful = static_cast<std::uint8_t>(e.useful / 2);
        remember(taken);
        return guess == taken;
    }

    /// Adds to the history: an outcome, or a bit of where an indirect jump went.
    void remember(bool bit) {
        for (auto& t : tables_) {
            bool const oldest = history_[(now_ - t.length) % history_.size()];
            t.index.shift(bit, oldest);
            t.tag.shift(bit, oldest);
            t.tag_again.shift(bit, oldest);
        }
        history_[now_++ % history_.size()] = bit;
    }

private:
    static constexpr unsigned base_bits = 14;
    static constexpr unsigned index_bits = 12;
    static constexpr unsigned tag_bits = 11;
    static constexpr std::uint8_t most_useful = 3;
    static constexpr std::uint64_t forget_after = 1U << 18;
    static constexpr std::uint16_t no_tag = 1U << tag_bits;

    struct entry {
        std::int8_t counter = 0; ///< taken where it is not negative
        std::uint8_t useful = 0;
        std::uint16_t tag = no_tag;
    };
    /// The latest outcomes, folded to so many bits by exclusive or.
    class folded {
    public:
        folded() = default;
        folded(unsigned length, unsigned bits) : bits_(bits), leaves_at_(length % bits) {}
        void shift(bool newest, bool oldest) {
            value_ = (value_ << 1) | unsigned{newest};
            value_ ^= unsigned{oldest} << leaves_at_;
            value_ ^= value_ >> bits_;
            value_ &= (1U << bits_) - 1;
        }
        std::uint32_t value() const { return value_; }

    private:
        std::uint32_t value_ = 0;
        unsigned bits_ = 1;
        unsigned leaves_at_ = 0;
    };
    struct table {
        std::vector<entry> entries;
        unsigned length = 0;
        folded index;
        folded tag;
        folded tag_again; ///< of another width, so that histories that are one in the index differ in the tag
    };

    static void count(std::int8_t& counter, bool up, unsigned bits) {
        int const most = (1 << (bits - 1)) - 1;
        if (up ? counter < most : counter > -most - 1)
            counter = static_cast<std::int8_t>(counter + (up ? 1 : -1));
    }

    /// The entry of each table for the branch, and the tag by which it is known; 0 is the base.
    struct place {
        entry* there = nullptr;
        std::uint16_t tag = no_tag;
    };
    using places = std::array<place, tables + 1>;
    places look_up(std::uint64_t address) {
        places all;
        auto const mixed = address ^ (address >> index_bits) ^ (address >> 19);
        for (unsigned i = 1; i <= tables; ++i) {
            auto& t = tables_[i - 1];
            auto const at = (mixed ^ (address >> i) ^ t.index.value()) % t.entries.size();
            auto const tag = (address ^ t.tag.value() ^ (t.tag_again.value() << 1)) % no_tag;
            all[i] = {&t.entries[at], static_cast<std::uint16_t>(tag)};
        }
        return all;
    }

    /// Takes an entry of no use in a table of longer histories, mostly the next; where there is none, all become less
    /// useful.
    void begin_longer(unsigned provider, bool taken, places const& found) {
        random_ = random_ * 1103515245 + 12345;
        auto first = provider + 1;
        if (first < tables) first += (random_ >> 16) & 1;
        for (auto i = first; i <= tables; ++i)
            if (found[i].there->useful == 0) {
                *found[i].there = {static_cast<std::int8_t>(taken ? 0 : -1), 0, found[i].tag};
                return;
            }
        for (auto i = first; i <= tables; ++i) --found[i].there->useful;
    }

    std::vector<std::int8_t> base_;
    std::array<table, tables> tables_;
    std::array<bool, std::bit_ceil(longest)> history_{};
    std::uint64_t now_ = 0;
    std::int8_t distrust_new_ =
        0; ///< new entries guess worse than the next shorter history where it is not negative
    std::uint32_t random_ = 1;
    std::uint64_t learned_ = 0;
};

/// Guesses where indirect jumps and calls go: where they went last, after the same latest outcomes and targets. Returns
/// are not asked about: processors pair them with their calls.
class target_table {
public:
    bool guesses(std::uint64_t address, std::uint64_t target) {
        auto& last = last_[(address ^ (history_ * 2654435761U >> 20)) % last_.size()];
        bool const right = last == target;
        last = target;
        history_ = (history_ << 2) ^ static_cast<std::uint32_t>(target >> 2);
        return right;
    }
    void remember(bool taken) { history_ = (history_ << 1) | std::uint32_t{taken}; }

private:
    std::array<std::uint64_t, 4096> last_{};
    std::uint32_t history_ = 0;
};

} // namespace cost
