#include "comparison/alignment/time_map.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <utility>

namespace cgpu {

namespace {

/// Places of the longest subsequence whose b rises; a rises already. O(n log n).
std::vector<size_t> longest_rising(const std::vector<TimePoint>& pairs) {
  std::vector<size_t> last;    // by length, the place of the smallest b that a subsequence of that length ends with
  std::vector<size_t> before;  // by place, the one before it in its subsequence
  for (size_t i = 0; i < pairs.size(); ++i) {
    const auto at = std::lower_bound(last.begin(), last.end(), pairs[i].b,
                                     [&](size_t place, int64_t b) { return pairs[place].b < b; });
    before.push_back(at == last.begin() ? i : *(at - 1));
    if (at == last.end()) {
      last.push_back(i);
    } else {
      *at = i;
    }
  }
  std::vector<size_t> places(last.size());
  if (last.empty()) return places;
  size_t place = last.back();
  for (size_t i = places.size(); i-- > 0; place = before[place]) places[i] = place;
  return places;
}

/// The value at `time` of the line through points, by the members that are asked for and answered.
int64_t mapped(const std::vector<TimePoint>& points, int64_t TimePoint::*from, int64_t TimePoint::*to, int64_t time) {
  if (points.empty()) return time;
  const auto after = std::upper_bound(points.begin(), points.end(), time,
                                      [&](int64_t wanted, const TimePoint& point) { return wanted < point.*from; });
  if (after == points.begin()) return points.front().*to + (time - points.front().*from);
  const TimePoint& low = *(after - 1);
  if (after == points.end()) return low.*to + (time - low.*from);
  const double share = static_cast<double>(time - low.*from) / static_cast<double>((*after).*from - low.*from);
  return low.*to + std::llround(share * static_cast<double>((*after).*to - low.*to));
}

/// The start of the first op of each node and iteration of a run.
std::map<std::pair<uint32_t, uint32_t>, int64_t> first_starts(const Comparison& comparison, Side side, size_t run) {
  std::map<std::pair<uint32_t, uint32_t>, int64_t> starts;
  const std::vector<uint32_t>& nodes = comparison.nodes_of_ops(side, run);
  const std::vector<uint32_t>& iterations = comparison.iterations_of_ops(side, run);
  const Timeline& timeline = comparison.facts(side).run(run).timeline;
  for (OpIndex op = 0; op < nodes.size(); ++op) {
    if (nodes[op] == kNone) continue;
    const int64_t start = comparison.shown_time(side, run, timeline.slices.start[timeline.device_ops.slice[op]]);
    const auto [found, is_new] = starts.try_emplace({nodes[op], iterations[op]}, start);
    if (!is_new) found->second = std::min(found->second, start);
  }
  return starts;
}

}  // namespace

TimeMap::TimeMap(const Comparison& comparison, const Comparison::Group& group, PerSide<size_t> runs) {
  const auto starts_b = first_starts(comparison, Side::b, runs.b);
  std::vector<TimePoint> pairs;
  for (const auto& [key, start] : first_starts(comparison, Side::a, runs.a)) {
    const auto& [node, iteration] = key;
    const uint32_t partner = group.alignment->node(Side::a, node).partner;
    const auto found = partner == kNone ? starts_b.end() : starts_b.find({partner, iteration});
    if (found != starts_b.end()) pairs.push_back({start, found->second, 0});
  }
  fit(std::move(pairs));
}

TimeMap::TimeMap(std::vector<TimePoint> pairs) {
  fit(std::move(pairs));
}

void TimeMap::fit(std::vector<TimePoint> pairs) {
  // Of equal a the largest b first, so that one of them at most is in a rising subsequence.
  std::sort(pairs.begin(), pairs.end(),
            [](const TimePoint& x, const TimePoint& y) { return x.a != y.a ? x.a < y.a : x.b > y.b; });
  for (const size_t place : longest_rising(pairs)) points_.push_back(pairs[place]);
  for (const TimePoint& pair : pairs) {
    const int64_t miss = std::abs(to_b(pair.a) - pair.b);
    if (miss == 0) continue;
    const auto after = std::upper_bound(points_.begin(), points_.end(), pair.a,
                                        [](int64_t wanted, const TimePoint& point) { return wanted < point.a; });
    if (after != points_.end()) after->residual = std::max(after->residual, miss);
    if (after != points_.begin()) (after - 1)->residual = std::max((after - 1)->residual, miss);
  }
}

int64_t TimeMap::to_b(int64_t a) const {
  return mapped(points_, &TimePoint::a, &TimePoint::b, a);
}

int64_t TimeMap::to_a(int64_t b) const {
  return mapped(points_, &TimePoint::b, &TimePoint::a, b);
}

MappedTime TimeMap::in_b(int64_t a) const {
  const auto above = std::lower_bound(points_.begin(), points_.end(), a,
                                      [](const TimePoint& point, int64_t wanted) { return point.a < wanted; });
  const bool is_point = above != points_.end() && above->a == a;
  const auto below = is_point ? above : above == points_.begin() ? points_.end() : above - 1;
  MappedTime mapped{.time = to_b(a)};
  for (const auto& point : {below, above}) {
    if (point != points_.end()) mapped.residual = std::max(mapped.residual, point->residual);
  }
  if (below != points_.end()) mapped.low = below->b - mapped.residual;
  if (above != points_.end()) mapped.high = above->b + mapped.residual;
  return mapped;
}

std::vector<TimesOfRanks> times_of_ranks(const Comparison& comparison) {
  std::vector<TimesOfRanks> times;
  for (const Comparison::Group& group : comparison.groups()) {
    if (group.runs.b.empty()) continue;
    const auto rank = [&](Side side, size_t run) { return comparison.facts(side).session().runs[run].rank; };
    for (const size_t run : group.runs.a) {
      const auto same = std::find_if(group.runs.b.begin(), group.runs.b.end(),
                                     [&](size_t other) { return rank(Side::b, other) == rank(Side::a, run); });
      const bool alone = group.runs.b.size() == 1 || same == group.runs.b.end();
      const PerSide<size_t> runs{run, alone ? group.runs.b.front() : *same};
      times.push_back({runs, TimeMap(comparison, group, runs)});
    }
  }
  return times;
}

}  // namespace cgpu
