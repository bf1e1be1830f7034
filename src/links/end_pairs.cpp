#include "links/end_pairs.h"

#include <algorithm>

namespace cgpu {

EndPairs::EndPairs(const Session& session, const std::vector<CollectiveSeries>& device,
                   const std::vector<CollectiveSeries>& host)
    : memberships_(session.runs.size()) {
  for (const Run& run : session.runs) bases_.push_back(run.clock_base);
  add(device);
  add(host);
  for (uint32_t run = 0; run < memberships_.size(); ++run) {
    for_each_of(run, [&](uint32_t before, const EndPair& pair) {
      counts_[{before, run}] += {1, pair.apart ? size_t{1} : size_t{0}};
    });
  }
}

void EndPairs::add(const std::vector<CollectiveSeries>& all) {
  constexpr uint32_t kNobody = UINT32_MAX;
  for (const CollectiveSeries& series : all) {
    if (!ends_together(series.name)) continue;
    Joined& joined = series_.emplace_back(
        Joined{&series, has_equal_shares(series.name), OutOfCoreVector<First>(series.instances, {kNobody, 0})});
    for (size_t member = 0; member < series.members.size(); ++member) {
      const CollectiveMember& one = series.members[member];
      memberships_[one.run].push_back({series_.size() - 1, member});
      for (uint32_t part = one.first; part < one.end; ++part) {
        First& first = joined.first[series.parts.instance[part]];
        if (first.run == kNobody) first = {one.run, part};
      }
    }
  }
}

std::optional<EndPair> EndPairs::pair_of(uint32_t run, const CollectivePart& part, const Joined& joined) const {
  const First& first = joined.first[part.instance];
  if (first.run == run) return {};
  const CollectivePart theirs = joined.series->parts.row(first.part);
  int64_t shift = 0;
  EndPair pair;
  if (__builtin_sub_overflow(bases_[run], bases_[first.run], &shift) ||
      __builtin_sub_overflow(part.end(), theirs.end(), &pair.difference) ||
      __builtin_add_overflow(pair.difference, shift, &pair.difference) || pair.difference == INT64_MIN ||
      __builtin_add_overflow(part.end(), bases_[run], &pair.end)) {
    return {};
  }
  pair.duration = std::min(part.duration, theirs.duration);
  pair.apart = pair.difference > 0 ? pair.difference > part.duration : -pair.difference > theirs.duration;
  pair.is_equal = joined.is_equal;
  return pair;
}

void EndPairs::for_each_of(uint32_t run, const std::function<void(uint32_t before, const EndPair& pair)>& visit) const {
  for (const Membership& membership : memberships_[run]) {
    const Joined& joined = series_[membership.series];
    const CollectiveSeries& series = *joined.series;
    for (const CollectivePart part : series.parts_of(series.members[membership.member])) {
      if (const auto pair = pair_of(run, part, joined)) visit(joined.first[part.instance].run, *pair);
    }
  }
}

}  // namespace cgpu
