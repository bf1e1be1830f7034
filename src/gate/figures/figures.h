// What the gate compares: the figures of a run, kept in a few kB. A run of several ranks is folded into one; folding
// does not depend on the order of the ranks. They can be kept as a message (base/message.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cgpu {

/// One iteration, over all ranks and devices.
struct IterationFigures {
  int64_t wall_ns = 0;          // of the rank that took longest
  int64_t busy_ns = 0;          // in which a device op ran, summed over devices, as all below
  int64_t exposed_comm_ns = 0;  // in which communication ran and no compute
  int64_t idle_ns = 0;          // in which nothing ran on a device that is used at all
  int64_t devices = 0;
  bool complete = true;
  bool warm_up = false;

  void combine(const IterationFigures& other);
  template <typename Archive>
  void members(Archive& archive) {
    archive(wall_ns, busy_ns, exposed_comm_ns, idle_ns, devices, complete, warm_up);
  }
};

/// Device time of a framework op (innermost around the launch; of graph replays, around the call that was captured), a
/// kernel class, a kernel or a layer of the model ("layer 3 of 12") in the steady iterations, or in the whole run where
/// it has no iterations.
struct TimeFigure {
  int64_t count = 0;
  int64_t total_ns = 0;
  // Of the time an iteration; of several ranks the largest:
  std::optional<double> error;  // relative standard error
  double drift = 0;             // by which share it rises from the begin of the run to the end, where that is sure

  void combine(const TimeFigure& other);
  template <typename Archive>
  void members(Archive& archive) {
    archive(count, total_ns, error, drift);
  }
};
using TimeFigures = std::map<std::string, TimeFigure>;

/// The shapes that a framework op was called with.
struct ShapeFigure {
  std::vector<uint64_t> shapes;  // a number for each text of them, sorted
  int64_t device_ns = 0;         // what the op took on devices

  void combine(const ShapeFigure& other);
  template <typename Archive>
  void members(Archive& archive) {
    archive(shapes, device_ns);
  }
};

/// What a metric says of a call path: here and below, and here alone.
struct CallFigure {
  double inclusive = 0;
  double exclusive = 0;  // of metrics that are no sums the same

  template <typename Archive>
  void members(Archive& archive) {
    archive(inclusive, exclusive);
  }
};

/// What a metric of a call tree, as a rule the main one, says of its call paths, where it is most.
struct CallFigures {
  std::string metric;  // "" without a call tree, or where it has no such metric
  std::string unit;
  bool is_sum = true;                       // of what was measured in the parts; else an average, a ratio or the like
  std::optional<double> whole;              // of the program; absent where the root has no value
  std::map<std::string, CallFigure> paths;  // functions from the outside in, with kBelow between them

  static constexpr const char* kBelow = " > ";
  /// The innermost function of a path.
  static std::string_view function_of(std::string_view path);

  /// Leaves those of the largest inclusive values, `most` at most.
  void keep_largest(size_t most);
  /// Adds sums, up to rounding, and takes the larger of others; of unlike metrics the one with the smaller name stays.
  void combine(const CallFigures& other);
  template <typename Archive>
  void members(Archive& archive) {
    archive(metric, unit, is_sum, whole, paths);
  }
};

/// Iterations, and device time by name in the steady ones of them; where there are none, in all of the run.
struct WorkFigures {
  std::map<int64_t, IterationFigures> iterations;  // by number
  int64_t steady = 0;  // iterations that the times below are of, summed over ranks; without iterations the ranks
  TimeFigures ops;
  TimeFigures classes;
  TimeFigures kernels;
  TimeFigures layers;
  TimeFigures modules;  // by the path of the innermost module

  void combine(const WorkFigures& other);
  bool has_iterations() const { return !iterations.empty(); }
  /// Of the iterations that are neither warm-up nor cut short, in order.
  std::vector<const IterationFigures*> steady_iterations() const;

  template <typename Archive>
  void members(Archive& archive) {
    archive(iterations, steady, ops, classes, kernels, layers, modules);
  }
};

struct RunFigures : WorkFigures {
  // Identity.
  std::map<std::string, int64_t> formats;  // ranks by format
  std::map<std::string, int64_t> devices;  // how many were used, by name ("" where the profile has none)
  int64_t ranks = 0;
  int64_t world_size = 0;                     // as recorded, else the ranks that were given
  std::optional<int64_t> recorded;            // ns since 1970 at its start
  std::map<std::string, ShapeFigure> shapes;  // by framework op
  std::map<std::string, double> clocks;       // mean in Hz, by counter
  // Performance.
  int64_t span_ns = 0;  // of the rank that took longest
  int64_t busy_ns = 0;  // likewise summed over devices
  int64_t exposed_comm_ns = 0;
  int64_t idle_ns = 0;
  std::optional<int64_t> peak_bytes;  // of the device where the allocator held most
  CallFigures calls;
  /// Of ranks that have no marks of iterations and all repeat a sequence of device ops (repeated_sequence.h): with its
  /// repetitions as iterations.
  std::optional<WorkFigures> repeated;
  bool by_repetition = false;  // whether compare_by_repetitions() made those its iterations; not kept

  /// Takes over the figures of another rank.
  void combine(const RunFigures& other);
  template <typename Archive>
  void members(Archive& archive) {
    archive(formats, devices, ranks, world_size, recorded, shapes, clocks, static_cast<WorkFigures&>(*this), span_ns,
            busy_ns, exposed_comm_ns, idle_ns, peak_bytes, calls, repeated);
  }
};

/// Makes what each of these runs repeats its iterations, where no run has marks of iterations, all of them repeat
/// something, and some do so more often than others, as where a recording stops after a set time, or none does anything
/// else. Of runs that repeat it equally often and do something else, too, the whole stays what is compared.
void compare_by_repetitions(const std::vector<RunFigures*>& runs);

}  // namespace cgpu
