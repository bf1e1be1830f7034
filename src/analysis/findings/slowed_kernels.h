// Kernels that do the same as before and take longer, where steps take longer from one on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "analysis/critical_path/edge_times.h"
#include "analysis/critical_path/periods.h"
#include "analysis/session_facts.h"

namespace cgpu {

struct SlowedKernels {
  double factor = 1;            // how many times as long they take, on average by their time
  int64_t excess = 0;           // ns that they take longer in all
  bool is_whole_device = true;  // most of what a device computes is slower, in two classes of kernels at least
  std::string single;           // the name of the one that takes nearly all of the excess; "" where several do
  EdgeTimes::Scenario remedy;   // they take as long as before
};

/// The kernels that take longer since steps[first] began, although they do the same as before: they are launched as
/// often a step, in the same grids and blocks. Where steps do not get longer at once (`at_once`), but little by little,
/// single kinds of kernels do so for inputs that grow: then only those of whole devices count. None where there are
/// none, or grids are not recorded. `steps` are of the whole session and on one clock. O(device ops), and the arguments
/// of the kernels of two steps.
std::optional<SlowedKernels> slowed_kernels(const SessionFacts& whole, std::span<const Period> steps, size_t first,
                                            bool at_once);

}  // namespace cgpu
