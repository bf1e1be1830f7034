// What a memory snapshot of PyTorch says, whichever form it is stored in, as allocator events and a call tree.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "model/run.h"
#include "readers/common/call_tree_builder.h"

namespace cgpu::torch_memory {

/// Devices of a snapshot: no machine has as many.
constexpr size_t kMostDevices = 1024;
constexpr size_t kMostFrames = 1000;  // of a stack, from the outermost in

enum class Action : uint8_t { allocate, free, free_completed, reserve, unreserve, out_of_memory, snapshot, unknown };

/// One event of a device's trace.
struct SnapshotEvent {
  Action action = Action::unknown;
  int64_t time = 0;  // ns
  int64_t bytes = 0;
  int64_t address = 0;
  NodeIndex node = 0;
};

/// What a record of a trace says.
struct SnapshotRecord {
  std::string_view action;
  std::optional<int64_t> bytes;
  std::optional<int64_t> address;
  std::optional<int64_t> time;  // us since 1970; of a snapshot without times the place of the record
};

struct SnapshotFrame {
  std::string_view name;
  std::string_view file;
  int64_t line = 0;
};

class SnapshotBuilder {
 public:
  explicit SnapshotBuilder(Run& run);

  /// Whether records have times; else they are shown 1 us apart.
  void set_timed(bool timed) { timed_ = timed; }
  bool timed() const { return timed_; }

  /// What a segment of a device holds when the snapshot was taken; nothing is added where a number is absent or cannot
  /// be true, which is counted.
  void add_segment(std::optional<int64_t> device, std::optional<int64_t> allocated, std::optional<int64_t> reserved);
  /// The event that a record is; none where it is left out, which is counted.
  std::optional<SnapshotEvent> event_of(const SnapshotRecord& record);
  /// The node of a stack, the innermost frame first.
  NodeIndex node_of(const std::vector<SnapshotFrame>& stack);
  /// The events of a device in their order. `end_known`: the segments have been read.
  void add_trace(const std::vector<SnapshotEvent>& events, int32_t device, bool end_known);
  /// The recording of a device keeps its last `most` events only, and had more.
  void note_overflow(size_t device, std::optional<int64_t> most);
  void skip(const char* why);
  /// Whether a device had events.
  bool has_trace(int32_t device) const { return traced_.count(device) != 0; }
  void finish();

 private:
  /// What the segments of a device hold.
  struct Held {
    int64_t allocated = 0;
    int64_t reserved = 0;
  };

  MetricIndex add_metric(const char* name, const char* unit, const char* about);
  void note_large_sum();
  void apply(const SnapshotEvent& event, Held& held);
  Held held_before(const std::vector<SnapshotEvent>& events, int32_t device);
  void add_event(const SnapshotEvent& event, int32_t device, const Held& held);
  void add_to_tree(const std::vector<SnapshotEvent>& events, int32_t device, size_t peak, int64_t most, int64_t last);

  Run& run_;
  bool timed_ = false;
  int64_t last_ = 0;
  std::map<int32_t, Held> held_;  // by device
  std::set<int32_t> traced_;      // devices with events
  CallTreeBuilder tree_;
  MetricIndex allocated_ = 0;
  MetricIndex allocations_ = 0;
  MetricIndex at_peak_ = 0;
  MetricIndex at_end_ = 0;
};

}  // namespace cgpu::torch_memory
