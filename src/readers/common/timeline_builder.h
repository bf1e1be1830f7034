// Puts events into the timeline of a run: slices, device ops, and the tracks and categories that they need.
//
// For readers of formats that say all about an event in one place. O(log tracks) an event.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "model/run.h"

namespace cgpu {

class TimelineBuilder {
 public:
  explicit TimelineBuilder(Run& into) : run(into), timeline(into.timeline) {}

  uint16_t category(std::string_view name, SliceKind kind);
  TrackIndex thread_track(const std::string& process, const std::string& thread);
  /// "GPU 0", "stream 7" where the device and the stream have no names of their own.
  TrackIndex stream_track(int32_t device, int64_t stream);

  /// Adds a slice that lasts until `end`; one that ends before it starts has no duration. kNone where its times cannot
  /// be true, or where the run can hold no more: it is skipped then.
  SliceIndex add_slice(Slice slice, int64_t end);
  /// Counts an event that is not kept. The caller has counted it as read.
  void skip(const char* code, const std::string& why, bool damage = false);

  Run& run;
  Timeline& timeline;

 private:
  template <typename Key>
  TrackIndex track_of(std::map<Key, TrackIndex>& known, const Key& key, Track description);

  std::map<std::pair<std::string, SliceKind>, uint16_t> categories_;
  std::map<std::pair<std::string, std::string>, TrackIndex> threads_;
  std::map<std::pair<int32_t, int64_t>, TrackIndex> streams_;
};

}  // namespace cgpu
