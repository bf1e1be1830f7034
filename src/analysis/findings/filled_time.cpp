#include "analysis/findings/filled_time.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>

#include "analysis/measured_launches/launch_shape.h"
#include "model/argument_reader.h"

namespace cgpu {

std::vector<float> filled_shares(const Run& run, double longer_than) {
  constexpr int64_t kAsked = 32;
  const Timeline& t = run.timeline;
  std::map<int32_t, double> multiprocessors;
  for (const Device& device : run.devices) {
    if (device.sm_count.value_or(0) > 0) multiprocessors[device.id] = static_cast<double>(*device.sm_count);
  }
  struct OfName {
    int64_t time = 0;
    int64_t count = 0;
    int64_t seen = 0;
    double share = 0;
    int64_t known = 0;
  };
  std::vector<OfName> names(t.names.size());
  const auto for_each = [&](const auto& visit) {
    for_each_device_op(t, [&](OpIndex op, SliceIndex slice) {
      if (t.device_ops.kind[op] == OpKind::compute) visit(op, slice, names[t.slices.name[slice]]);
    });
  };
  for_each([&](OpIndex, SliceIndex slice, OfName& name) {
    name.time += t.slices.duration[slice];
    ++name.count;
  });
  std::vector<OpIndex> ops;
  std::vector<uint64_t> sources;
  for_each([&](OpIndex op, SliceIndex slice, OfName& name) {
    if (static_cast<double>(name.time) < longer_than * static_cast<double>(name.count)) return;
    if (name.seen++ % std::max<int64_t>(name.count / kAsked, 1) != 0) return;
    ops.push_back(op);
    sources.push_back(t.slices.source[slice]);
  });
  ArgumentReader reader(run.arguments.get(), 0, launch_shape_keys());
  reader.for_each(sources, [&](size_t i, std::span<const ArgumentView> arguments) {
    const auto device = multiprocessors.find(t.device_ops.device[ops[i]]);
    const auto shape = launch_shape(arguments);
    if (device == multiprocessors.end() || !shape) return;
    const double blocks = 1.0 * shape->grid[0] * shape->grid[1] * shape->grid[2];
    OfName& name = names[t.slices.name[t.device_ops.slice[ops[i]]]];
    name.share += std::min(1.0, blocks / device->second);
    ++name.known;
  });
  std::vector<float> shares(names.size());
  for (StringId name = 0; name < names.size(); ++name) {
    if (names[name].known == 0) continue;
    shares[name] = static_cast<float>(names[name].share / static_cast<double>(names[name].known));
  }
  return shares;
}

double share_of_kernel(const Timeline& timeline, SliceIndex kernel, const std::vector<float>& shares) {
  const float known = shares[timeline.slices.name[kernel]];
  return known > 0 ? static_cast<double>(known) : 1;
}

FilledTime::FilledTime(const Timeline& timeline, const std::vector<OpIndex>& kernels,
                       const std::vector<float>& shares) {
  for (const OpIndex op : kernels) {
    const SliceIndex slice = timeline.device_ops.slice[op];
    const double share = share_of_kernel(timeline, slice, shares);
    changes_.emplace_back(timeline.slices.start[slice], share);
    changes_.emplace_back(timeline.slices.end(slice), -share);
  }
  std::sort(changes_.begin(), changes_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  double sum = 0;
  double filled = 0;
  for (size_t i = 0; i < changes_.size(); ++i) {
    if (i > 0) filled += std::clamp(sum, 0.0, 1.0) * static_cast<double>(changes_[i].first - changes_[i - 1].first);
    sum += changes_[i].second;
    changes_[i].second = sum;
    until_.push_back(filled);
  }
}

double FilledTime::until(int64_t time) const {
  const auto next = std::ranges::upper_bound(changes_, time, {}, [](const auto& change) { return change.first; });
  if (next == changes_.begin()) return 0;
  const size_t before = static_cast<size_t>(next - changes_.begin()) - 1;
  const double since = static_cast<double>(time) - static_cast<double>(changes_[before].first);
  return until_[before] + std::clamp(changes_[before].second, 0.0, 1.0) * since;
}

}  // namespace cgpu
