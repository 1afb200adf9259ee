#pragma once
/// \file
/// The PTX front end: parse text, load the module into a device's memory, prepare a kernel, run its CTAs.
///
///     device_memory memory;
///     ptx::loaded_module program(ptx::parse(text, "vecadd.ptx"), memory);
///     ptx::kernel vecadd(program, "vecadd");
///     ptx::executor run(vecadd, memory, request);
///     kernel_launch launch = run.launch();      // for the timing model, or run.run_cta(i, stream) alone
///
/// or, for function only, on several host threads: ptx::parallel_executor(vecadd, memory, request, {}, 4).run().

#include <warpkit/frontend/ptx/executor.hpp>
#include <warpkit/frontend/ptx/kernel.hpp>
#include <warpkit/frontend/ptx/loaded_module.hpp>
#include <warpkit/frontend/ptx/parallel_executor.hpp>
#include <warpkit/frontend/ptx/translator.hpp>

#ifndef WARPKIT_PTX_ELSEWHERE
#include <warpkit/frontend/ptx/translation.hpp>
#endif
