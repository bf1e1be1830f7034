#include "analysis/ranks/lateness.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "analysis/session_clock.h"
#include "links/collective_waits.h"

namespace cgpu {

namespace {

/// The last member to begin a collective.
struct LastOne {
  int64_t start = 0;
  int64_t caused = 0;
  MemberKey member = {};
};

void add_squares(std::vector<LastOne> all, std::map<MemberKey, Lateness>& members) {
  double sum = 0;
  for (const LastOne& one : all) sum += static_cast<double>(one.caused);
  const double hardly = sum / static_cast<double>(all.size()) / 10;
  std::erase_if(all, [&](const LastOne& one) { return static_cast<double>(one.caused) < hardly; });
  std::ranges::sort(all, {}, [](const LastOne& one) { return std::pair(one.start, one.member); });
  double delay = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    delay += static_cast<double>(all[i].caused);
    if (i + 1 < all.size() && all[i + 1].member == all[i].member) continue;
    members[all[i].member].squares += delay * delay;
    delay = 0;
  }
}

}  // namespace

std::map<MemberKey, Lateness> lateness_of_members(const Session& session, std::span<const CollectiveSeries> collectives,
                                                  const std::function<bool(const CollectiveSeries&)>& counts,
                                                  const std::set<MemberKey>& without) {
  std::map<MemberKey, Lateness> members;
  if (!has_common_clock(session)) return members;
  std::vector<LastOne> last;
  for (const CollectiveSeries& series : collectives) {
    if (counts && !counts(series)) continue;
    std::vector<CollectiveMember> taking_part;
    std::ranges::copy_if(series.members, std::back_inserter(taking_part), [&](const CollectiveMember& member) {
      return !without.contains({member.run, member.device});
    });
    const OutOfCoreVector<Arrival> instances = arrivals(session, series, taking_part);
    OutOfCoreVector<int64_t> waits(instances.size());
    for (const CollectiveMember& member : taking_part) {
      for (const CollectivePart part : series.parts_of(member)) {
        if (instances[part.instance].parts > 1) ++members[{member.run, member.device}].count;
      }
    }
    for_each_wait(session, series, taking_part, instances,
                  [&](const CollectiveMember& member, const CollectivePart& part, int64_t until) {
                    if (instances[part.instance].parts < 2) return;
                    const int64_t wait = until - common_time(session.runs[member.run], part.start);
                    waits[part.instance] += wait;
                    members[{member.run, member.device}].wait_ns += wait;
                  });
    for (size_t i = 0; i < instances.size(); ++i) {
      if (instances[i].parts < 2) continue;
      Lateness& lateness = members[{instances[i].last->run, instances[i].last->device}];
      ++lateness.last;
      lateness.caused_ns += waits[i];
      last.push_back({instances[i].last_start, waits[i], {instances[i].last->run, instances[i].last->device}});
    }
  }
  add_squares(std::move(last), members);
  return members;
}

double chance_of_share(size_t count, size_t members, double share, double delays) {
  const auto log_choose = [](double n, double k) {
    return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
  };
  const double n = std::max(std::round(delays), 1.0);
  const double p = static_cast<double>(count) / static_cast<double>(members);
  if (p >= 1) return 1;
  const double choices = log_choose(static_cast<double>(members), static_cast<double>(count));
  double chance = 0;
  for (double k = std::round(share * n); k <= n; ++k) {
    chance += std::exp(choices + log_choose(n, k) + k * std::log(p) + (n - k) * std::log1p(-p));
  }
  return std::min(chance, 1.0);
}

}  // namespace cgpu
