// Puts the rows of an Ascend profile into a run: categories, tracks, slices, device ops, collectives.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "model/run.h"
#include "readers/ascend/facts.h"

namespace cgpu::ascend {

/// A collective as its row or event gives it.
struct CollectiveOp {
  std::string_view name;  // "hcom_allReduce__428_0_1"
  GroupLabel group;
  std::string_view type;  // "FP32", ...
  int64_t count = -1;     // elements
};

class Assembler {
 public:
  explicit Assembler(Run& into) : run(into), timeline(into.timeline) {}

  uint16_t category(std::string_view name, SliceKind kind);
  TrackIndex track(TrackKind kind, const std::string& process, const std::string& thread);
  TrackIndex thread_track(int64_t process, int64_t thread);
  TrackIndex stream_track(int32_t device, int64_t stream);
  TrackIndex group_track(int32_t device, const std::string& group);

  /// Adds the slice [start, end); kNone, and counted, where the times cannot be true.
  SliceIndex add_slice(int64_t start, int64_t end, uint16_t category, StringId name, TrackIndex track,
                       int64_t correlation, uint64_t source);
  /// What a slice of kind kernel, memcpy, memset or device collective is besides; between which memories it copies
  /// follows from the kind of copy.
  void add_device_op(DeviceOp op);
  void add_collective(SliceIndex slice, const CollectiveOp& op);
  /// What a slice of kind synchronization is besides, if it has to do with an event.
  void add_synchronization(SliceIndex slice, std::string_view type, std::string_view name, int32_t device,
                           int64_t stream);
  /// The stream of a collective whose own the profile does not tell: a negative one for each group.
  int64_t stream_of_group(const std::string& group);

  /// Counts an event that is not kept.
  void skip(const char* code, const char* why);
  bool full() const { return timeline.slices.size() >= kNone - 1; }

  /// A sample of a counter of a device. `event`: whether it is an event of its own, not a further value of one.
  void add_sample(int32_t device, const std::string& name, int64_t time, double value, bool event = true);
  /// A row of memory_record.csv or MEMORY_RECORD, bytes; those of the framework's allocator ("PTA") become its events,
  /// the others counters.
  void add_memory_record(const std::string& component, int32_t device, int64_t time, std::optional<int64_t> allocated,
                         std::optional<int64_t> reserved);

  /// Devices that were seen and that the run does not describe yet; the clock. Call last.
  void finish();

  Run& run;
  Timeline& timeline;

 private:
  std::map<std::tuple<TrackKind, std::string, std::string>, TrackIndex> tracks_;
  std::unordered_map<int64_t, TrackIndex> threads_;
  std::map<std::pair<int32_t, int64_t>, TrackIndex> streams_;
  std::map<std::string, int64_t> group_streams_;
  std::map<std::pair<int32_t, std::string>, uint32_t> counters_;
  std::map<int32_t, int64_t> allocated_;
};

}  // namespace cgpu::ascend
