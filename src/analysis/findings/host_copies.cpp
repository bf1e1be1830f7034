#include "analysis/findings/host_copies.h"

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/device/copy_metrics.h"
#include "analysis/device/device_models.h"
#include "analysis/device/device_time.h"
#include "analysis/findings/rule_context.h"
#include "analysis/session_clock.h"
#include "base/interval_set.h"
#include "hardware/host_links.h"
#include "links/waits.h"
#include "model/migrations.h"

namespace cgpu {

namespace {

/// What each copy of a direction moved on average, of those that do not say it, where a call tree has counted that
/// (copy_metrics.h).
std::map<CopyKind, int64_t> mean_bytes_of(const Run& run) {
  std::map<CopyKind, int64_t> means;
  if (!run.call_tree) return means;
  const DeviceOps& ops = run.timeline.device_ops;
  std::map<CopyKind, int64_t> counts;
  for (OpIndex op = 0; op < ops.size(); ++op) counts[ops.copy[op]] += ops.bytes[op] < 0 ? 1 : 0;
  for (const auto& [kind, bytes] : copied_bytes(*run.call_tree)) {
    if (counts[kind] > 0) means[kind] = bytes / counts[kind];
  }
  return means;
}

/// The judged time of a run, on its clock.
IntervalSet judged_time(RuleContext& context, size_t number) {
  const SessionFacts& facts = context.facts();
  const size_t in_whole = facts.place_in_whole(number);
  const int64_t zero = facts.whole().dependencies().zero(in_whole);
  const bool together = has_common_clock(facts.whole().session());
  std::vector<Interval> times;
  for (const Period& period : context.judged().periods) {
    if (together || period.run == in_whole) times.push_back({period.begin + zero, period.end + zero});
  }
  return IntervalSet(std::move(times));
}

/// A copy and its call. `busy_until`: when the ops that the device ran before it had ended; a call that blocks waits
/// for these first.
void set_cost(const Slices& slices, int64_t busy_until, HostCopy& copy) {
  copy.cost = copy.time = slices.duration[copy.slice];
  if (copy.call == kNone) return;
  const int64_t start = slices.start[copy.slice];
  copy.blocks = slices.end(copy.call) >= slices.end(copy.slice);
  if (slices.end(copy.call) <= start) {
    copy.cost += slices.duration[copy.call];
    return;
  }
  const int64_t begin = std::max(slices.start[copy.call], std::min(busy_until, start));
  copy.cost = std::max(slices.end(copy.slice), slices.end(copy.call)) - std::min(begin, start);
}

/// Whether a wait of the thread that launched a copy ended with it.
bool is_awaited_later(const Slices& slices, const Waits& waits, const HostCopy& copy) {
  if (copy.call == kNone || copy.blocks) return false;
  return std::ranges::any_of(waits.around(copy.slice), [&](const Wait* wait) {
    return wait->op == copy.slice && wait->slice != copy.call && slices.track[wait->slice] == slices.track[copy.call];
  });
}

}  // namespace

std::vector<HostCopy> judged_copies(RuleContext& context) {
  std::vector<HostCopy> copies;
  for (size_t number = 0; number < context.session().runs.size(); ++number) {
    const Run& run = context.session().runs[number];
    const DeviceOps& ops = run.timeline.device_ops;
    const Slices& slices = run.timeline.slices;
    const std::map<CopyKind, int64_t> mean_bytes = mean_bytes_of(run);
    const IntervalSet judged = judged_time(context, number);
    const double link = host_link_rate(run);
    for (auto& [device, of_device] : ops_by_device(run.timeline)) {
      std::vector<OpIndex> in_order = of_device;
      std::stable_sort(in_order.begin(), in_order.end(),
                       [&](OpIndex a, OpIndex b) { return slices.start[ops.slice[a]] < slices.start[ops.slice[b]]; });
      int64_t busy_until = INT64_MIN;
      std::map<TrackIndex, size_t> last_of_stream;  // its place in `copies` and 1; 0 of what is none
      for (const OpIndex op : in_order) {
        const SliceIndex slice = ops.slice[op];
        const int64_t busy_before = busy_until;
        busy_until = std::max(busy_until, slices.end(slice));
        size_t& last = last_of_stream[slices.track[slice]];
        const bool is_between = ops.copy[op] == CopyKind::HtoD || ops.copy[op] == CopyKind::DtoH;
        if (!is_between || judged.clip(slices.start[slice], slices.end(slice)).length() == 0) {
          last = 0;
          continue;
        }
        HostCopy copy{.run = number,
                      .device = device,
                      .slice = slice,
                      .call = launch_of(run.timeline, slice),
                      .kind = ops.copy[op],
                      .memory = ops.copy[op] == CopyKind::HtoD ? ops.source[op] : ops.destination[op],
                      .bytes = ops.bytes[op],
                      .link = link};
        if (const auto mean = mean_bytes.find(copy.kind); copy.bytes < 0 && mean != mean_bytes.end()) {
          copy.bytes = mean->second;
          copy.is_mean = true;
        }
        set_cost(slices, busy_before, copy);
        copy.is_awaited = is_awaited_later(slices, context.facts().waits(number), copy);
        copy.blocks = copy.blocks || copy.is_awaited;
        if (last > 0 && copies[last - 1].kind == copy.kind) copy.has_neighbour = copies[last - 1].has_neighbour = true;
        copies.push_back(copy);
        last = copies.size();
      }
    }
  }
  return copies;
}

Migrations judged_migrations(RuleContext& context) {
  Migrations migrations;
  for (size_t number = 0; number < context.session().runs.size(); ++number) {
    const Timeline& timeline = context.session().runs[number].timeline;
    const DeviceOps& ops = timeline.device_ops;
    if (std::ranges::none_of(ops.copy, is_migration)) continue;
    const IntervalSet judged = judged_time(context, number);
    for (const auto& [device, of_device] : ops_by_device(timeline)) {
      std::vector<Interval> moving;
      for (const OpIndex op : of_device) {
        if (!is_migration(ops.copy[op])) continue;
        const Interval time{timeline.slices.start[ops.slice[op]], timeline.slices.end(ops.slice[op])};
        const int64_t in_judged = judged.clip(time.begin, time.end).length();
        if (in_judged == 0) continue;
        moving.push_back(time);
        ++migrations.count;
        migrations.bytes += std::max<int64_t>(ops.bytes[op], 0);
        migrations.time += in_judged;
      }
      const IntervalSet only_copying = device_time(timeline, of_device).exposed_memory;
      migrations.exposed += IntervalSet(std::move(moving)).intersect(only_copying).intersect(judged).length();
    }
  }
  return migrations;
}

ReadValues read_values(const std::vector<HostCopy>& copies, double small_copy) {
  constexpr double kNearlyAll = 0.9;
  ReadValues values;
  int64_t time_of_values = 0;
  int64_t time = 0;
  for (const HostCopy& copy : copies) {
    time += copy.time;
    const bool is_small = copy.bytes >= 0 && static_cast<double>(copy.bytes) < small_copy;
    if (!is_small || !copy.is_awaited || copy.kind != CopyKind::DtoH || copy.has_neighbour) continue;
    ++values.count;
    time_of_values += copy.time;
  }
  values.are_nearly_all =
      values.count > 0 && static_cast<double>(time_of_values) >= kNearlyAll * static_cast<double>(time);
  return values;
}

double host_link_rate(const Run& run) {
  DeviceModels models;
  models.add(run);
  const auto link = find_host_link(models.only());
  return link ? link->bandwidth / 1e9 : 0;
}

double least_time_of_copy(const Timeline& timeline, OpIndex op, double link) {
  const DeviceOps& ops = timeline.device_ops;
  const auto time = static_cast<double>(timeline.slices.duration[ops.slice[op]]);
  if (link > 0 && ops.bytes[op] >= 0) return std::min(time, static_cast<double>(ops.bytes[op]) / link);
  const bool is_pageable = ops.source[op] == MemoryKind::pageable || ops.destination[op] == MemoryKind::pageable;
  return time / (is_pageable ? 6 : 2);
}

}  // namespace cgpu
