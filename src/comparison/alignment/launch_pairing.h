// Pairs the launches that a kernel profiler measured in two runs.
//
// In order, first by the full name of the kernel, then by its base name without numbers (labels.h); of names without
// what differs from build to build: the file and hash of nvcc (kernels/module_ids.h), the place of a lambda in its
// source. Where one run has more launches of a name than the other, grid and block say which of them are the same work;
// what is left after that is paired by name alone. O(n log n) where the lists are alike
// (comparison/alignment/pairing.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "comparison/alignment/pairing.h"
#include "model/launch_metrics.h"

namespace cgpu {

/// "f<main::{lambda}>()" for "f<main::{lambda at /home/me/x.cpp:12:3}>()".
std::string without_source_places(std::string_view name);

/// Without replacements. Of `b` and `a` it is the mirror image.
Pairing pair_launches(const std::vector<ProfiledLaunch>& a, const std::vector<ProfiledLaunch>& b);

}  // namespace cgpu
