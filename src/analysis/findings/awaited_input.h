// What comes from outside of a program: requests, and what people type.
#pragma once

#include <cstdint>
#include <vector>

#include "model/timeline.h"

namespace cgpu {

/// What a thread waits for in a slice, or in those around it.
struct AwaitedInput {
  SliceIndex slice = kNone;  // the outermost: "queue.py: get", not the lock of the queue
  bool is_read = false;      // of 100 ms or more: may be from a file
};
AwaitedInput awaited_input(const Timeline& host, SliceIndex slice);

/// Whether times are as unlike as those are in which people type, not as those of equal files.
bool are_unequal(std::vector<int64_t> times);

}  // namespace cgpu
