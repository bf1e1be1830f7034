// Kernels that do the same as before and take longer, where steps take longer from one on.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "analysis/critical_path/edge_times.h"
#include "analysis/critical_path/periods.h"
#include "analysis/session_facts.h"

namespace cgpu {

struct SlowedKernels {
  double factor = 1;            // how many times as long they take, on average by their time
  bool is_whole_device = true;  // most of what a device computes is slower, in two classes of kernels at least
  std::string single;           // the name of the one that takes nearly all of the excess; "" where several do
  EdgeTimes::Scenario remedy;   // they take as long as before
};

/// The kernels that take longer since steps[first] began, although they do the same as before: they are launched as
/// often a step, and in the first and the last step before and since then in the same grids and blocks. Left out are
/// devices of which other kernels changed these (the inputs did), kernels whose work their grid does not say
/// (attention, experts, sorting, ...), unless most of what the device computes is slower, and, where steps do not get
/// longer at once (`at_once`) but little by little, all devices but such. None where there are none, or grids are not
/// recorded. `steps` are on one clock, of these runs (of the whole session), with two at least on each side. O(device
/// ops), and the arguments of the kernels of four steps.
std::optional<SlowedKernels> slowed_kernels(const SessionFacts& whole, std::span<const size_t> runs,
                                            std::span<const Period> steps, size_t first, bool at_once);

}  // namespace cgpu
