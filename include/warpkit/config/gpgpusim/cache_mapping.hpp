#pragma once
/// \file
/// Import: caches, the carve-out of a unified L1, and coalescing.

#include <warpkit/base/error.hpp>
#include <warpkit/cache/geometry.hpp>
#include <warpkit/cache/write_policy.hpp>
#include <warpkit/config/gpgpusim/core_mapping.hpp>
#include <warpkit/config/gpgpusim/values.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpkit::gpgpusim::detail {

/// -gpgpu_cache:* and what they go with.
class cache_mapping : protected core_mapping {
protected:
    using core_mapping::core_mapping;

    void map_caches() {
        map_read_only("l1i", "-gpgpu_cache:il1", 'f');
        map_read_only("l1c", "-gpgpu_const_cache:l1", 'f');
        map_read_only("l1t", "-gpgpu_tex_cache:l1", 'm');
        map_data_cache();
        auto const perfect = option("-gpgpu_perfect_inst_const_cache");
        if (out_.traces) {
            put("l1c.size", 0,
                "documented: a load of a constant in a trace never looks into the constant cache");
        } else if (flag(perfect)) {
            put("l1c.size", 0, "documented: " + perfect.from + ": every constant takes lsu.constant_latency");
        }
        if (flag(perfect)) put("l1i.size", 0, perfect);
        map_coalescing();
        auto const l1 = option("-gpgpu_l1_latency");
        put_within("lsu.l1_latency", whole(l1), 1, 100'000, l1, "one cycle at least");
        auto const l1_banks = option("-gpgpu_l1_banks");
        put_within("lsu.l1_banks", whole(l1_banks), 1, 32, l1_banks, "its bounds");
        auto const shared = option("-gpgpu_smem_latency");
        put_within("lsu.shared_latency", whole(shared), 1, 100'000, shared, "one cycle at least");
        auto const banks = option("-gpgpu_shmem_num_banks");
        put_within("lsu.shared_banks", whole(banks), 1, 1024, banks, "its bounds");
    }
    void map_l2() {
        auto const f = option("-gpgpu_cache:dl2");
        auto const c = value_of(f, read_cache);
        if (c.none) {
            put("l2.size", 0, f);
            return;
        }
        if (c.mshr == 'F' || c.mshr == 'T')
            throw error(f.where + ": " + f.name + ' ' + f.value +
                        ": MSHRs of kind F or T are a texture cache's; write A or S");
        put_cache("l2", c, f, least_queue(c));
        auto const ideal = flag(option("-l2_ideal")) ? option("-l2_ideal") : option("-gpgpu_perfect_l2");
        auto const words = words_of("l2", c, f);
        policy("l2", flag(ideal) ? "perfect" : words, "documented: " + (flag(ideal) ? ideal : f).from);
        if (auto const skip = option("-gpgpu_skip_l2"); flag(skip)) put("l2.size", 0, skip);
        auto const texture = option("-gpgpu_cache:dl2_texture_only");
        if (flag(texture)) {
            put("l2.size", 0, texture);
            note_changed(texture, "l2.size = 0: textures go past the L2 as well");
        }
    }
    void map_coalescing() {
        auto const f = option("-gpgpu_coalesce_arch");
        auto const generation = whole(f);
        policy("coalescer", generation >= 40 ? "sectored" : "fermi", "documented: " + f.from);
        if (generation < 20) note(f, "a warp is coalesced as a whole, as from Fermi on, not by halves");
    }

private:
    /// The shape and the numbers of a cache.
    void put_cache(std::string const& name, cache_text c, found const& f, std::uint32_t least_queue) {
        if (c.sets == 0 || c.ways == 0 || c.line == 0)
            throw error(f.where + ": " + f.name + ' ' + f.value +
                        ": a cache without sets, ways or lines; write none to have "
                        "no cache");
        if (!std::has_single_bit(c.line) || c.line < 8 || c.line > 4096 || (c.sectored && c.line < 32))
            throw error(f.where + ": " + f.name + ' ' + f.value + ": lines of " + std::to_string(c.line) +
                        " bytes; lines are a power of two from 8 to 4096, at least 32 with sectors");
        if (c.ways > most_ways) {
            std::uint32_t k = 2;
            while (c.ways % k != 0 || c.ways / k > most_ways) ++k;
            if (std::uint64_t{c.sets} * k > 0xffffffff)
                throw error(f.where + ": " + f.name + ' ' + f.value + ": too many ways");
            note_changed(f, name + ".ways = " + std::to_string(c.ways / k) + " and " +
                                std::to_string(c.sets * k) + " sets in place of " + std::to_string(c.ways) +
                                " and " + std::to_string(c.sets) + ": the same size; a set has " +
                                std::to_string(most_ways) + " ways at most");
            c.ways /= k;
            c.sets *= k;
        }
        if (c.bytes() > 0xffffffff)
            throw error(f.where + ": " + f.name + ' ' + f.value + ": more than 4 GiB");
        put(name + ".size", c.bytes(), f);
        put(name + ".ways", c.ways, f);
        put(name + ".line", c.line, f);
        put(name + ".sector", c.sectored ? 32 : c.line, f);
        bool const texture = c.mshr == 'F' || c.mshr == 'T';
        put_within(name + ".mshr_entries", texture ? c.queue : c.entries, 1, most_mshr_entries, f,
                   "its bounds");
        put_within(name + ".mshr_merges", texture ? c.entries : c.merges, 1, most_mshr_merges, f,
                   "its bounds");
        put_within(name + ".miss_queue", texture ? c.merges : c.queue, least_queue, 65536, f,
                   "what one miss may ask of the next level");
        put(name + ".write_ratio", 0,
            "documented: GPGPU-Sim source: 0 but for an option of the L1 data cache");
        sets_[name] = c.sets;
    }
    /// The policies of a data cache, as a variant's words.
    std::string words_of(std::string const& name, cache_text const& c, found const& f) {
        std::string index = c.index == 'H'   ? "fermi_hash"
                            : c.index == 'P' ? "ipoly"
                            : c.index == 'X' ? "xor"
                                             : "linear";
        auto const sets = sets_[name];
        auto const other_index = [&](std::string const& why) {
            note_changed(f, name + " has a linear set index: " + why);
            index = "linear";
        };
        if (c.index == 'C') other_index("the custom one of a configuration is nowhere defined");
        if (index == "ipoly" && sets != 16 && sets != 32 && sets != 64)
            other_index("IPOLY is defined for 16, 32 and 64 sets, not for " + std::to_string(sets));
        if (index == "fermi_hash" && sets != 32 && sets != 64)
            other_index("the Fermi hash is defined for 32 and 64 sets, not for " + std::to_string(sets));
        if (index == "xor" && !std::has_single_bit(sets)) other_index("XOR wants a power of two of sets");
        std::string const write = c.write == 'B'   ? "write_back"
                                  : c.write == 'T' ? "write_through"
                                  : c.write == 'E' ? "write_evict"
                                  : c.write == 'L' ? "local_back_global_evict"
                                                   : "read_only";
        std::string miss = c.write_miss == 'W'   ? "write_and_fetch"
                           : c.write_miss == 'F' ? "ordered_fetch_on_write"
                           : c.write_miss == 'L' ? "lazy_fetch"
                                                 : "no_allocate";
        auto const fetches = miss == "write_and_fetch" || miss == "ordered_fetch_on_write";
        auto const other_miss = [&](char const* instead) {
            note_changed(f, name + ": " + miss + " does not go with " + write + "; " + instead +
                                " in its place");
            miss = instead;
        };
        if ((c.write == 'R' || c.write == 'E') && miss != "no_allocate") other_miss("no_allocate");
        if (c.write == 'T' && fetches) other_miss("lazy_fetch");
        return index + '+' + (c.replacement == 'F' ? "fifo" : "lru") + '+' +
               (c.allocation == 's'   ? "streaming"
                : c.allocation == 'f' ? "on_fill"
                                      : "on_miss") +
               '+' + write + '+' + miss;
    }
    static std::uint32_t least_queue(cache_text const& c) {
        return c.write == 'R' ? 1 : c.write_miss == 'W' || c.write_miss == 'F' ? 3 : 2;
    }
    void map_read_only(std::string const& name, char const* of, char allocation) {
        auto const f = option(of);
        auto const c = value_of(f, read_cache);
        if (c.none) {
            if (name == "l1i")
                throw error(f.where + ": " + f.name +
                            " none: a core without an instruction cache; give it one");
            put(name + ".size", 0, f);
            return;
        }
        auto const fifo = c.mshr == 'F' || c.mshr == 'T';
        if (fifo != (name == "l1t"))
            throw error(f.where + ": " + f.name + ' ' + f.value +
                        (fifo ? ": MSHRs of kind F or T are a texture cache's FIFOs; write A or S"
                              : ": a texture cache has FIFOs, of kind F or T"));
        if (name != "l1i" && (c.line < 32 || c.line > 128))
            throw error(f.where + ": " + f.name + ' ' + f.value + ": lines of " + std::to_string(c.line) +
                        " bytes; constants and textures are coalesced to lines of 32 to 128");
        put_cache(name, c, f, 1);
        if (name == "l1i") put_code_levels(c.line);
        if (c.replacement != 'L' || c.index != 'L' || c.allocation != allocation || c.write != 'R')
            note(f, name + " is read-only, has a linear index, LRU, and allocates on " +
                        (allocation == 'f' ? "fills" : "misses"));
    }
    /// There are no L0s and no L1.5 around the L1I; for who gives them a size, their lines are its own.
    void put_code_levels(std::uint64_t line) {
        for (std::string const level : {"l0i", "l15i"})
            for (auto const* const n : {".line", ".sector"})
                put(level + n, line, "documented: GPGPU-Sim has an L1 instruction cache alone");
    }
    void map_data_cache() {
        auto const f = option("-gpgpu_cache:dl1");
        auto c = value_of(f, read_cache);
        auto const skip = option("-gpgpu_gmem_skip_L1D");
        auto const adaptive = option("-gpgpu_adaptive_cache_config");
        if (c.none) {
            put("l1d.size", 0, f);
            return;
        }
        if (c.mshr == 'F' || c.mshr == 'T')
            throw error(f.where + ": " + f.name + ' ' + f.value +
                        ": MSHRs of kind F or T are a texture cache's; write A or S");
        std::string size_from;
        put("core.unified_bytes", 0, adaptive);
        if (flag(adaptive)) size_from = carve_out(c, f, adaptive);
        put_cache("l1d", c, f, least_queue(c));
        if (!size_from.empty()) numbers_["l1d.size"].source = numbers_["l1d.ways"].source = size_from;
        auto words = words_of("l1d", c, f);
        auto const perfect =
            flag(option("-gpgpu_perfect_mem")) ? option("-gpgpu_perfect_mem") : option("-gpgpu_perfect_l1");
        if (flag(perfect)) words = "perfect";
        policy("l1d", words, "documented: " + (flag(perfect) ? perfect : f).from);
        auto const ratio = option("-gpgpu_l1_cache_write_ratio");
        put_within("l1d.write_ratio", whole(ratio), 0, 100, ratio, "per cent");
        if (flag(skip)) {
            put("l1d.size", 0, skip);
            note_changed(skip, "l1d.size = 0: local memory goes past the L1 as well");
        }
    }
    /// Gives the cache the ways that are left at most, or those that `shared_used` leaves it whatever the kernel; where
    /// its size is from.
    std::string carve_out(cache_text& c, found const& f, found const& adaptive) {
        auto const unified = option("-gpgpu_unified_l1d_size");
        auto const choices = option("-gpgpu_shmem_option");
        auto const line_of_ways = std::uint64_t{c.sets} * c.line;
        if (line_of_ways == 0) return {};
        auto const total =
            whole(unified) != 0 ? whole(unified) * 1024 : 4 * c.bytes(); // 4.0 had no option for either
        auto sizes = list(choices, ',', 1, 64, "KiB with commas, as 0,8,16,32,64,96");
        if (!choices.given) sizes = {0, 8, 16, 32, 64, 96};
        std::sort(sizes.begin(), sizes.end());
        auto const fits = std::find_if(sizes.begin(), sizes.end(),
                                       [&](std::uint64_t kib) { return how_->shared_used <= kib * 1024; });
        if (fits == sizes.end())
            throw error((choices.given ? choices : adaptive).where + ": " +
                        std::to_string(how_->shared_used) +
                        " bytes of shared memory in use, but the largest choice is " +
                        std::to_string(sizes.back()) + " KiB");
        auto const shared = std::uint64_t{*fits} * 1024;
        if (shared >= total)
            throw error((choices.given ? choices : adaptive).where + ": " + std::to_string(*fits) +
                        " KiB of shared memory leave nothing of the unified " + std::to_string(total / 1024) +
                        " KiB");
        auto const most = total / line_of_ways;
        auto const ways = (2 * most * (total - shared) + total) / (2 * total); // rounded
        if (ways == 0 || ways > 65536)
            throw error(f.where + ": " + f.name + ' ' + f.value + ": an L1 of " + std::to_string(ways) +
                        " ways");
        c.ways = static_cast<std::uint32_t>(ways);
        if (how_->shared_used == 0 && whole(option("-gpgpu_shmem_size")) + c.line <= total) {
            put("core.unified_bytes", total, "documented: " + (whole(unified) != 0 ? unified : f).from);
            if (c.allocation == 's')
                note(adaptive, "the L1 streams in kernels without shared memory, too, where it would "
                               "allocate on misses");
            auto modelled = std::vector<std::uint32_t>{sizes.front()};
            auto const shared_most = whole(option("-gpgpu_shmem_size")) / 1024;
            for (auto const kib : {8U, 16U, 32U, 64U})
                if (kib > sizes.front() && kib < shared_most) modelled.push_back(kib);
            if (shared_most > sizes.front()) modelled.push_back(static_cast<std::uint32_t>(shared_most));
            if (modelled != sizes) {
                std::string text;
                for (auto const kib : modelled) text += (text.empty() ? "" : ", ") + std::to_string(kib);
                note_changed(choices.given ? choices : adaptive,
                             "shared memory of a kernel takes " + text +
                                 " KiB of the L1, the least that is enough");
            }
            return "documented: " + (whole(unified) != 0 ? unified : f).from + "; less " +
                   std::to_string(*fits) + " KiB for shared memory";
        }
        note(adaptive, "the L1 is what kernels with " + std::to_string(how_->shared_used) +
                           " bytes of shared memory in use on a core leave it (" +
                           std::to_string(c.bytes() / 1024) +
                           " KiB), whatever the kernel; import with --shared for others");
        return "documented: " + (whole(unified) != 0 ? unified : f).from + "; with " + std::to_string(*fits) +
               " KiB for shared memory";
    }

    std::map<std::string, std::uint32_t> sets_;
};

} // namespace warpkit::gpgpusim::detail
