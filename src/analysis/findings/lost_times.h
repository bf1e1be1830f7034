// Causes of lost time whose findings need nothing else: what they are called, and what to do.
#pragma once

#include <array>

#include "analysis/idle/idle_causes.h"

namespace cgpu {

/// A kind of lost time whose finding needs nothing else.
struct LostTime {
  IdleCause cause;
  const char* rule;
  const char* what;  // "... of the time the run " what
  const char* suggestion;
};

inline constexpr const char* kCompileBefore =
    "Compile before the measured part and keep the cache between runs; mark dynamic shapes so that nothing is compiled "
    "again";

inline constexpr std::array kLostTimes{
    LostTime{
        IdleCause::data_loading, "data_loading", "waits for input data",
        "Load data beside the computation: more DataLoader workers (num_workers), prefetch_factor, pin_memory with "
        "non_blocking copies; or make what the workers do cheaper, or do it on the device"},
    LostTime{IdleCause::allocation, "allocation", "allocates or frees memory",
             "Allocate once and reuse: a caching allocator (PYTORCH_CUDA_ALLOC_CONF), buffers made before the loop, "
             "cudaMallocAsync with a pool"},
    LostTime{IdleCause::module_load, "module_load", "loads device code",
             "Load code before the measured part: a warm-up step, CUDA_MODULE_LOADING set to EAGER"},
    LostTime{IdleCause::compilation, "compilation", "compiles", kCompileBefore},
    LostTime{
        IdleCause::garbage_collection, "garbage_collection", "collects garbage",
        "Collect between steps: gc.freeze() after start-up, gc.disable() with a gc.collect() every few hundred steps"},
    LostTime{IdleCause::lock, "lock_contention", "waits for a lock of the host",
             "Find who holds it: often the interpreter's lock, when other threads of the process run Python"},
    LostTime{IdleCause::io, "io", "waits for input or output of the host",
             "Move reading and writing to another thread, or keep the data in memory"},
    LostTime{IdleCause::not_scheduled, "host_stall",
             "is stopped in calls or ops that last a hundred times as long as usual",
             "Look at the load of the host: more threads than cores, CPU limits of the container, frequency scaling"},
};

}  // namespace cgpu
