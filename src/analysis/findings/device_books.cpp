#include "analysis/findings/device_books.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "analysis/device/device_time.h"
#include "analysis/findings/filled_time.h"
#include "analysis/findings/host_copies.h"
#include "analysis/session_clock.h"

namespace cgpu {

namespace {

/// The copies of a device in one direction.
struct CopiesOfDirection {
  IntervalSet all;
  IntervalSet large;
  double best = 0;  // the part of their time that large ones take at best
};

CopiesOfDirection copies_of(const Timeline& timeline, const std::vector<OpIndex>& ops, CopyKind direction,
                            double small_copy, double link) {
  const DeviceOps& all = timeline.device_ops;
  std::vector<OpIndex> copies;
  std::vector<OpIndex> large;
  double time = 0;
  double best = 0;
  for (const OpIndex op : ops) {
    if (all.copy[op] != direction) continue;
    copies.push_back(op);
    if (all.bytes[op] >= 0 && static_cast<double>(all.bytes[op]) < small_copy) continue;
    large.push_back(op);
    time += static_cast<double>(timeline.slices.duration[all.slice[op]]);
    best += least_time_of_copy(timeline, op, link);
  }
  return {busy_time(timeline, copies), busy_time(timeline, large), time > 0 ? best / time : 0};
}

/// The times before ops that had been launched, but for what they need to start, or whose launch is not known: the ends
/// of gaps.
IntervalSet unexplained_time(const SessionFacts& facts, size_t run, const std::vector<OpIndex>& ops) {
  std::vector<Interval> times;
  facts.idle().for_each_gap(run, ops, [&](const IdleGap& gap) {
    int64_t length = 0;
    for (const IdleCause cause : {IdleCause::dependency, IdleCause::unknown}) {
      length += gap.times[static_cast<size_t>(cause)];
    }
    if (length > 0) times.push_back({gap.time.end - length, gap.time.end});
  });
  return IntervalSet(std::move(times));
}

/// The least time in which a device can do what it computes.
class LeastCompute {
 public:
  LeastCompute(const Run& run, const std::vector<OpIndex>& ops, const IntervalSet& compute,
               const std::function<const std::vector<float>&(const Run&)>& filled_shares)
      : compute_(compute) {
    const Timeline& t = run.timeline;
    std::map<TrackIndex, std::vector<OpIndex>> streams;
    std::vector<OpIndex> kernels;
    for (const OpIndex op : ops) {
      if (t.device_ops.kind[op] != OpKind::compute) continue;
      kernels.push_back(op);
      streams[t.slices.track[t.device_ops.slice[op]]].push_back(op);
    }
    if (streams.size() < 2) return;
    filled_.emplace(t, kernels, filled_shares(run));
    for (const auto& [stream, of_stream] : streams) streams_.push_back(busy_time(t, of_stream));
  }
  int64_t within(int64_t begin, int64_t end) const {
    if (!filled_) return compute_.clip(begin, end).length();
    auto least = static_cast<int64_t>(filled_->within(begin, end));
    for (const IntervalSet& stream : streams_) least = std::max(least, stream.clip(begin, end).length());
    return least;
  }

 private:
  const IntervalSet& compute_;
  std::optional<FilledTime> filled_;  // of several streams
  std::vector<IntervalSet> streams_;
};

}  // namespace

DeviceBooks::DeviceBooks(const SessionFacts& facts, const std::vector<Period>& periods, double small_copy,
                         const std::function<const std::vector<float>&(const Run&)>& filled_shares)
    : runs_(facts.whole().session().runs.size()),
      together_(has_common_clock(facts.whole().session())),
      hosts_communicate_(!facts.whole().collectives_of_hosts().empty() || !facts.whole().messages().empty()) {
  for (const Period& period : periods) periods_.push_back({.length = period.end - period.begin});
  const DependencyGraph& graph = facts.whole().dependencies();
  for (size_t number = 0; number < facts.session().runs.size(); ++number) {
    const Run& run = facts.run(number);
    const size_t in_whole = facts.place_in_whole(number);
    const int64_t zero = graph.zero(in_whole);
    const auto devices = ops_by_device(run.timeline);
    const double link = host_link_rate(run);
    for (const auto& [device, ops] : devices) {
      // An op of one device may wait for what the host is late with on another.
      const IntervalSet unexplained = devices.size() == 1 ? unexplained_time(facts, number, ops) : IntervalSet();
      const DeviceTime time = device_time(run.timeline, ops);
      const LeastCompute least(run, ops, time.compute, filled_shares);
      const CopiesOfDirection to_device = copies_of(run.timeline, ops, CopyKind::HtoD, small_copy, link);
      const CopiesOfDirection from_device = copies_of(run.timeline, ops, CopyKind::DtoH, small_copy, link);
      for (size_t i = 0; i < periods.size(); ++i) {
        if (!together_ && periods[i].run != in_whole) continue;
        const auto within = [&](const IntervalSet& set) {
          return set.clip(periods[i].begin + zero, periods[i].end + zero).length();
        };
        // Small ones are packed into few.
        const auto best = [&](const CopiesOfDirection& copies) {
          return static_cast<int64_t>(static_cast<double>(within(copies.large)) * copies.best);
        };
        periods_[i].devices.push_back({.run = in_whole,
                                       .device = device,
                                       .compute = least.within(periods[i].begin + zero, periods[i].end + zero),
                                       .unexplained = within(unexplained),
                                       .exposed_communication = within(time.exposed_communication),
                                       .exposed_copies = within(time.exposed_memory),
                                       .copies = std::max(within(to_device.all), within(from_device.all)),
                                       .best_copies = std::max(best(to_device), best(from_device))});
      }
    }
  }
}

template <typename Time>
int64_t DeviceBooks::sum_of_most(Time time) const {
  int64_t sum = 0;
  for (const OfPeriod& period : periods_) {
    int64_t most = 0;
    for (const OfDevice& device : period.devices) most = std::max<int64_t>(most, time(device));
    sum += most;
  }
  return sum;
}

int64_t DeviceBooks::exposed_communication() const {
  return sum_of_most([](const OfDevice& device) { return device.exposed_communication; });
}

int64_t DeviceBooks::other_work_than_copies() const {
  return sum_of_most([](const OfDevice& device) { return device.compute + device.exposed_communication; });
}

int64_t DeviceBooks::most_recoverable(const EdgeTimes::Scenario& scenario) const {
  const bool changes_ops = scenario.op_factor || scenario.removed[BoundBy(BoundBy::compute).number()];
  const auto removes = [&](BoundBy kind) { return scenario.removed[kind.number()]; };
  // A wait of ranks for each other is part of their communication.
  const bool frees_waiting = !scenario.not_awaited.empty() || removes(IdleCause::other_rank);
  BoundKinds of_host = scenario.removed;
  for (const BoundBy::Work work : {BoundBy::compute, BoundBy::communication, BoundBy::memory, BoundBy::kernel_gap}) {
    of_host.reset(BoundBy(work).number());
  }
  of_host.reset(BoundBy(IdleCause::blocking_copy).number());
  of_host.reset(kTimeOfCopyCalls);
  const bool changes_copy_calls = removes(IdleCause::blocking_copy) || scenario.removed[kTimeOfCopyCalls];
  const bool shortens_copies = removes(BoundBy::memory) || changes_copy_calls;
  const bool frees_idle = scenario.without_gap || removes(BoundBy::kernel_gap) || changes_copy_calls;
  // Communication of devices alone leaves their idle time.
  const bool frees_communication = removes(BoundBy::communication) && !frees_waiting && !hosts_communicate_ &&
                                   !changes_ops && !frees_idle && !removes(BoundBy::memory) && of_host.none();
  if (frees_communication) return exposed_communication();
  const std::set<size_t> left_out = scenario.left_out(runs_);
  const bool changes_host_alone = of_host.any() && !changes_ops && !frees_waiting && !frees_idle &&
                                  !removes(BoundBy::communication) && !removes(BoundBy::memory);
  struct Remains {
    int64_t busy = 0;
    int64_t copies = 0;
  };
  std::map<std::pair<size_t, int32_t>, Remains> devices;  // by run and device, of all periods
  int64_t length = 0;
  for (const OfPeriod& period : periods_) {
    length += period.length;
    for (const OfDevice& device : period.devices) {
      if (changes_ops || left_out.contains(device.run)) continue;
      Remains& remains = devices[{device.run, device.device}];
      remains.busy += device.compute;
      if (changes_host_alone) remains.busy += device.unexplained;
      if (!removes(BoundBy::communication) && !frees_waiting && of_host.none()) {
        remains.busy += device.exposed_communication;
      }
      if (!removes(BoundBy::memory) && of_host.none()) remains.busy += device.exposed_copies;
      remains.copies += shortens_copies ? device.best_copies : device.copies;
    }
  }
  std::map<size_t, int64_t> longest;  // by run, where each has its own periods
  for (const auto& [place, remains] : devices) {
    int64_t& most = longest[together_ ? 0 : place.first];
    most = std::max({most, remains.busy, remains.copies});
  }
  for (const auto& [run, remains] : longest) length -= remains;
  return std::max<int64_t>(length, 0);
}

}  // namespace cgpu
