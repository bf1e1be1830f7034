#include "analysis/ranks/slow_links.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "links/collective_series.h"

namespace cgpu {

namespace {

/// One collective of known size: how long it takes the member that waits least, which is the transfer.
struct TimedTransfer {
  int64_t bytes = 0;
  int64_t time = 0;
  std::vector<std::pair<size_t, SliceIndex>> ops;  // run, op

  double rate() const { return static_cast<double>(bytes) / static_cast<double>(time); }  // GB/s
};

/// Transfers that should be equally fast: same collective, number of ranks, purpose of the group and size within a
/// factor of two.
using Alike = std::tuple<std::string, int32_t, std::string, int>;

std::string purpose_of(const Run& run, const std::optional<std::string>& group) {
  for (const ParallelGroup& each : run.groups) {
    if (group && each.name == *group) return each.description;
  }
  return "";
}

/// The large transfers of a series, seen on several ranks, by kind.
std::map<Alike, std::vector<TimedTransfer>> transfers_of(const Session& session, const CollectiveSeries& series,
                                                         double large) {
  std::vector<TimedTransfer> all(series.instances);
  std::vector<int32_t> sizes(series.instances, -1);
  for (const CollectiveMember& member : series.members) {
    for (const CollectivePart part : series.parts_of(member)) {
      TimedTransfer& transfer = all[part.instance];
      transfer.time = transfer.ops.empty() ? part.duration : std::min(transfer.time, part.duration);
      transfer.ops.emplace_back(member.run, part.slice);
      if (part.bytes >= 0 && transfer.bytes == 0) transfer.bytes = part.bytes;
      if (part.group_size != -1) sizes[part.instance] = part.group_size;
    }
  }
  const std::string purpose = purpose_of(session.runs[series.members.front().run], series.group);
  std::map<Alike, std::vector<TimedTransfer>> by_kind;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].ops.size() < 2 || all[i].time <= 0 || static_cast<double>(all[i].bytes) < large) continue;
    by_kind[{series.name, sizes[i], purpose, std::ilogb(static_cast<double>(all[i].bytes))}].push_back(
        std::move(all[i]));
  }
  return by_kind;
}

double median_rate(const std::vector<TimedTransfer>& transfers) {
  std::vector<double> rates;
  for (const TimedTransfer& transfer : transfers) rates.push_back(transfer.rate());
  const auto middle = rates.begin() + static_cast<std::ptrdiff_t>(rates.size() / 2);
  std::nth_element(rates.begin(), middle, rates.end());
  return *middle;
}

}  // namespace

SlowLinks find_slow_links(const SessionFacts& whole, const SlowLinkLimits& limits) {
  const Session& session = whole.session();
  struct OfGroup {
    const CollectiveSeries* series;
    std::vector<TimedTransfer> transfers;
  };
  std::map<Alike, std::vector<OfGroup>> alike;
  for (const CollectiveSeries& series : whole.collectives()) {
    if (series.members.size() < 2) continue;
    for (auto& [kind, transfers] : transfers_of(session, series, limits.large_message)) {
      alike[kind].push_back({&series, std::move(transfers)});
    }
  }
  SlowLinks slow;
  slow.factors.resize(session.runs.size());
  slow.excess_of_run.resize(session.runs.size());
  for (const auto& [kind, groups] : alike) {
    double usual = 0;
    for (const OfGroup& group : groups) usual = std::max(usual, median_rate(group.transfers));
    for (const OfGroup& group : groups) {
      if (median_rate(group.transfers) * limits.factor > usual) continue;
      SlowGroup found;
      for (const TimedTransfer& transfer : group.transfers) {
        if (transfer.rate() >= usual) continue;
        const double factor = transfer.rate() / usual;
        found.excess += transfer.time - std::llround(factor * static_cast<double>(transfer.time));
        ++found.count;
        for (const auto& [number, op] : transfer.ops) slow.factors[number].emplace(op, factor);
      }
      found.rate = median_rate(group.transfers);
      found.other = usual;
      std::vector<int64_t> ranks;
      for (const CollectiveMember& member : group.series->members) {
        ranks.push_back(session.runs[member.run].rank);
        slow.excess_of_run[member.run] += found.excess;
      }
      found.what = fmt::format("{} of ranks {}", group.series->name, fmt::join(ranks, ", "));
      slow.excess += found.excess;
      slow.groups.push_back(std::move(found));
    }
  }
  return slow;
}

}  // namespace cgpu
