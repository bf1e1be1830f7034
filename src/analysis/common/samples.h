// Samples of call stacks on the tracks of threads (model/processor_time.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/processor_time.h"
#include "model/timeline.h"

namespace cgpu {

inline bool is_sample(const Timeline& timeline, SliceIndex slice) {
  return timeline.categories[timeline.slices.category[slice]].name == kSampleCategory;
}

inline bool has_samples(const Timeline& timeline) {
  return std::any_of(timeline.categories.begin(), timeline.categories.end(),
                     [](const auto& category) { return category.name == kSampleCategory; });
}

/// How long a sample stands for what it shows, at most: 1.5 times the middle of the lengths of its thread's samples,
/// which is how far they lie apart while it is sampled. A thread that waits is not sampled by the time that it runs.
/// `samples` is not empty.
struct SampleLength {
  int64_t usual = 0;
  int64_t most = 0;
};
inline SampleLength sample_length(const Timeline& timeline, const std::vector<SliceIndex>& samples) {
  std::vector<int64_t> lengths;
  for (const SliceIndex sample : samples) lengths.push_back(timeline.slices.duration[sample]);
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  return {*middle, *middle + *middle / 2};
}

/// A function as programs call it: without the C library's own spelling ("__GI___poll", "__libc_read",
/// "__poll_nocancel") and version ("poll@@GLIBC_2.2.5").
inline std::string_view called_name(std::string_view function) {
  if (function.starts_with("__GI_")) function.remove_prefix(5);
  while (function.starts_with('_')) function.remove_prefix(1);
  if (function.starts_with("libc_")) function.remove_prefix(5);
  function = function.substr(0, function.find('@'));
  for (const std::string_view ending : {"_nocancel", "_time64"}) {
    if (function.ends_with(ending)) function.remove_suffix(ending.size());
  }
  return function;
}

}  // namespace cgpu
