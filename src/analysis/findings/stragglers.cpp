#include "analysis/findings/stragglers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "analysis/findings/launched_grids.h"
#include "analysis/findings/load_imbalance.h"
#include "analysis/findings/rank_suggestions.h"
#include "analysis/ranks/host_lateness.h"
#include "analysis/ranks/lateness.h"
#include "base/lower_median.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// Of all peers but one, which are two at least.
int64_t median_compute_besides(const PeerTime& peer, std::vector<PeerTime> peers) {
  std::erase_if(peers, [&](const PeerTime& one) { return one.is_same_as(peer); });
  const auto middle = peers.begin() + static_cast<std::ptrdiff_t>(peers.size() / 2);
  std::nth_element(peers.begin(), middle, peers.end(),
                   [](const PeerTime& a, const PeerTime& b) { return a.compute < b.compute; });
  return middle->compute;
}

/// One that the others wait for.
struct LatePeer {
  size_t run = 0;
  PeerTime peer = {};
  Lateness lateness = {};
  size_t behind = 0;   // how many times the last ones are left out until it shows; what follows holds without these
  double share = 0;    // of all waiting, that it causes
  int64_t waited = 0;  // for it, by each of the others on average
  int64_t median = 0;  // what the devices of the others compute
  /// How many times as many threads a launch of it has as one of the others; absent where that is not why its kernels
  /// take longer.
  std::optional<double> more_work = {};
  /// "; its devices idle 12.0 ms longer than ...": what its host did, where that shows.
  std::string idle = {};

  /// Its kernels are why it is late: most of it, or a good part of it and nothing else shows.
  bool has_slow_kernels() const {
    const int64_t longer = peer.compute - median;
    return 2 * longer > waited || (idle.empty() && 4 * longer > waited);
  }
};

constexpr int64_t kFewCollectives = 3;  // fewer show no habit
constexpr int64_t kGoodPart = 4;        // of what the first causes, that each late peer causes at least
constexpr double kChance = 0.05;        // of peers without a habit to be named, at most: the usual level

using Members = std::map<MemberKey, Lateness>;

/// Rank, and device where peers are devices.
using PeerKey = std::pair<int64_t, std::optional<int32_t>>;

PeerKey key_of(const PeerTime& peer) {
  return {peer.rank, peer.device};
}
PeerKey key_of(const RuleContext& context, const CollectivesOfPeers& of_peers, const MemberKey& member) {
  const bool are_devices = of_peers.peers.front().device.has_value();
  return {context.session().runs[member.first].rank, are_devices ? std::optional(member.second) : std::nullopt};
}

/// The fewest peers that cause most of the waiting (Thresholds::stragglers), no more than half of them and each a good
/// part of it; else the one that by itself causes so much that it is late; else none. The first causes the most.
/// Several, or one that causes less than most, are not late where peers that stop at random would be named like that,
/// unless their kernels take longer.
std::vector<LatePeer> fewest_late(const RuleContext& context, const CollectivesOfPeers& of_peers,
                                  const Members& members) {
  if (members.size() < 2 || of_peers.peers.size() < 2) return {};
  std::map<PeerKey, PeerTime> peers;
  for (const PeerTime& peer : of_peers.peers) peers.emplace(key_of(peer), peer);
  const auto others = static_cast<int64_t>(members.size()) - 1;
  std::vector<LatePeer> late;
  int64_t all = 0;
  double squares = 0;
  for (const auto& [member, lateness] : members) {
    all += lateness.caused_ns;
    squares += lateness.squares;
    const PeerKey key = key_of(context, of_peers, member);
    if (late.empty() || key_of(late.back().peer) != key) {
      const auto known = peers.find(key);
      late.push_back(
          {.run = member.first, .peer = known == peers.end() ? PeerTime{key.first, key.second} : known->second});
    }
    late.back().lateness.count += lateness.count;
    late.back().lateness.last += lateness.last;
    late.back().lateness.caused_ns += lateness.caused_ns;
    late.back().waited = late.back().lateness.caused_ns / others;
  }
  if (all == 0) return {};
  for (LatePeer& one : late) one.share = static_cast<double>(one.lateness.caused_ns) / static_cast<double>(all);
  std::ranges::stable_sort(late, std::greater{}, [](const LatePeer& one) { return one.lateness.caused_ns; });
  const auto causes = [&](int64_t caused, double share) {
    return static_cast<double>(caused) >= share * static_cast<double>(all);
  };
  for (LatePeer& one : late) one.median = median_compute_besides(one.peer, of_peers.peers);
  const auto is_habit = [&](size_t count, int64_t of_them) {
    const std::span first(late.data(), count);
    if (squares == 0 || std::ranges::all_of(first, &LatePeer::has_slow_kernels)) return true;
    const auto time = static_cast<double>(all);
    const double delays = time * time / squares;  // of equal length, that would vary as much (Kish)
    return chance_of_share(count, late.size(), static_cast<double>(of_them) / time, delays) < kChance;
  };
  int64_t caused = 0;
  const int64_t of_first = late.front().lateness.caused_ns;
  size_t fewest = causes(of_first, context.thresholds().straggler) && is_habit(1, of_first) ? 1 : 0;
  for (size_t count = 1; 2 * count <= late.size(); ++count) {
    const int64_t own = late[count - 1].lateness.caused_ns;
    if (kGoodPart * own < late.front().lateness.caused_ns) break;
    caused += own;
    if (!causes(caused, context.thresholds().stragglers)) continue;
    if (count == 1 || is_habit(count, caused)) fewest = count;
    break;
  }
  late.resize(fewest);
  return late;
}

/// Whether each begins nearly all of its collectives last, of so many that this is a habit.
bool are_nearly_always_last(const RuleContext& context, const std::vector<LatePeer>& late) {
  return std::ranges::all_of(late, [&](const LatePeer& one) {
    return one.lateness.count >= kFewCollectives &&
           static_cast<double>(one.lateness.last) >=
               context.thresholds().stragglers * static_cast<double>(one.lateness.count);
  });
}

/// The fewest peers without which the others would hardly wait. Who comes last causes all waiting, also that for a peer
/// that comes just before it: such a one shows once the last ones are left out.
std::vector<LatePeer> late_peers(const RuleContext& context, const CollectivesOfPeers& of_peers) {
  constexpr size_t kMostTimes = 3;     // that the collectives are looked at again
  if (of_peers.messages != nullptr) {  // these know who causes what
    return fewest_late(
        context, of_peers,
        lateness_of_hosts(context.session(), of_peers.series, *of_peers.messages, context.judged_times()));
  }
  const auto lateness_without = [&](const std::set<MemberKey>& without) {
    return lateness_of_members(context.session(), of_peers.series, of_peers.counts, without);
  };
  const Members members = lateness_without({});
  std::vector<LatePeer> late = fewest_late(context, of_peers, members);
  const auto members_of_late = [&] {
    std::set<PeerKey> keys;
    for (const LatePeer& one : late) keys.insert(key_of(one.peer));
    std::set<MemberKey> found;
    for (const auto& [member, lateness] : members) {
      if (keys.contains(key_of(context, of_peers, member))) found.insert(member);
    }
    return found;
  };
  for (size_t again = 1; again <= kMostTimes && !late.empty(); ++again) {
    std::vector<LatePeer> next = fewest_late(context, of_peers, lateness_without(members_of_late()));
    if (next.empty() || 2 * (late.size() + next.size()) > of_peers.peers.size() ||
        kGoodPart * next.front().waited < late.front().waited || !are_nearly_always_last(context, next)) {
      break;
    }
    for (LatePeer& one : next) {
      one.behind = again;
      late.push_back(std::move(one));
    }
  }
  if (late.empty() || late.back().behind == 0) return late;
  // Those that are not late wait for the last ones from when they begin, whoever comes meanwhile.
  const std::set<MemberKey> left_out = members_of_late();
  int64_t waited = 0;
  for (const auto& [member, lateness] : members) {
    if (!left_out.contains(member)) waited += lateness.wait_ns;
  }
  const double on_average = static_cast<double>(waited) / static_cast<double>(members.size() - left_out.size());
  for (LatePeer& one : late) {
    if (one.behind == 0) one.waited = static_cast<int64_t>(std::llround(one.share * on_average));
  }
  return late;
}

/// By each of those that are not late, on average: that for who comes behind others is a part of that for these.
int64_t waited_for(const std::vector<LatePeer>& late) {
  std::map<size_t, int64_t> waited;  // by `behind`
  for (const LatePeer& one : late) waited[one.behind] += one.waited;
  int64_t most = 0;
  for (const auto& [behind, time] : waited) most = std::max(most, time);
  return most;
}

int64_t number_of(const PeerTime& peer) {
  return peer.device ? int64_t{*peer.device} : peer.rank;
}

/// "rank 3"; "ranks 0 and 6"; "devices 0, 6 and 7".
std::string names_of(const std::vector<LatePeer>& late) {
  std::string text = late.front().peer.device ? "device" : "rank";
  if (late.size() > 1) text += "s";
  for (size_t i = 0; i < late.size(); ++i) {
    text += fmt::format("{} {}", i == 0 ? "" : i + 1 == late.size() ? " and" : ",", number_of(late[i].peer));
  }
  return text;
}

/// Peers that are late for the same reason.
struct SameReason {
  std::vector<LatePeer> late;
  std::string reason;  // "its host is late"
  std::string suggestion;
};

/// Sets `more_work` of a rank where the size of its grids explains half or more of what its kernels take longer.
void compare_work(const Session& session, const std::vector<LatePeer>& late, LatePeer& one) {
  std::vector<int64_t> of_others;
  for (size_t run = 0; run < session.runs.size(); ++run) {
    if (std::ranges::any_of(late, [&](const LatePeer& other) { return other.run == run; })) continue;
    const std::optional<int64_t> threads = threads_of_launch(session.runs[run]);
    if (!threads) return;
    of_others.push_back(*threads);
  }
  const std::optional<int64_t> own = threads_of_launch(session.runs[one.run]);
  if (!own || of_others.empty() || one.median == 0) return;
  const double more = static_cast<double>(*own) / static_cast<double>(lower_median(std::move(of_others)));
  const double longer = static_cast<double>(one.peer.compute) / static_cast<double>(one.median);
  if (2 * (more - 1) >= longer - 1) one.more_work = more;
}

/// `computing`: whether the profile says what any of them computes.
std::vector<SameReason> reasons_of(const std::vector<LatePeer>& late, bool computing) {
  std::vector<SameReason> reasons;
  for (const LatePeer& one : late) {
    const bool is_slow = computing && one.has_slow_kernels();
    const auto same = std::ranges::find_if(reasons, [&](const SameReason& other) {
      const LatePeer& first = other.late.front();
      return is_slow == (computing && first.has_slow_kernels()) &&
             one.more_work.has_value() == first.more_work.has_value();
    });
    (same == reasons.end() ? reasons.emplace_back() : *same).late.push_back(one);
  }
  for (SameReason& one : reasons) {
    const bool is_single = one.late.size() == 1;
    if (!computing) {
      one.reason = is_single ? "it comes last" : "they come last";
      one.suggestion = kRecordBesides;
    } else if (one.late.front().more_work) {
      one.reason = is_single ? "it has more work" : "they have more work";
      one.suggestion = kBalanceWork;
    } else if (one.late.front().has_slow_kernels()) {
      one.reason = is_single ? "its kernels take longer" : "their kernels take longer";
      one.suggestion = kCompareKernels;
    } else if (one.late.front().peer.device) {
      one.reason = is_single ? "it is given its work late" : "they are given their work late";
      one.suggestion = kLaunchBeside;
    } else {
      one.reason = is_single ? "its host is late" : "their hosts are late";
      one.suggestion = kLookAtHost;
    }
  }
  return reasons;
}

/// "; its devices idle 12.0 ms longer than the median of the others for data_loading": the cause of idle time in which
/// one differs most.
std::string idle_excess(RuleContext& context, const std::vector<PeerTime>& peers, const LatePeer& late) {
  const Table& idle = context.table("idle");
  std::map<std::string, std::map<PeerKey, int64_t>> by_cause;
  for (const RowView row : idle.rows()) {
    const auto rank = std::get<int64_t>(row[idle.column("rank")]);
    const auto device = static_cast<int32_t>(std::get<int64_t>(row[idle.column("device")]));
    by_cause[std::get<std::string>(row[idle.column("cause")])]
            [{rank, late.peer.device ? std::optional(device) : std::nullopt}] +=
        std::get<int64_t>(row[idle.column("total_ns")]);
  }
  std::string cause;
  int64_t most = 0;
  for (auto& [name, times] : by_cause) {
    if (name == text_of(IdleCause::other_rank)) continue;
    std::vector<int64_t> others;
    for (const PeerTime& peer : peers) {
      if (!peer.is_same_as(late.peer)) others.push_back(times[key_of(peer)]);
    }
    if (others.empty()) continue;
    const int64_t excess = times[key_of(late.peer)] - lower_median(std::move(others));
    if (excess <= most) continue;
    most = excess;
    cause = name;
  }
  if (4 * most < late.waited) return "";
  return fmt::format("; {} {} longer than the median of the others for {}",
                     late.peer.device ? "it idles" : "its devices idle", format_ns(most), cause);
}

/// What the finding saves: no rank waits for these ranks; where they have more work, since all have equal work. A
/// process whose host waits for all of its devices ends with the last one, whatever the others do: there the kernels of
/// these devices take no longer than those of the others, or the waiting of the others is stated.
void state_saving(RuleContext& context, const std::vector<LatePeer>& late, int64_t waited, Finding& finding) {
  const SessionFacts& facts = context.facts();
  if (std::ranges::all_of(late, [](const LatePeer& one) { return one.more_work.has_value(); })) {
    finding.remedy = equal_work_of_ranks(context);
    return;
  }
  if (!late.front().peer.device) {
    finding.remedy.emplace();
    for (const LatePeer& one : late) finding.remedy->not_awaited.insert(facts.place_in_whole(one.run));
    return;
  }
  if (!std::ranges::all_of(late, &LatePeer::has_slow_kernels)) {
    finding.confidence = std::max(finding.confidence, Confidence::medium);
    finding.gain = std::min(waited, context.books().exposed_communication());
    return;
  }
  DeviceFactors as_others;
  for (const LatePeer& one : late) {
    as_others[{facts.place_in_whole(one.run), *one.peer.device}] =
        static_cast<double>(one.median) / static_cast<double>(one.peer.compute);
  }
  finding.remedy = scaled(facts.whole(), as_others);
}

std::vector<PeerTime> compute_of_peers(RuleContext& context, bool by_device) {
  const Table& gpu_time = context.table("gpu_time");
  std::vector<PeerTime> peers;
  for (const RowView row : gpu_time.rows()) {
    PeerTime peer{.rank = std::get<int64_t>(row[gpu_time.column("rank")])};
    if (by_device) peer.device = static_cast<int32_t>(std::get<int64_t>(row[gpu_time.column("device")]));
    if (peers.empty() || !peers.back().is_same_as(peer)) peers.push_back(peer);
    peers.back().compute += std::get<int64_t>(row[gpu_time.column("compute_ns")]);
  }
  return peers;
}

}  // namespace

std::vector<PeerTime> compute_of_ranks(RuleContext& context) {
  return compute_of_peers(context, false);
}

std::vector<PeerTime> compute_of_devices(RuleContext& context) {
  return compute_of_peers(context, true);
}

bool find_stragglers(RuleContext& context, const CollectivesOfPeers& of_peers, std::optional<int64_t> most_expert_work,
                     std::vector<Finding>& findings) {
  std::vector<LatePeer> late = late_peers(context, of_peers);
  if (late.empty() || static_cast<double>(waited_for(late)) <
                          context.thresholds().noticeable * static_cast<double>(context.measured())) {
    return false;
  }
  const bool are_devices = late.front().peer.device.has_value();
  // A rank whose own transfers are slow comes late for that: rules_links.cpp.
  std::erase_if(late, [&](const LatePeer& one) {
    if (are_devices) return false;
    const int64_t excess = context.slow_links().excess_of_run[context.facts().place_in_whole(one.run)];
    return one.peer.rank == most_expert_work || 2 * excess > one.waited;
  });
  // With a first one that has another finding, those behind it show once that is solved.
  if (late.empty() || late.front().behind > 0) return true;
  const int64_t waited = waited_for(late);
  std::vector<std::string> evidence;
  for (LatePeer& one : late) one.idle = idle_excess(context, of_peers.peers, one);
  for (LatePeer& one : late) {
    if (!are_devices && !of_peers.counts && one.has_slow_kernels()) compare_work(context.session(), late, one);
  }
  bool computing = false;  // else the profile, a record of communication, does not say what they did meanwhile
  for (const LatePeer& one : late) {
    const bool computes = one.peer.compute > 0 || one.median > 0;
    computing = computing || computes;
    evidence.push_back(fmt::format(
        "{} begins {} of {} {} last{} and causes {} of {}{}{}{}", late.size() == 1 ? "it" : names_of({one}),
        one.lateness.last, one.lateness.count, of_peers.in_words, one.behind > 0 ? " of the others" : "",
        format_percent(100.0 * one.share), one.behind > 0 ? "the waiting that is left then" : "all waiting in them",
        computes
            ? fmt::format("; {} {}, the median of the others {}", are_devices ? "it computes" : "its devices compute",
                          format_ns(one.peer.compute), format_ns(one.median))
            : "",
        one.more_work ? fmt::format(", in {:.2f} times as many threads a launch", *one.more_work) : "",
        one.has_slow_kernels() ? "" : one.idle));
  }
  const std::vector<SameReason> reasons = reasons_of(late, computing);
  std::vector<std::string> awaited;
  std::vector<std::string> suggestions;
  for (const SameReason& one : reasons) {
    awaited.push_back(fmt::format("{}, because {}", names_of(one.late), one.reason));
    suggestions.push_back(reasons.size() == 1 ? one.suggestion
                                              : fmt::format("{} ({})", one.suggestion, names_of(one.late)));
  }
  const LatePeer& first = late.front();
  Finding finding{.rule = "straggler",
                  .title = fmt::format("The other {} wait {} for {}", are_devices ? "devices" : "ranks",
                                       context.in_all(waited), fmt::join(awaited, ", and ")),
                  .evidence = fmt::format("{}", fmt::join(evidence, "; ")),
                  .suggestion = fmt::format("{}", fmt::join(suggestions, ". ")),
                  .command = are_devices ? fmt::format("idle_hosts --where 'device = {}'", *first.peer.device)
                                         : fmt::format("idle_hosts --rank {}", first.peer.rank),
                  .confidence = first.lateness.count < kFewCollectives ? Confidence::low : Confidence::high,
                  .precedence = 1.1,  // the work of its host is reported too
                  .shown_by_little = first.lateness.count < kFewCollectives,
                  .rank = first.peer.rank,
                  .device = first.peer.device};
  state_saving(context, late, waited, finding);
  findings.push_back(std::move(finding));
  return true;
}

}  // namespace cgpu
