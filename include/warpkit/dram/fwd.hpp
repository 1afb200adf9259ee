#pragma once
/// \file
/// The names of dram/, without their definitions.

namespace warpkit::dram {

struct timing;
struct timing_number;
struct location;
class address_mapping;
struct request;
struct command;
struct channel_counters;
class fcfs;
class fr_fcfs;
struct open_page;
struct closed_page;

} // namespace warpkit::dram
