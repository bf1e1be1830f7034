// The truth about a trace, kept while it is written.
//
// The simulation reports what it plants; the books add it up by the definitions of docs/definitions.md. Device ops
// may be reported in any order and are entered in order of start once the simulation says that nothing earlier can
// follow. Memory: the ops and the causes since the last settle(), one entry a name, one a step, one a collective.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "options.h"

namespace cgpu::builder {

struct Interval {
  int64_t start = 0;
  int64_t end = 0;
  int64_t length() const { return end - start; }
};

/// Count, sum and extremes of durations.
struct Stat {
  int64_t count = 0;
  int64_t total = 0;
  int64_t min = INT64_MAX;
  int64_t max = 0;
  void add(int64_t value) {
    ++count;
    total += value;
    min = std::min(min, value);
    max = std::max(max, value);
  }
};

/// Length of a union of intervals that are added in order of start.
struct Union {
  int64_t length = 0;
  int64_t end = INT64_MIN;
  void add(const Interval& i) {
    length += std::max<int64_t>(0, i.end - std::max(i.start, end));
    end = std::max(end, i.end);
  }
};

enum class Kind : uint8_t { compute, communication, memory };
enum class OpType : uint8_t { kernel, memcpy, memset };

/// The call that started a device op.
struct Launch {
  Interval call;
  std::string_view name;
  int thread = 0;
  bool blocking_copy = false;
  bool first = true;  // the device op is the first of this call
};

struct DeviceOp {
  Interval when;
  std::string_view name;  // must outlive the books
  OpType type = OpType::kernel;
  Kind kind = Kind::compute;
  int64_t stream = 0;
  std::optional<Launch> launch;
};

struct Transfer {
  std::string kind;  // "HtoD", ..., "Memset"
  std::string source;
  std::string destination;
  std::optional<int64_t> bytes;  // absent where no op says
  int64_t total = 0;
  int64_t count = 0;
};

/// What the instances of one collective on one communicator add up to on a rank.
struct CollectiveTotal {
  int64_t count = 0;
  int64_t bytes = 0;
  int64_t total = 0;     // of the durations
  int64_t shortest = 0;  // sum of the shortest durations over the ranks
  int64_t wait = 0;      // sum of latest start over the ranks - own start
  int64_t ranks = 0;
};
using CollectiveKey = std::pair<std::string, std::string>;  // name, group

struct IdleTotal {
  int64_t count = 0;
  int64_t total = 0;
  int64_t max = 0;
};

struct StreamTotal {
  int64_t count = 0;
  Union busy;
  int64_t first = 0;
  int64_t last = INT64_MIN;
  std::map<std::string, IdleTotal> waits;  // by category of idle_streams
};

struct OpTotal {
  int64_t count = 0;
  int64_t cpu_total = 0;
  int64_t cpu_self = 0;
  int64_t device_total = 0;
  int64_t device_self = 0;
};

struct RangeTotal {
  int64_t count = 0;
  int64_t total = 0;
  int64_t device_ops = 0;
  int64_t device_total = 0;
};

struct LaunchTotal {
  Stat cpu;
  int64_t delay = 0;
  int64_t delay_max = 0;
};

struct StepTotal {
  int64_t number = 0;
  Interval mark;
  int64_t device_end = INT64_MIN;
  int64_t device_ops = 0;
};

struct MemoryTotal {
  std::optional<int64_t> peak_allocated;
  std::optional<int64_t> peak_reserved;
  int64_t allocations = 0;
};

class Books {
 public:
  explicit Books(int threads) : causes_(static_cast<size_t>(threads)) {}

  // The host.
  OpTotal& op(std::string_view name) { return entry(ops, name); }
  RangeTotal& range(std::string_view name) { return entry(ranges, name); }
  void call(std::string_view name, int64_t duration) { entry(api, name).add(duration); }
  /// `thread` did something that names `cause` during `when`. In order of time per thread, without overlap.
  void busy_with(int thread, Cause cause, const Interval& when);
  void planted(Cause cause, int64_t duration);
  void step(int64_t number, const Interval& mark) { steps.push_back({number, mark}); }
  void memory(int device, int64_t bytes, std::optional<int64_t> allocated, std::optional<int64_t> reserved);

  // The device.
  void device_op(const DeviceOp& op) { pending_.push_back(op); }
  void transfer(const char* kind, const char* source, const char* destination, std::optional<int64_t> bytes,
                int64_t duration);
  void collective(const std::string& name, const std::string& group, const CollectiveTotal& one);
  /// All device ops that start before `time` and all that the host did before it have been reported.
  void settle(int64_t time);

  template <class T>
  using ByName = std::unordered_map<std::string, T>;
  ByName<Stat> kernels;
  ByName<Stat> api;
  ByName<LaunchTotal> launches;
  ByName<OpTotal> ops;
  ByName<RangeTotal> ranges;
  std::map<int64_t, StreamTotal> streams;
  std::map<std::tuple<std::string, std::string, std::string>, Transfer> transfers;
  std::map<CollectiveKey, CollectiveTotal> collectives;
  std::map<int, MemoryTotal> memories;
  std::vector<StepTotal> steps;
  std::array<IdleTotal, kCauses> idle{};
  std::array<IdleTotal, kCauses> plan{};
  std::array<int64_t, 3> op_types{};
  int64_t orphans = 0;
  std::optional<int64_t> first_start;
  int64_t idle_total = 0;
  Union all, compute, communication, memory_ops, compute_or_communication;

 private:
  struct Doing {
    Interval when;
    Cause cause;
  };

  template <class T>
  T& entry(ByName<T>& table, std::string_view name) {
    key_.assign(name);
    return table[key_];
  }
  void enter(const DeviceOp& op);
  void gap(const Interval& gap, const DeviceOp& waking);
  void count_step(const DeviceOp& op);

  std::vector<DeviceOp> pending_;
  std::vector<std::vector<Doing>> causes_;  // per thread
  std::string key_;
};

}  // namespace cgpu::builder
