#include "analysis/findings/stragglers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

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
  double share = 0;    // of all waiting, that it causes
  int64_t waited = 0;  // for it, by each of the others on average
  int64_t median = 0;  // what the devices of the others compute
  /// "; its devices idle 12.0 ms longer than ...": what its host did, where that shows.
  std::string idle = {};

  /// Its kernels are why it is late: most of it, or a good part of it and nothing else shows.
  bool has_slow_kernels() const {
    const int64_t longer = peer.compute - median;
    return 2 * longer > waited || (idle.empty() && 4 * longer > waited);
  }
};

/// The fewest peers that cause most of the waiting (Thresholds::stragglers), no more than half of them and each a good
/// part of it; else the one that by itself causes so much that it is late, not just unlucky; else none. The first
/// causes the most.
std::vector<LatePeer> late_peers(const RuleContext& context, const CollectivesOfPeers& of_peers) {
  constexpr int64_t kGoodPart = 4;  // of what the first causes
  const std::vector<PeerTime>& peers = of_peers.peers;
  const auto members =
      of_peers.messages != nullptr
          ? lateness_of_hosts(context.session(), of_peers.series, *of_peers.messages, context.judged_times())
          : lateness_of_members(context.session(), of_peers.series, of_peers.counts);
  if (members.size() < 2 || peers.size() < 2) return {};
  const bool are_devices = peers.front().device.has_value();
  const auto others = static_cast<int64_t>(members.size()) - 1;
  std::vector<LatePeer> late;
  int64_t all = 0;
  for (const auto& [member, lateness] : members) {
    all += lateness.caused_ns;
    PeerTime peer{.rank = context.session().runs[member.first].rank};
    if (are_devices) peer.device = member.second;
    if (late.empty() || !late.back().peer.is_same_as(peer)) {
      const auto own = std::ranges::find_if(peers, [&](const PeerTime& one) { return one.is_same_as(peer); });
      if (own != peers.end()) peer.compute = own->compute;
      late.push_back({.run = member.first, .peer = peer, .median = median_compute_besides(peer, peers)});
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
  int64_t caused = 0;
  for (size_t count = 1; 2 * count <= late.size(); ++count) {
    const int64_t own = late[count - 1].lateness.caused_ns;
    if (kGoodPart * own < late.front().lateness.caused_ns) break;
    caused += own;
    if (!causes(caused, context.thresholds().stragglers)) continue;
    late.resize(count);
    return late;
  }
  late.resize(causes(late.front().lateness.caused_ns, context.thresholds().straggler) ? 1 : 0);
  return late;
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

/// "; its devices idle 12.0 ms longer than the median of the others for data_loading": the cause of idle time in which
/// one differs most.
std::string idle_excess(RuleContext& context, const std::vector<PeerTime>& peers, const LatePeer& late) {
  const Table& idle = context.table("idle");
  using Key = std::pair<int64_t, std::optional<int32_t>>;
  std::map<std::string, std::map<Key, int64_t>> by_cause;
  for (const RowView row : idle.rows()) {
    const auto rank = std::get<int64_t>(row[idle.column("rank")]);
    const auto device = static_cast<int32_t>(std::get<int64_t>(row[idle.column("device")]));
    by_cause[std::get<std::string>(row[idle.column("cause")])]
            [{rank, late.peer.device ? std::optional(device) : std::nullopt}] +=
        std::get<int64_t>(row[idle.column("total_ns")]);
  }
  const auto key = [](const PeerTime& peer) { return Key{peer.rank, peer.device}; };
  std::string cause;
  int64_t most = 0;
  for (auto& [name, times] : by_cause) {
    if (name == text_of(IdleCause::other_rank)) continue;
    std::vector<int64_t> others;
    for (const PeerTime& peer : peers) {
      if (!peer.is_same_as(late.peer)) others.push_back(times[key(peer)]);
    }
    if (others.empty()) continue;
    const int64_t excess = times[key(late.peer)] - lower_median(std::move(others));
    if (excess <= most) continue;
    most = excess;
    cause = name;
  }
  if (4 * most < late.waited) return "";
  return fmt::format("; {} {} longer than the median of the others for {}",
                     late.peer.device ? "it idles" : "its devices idle", format_ns(most), cause);
}

/// What the finding saves: no rank waits for these ranks. A process whose host waits for all of its devices ends with
/// the last one, whatever the others do: there the kernels of these devices take no longer than those of the others, or
/// the waiting of the others is stated.
void state_saving(RuleContext& context, const std::vector<LatePeer>& late, int64_t waited, Finding& finding) {
  const SessionFacts& facts = context.facts();
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
  int64_t waited = 0;
  for (const LatePeer& one : late) waited += one.waited;
  if (late.empty() ||
      static_cast<double>(waited) < context.thresholds().noticeable * static_cast<double>(context.measured())) {
    return false;
  }
  const bool are_devices = late.front().peer.device.has_value();
  // A rank whose own transfers are slow comes late for that: rules_links.cpp.
  std::erase_if(late, [&](const LatePeer& one) {
    if (are_devices) return false;
    const int64_t excess = context.slow_links().excess_of_run[context.facts().place_in_whole(one.run)];
    return one.peer.rank == most_expert_work || 2 * excess > one.waited;
  });
  if (late.empty()) return true;
  waited = 0;
  std::vector<std::string> evidence;
  for (LatePeer& one : late) one.idle = idle_excess(context, of_peers.peers, one);
  const auto slow = std::ranges::count_if(late, &LatePeer::has_slow_kernels);
  bool computing = false;  // else the profile, a record of communication, does not say what they did meanwhile
  for (const LatePeer& one : late) {
    waited += one.waited;
    const bool computes = one.peer.compute > 0 || one.median > 0;
    computing = computing || computes;
    evidence.push_back(fmt::format("{} begins {} of {} {} last and causes {} of all waiting in them{}{}",
                                   late.size() == 1 ? "it" : names_of({one}), one.lateness.last, one.lateness.count,
                                   of_peers.in_words, format_percent(100.0 * one.share),
                                   computes ? fmt::format("; {} {}, the median of the others {}",
                                                          are_devices ? "it computes" : "its devices compute",
                                                          format_ns(one.peer.compute), format_ns(one.median))
                                            : "",
                                   one.has_slow_kernels() ? "" : one.idle));
  }
  const bool is_one = late.size() == 1;
  const bool all_slow = slow == static_cast<std::ptrdiff_t>(late.size());
  const char* reason = !computing    ? (is_one ? "it comes last" : "they come last")
                       : all_slow    ? (is_one ? "its kernels take longer" : "their kernels take longer")
                       : slow > 0    ? "their kernels take longer or their hosts are late"
                       : are_devices ? (is_one ? "it is given its work late" : "they are given their work late")
                                     : (is_one ? "its host is late" : "their hosts are late");
  constexpr int64_t kFewCollectives = 3;  // these show no habit
  const LatePeer& first = late.front();
  Finding finding{.rule = "straggler",
                  .title = fmt::format("The other {} wait {} for {}, because {}", are_devices ? "devices" : "ranks",
                                       context.in_all(waited), names_of(late), reason),
                  .evidence = fmt::format("{}", fmt::join(evidence, "; ")),
                  .suggestion = slow > 0       ? kCompareKernels
                                : !are_devices ? kLookAtHost
                                : computing    ? kLaunchBeside
                                               : kRecordBesides,
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
