#include "analysis/findings/unequal_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/device/device_ops.h"
#include "analysis/findings/launched_grids.h"
#include "analysis/findings/stragglers.h"
#include "base/lower_median.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// ns by kernel, of each device.
std::map<int32_t, std::map<StringId, int64_t>> kernels_of_devices(const Timeline& t) {
  std::map<int32_t, std::map<StringId, int64_t>> times;
  for_each_device_op(t, [&](OpIndex op, SliceIndex slice) {
    if (t.device_ops.kind[op] != OpKind::compute) return;
    times[t.device_ops.device[op]][t.slices.name[slice]] += t.slices.duration[slice];
  });
  return times;
}

/// The devices that share one work: each computes a quarter of what the one with the most does or more, and for half of
/// that time or more runs kernels that this one runs, too. Others serve something else (another model, a display).
std::vector<PeerTime> alike_devices(RuleContext& context) {
  constexpr int64_t kPart = 4;
  std::vector<PeerTime> devices = compute_of_devices(context);
  if (devices.size() < 2) return {};
  const PeerTime most = *std::ranges::max_element(devices, {}, &PeerTime::compute);
  std::erase_if(devices, [&](const PeerTime& one) { return one.compute == 0 || kPart * one.compute < most.compute; });
  if (devices.size() < 2) return {};
  const auto kernels = kernels_of_devices(context.session().runs.front().timeline);
  const auto& of_most = kernels.at(*most.device);
  std::erase_if(devices, [&](const PeerTime& one) {
    int64_t shared = 0, all = 0;
    for (const auto& [name, time] : kernels.at(*one.device)) {
      all += time;
      if (of_most.contains(name)) shared += time;
    }
    return 2 * shared < all;
  });
  return devices;
}

/// Whether all of these devices launch the same kernels equally often, in the same grids and blocks: then one that
/// takes longer is slower. Not where grids are not recorded.
bool do_same_work(const Run& run, const std::vector<PeerTime>& devices) {
  const std::optional<LaunchedGrids> first = launched_grids(run, devices.front().device);
  return first && std::all_of(devices.begin() + 1, devices.end(),
                              [&](const PeerTime& one) { return launched_grids(run, one.device) == first; });
}

}  // namespace

void find_unequal_devices(RuleContext& context, std::vector<Finding>& findings) {
  const std::vector<PeerTime> devices = alike_devices(context);
  if (devices.size() < 2) return;
  std::vector<int64_t> times;
  int64_t mean = 0;
  for (const PeerTime& one : devices) {
    times.push_back(one.compute);
    mean += one.compute;
  }
  mean /= static_cast<int64_t>(devices.size());
  const PeerTime& most = *std::ranges::max_element(devices, {}, &PeerTime::compute);
  if (static_cast<double>(most.compute) < context.thresholds().unequal_work * static_cast<double>(mean)) return;
  const bool is_slower = do_same_work(context.session().runs.front(), devices);
  const int64_t median = lower_median(std::move(times));
  const int64_t with_remedy = is_slower ? median : mean;
  const size_t run = context.facts().place_in_whole(0);
  DeviceFactors factors;
  for (const PeerTime& one : devices) {
    if (is_slower && one.compute <= median) continue;  // one that is faster stays so
    factors[{run, *one.device}] = static_cast<double>(with_remedy) / static_cast<double>(one.compute);
  }
  findings.push_back(
      {.rule = "straggler",
       .title = fmt::format("The run waits for device {}, which computes {}, {} {}", *most.device,
                            context.in_all(most.compute), is_slower ? "the median device" : "a device on average",
                            format_ns(with_remedy)),
       .evidence =
           fmt::format("{} devices that run the same kernels{} and do not communicate; {} it would compute {} "
                       "less",
                       devices.size(), is_slower ? ", as often and in the same grids," : "",
                       is_slower ? "as fast as the others" : "with equal work", format_ns(most.compute - with_remedy)),
       .suggestion = is_slower ? "Compare the clocks, power and temperature of the devices, and what else runs on this "
                                 "one; of unlike devices give each work by how fast it is"
                               : "Divide the work evenly over the devices; over unlike devices, by how fast each is",
       .command = "gpu_time",
       .confidence = Confidence::medium,
       .rank = most.rank,
       .device = most.device,
       .remedy = scaled(context.facts().whole(), factors)});
}

}  // namespace cgpu
