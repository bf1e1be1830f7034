// A run as plugins of NCCL's profiler interface see it: collectives of the ranks of one process, calls, and the steps
// of both.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "readers/common/recorded_collectives.h"
#include "readers/common/timeline_builder.h"

namespace cgpu::nccl_profiler {

/// The collectives of one name that a kernel does for a rank of a communicator. Times of the host unless of the device.
struct PluginCollective {
  std::string group;   // the communicator
  std::string name;    // "AllReduce"
  std::string type;    // of the elements: "Float32"
  std::string launch;  // what is the same of those that one kernel does; empty: it is alone
  int64_t rank = -1;   // in the communicator
  int64_t sequence = -1;
  int64_t count = -1;     // NCCL's, of elements
  int64_t external = -1;  // the kernel, as the plugin numbers it
  bool is_p2p = false;
};
struct DeviceKernel {
  int32_t device = -1;
  int64_t start = 0;
  int64_t end = 0;
};

class PluginRun {
 public:
  explicit PluginRun(Run& run) : run_(run), into_(run), collectives_(run) {}

  void add_communicator(const std::string& group, int64_t rank, std::optional<int64_t> size, const std::string& name);
  /// Gives its number. Joined with the one before it that has the same launch and name.
  size_t add(const PluginCollective& collective);
  /// A part of its kernel: when the host saw it begin and end, and when the device did, in ns of its own clock.
  void add_channel(size_t collective, std::optional<int64_t> start, std::optional<int64_t> end,
                   std::optional<int64_t> device_start, std::optional<int64_t> device_end);
  void add_kernel(int64_t external, const DeviceKernel& kernel) { kernels_[external] = kernel; }
  /// Calls on a thread nest. A launch is no call of the runtime here: a record of collectives does not say what else
  /// ran.
  void add_call(const std::string& process, const std::string& thread, const std::string& name, int64_t start,
                int64_t end);
  /// Steps overlap, on lanes of this name.
  void add_step(const std::string& process, const std::string& lane, const std::string& name, int64_t start,
                int64_t end);
  void skip(const char* code, const std::string& why, bool damage = false) { into_.skip(code, why, damage); }
  void finish();

 private:
  struct Entry {
    PluginCollective of;
    std::optional<int64_t> start, end;                // host
    std::optional<int64_t> device_start, device_end;  // device
  };
  struct Step {
    int64_t start;
    int64_t end;
    StringId name;
  };

  void set_ranks();
  void add_op(const Entry& entry, bool several_ranks);
  void place_steps();

  Run& run_;
  TimelineBuilder into_;
  RecordedCollectives collectives_;
  std::vector<Entry> entries_;
  std::map<std::string, size_t> by_launch_;
  std::map<int64_t, DeviceKernel> kernels_;                                 // by the number of the plugin
  std::map<std::string, std::map<int64_t, ParallelGroup>> communicators_;   // by id and rank
  std::map<std::pair<std::string, std::string>, std::vector<Step>> steps_;  // by process and lane
};

}  // namespace cgpu::nccl_profiler
