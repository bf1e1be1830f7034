// For tests of readers: the slices of a run by their kind.
#pragma once

#include <string>
#include <vector>

#include "model/run.h"

namespace cgpu::test {

/// In the order of the run.
inline std::vector<SliceIndex> slices_of(const Run& run, SliceKind kind) {
  std::vector<SliceIndex> found;
  for (SliceIndex i = 0; i < run.timeline.slices.size(); ++i) {
    if (run.timeline.kind(i) == kind) found.push_back(i);
  }
  return found;
}

inline std::vector<std::string> names_of(const Run& run, SliceKind kind) {
  std::vector<std::string> names;
  for (const SliceIndex i : slices_of(run, kind)) names.emplace_back(run.timeline.name(i));
  return names;
}

}  // namespace cgpu::test
