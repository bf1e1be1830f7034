// Collectives as records of communication have them (PyTorch's flight recorder, NCCL's Inspector), and how they become
// device ops of a run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/run.h"
#include "readers/common/timeline_builder.h"

namespace cgpu {

/// One entry of a record. Times in ns since 1970.
struct RecordedCollective {
  std::string group;      // "0"
  std::string purpose;    // of the group: "default_pg"
  std::string name;       // "nccl:all_reduce"
  std::string type;       // of its elements: "Float"
  std::string state;      // "scheduled", "started", "completed"
  bool is_p2p = false;    // a send or receive
  int64_t sequence = -1;  // among the collectives of the group, or its sends and receives
  int64_t p2p_sequence = -1;
  int64_t elements_in = -1;
  int64_t elements_out = -1;
  int32_t group_size = -1;            // ranks
  std::optional<int64_t> created;     // the host has called it
  std::optional<int64_t> started;     // it was seen running
  std::optional<int64_t> completed;   // it was seen ended
  std::optional<double> duration_ms;  // between its events on the device
  int32_t device = -1;
};

/// Sets the elements that a rank sends and receives, from NCCL's count: of an all-gather that is what a rank sends, of
/// a reduce-scatter what it receives.
void set_elements(RecordedCollective& of, int64_t count, std::optional<int64_t> ranks);

class RecordedCollectives {
 public:
  explicit RecordedCollectives(Run& run) : run_(run), into_(run) {}

  void add(RecordedCollective entry) {
    ++run_.events.read;
    entries_.push_back(std::move(entry));
  }
  void add_group(ParallelGroup group) { run_.groups.push_back(std::move(group)); }
  bool empty() const { return entries_.empty(); }
  /// One whose end is known; makes its op at once. Nothing of it is kept for `finish`.
  void add_completed(const RecordedCollective& entry) {
    ++run_.events.read;
    add_op(entry, *entry.completed);
  }
  /// Once all have been added: makes the ops. What did not complete lasts until the last time of the dump.
  void finish();

 private:
  void add_op(const RecordedCollective& entry, int64_t end_of_dump);

  Run& run_;
  TimelineBuilder into_;
  std::vector<RecordedCollective> entries_;
  std::vector<std::string> groups_;  // in the order in which they come
};

}  // namespace cgpu
