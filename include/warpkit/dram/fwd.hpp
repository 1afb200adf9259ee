#pragma once
/// \file
/// The names of dram/, without their definitions.

#include <warpkit/base/standard.hpp>

#include <cstdint>

namespace warpkit::dram {

struct timing;
struct timing_number;
struct location;
class address_mapping;
struct requester;
struct request;
struct command;
struct channel_counters;
class fcfs;
class fr_fcfs;
template <std::uint64_t MarkingCap>
class par_bs_of;
struct open_page;
struct closed_page;
struct timeout_page;
struct auto_precharge_page;
struct standard;
class device;
class refresh_timer;
class request_pool;
class protocol_checker;
struct oldest_ready;
struct oldest_ready_row_hit;
struct first_ready;
struct in_order;
class watermark_drain;
class batch_drain;
struct no_drain;
struct no_memory_prefetch;
class shifted_mean;
class row_sharing;

} // namespace warpkit::dram
