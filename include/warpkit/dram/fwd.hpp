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
template <class BankSet>
class basic_fcfs;
using fcfs = basic_fcfs<std::uint64_t>;
template <class BankSet>
class basic_fr_fcfs;
using fr_fcfs = basic_fr_fcfs<std::uint64_t>;
template <unsigned Words>
class wide_bank_set;
template <std::uint64_t MarkingCap>
class par_bs_of;
struct open_page;
struct closed_page;
struct timeout_page;
struct auto_precharge_page;
struct standard;
template <class BankSet>
class basic_device;
using device = basic_device<std::uint64_t>;
struct refresh_order;
class refresh_timer;
template <class BankSet>
class basic_request_pool;
using request_pool = basic_request_pool<std::uint64_t>;
class protocol_checker;
struct oldest_ready;
struct oldest_ready_row_hit;
struct first_ready;
struct in_order;
class watermark_drain;
class batch_drain;
struct no_drain;
struct no_memory_prefetch;
struct no_plugin;
class shifted_mean;
class row_sharing;

} // namespace warpkit::dram
