#pragma once
/// \file
/// The names of cache/, without their definitions. (The template `cache` has no forward declaration: its parameters
/// are constrained by concepts.)

#include <warpkit/base/standard.hpp>

#include <cstdint>

namespace warpkit {

struct cache_geometry;
struct cache_parameters;
struct cache_access;
struct cache_result;
struct cache_counters;
struct departed_line;
struct lower_request;
struct line_place;
struct line_state;
class line_sectors;
class miss_queue;
class mshr_table;
class linear_index;
class xor_index;
class ipoly_index;
class fermi_hash_index;
class lru;
class fifo;
class random_replacement;
class pseudo_lru;
template <std::uint64_t Bits>
class srrip_of;
template <std::uint64_t Ways>
class prefetch_cache_of;
struct on_miss;
struct on_fill;
struct streaming;
struct read_only;
struct write_evict;
enum class write_hit : std::uint8_t;
enum class write_miss : std::uint8_t;
template <write_miss Miss>
struct write_back;
template <write_miss Miss>
struct write_through;
template <write_miss LocalMiss>
struct local_back_global_evict;
class perfect_cache;

} // namespace warpkit
