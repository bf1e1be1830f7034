// Launches that a kernel profiler measured one by one, and how to know them again on a timeline.
//
// A kernel profiler replays launches alone, so its launches are not those of a timeline: what can be found is the same
// kernel, with the same launch shape where both profiles tell it. Two profilers spell the arguments of a template
// differently ("(int)4", "4"), so a kernel with the same short name and the same shape is taken for the same where
// none has its full name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/measured_launches/launch_shape.h"
#include "analysis/session_facts.h"
#include "model/run.h"

namespace cgpu {

/// How well two launches agree, best last.
enum class LaunchMatch : uint8_t { none, short_name_and_shape, name, name_and_shape };
const char* text_of(LaunchMatch match);  // "name and shape", ...

struct KernelLaunch {
  std::string name;  // in one spelling (kernels/names.h)
  std::optional<LaunchShape> shape;
};
LaunchMatch compare(const KernelLaunch& a, const KernelLaunch& b);

struct MeasuredLaunch {
  int64_t rank = 0;
  int64_t id = 0;
  KernelLaunch kernel;
  std::optional<int64_t> duration_ns;

  // Its place in the roofline; both or none.
  std::optional<double> intensity;  // FLOP/byte
  std::optional<double> flops_per_s;
  std::string bound;                  // as in table `launch_metrics`
  std::string ceiling;                // the slowest type that is not slower than the launch; "" where not known
  std::optional<double> ceiling_pct;  // of what the device could reach with that type at this intensity
};

class MeasuredLaunches {
 public:
  /// O(launches).
  explicit MeasuredLaunches(const SessionFacts& facts);

  /// Those that agree best with a launch, in the order of the profile. O(launches of the short name).
  struct Found {
    LaunchMatch match = LaunchMatch::none;
    std::vector<const MeasuredLaunch*> launches;
  };
  Found of(const KernelLaunch& launch) const;
  /// Null where there is none.
  const MeasuredLaunch* find(int64_t rank, int64_t id) const;
  bool empty() const { return launches_.empty(); }

 private:
  std::vector<MeasuredLaunch> launches_;
  std::unordered_map<std::string, std::vector<size_t>> by_short_name_;
};

}  // namespace cgpu
