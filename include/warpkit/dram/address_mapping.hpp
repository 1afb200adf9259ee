#pragma once
/// \file
/// Which channel, bank, row and column an address lies in.

#include <warpkit/base/error.hpp>
#include <warpkit/base/flattened.hpp>
#include <warpkit/base/high_product.hpp>
#include <warpkit/base/index_hash.hpp>
#include <warpkit/dram/timing.hpp>

#include <array>
#include <bit>
#include <cstdint>

namespace warpkit::dram {

/// Where an address lies.
struct location {
    std::uint32_t channel = 0;
    std::uint32_t sub_partition = 0; ///< machine-wide: channel * sub_partitions + bank mod sub_partitions
    std::uint32_t bank = 0;
    std::uint32_t row = 0;
    std::uint32_t column = 0; ///< byte offset in the row

    friend bool operator==(location const&, location const&) = default;
};

/// Gathers the bits of a mask to the low end and spreads them back, by one shift and mask per run of adjacent bits.
class bit_field {
public:
    constexpr bit_field() = default;
    constexpr explicit bit_field(std::uint64_t mask) noexcept { append(mask); }
    /// Adds the bits of a further mask above those gathered so far.
    constexpr void append(std::uint64_t mask) noexcept {
        auto low = width_;
        mask_ |= mask;
        while (mask != 0) {
            auto const at = static_cast<std::uint32_t>(std::countr_zero(mask));
            auto const length = static_cast<std::uint32_t>(std::countr_one(mask >> at));
            auto const ones = length == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << length) - 1;
            run_[runs_++] = {ones << at, static_cast<int>((at - low) & 63)};
            low += length;
            mask &= ~(ones << at);
        }
        width_ = low;
    }
    /// The number of bits.
    constexpr std::uint32_t width() const noexcept { return width_; }
    /// The bits that are gathered.
    constexpr std::uint64_t mask() const noexcept { return mask_; }
    constexpr std::uint64_t gather(std::uint64_t from) const noexcept {
        auto value = std::rotr(from & run_[0].mask, run_[0].down); // mostly all
        for (std::uint32_t i = 1; i < runs_; ++i) value |= std::rotr(from & run_[i].mask, run_[i].down);
        return value;
    }
    constexpr std::uint64_t spread(std::uint64_t value) const noexcept {
        auto to = std::rotl(value, run_[0].down) & run_[0].mask;
        for (std::uint32_t i = 1; i < runs_; ++i) to |= std::rotl(value, run_[i].down) & run_[i].mask;
        return to;
    }
    friend bool operator==(bit_field const&, bit_field const&) = default;

private:
    struct run {
        std::uint64_t mask = 0; ///< its bits in the address
        int down = 0;           ///< by how much they lie lower in the value, modulo 64
        friend bool operator==(run const&, run const&) = default;
    };
    std::uint64_t mask_ = 0;
    std::uint32_t runs_ = 0;
    std::uint32_t width_ = 0;
    std::array<run, 32> run_{}; ///< 64 bits have at most 32 separate runs
};

/// GPGPU-Sim's address mapping by bit masks (docs/model/dram.md#address-maps).
///
/// Notation: `dramid@S;` and 64 letters from bit 63 down to bit 0: R row, B bank, C column, S burst (the low part of
/// the column), 0 unused; dots, bars and blanks are skipped. `dramid@S` puts the channel at bit S. A power-of-two
/// number of channels is inserted there; with any other number n the address above bit S is divided: channel = (address
/// >> S) mod n, and the letters describe (address >> S) div n << S | low bits. Without `dramid@S;` the letter D marks
/// the channel bits, and the channels must be a power of two.
///
/// Ours: the letters G, K and P mark bank-group, rank and pseudo-channel bits, which lie in this order above the B bits
/// in the number of the bank. Instead of 64 letters, `low:` and letters with counts from bit 0 up, `low:S5 C6 G2 B2
/// R14`. In front of all, `xor:` or `ipoly:` hashes the sub-partition (all channels' together, so that the channel
/// follows) with the address bits above it, and `bank_xor:` or `bank_ipoly:` the bank with the row bits. `skew:` adds a
/// hash of all address bits above to the sub-partition, modulo their number, which may be any up to 256: no two
/// addresses become one, and no stride that is a power of two stays in a few channels (docs/model/dram.md#skew).
///
/// With a number of channels that is no power of two, `ipoly:` is taken over the next power of two, and the channel is
/// the remainder, as there: some sub-partitions then get twice as many addresses as others, and two addresses can have
/// one row and column, though never one local address (docs/model/dram.md#folded-hash).
///
/// Unused bits must be the highest. Addresses beyond capacity() wrap around.
/// Source: GPGPU-Sim's addrdec.cc and hashing.cc.
/// Differs from the source: letters are checked for consistency; with a power of two of channels the bank bits that
/// tell the sub-partition take no part in the hash (there they do if they lie high enough, and different addresses
/// become one).
class address_mapping {
public:
    static constexpr bool made_again = true; ///< (machine/state_archive.hpp)
    address_mapping() = default;
    /// Throws `warpkit::error` on a malformed or contradictory text, naming the position.
    [[gnu::cold]] address_mapping(char const* text, std::uint32_t channels, std::uint32_t sub_partitions = 1)
        : channels_(channels),
          sub_partitions_(sub_partitions) {
        if (channels == 0) refuse(text, {"channels = 0; nearest legal value: 1"});
        auto const* at = text;
        auto hash = index_hash::none;
        auto bank_hash = index_hash::none;
        while (true) {
            if (skip(at, "xor:"))
                hash = index_hash::bitwise_xor;
            else if (skip(at, "ipoly:"))
                hash = index_hash::ipoly;
            else if (skip(at, "skew:"))
                hash = index_hash::skew;
            else if (skip(at, "bank_xor:"))
                bank_hash = index_hash::bitwise_xor;
            else if (skip(at, "bank_ipoly:"))
                bank_hash = index_hash::ipoly;
            else
                break;
        }
        bool const split = parse_split(text, at);
        auto mask = skip(at, "low:") ? parse_counts(text, at) : parse_letters(text, at);
        auto const power_of_two = (channels & (channels - 1)) == 0;
        if (split) {
            if (mask[channel_] != 0)
                refuse(text, {"both dramid@ and the letter D name the channel bits; drop one of them"});
            if (power_of_two) {
                auto const bits = static_cast<std::uint32_t>(std::countr_zero(channels));
                auto const low = (std::uint64_t{1} << split_) - 1;
                for (auto& m : mask) {
                    if (bits != 0 && (m & ~low) >> (64 - bits) != 0)
                        refuse(text, {"no unused bits left for ", channels,
                                      " channels; write 0 for the highest ", bits});
                    m = (m & ~low) << bits | (m & low);
                }
                mask[channel_] = ((std::uint64_t{1} << bits) - 1) << split_;
            }
            modulo_ = !power_of_two;
            // The quotient of address >> S is exact as long as that is below 2^64 / channels.
            if (modulo_ && std::uint64_t{channels} >> split_ == 0)
                reciprocal_ = ~std::uint64_t{0} / channels + 1;
            low_ = (std::uint64_t{1} << split_) - 1;
        } else if (!power_of_two || bit_field(mask[channel_]).width() !=
                                        static_cast<std::uint32_t>(std::countr_zero(channels))) {
            refuse(text, {"the letter D marks ", bit_field(mask[channel_]).width(), " bits, but there are ",
                          channels, " channels; use dramid@<bit>; for numbers that are no power of two"});
        }
        for (std::uint32_t i = 0; i < fields_; ++i) field_[i] = bit_field(mask[i]);
        low_column_bits_ = static_cast<std::uint32_t>(std::countr_one(mask[column_]));
        if (modulo_ && split_ < low_column_bits_) low_column_bits_ = split_;
        field_[bank_].append(mask[group_]);
        field_[bank_].append(mask[rank_]);
        field_[bank_].append(mask[part_]);
        mask[bank_] = field_[bank_].mask();
        field_[group_] = field_[rank_] = field_[part_] = {};
        used_bits_ = 0;
        for (auto const& f : field_) used_bits_ += f.width();
        if (modulo_ && used_bits_ <= split_) refuse(text, {"no letters above bit ", split_});
        if (field_[row_].width() > 31) refuse(text, {"more than 31 row bits"});
        if (field_[column_].width() > 31) refuse(text, {"more than 31 column bits"});
        if (field_[bank_].width() > 8) refuse(text, {"more than 8 bank bits (256 banks)"});
        auto const all = mask[channel_] | mask[bank_] | mask[row_] | mask[column_];
        if (std::countr_one(all) != static_cast<int>(used_bits_))
            refuse(text,
                   {"an unused bit (0) lies below a used one, so that different addresses would be one"});
        if (sub_partitions == 0 || (sub_partitions & (sub_partitions - 1)) != 0 || sub_partitions > banks()) {
            auto const legal = sub_partitions == 0        ? 1U
                               : sub_partitions > banks() ? banks()
                                                          : std::bit_floor(sub_partitions);
            refuse(text, {"sub_partitions = ", sub_partitions, " is not a power of two up to the ", banks(),
                          " banks; nearest legal value: ", legal});
        }
        auto const sub_bits = field_[bank_].spread(sub_partitions - 1);
        set_hashes(text, hash, bank_hash, split, sub_bits, mask[channel_]);
        local_ = bit_field((used_bits_ == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << used_bits_) - 1) &
                           ~mask[channel_] & ~sub_bits);
        // Of a local address the fields are at hand but for what tells the sub-partition.
        in_local_[row_] = bit_field(local_.gather(mask[row_]));
        in_local_[column_] = bit_field(local_.gather(mask[column_]));
        auto const plain_bank_bits = mask[bank_] & ~mask[group_] & ~mask[rank_] & ~mask[part_];
        for (auto const bits : {plain_bank_bits, mask[group_], mask[rank_], mask[part_]}) {
            in_local_[bank_].append(local_.gather(bits));
            sub_partition_.append(sub_bits & bits);
        }
    }

    location decode(std::uint64_t address) const noexcept {
        location l;
        auto const rest = remainder(address, l.channel);
        fill(l, rest);
        l.sub_partition = hashed(l.channel * sub_partitions_ + sub_partition_of_channel(rest), rest);
        l.channel = l.sub_partition / sub_partitions_;
        return l;
    }
    /// The channel and sub-partition alone: what the network needs to know.
    std::uint32_t sub_partition(std::uint64_t address) const noexcept {
        std::uint32_t channel = 0;
        auto const rest = remainder(address, channel);
        return hashed(channel * sub_partitions_ + sub_partition_of_channel(rest), rest);
    }
    /// The address that `decode` takes to channel, bank, row and column of `l`; where folds(), the lower one of two.
    /// Precondition: there is one.
    std::uint64_t encode(location const& l) const noexcept {
        auto const rest = described(l);
        auto channel = l.channel;
        if (skews_)
            channel = unhashed(sub_partition_of(l), rest) / sub_partitions_;
        else if (hash_.active())
            channel ^= hash_(above(rest)) / sub_partitions_;
        return address_of(rest, folds_ ? lower_channel(l.channel, rest) : channel);
    }
    /// The address within its sub-partition: without the bits that tell channel and sub-partition, closed up. An L2
    /// slice takes its set index from this. Distinct for distinct addresses of one sub-partition: where folds(), the
    /// sub-partition before the hash stands above, from bit 40 up.
    std::uint64_t local(std::uint64_t address) const noexcept {
        std::uint32_t channel = 0;
        auto const rest = remainder(address, channel);
        return local_.gather(rest) | (folds_ ? unfolded(channel, rest) : 0);
    }

    /// The inverse of local() and sub_partition() together, without any division.
    WARPKIT_FLATTENED location locate(std::uint32_t sub_partition, std::uint64_t local) const noexcept {
        location l;
        l.sub_partition = sub_partition;
        l.channel = sub_partition >> std::countr_zero(sub_partitions_);
        if (!hash_.active()) {
            l.row = static_cast<std::uint32_t>(in_local_[row_].gather(local));
            l.column = static_cast<std::uint32_t>(in_local_[column_].gather(local));
            l.bank = static_cast<std::uint32_t>(in_local_[bank_].gather(local)) * sub_partitions_ +
                     (sub_partition & (sub_partitions_ - 1));
            if (bank_hash_.active()) l.bank ^= bank_hash_(l.row);
            return l;
        }
        auto const rest = local_.spread(local);
        auto const own =
            folds_ ? static_cast<std::uint32_t>(local >> fold_bit_) : unhashed(sub_partition, rest);
        fill(l, rest | field_[bank_].spread(own % sub_partitions_));
        return l;
    }
    /// The address that sub_partition() and local() are of.
    std::uint64_t address(std::uint32_t sub_partition, std::uint64_t local) const noexcept {
        auto const l = locate(sub_partition, local);
        return folds_ ? address_of(described(l),
                                   static_cast<std::uint32_t>(local >> fold_bit_) / sub_partitions_)
                      : encode(l);
    }
    /// The local address of a place of this channel, as local(encode(l)).
    std::uint64_t local_of(location const& l) const noexcept {
        auto const rest = described(l);
        return local_.gather(rest) | (folds_ ? unfolded(lower_channel(l.channel, rest), rest) : 0);
    }
    /// The sub-partition of a place of a channel, as decode(encode(l)).sub_partition.
    std::uint32_t sub_partition_of(location const& l) const noexcept {
        auto const rest = described(l);
        auto own = sub_partition_of_channel(rest);
        if (skews_)
            own = (own + skew(rest)) & (sub_partitions_ - 1);
        else if (hash_.active())
            own ^= hash_(above(rest)) & (sub_partitions_ - 1);
        return l.channel * sub_partitions_ + own;
    }

    /// The lowest bits of an address that are the lowest bits of its column and of its local address, in place: what
    /// differs in them alone lies in one row.
    std::uint32_t low_column_bits() const noexcept { return low_column_bits_; }

    std::uint32_t channels() const noexcept { return channels_; }
    std::uint32_t sub_partitions_per_channel() const noexcept { return sub_partitions_; }
    std::uint32_t banks() const noexcept { return std::uint32_t{1} << field_[bank_].width(); }
    std::uint32_t rows() const noexcept { return std::uint32_t{1} << field_[row_].width(); }
    std::uint32_t row_bytes() const noexcept { return std::uint32_t{1} << field_[column_].width(); }
    /// Bytes in all channels together; addresses wrap around there.
    std::uint64_t capacity() const noexcept {
        return (std::uint64_t{row_bytes()} * rows()) * banks() * channels();
    }

    /// The letter of an address bit: D, R, B or C; 0 if unused. With a channel number that is no power of two the
    /// letters describe the divided address.
    char letter(std::uint32_t bit) const noexcept {
        auto const m = std::uint64_t{1} << bit;
        return (field_[channel_].mask() & m) != 0  ? 'D'
               : (field_[row_].mask() & m) != 0    ? 'R'
               : (field_[bank_].mask() & m) != 0   ? 'B'
               : (field_[column_].mask() & m) != 0 ? 'C'
                                                   : '0';
    }
    /// Which bit of its field an address bit is.
    std::uint32_t place(std::uint32_t bit) const noexcept {
        for (auto const& f : field_)
            if ((f.mask() >> bit & 1) != 0)
                return static_cast<std::uint32_t>(std::countr_zero(f.gather(std::uint64_t{1} << bit)));
        return 0;
    }
    /// Whether the channel is a remainder, of the address above split_bit().
    bool divides() const noexcept { return modulo_; }
    std::uint32_t split_bit() const noexcept { return split_; }
    /// Whether the hash is over more sub-partitions than there are, of which the remainder is taken.
    bool folds() const noexcept { return folds_; }
    /// Whether the hash is added to the sub-partition.
    bool skews() const noexcept { return skews_; }
    /// The address bits with which bit `b` of the sub-partition is XORed (where skews(), of what is added to it), and
    /// bit `b` of the bank with row bits.
    std::uint64_t hashed_with(std::uint32_t b) const noexcept {
        return (hash_.row(b) << above_) & ~unhashed_;
    }
    std::uint64_t bank_hashed_with(std::uint32_t b) const noexcept {
        return field_[row_].spread(bank_hash_.row(b));
    }
    /// Takes addresses there and back: throws `warpkit::error` at the first that does not return, or that shares its
    /// place (where folds(), its local address). All of them if there are at most `most` blocks of `block` bytes, else
    /// as many spread over the capacity.
    void check_bijection(std::uint64_t block = 32, std::uint64_t most = 100'000) const {
        auto const blocks = capacity() / block;
        auto const count = blocks < most ? blocks : most;
        for (std::uint64_t i = 0; i < count; ++i) {
            // an odd stride visits each block of a power of two once; others at least distinct ones
            auto const address = (blocks <= most ? i : i * 0x9e3779b97f4a7c15U % blocks) * block;
            auto const l = decode(address);
            auto const back = folds_ ? this->address(l.sub_partition, local(address)) : encode(l);
            if (back != address || l.channel >= channels_ || sub_partition_of(l) != l.sub_partition ||
                !(locate(l.sub_partition, local(address)) == l))
                raise_error(error({"address mapping: address ", address, " goes to channel ", l.channel,
                                   " bank ", l.bank, " row ", l.row, " column ", l.column,
                                   ", which is the place of address ", back}));
        }
    }

    /// Throws `warpkit::error` unless the mapping addresses exactly the banks of `t` in whole atoms, and an aligned
    /// block of `block` bytes, a power of two, lies in one sub-partition: a packet goes to one.
    [[gnu::cold]] void check(timing const& t, std::uint32_t block = 1) const {
        auto const lowest = static_cast<std::uint32_t>(std::countr_zero(sub_mask_));
        auto const whole = modulo_ && split_ < lowest ? split_ : lowest;
        if (whole < 64 && std::uint64_t{1} << whole < block)
            raise_error(
                error({"address mapping: bit ", whole, " of an address tells ",
                       modulo_ || (field_[channel_].mask() >> whole & 1) != 0 ? "the channel" : "the slice",
                       ", so that a block of ", block, " bytes, which one packet asks for, lies in several; ",
                       "lowest legal bit: ", static_cast<std::uint32_t>(std::countr_zero(block))}));
        if (banks() != t.banks)
            raise_error(
                error({"address mapping: its letters B address ", banks(), " banks, but the dram has ",
                       t.banks, "; nearest legal value of dram.banks: ", banks()}));
        if (row_bytes() % t.atom_bytes() != 0)
            raise_error(error({"address mapping: a row of ", row_bytes(),
                               " bytes is no whole number of atoms of ", t.atom_bytes(), " bytes"}));
    }

    friend bool operator==(address_mapping const&, address_mapping const&) = default;

private:
    enum : std::uint32_t { channel_, bank_, row_, column_, group_, rank_, part_, fields_ };

    [[noreturn, gnu::cold]] static void refuse(char const* text, std::initializer_list<message_part> why) {
        raise_error(error({"address mapping '", text, "': ", joined(why)}));
    }
    /// Whether `at` begins with `key`; it is left behind it.
    static bool skip(char const*& at, char const* key) noexcept {
        auto const* p = at;
        while (*key != '\0' && *p == *key) ++p, ++key;
        if (*key != '\0') return false;
        at = p;
        return true;
    }
    /// Reads `dramid@S;`; `at` is left behind it.
    bool parse_split(char const* text, char const*& at) {
        if (!skip(at, "dramid@")) return false;
        auto const* p = at;
        auto const* digits = p;
        for (; *p >= '0' && *p <= '9' && split_ < 64; ++p)
            split_ = split_ * 10 + static_cast<std::uint32_t>(*p - '0');
        if (p == digits || *p != ';' || split_ > 63)
            refuse(text, {"dramid@ wants a bit number from 0 to 63 and a semicolon"});
        at = p + 1;
        return true;
    }
    /// The field of a letter, or `fields_` for 0.
    [[gnu::cold]] static std::uint32_t field_of(char const* text, char const* at) {
        switch (*at) {
        case 'D':
        case 'd':
            return channel_;
        case 'B':
        case 'b':
            return bank_;
        case 'G':
        case 'g':
            return group_;
        case 'K':
        case 'k':
            return rank_;
        case 'P':
        case 'p':
            return part_;
        case 'R':
        case 'r':
            return row_;
        case 'C':
        case 'c':
        case 'S':
        case 's':
            return column_;
        case '0':
            return fields_;
        default:
            refuse(text, {"unknown letter '", std::string_view(at, 1), "' at position ",
                          static_cast<std::size_t>(at - text), "; expected D B G K P R C S or 0"});
        }
    }
    static bool is_blank(char c) noexcept { return c == '.' || c == '|' || c == ' '; }
    static std::array<std::uint64_t, fields_> parse_letters(char const* text, char const* at) {
        std::array<std::uint64_t, fields_> mask{};
        std::uint32_t left = 64;
        for (; *at != '\0'; ++at) {
            if (is_blank(*at)) continue;
            auto const field = field_of(text, at);
            if (left == 0) refuse(text, {"more than 64 letters"});
            --left;
            if (field != fields_) mask[field] |= std::uint64_t{1} << left;
        }
        if (left != 0) refuse(text, {"has ", 64 - left, " letters; expected 64, one per address bit"});
        return mask;
    }
    /// Letters with counts, from bit 0 up.
    static std::array<std::uint64_t, fields_> parse_counts(char const* text, char const* at) {
        std::array<std::uint64_t, fields_> mask{};
        std::uint32_t bit = 0;
        while (*at != '\0') {
            if (is_blank(*at)) {
                ++at;
                continue;
            }
            auto const field = field_of(text, at++);
            std::uint32_t count = 0;
            if (*at < '0' || *at > '9')
                refuse(text, {"a letter without a count; write how many bits it has"});
            for (; *at >= '0' && *at <= '9' && count < 100; ++at)
                count = count * 10 + static_cast<std::uint32_t>(*at - '0');
            for (; count != 0; --count, ++bit) {
                if (bit == 64) refuse(text, {"more than 64 bits"});
                if (field != fields_) mask[field] |= std::uint64_t{1} << bit;
            }
        }
        return mask;
    }
    [[gnu::cold]] void set_hashes(char const* text, index_hash hash, index_hash bank_hash, bool split,
                                  std::uint64_t sub_bits, std::uint64_t channel_bits) {
        folds_ = modulo_ && hash == index_hash::ipoly;
        skews_ = hash == index_hash::skew;
        if (hash == index_hash::bitwise_xor && modulo_)
            refuse(text,
                   {channels_,
                    " channels are no power of two, which xor needs, ipoly and skew do not; nearest legal "
                    "value: ",
                    std::bit_floor(channels_)});
        auto const all = std::bit_ceil(channels_) * sub_partitions_;
        check_hash(text, hash, all, folds_ ? "sub-partitions, the next power of two" : "sub-partitions");
        if (folds_ && used_bits_ > fold_bit_)
            refuse(text, {"more than ", fold_bit_, " bits below a hash of ", channels_, " channels"});
        check_hash(text, bank_hash, banks(), "banks");
        hash_ = hash_of_bits(hash, static_cast<std::uint32_t>(std::countr_zero(all)));
        bank_hash_ = hash_of_bits(bank_hash, field_[bank_].width());
        auto const bottom =
            split ? split_
                  : static_cast<std::uint32_t>(std::bit_width(channel_bits)) - field_[channel_].width();
        // A remainder's quotient begins at the split.
        above_ = folds_ || (skews_ && modulo_)
                     ? split_
                     : bottom + static_cast<std::uint32_t>(std::countr_zero(skews_ ? channels_ : all));
        sub_mask_ = sub_bits | channel_bits;
        unhashed_ = folds_ ? 0 : sub_mask_;
        if (above_ > 63) refuse(text, {"no address bits above the channel to hash it with"});
    }
    static void check_hash(char const* text, index_hash kind, std::uint32_t count, char const* what) {
        if (kind == index_hash::ipoly && count != 16 && count != 32 && count != 64)
            refuse(text, {"ipoly has no polynomial for ", count, " ", what, "; nearest legal value: ",
                          count < 24   ? 16U
                          : count < 48 ? 32U
                                       : 64U});
        if ((kind == index_hash::bitwise_xor || kind == index_hash::skew) && count > 256)
            refuse(text, {kind == index_hash::skew ? "skew" : "xor", " of ", count, " ", what,
                          "; nearest legal value: 256"});
    }

    /// The channel, and the address that the letters describe.
    std::uint64_t remainder(std::uint64_t address, std::uint32_t& channel) const noexcept {
        auto const high = address >> split_;
        auto quotient = high_product(high, reciprocal_);
        if (reciprocal_ == 0) {
            if (!modulo_) {
                channel = static_cast<std::uint32_t>(field_[channel_].gather(address));
                return address;
            }
            quotient = high / channels_;
        }
        channel = static_cast<std::uint32_t>(high - quotient * channels_);
        return quotient << split_ | (address & low_);
    }

    std::uint32_t raw_bank(std::uint64_t rest) const noexcept {
        return static_cast<std::uint32_t>(field_[bank_].gather(rest));
    }
    /// What remainder() gives of a place.
    std::uint64_t described(location const& l) const noexcept {
        auto const bank = l.bank ^ (bank_hash_.active() ? bank_hash_(l.row) : 0);
        return field_[bank_].spread(bank) | field_[row_].spread(l.row) | field_[column_].spread(l.column);
    }
    /// The inverse of remainder().
    std::uint64_t address_of(std::uint64_t rest, std::uint32_t channel) const noexcept {
        if (!modulo_) return rest | field_[channel_].spread(channel);
        auto const low = (std::uint64_t{1} << split_) - 1;
        return ((rest >> split_) * channels_ + channel) << split_ | (rest & low);
    }
    /// What local() has above all bits where folds().
    [[gnu::noinline]] std::uint64_t unfolded(std::uint32_t channel, std::uint64_t rest) const noexcept {
        return std::uint64_t{channel * sub_partitions_ + sub_partition_of_channel(rest)} << fold_bit_;
    }
    /// Of the one or two channels that a fold takes to `channel`, the lower one.
    [[gnu::noinline]] std::uint32_t lower_channel(std::uint32_t channel, std::uint64_t rest) const noexcept {
        auto const h = hash_(above(rest)) / sub_partitions_;
        auto const one = channel ^ h;
        auto const other = (channel + channels_) ^ h; // beyond the power of two where it is none
        return other < channels_ && (one >= channels_ || other < one) ? other : one;
    }
    /// The low bits of the bank, which tell the sub-partition within the channel.
    std::uint32_t sub_partition_of_channel(std::uint64_t rest) const noexcept {
        return static_cast<std::uint32_t>(sub_partition_.gather(rest));
    }
    /// Bank, row and column.
    void fill(location& l, std::uint64_t rest) const noexcept {
        l.row = static_cast<std::uint32_t>(field_[row_].gather(rest));
        l.column = static_cast<std::uint32_t>(field_[column_].gather(rest));
        l.bank = raw_bank(rest);
        if (bank_hash_.active()) l.bank ^= bank_hash_(l.row);
    }
    /// The bits that the sub-partition is hashed with; neither its own nor the channel's among them, but where folds().
    std::uint64_t above(std::uint64_t rest) const noexcept { return (rest & ~unhashed_) >> above_; }
    std::uint32_t hashed(std::uint32_t sub_partition, std::uint64_t rest) const noexcept {
        if (!hash_.active()) return sub_partition;
        return remainder_of(skews_ ? sub_partition + skew(rest) : sub_partition ^ hash_(above(rest)));
    }
    /// The inverse of hashed(), but where folds().
    std::uint32_t unhashed(std::uint32_t sub_partition, std::uint64_t rest) const noexcept {
        if (!skews_) return hashed(sub_partition, rest);
        auto const by = skew(rest);
        return sub_partition < by ? sub_partition + channels_ * sub_partitions_ - by : sub_partition - by;
    }
    /// What is added to the sub-partition where skews(). The hash is below the next power of two of their number.
    std::uint32_t skew(std::uint64_t rest) const noexcept { return remainder_of(hash_(above(rest))); }
    /// By the number of sub-partitions, of what is below twice that.
    std::uint32_t remainder_of(std::uint32_t h) const noexcept {
        auto const all = channels_ * sub_partitions_;
        return h < all ? h : h - all;
    }

    static constexpr std::uint32_t fold_bit_ = 40; ///< above what hashes of cache sets look at

    std::array<bit_field, fields_> field_{};
    std::array<bit_field, column_ + 1> in_local_{}; // bank, row and column, of a local address
    bit_field local_;
    // What tells the sub-partition of an address, side by side.
    std::uint64_t reciprocal_ = 0; ///< of the channels, if they are no power of two and at most 2^S
    std::uint64_t low_ = 0;        ///< the bits below the channel then
    std::uint32_t channels_ = 1;
    std::uint32_t sub_partitions_ = 1;
    std::uint32_t split_ = 0;
    std::uint32_t low_column_bits_ = 0;
    std::uint32_t used_bits_ = 0;
    bool modulo_ = false; ///< the channels are no power of two
    bool folds_ = false;
    bool skews_ = false;
    hash_of_bits hash_;       ///< of the sub-partition
    bit_field sub_partition_; // of a channel
    hash_of_bits bank_hash_;
    std::uint64_t sub_mask_ = 0; ///< the address bits that tell channel and sub-partition
    std::uint64_t unhashed_ = 0; ///< those that take no part in the hash
    std::uint32_t above_ = 0;    ///< where the bits begin that the sub-partition is hashed with
};

/// The GeForce GTX 480's map, for 6 channels of 2 sub-partitions. Documented: GPGPU-Sim's SM2_GTX480.
inline constexpr char const* gtx480_mapping =
    "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS";
/// OWL's map, for 8 channels: 2 KB rows, then 4 banks, then the channel. Estimated: OWL gives none; this is
/// GPGPU-Sim's mask 1, which has OWL's row size and bank count and puts the next row into another bank
/// (docs/model/dram.md#owl-map).
inline constexpr char const* owl_mapping =
    "dramid@13;00000000.00000000.00000000.00000000.00000RRR.RRRRRRRR.RRRBBCCC.CCCCCCCC";

} // namespace warpkit::dram
