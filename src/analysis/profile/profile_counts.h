// How many there are of everything that a table can be about: what tells, without computing a table, whether it would
// have rows. O(slices) once.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>

#include "analysis/session_facts.h"
#include "model/run.h"

namespace cgpu {

struct ProfileCounts {
  explicit ProfileCounts(const SessionFacts& facts);

  uint64_t of(std::initializer_list<SliceKind> kinds) const {
    uint64_t count = 0;
    for (const SliceKind kind : kinds) count += of_kind[static_cast<size_t>(kind)];
    return count;
  }
  uint64_t calls() const { return of({SliceKind::runtime_call, SliceKind::driver_call}); }
  uint64_t kernels() const { return of({SliceKind::kernel, SliceKind::device_collective}); }
  uint64_t copies() const { return of({SliceKind::memcpy, SliceKind::memset}); }
  uint64_t ranges() const { return of({SliceKind::annotation}); }
  /// Slices that nest on a host thread.
  uint64_t nested() const {
    return calls() +
           of({SliceKind::framework_op, SliceKind::annotation, SliceKind::python_function, SliceKind::os_call});
  }

  std::array<uint64_t, kSliceKinds> of_kind{};
  uint64_t slices = 0;
  uint64_t processor_slices = 0;  // that tell when threads ran: scheduling and samples
  uint64_t device_ops = 0;
  uint64_t memory_events = 0;
  uint64_t counter_samples = 0;
  uint64_t notes = 0;
  uint64_t devices = 0;  // that the profile describes
  uint64_t steps = 0;
  uint64_t measured_launches = 0;
  uint64_t in_roofline = 0;           // of these, with both coordinates
  uint64_t launch_stall_metrics = 0;  // of the kernel profiler: names of metrics that say why warps waited
  uint64_t rules = 0;                 // of the kernel profiler, over its launches
  uint64_t measured_sections = 0;   // of the kernel profiler's page, over its launches: described, or named by metrics
  uint64_t instruction_counts = 0;  // of the kernel profiler: what metrics counted at single instructions
  uint64_t call_trees = 0;
  uint64_t profiles = 0;  // threads and streams of call trees
  uint64_t profiles_with_values = 0;
  uint64_t main_metrics = 0;  // call trees with values of their main metric
  uint64_t stall_metrics = 0;
  uint64_t copy_metrics = 0;  // that count the bytes of copies by direction
  uint64_t runs = 0;
  uint64_t op_graphs = 0;
  uint64_t step_traces = 0;  // the profiler's own records of steps
  // Whether there are any, where looking for the first one is enough:
  bool launched = false;       // device ops whose launch call is known
  bool communication = false;  // device ops that communicate
  bool module_calls = false;   // calls of the modules of a framework's model

 private:
  void add_timeline(const Timeline& timeline);
  void add_tree(const CallTree& tree);
};

}  // namespace cgpu
