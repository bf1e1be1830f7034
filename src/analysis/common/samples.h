// Samples of call stacks on the tracks of threads (model/processor_time.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "model/processor_time.h"
#include "model/sample_length.h"
#include "model/timeline.h"

namespace cgpu {

inline bool is_sample(const Timeline& timeline, SliceIndex slice) {
  return timeline.categories[timeline.slices.category[slice]].name == kSampleCategory;
}

inline bool has_samples(const Timeline& timeline) {
  return std::any_of(timeline.categories.begin(), timeline.categories.end(),
                     [](const auto& category) { return category.name == kSampleCategory; });
}

/// By track: of a track that is no thread the host thread of the same process and number, whose samples such a track
/// may hold (Nsight Systems); of all others the track itself. On a track of its own a sample ends when it was taken,
/// and the reader has limited its length. Elsewhere its length is limited by sample_length.
std::vector<TrackIndex> threads_beside(const Timeline& timeline);

/// How long each of the samples of a thread stands for what it shows (model/sample_length.h). `samples` is not empty.
inline SampleLength sample_length(const Timeline& timeline, const std::vector<SliceIndex>& samples) {
  std::vector<int64_t> lengths;
  for (const SliceIndex sample : samples) lengths.push_back(timeline.slices.duration[sample]);
  return sample_length(std::move(lengths));
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
