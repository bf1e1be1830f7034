#include "analysis/ranks/host_lateness.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "analysis/session_clock.h"
#include "links/collective_waits.h"
#include "links/common_time.h"

namespace cgpu {

namespace {

/// A run waits for another one, on the common clock.
struct RankWait {
  int64_t begin = 0;
  int64_t end = 0;
  uint32_t run = 0;
  uint32_t other = 0;
};

class WaitsOfHosts {
 public:
  WaitsOfHosts(const Session& session, const IntervalSet& times)
      : session_(session), times_(times), begins_(session.runs.size()) {}

  void add(const CollectiveSeries& series) {
    const OutOfCoreVector<Arrival> instances = arrivals(session_, series);
    for (const CollectiveMember& member : series.members) {
      for (const CollectivePart part : series.parts_of(member)) {
        if (!counts(instances[part.instance])) continue;
        ++of_run(member.run).count;
        begins_[member.run].push_back(common_time(session_.runs[member.run], part.start));
      }
    }
    for (const Arrival& arrival : instances) {
      if (counts(arrival)) ++of_run(arrival.last->run).last;
    }
    for_each_wait(session_, series, instances,
                  [&](const CollectiveMember& member, const CollectivePart& part, int64_t until) {
                    const Arrival& arrival = instances[part.instance];
                    if (!counts(arrival)) return;
                    add({common_time(session_.runs[member.run], part.start), until, member.run, arrival.last->run});
                  });
  }

  void add(const Messages::Thread& thread) {
    const Run& run = session_.runs[thread.run];
    for (size_t i = 0; i < thread.messages.waits.size(); ++i) {
      const int64_t start = common_time(run, thread.messages.waits[i].start);
      begins_[thread.run].push_back(start);
      const std::span<const MessageSender> senders = thread.senders_of(i);
      if (senders.empty() || !begin_around(std::max(start, senders.back().start))) continue;
      ++of_run(thread.run).count;
      for (const MessageSender& sender : senders) ++of_run(sender.run).count;
      const MessageSender& last = senders.back();
      ++of_run(last.start > start ? last.run : thread.run).last;
      add({start, last.start, thread.run, last.run});
    }
  }

  std::map<MemberKey, Lateness> lateness() {
    std::ranges::sort(waits_, {},
                      [](const RankWait& wait) { return std::tuple(wait.end, wait.begin, wait.run, wait.other); });
    for (std::vector<int64_t>& of_run : begins_) std::ranges::sort(of_run);
    std::vector<std::vector<Caused>> before(session_.runs.size());  // by run, in order of their ends
    std::map<uint32_t, int64_t> causes;
    for (const RankWait& wait : waits_) {
      causes.clear();
      int64_t left = wait.end - wait.begin;
      const std::vector<int64_t>& begins = begins_[wait.run];
      const auto own = std::ranges::lower_bound(begins, wait.begin);
      const int64_t since = own == begins.begin() ? wait.begin : *std::prev(own);
      const std::vector<Caused>& of_other = before[wait.other];
      for (auto at = of_other.rbegin(); at != of_other.rend() && at->end > since && left > 0; ++at) {
        if (at->by == wait.run) continue;
        const int64_t part = std::min(left, at->end - std::max(at->begin, since));
        causes[at->by] += part;
        left -= part;
      }
      if (left > 0) causes[wait.other] += left;
      for (const auto& [by, time] : causes) of_run(by).caused_ns += time;
      const uint32_t most = std::ranges::max_element(causes, {}, [](const auto& cause) { return cause.second; })->first;
      before[wait.run].push_back({wait.begin, wait.end, most});
    }
    return std::move(lateness_);
  }

 private:
  /// A wait, and the run that caused the most of it.
  struct Caused {
    int64_t begin = 0;
    int64_t end = 0;
    uint32_t by = 0;
  };

  /// The begin of the one of the times that has this one in it.
  std::optional<int64_t> begin_around(int64_t time) const {
    const auto& intervals = times_.intervals();
    const auto after = std::ranges::partition_point(intervals, [&](const Interval& one) { return one.begin <= time; });
    if (after == intervals.begin() || time > std::prev(after)->end) return std::nullopt;
    return std::prev(after)->begin;
  }
  bool counts(const Arrival& arrival) const { return arrival.parts > 1 && begin_around(arrival.last_start); }
  Lateness& of_run(uint32_t run) { return lateness_[{run, -1}]; }
  void add(RankWait wait) {
    const std::optional<int64_t> begin = begin_around(wait.end);
    if (!begin) return;
    wait.begin = std::max(wait.begin, *begin);
    if (wait.begin >= wait.end || wait.run == wait.other) return;
    of_run(wait.run).wait_ns += wait.end - wait.begin;
    waits_.push_back(wait);
  }

  const Session& session_;
  const IntervalSet& times_;
  std::vector<std::vector<int64_t>> begins_;  // of all waits, also of those that did not last, by run
  std::vector<RankWait> waits_;
  std::map<MemberKey, Lateness> lateness_;
};

}  // namespace

std::map<MemberKey, Lateness> lateness_of_hosts(const Session& session, std::span<const CollectiveSeries> collectives,
                                                const Messages& messages, const IntervalSet& times) {
  if (!has_common_clock(session)) return {};
  WaitsOfHosts waits(session, times);
  for (const CollectiveSeries& series : collectives) waits.add(series);
  for (const Messages::Thread& thread : messages.threads()) waits.add(thread);
  return waits.lateness();
}

}  // namespace cgpu
