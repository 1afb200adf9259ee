#pragma once
/// \file
/// Runs a host program with its PTX on an engine, whichever that is.
///
/// By default every translation unit that includes this has the PTX front end. With WARPKIT_COMPILED, which CMake's
/// target warpkit::compiled defines, it is in a library that is compiled once.

#include <warpkit/config/host_program.hpp>
#ifndef WARPKIT_COMPILED
#include <warpkit/config/program_runner.hpp>
#endif
