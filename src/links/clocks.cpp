#include "links/clocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/lower_median.h"
#include "links/clock_drift.h"
#include "links/end_pairs.h"
#include "model/time_range.h"

namespace cgpu {

namespace {

constexpr const char* kClockNote = "clock_residual";
/// More runs than this are counted together in the notes.
constexpr size_t kNotedOneByOne = 16;
constexpr size_t kFewestPairs = 3;
/// Two clocks count as the same where at least this share of the collectives overlap in time.
constexpr size_t kOverlapOf = 100;
/// Clocks whose residual is above this and above the usual length of a collective are not aligned.
constexpr int64_t kLargestResidual = 1'000'000;

/// The ends of collectives say that two clocks differ where they are so far apart, and by so many times what they vary
/// by: on one machine they are some us apart.
constexpr int64_t kSmallestOffset = 50'000;
/// Of ranks that may share a device, whose turns of some ms end a collective of one rank later than that of another.
constexpr int64_t kSmallestOffsetOfSharers = 5'000'000;
constexpr int64_t kAboveResidual = 10;

/// |value|, the largest number for the smallest.
int64_t magnitude(int64_t value) {
  return value == INT64_MIN ? INT64_MAX : std::abs(value);
}

/// What is known about the offset between two clocks.
struct ClockLink {
  std::vector<EndPair> pairs;  // differences: the second clock minus the first
  PairCount count;

  int64_t offset() const {
    std::vector<int64_t> values;
    for (const EndPair& pair : pairs) values.push_back(pair.difference);
    return lower_median(std::move(values));
  }
  /// Median distance from `offset`.
  int64_t residual(int64_t offset) const {
    std::vector<int64_t> values;
    for (const EndPair& pair : pairs) {
      int64_t rest = 0;
      values.push_back(__builtin_sub_overflow(pair.difference, offset, &rest) ? INT64_MAX : magnitude(rest));
    }
    return lower_median(std::move(values));
  }
  int64_t usual_duration() const {
    std::vector<int64_t> values;
    for (const EndPair& pair : pairs) values.push_back(pair.duration);
    return lower_median(std::move(values));
  }
  bool is_precise(int64_t residual) const { return residual <= std::max(kLargestResidual, usual_duration()); }
  /// Of the collectives in which all have as much to do: only these end at one moment.
  ClockLink of_equal_shares() const {
    ClockLink equal;
    std::ranges::copy_if(pairs, std::back_inserter(equal.pairs), &EndPair::is_equal);
    return equal;
  }
  /// Whether the ends say that the clocks differ. Collectives overlap also where a clock is off by less than they last,
  /// as they do where a rank comes late.
  bool is_off(int64_t smallest) const {
    if (pairs.size() < kFewestPairs) return false;
    const int64_t difference = offset();
    const int64_t scatter = residual(difference);
    return magnitude(difference) > smallest && magnitude(difference) / kAboveResidual > scatter && is_precise(scatter);
  }
};

bool overlap(const PairCount& count) {
  return count.apart * kOverlapOf <= count.pairs;
}

/// The clock of a run, as the number of the first run with the same clock. Runs of one machine that count from 1970
/// share a clock unless their collectives contradict it.
std::vector<uint32_t> clocks_of(const Session& session, const EndPairs& pairs) {
  std::vector<uint32_t> clocks;
  std::map<std::string, uint32_t> of_host;
  for (uint32_t i = 0; i < session.runs.size(); ++i) {
    const Run& run = session.runs[i];
    const bool known = run.clock_is_unix && !run.host.empty();
    clocks.push_back(known ? of_host.emplace(run.host, i).first->second : i);
    const auto found = pairs.counts().find({clocks[i], i});
    if (found != pairs.counts().end() && !overlap(found->second)) clocks[i] = i;
  }
  return clocks;
}

bool on_known_different_hosts(const Run& a, const Run& b) {
  return !a.host.empty() && !b.host.empty() && a.host != b.host;
}

/// Whether all device work of all runs is of devices of one number: of one device, or of machines with one each.
bool may_share_device(const Session& session) {
  std::optional<int32_t> first;
  for (const Run& run : session.runs) {
    for (const int32_t device : run.timeline.device_ops.device) {
      if (!first) first = device;
      if (device != *first) return false;
    }
  }
  return first.has_value();
}

class Alignment {
 public:
  Alignment(Session& session, const EndPairs& pairs)
      : session_(session),
        pairs_(pairs),
        clock_(clocks_of(session, pairs)),
        may_share_device_(may_share_device(session)) {
    for (uint32_t i = 0; i < session.runs.size(); ++i) runs_of_clock_[clock_[i]].push_back(i);
    for (const auto& [runs, count] : pairs_.counts()) {
      const uint32_t a = clock_[runs.first];
      const uint32_t b = clock_[runs.second];
      if (a == b) continue;
      links_[a][b] += count;
      links_[b][a] += count;
    }
    const auto with_unix =
        std::find_if(session.runs.begin(), session.runs.end(), [](const Run& run) { return run.clock_is_unix; });
    if (with_unix != session.runs.end()) root_ = static_cast<uint32_t>(with_unix - session.runs.begin());
  }

  void apply() {
    solve();
    for (uint32_t i = 0; i < session_.runs.size(); ++i) {
      Run& run = session_.runs[i];
      const auto found = offsets_.find(clock_[i]);
      run.clock.method = found == offsets_.end() ? RunClock::Method::unaligned
                         : i == root_            ? RunClock::Method::reference
                                                 : found->second.method;
      if (found == offsets_.end()) continue;
      run.clock.offset = found->second.offset;
      int64_t base = 0;
      if (__builtin_add_overflow(run.clock_base, run.clock.offset, &base) || !is_time(base)) {
        run.clock = {};
        run.clock.method = RunClock::Method::unaligned;
        continue;
      }
      run.clock_base = base;
      if (run.clock.method == RunClock::Method::aligned && session_.runs[root_].clock_is_unix) {
        run.clock.made_unix = !run.clock_is_unix;
        run.clock_is_unix = true;
      }
    }
    for (uint32_t i = 0; i < session_.runs.size(); ++i) {
      RunClock& clock = session_.runs[i].clock;
      const auto found = drifts_.find(clock_[i]);
      if (found != drifts_.end() && clock.method != RunClock::Method::unaligned) clock.drift = found->second;
    }
    measure();
    if (session_.runs.size() > kNotedOneByOne) {
      note_all();
    } else {
      for (Run& run : session_.runs) note(run);
    }
  }

 private:
  struct Offset {
    RunClock::Method method = RunClock::Method::shared;
    int64_t offset = 0;
  };

  /// What joins two clocks.
  ClockLink link(uint32_t from, uint32_t to) const {
    std::map<std::pair<uint32_t, uint32_t>, std::vector<EndPair>> of_runs;
    const auto gather = [&](uint32_t clock, uint32_t other) {
      const uint32_t first_of_other = runs_of_clock_.at(other).front();
      for (const uint32_t run : runs_of_clock_.at(clock)) {
        if (run < first_of_other) continue;
        pairs_.for_each_of(run, [&](uint32_t before, EndPair pair) {
          if (clock_[before] != other) return;
          if (clock == from) {
            pair.end -= pair.difference;
            pair.difference = -pair.difference;
          }
          of_runs[{before, run}].push_back(pair);
        });
      }
    };
    gather(from, to);
    gather(to, from);
    ClockLink link{{}, links_.at(from).at(to)};
    link.pairs.reserve(link.count.pairs);
    for (const auto& [runs, pairs] : of_runs) link.pairs.insert(link.pairs.end(), pairs.begin(), pairs.end());
    return link;
  }

  /// Goes from the reference's clock over known offsets to the others, the offset with the most pairs first.
  void solve() {
    offsets_[clock_[root_]] = {};
    while (true) {
      const PairCount* widest = nullptr;
      std::pair<uint32_t, uint32_t> ends;
      for (const auto& [from, offset] : offsets_) {
        const auto known = links_.find(from);
        if (known == links_.end()) continue;
        for (const auto& [to, count] : known->second) {
          if (offsets_.count(to) > 0 || count.pairs < kFewestPairs || refused_.count({from, to}) > 0) continue;
          if (widest != nullptr && count.pairs <= widest->pairs) continue;
          widest = &count;
          ends = {from, to};
        }
      }
      if (widest == nullptr) break;
      apply_link(link(ends.first, ends.second), ends.first, ends.second);
    }
    for (uint32_t i = 0; i < session_.runs.size(); ++i) {
      // Clocks that count from 1970 are comparable as precisely as their machines were synchronised.
      if (session_.runs[i].clock_is_unix) offsets_.try_emplace(clock_[i], Offset{RunClock::Method::unchecked, 0});
    }
  }

  void apply_link(const ClockLink& all, uint32_t from, uint32_t to) {
    const Run& here = session_.runs[from];
    const Run& there = session_.runs[to];
    const bool of_one_kind = here.clock_is_unix == there.clock_is_unix;
    const bool may_share = of_one_kind && !on_known_different_hosts(here, there) && overlap(all.count);
    const ClockLink equal = may_share ? all.of_equal_shares() : ClockLink{};
    const bool is_off = equal.is_off(may_share_device_ ? kSmallestOffsetOfSharers : kSmallestOffset);
    const ClockLink& link = is_off ? equal : all;
    const int64_t difference = link.offset();
    const int64_t residual = link.residual(difference);
    const bool same =
        (may_share && !is_off) || (of_one_kind && here.clock_is_unix && magnitude(difference) <= residual);
    Offset offset{RunClock::Method::aligned, offsets_.at(from).offset};
    if (same) {
      if (offset.offset == 0) offset.method = RunClock::Method::shared;
    } else if (!link.is_precise(residual) || __builtin_sub_overflow(offset.offset, difference, &offset.offset)) {
      refused_.insert({from, to});
      return;
    }
    offsets_[to] = offset;
    find_drift(link, from, to);
  }

  /// Of a clock against the one that it was reached from, and with that one's against the reference.
  void find_drift(const ClockLink& link, uint32_t from, uint32_t to) {
    const int64_t offset = offsets_.at(to).offset;
    std::vector<SameMoment> moments;
    for (const EndPair& pair : link.pairs) {
      int64_t moved = 0;
      SameMoment moment;
      if (__builtin_sub_overflow(offset, offsets_.at(from).offset, &moved) ||
          __builtin_add_overflow(pair.end, offset, &moment.time) ||
          __builtin_add_overflow(pair.difference, moved, &moment.ahead) || !is_time(moment.time) ||
          !is_time(moment.ahead)) {
        continue;
      }
      moments.push_back(moment);
    }
    std::optional<RunClock::Drift> drift = drift_of(std::move(moments));
    const auto before = drifts_.find(from);
    if (before != drifts_.end()) {
      if (!drift) drift = RunClock::Drift{0, before->second.from, 0};
      drift->ahead += before->second.ahead_at(drift->from);
      drift->rate += before->second.rate;
    }
    if (drift && std::abs(drift->rate) <= kFastestClock && is_time(drift->ahead)) drifts_.emplace(to, *drift);
  }

  /// The differences between the ends that remain, without and with the drift taken out.
  struct Remains {
    std::vector<int64_t> shifted;
    std::vector<int64_t> level;
  };

  void add_remains(uint32_t before, uint32_t run, const EndPair& pair, Remains& remains) const {
    const RunClock& first = session_.runs[before].clock;
    const RunClock& second = session_.runs[run].clock;
    int64_t rest = 0;
    if (__builtin_sub_overflow(second.offset, first.offset, &rest) ||
        __builtin_add_overflow(pair.difference, rest, &rest)) {
      return;
    }
    remains.shifted.push_back(magnitude(rest));
    if (!is_time(rest)) return;
    const int64_t end = pair.end + second.offset;
    if (second.drift) rest -= second.drift->ahead_at(end);
    if (first.drift) rest += first.drift->ahead_at(pair.end - pair.difference + first.offset);
    remains.level.push_back(magnitude(rest));
  }

  /// A run is measured by its pairs with the runs before it, and with the root where that comes after it.
  void measure() {
    std::map<uint32_t, Remains> of_root;  // by the run before it
    pairs_.for_each_of(
        root_, [&](uint32_t before, const EndPair& pair) { add_remains(before, root_, pair, of_root[before]); });
    for (uint32_t run = 0; run < session_.runs.size(); ++run) {
      RunClock& clock = session_.runs[run].clock;
      if (run == root_ || clock.method == RunClock::Method::unaligned) continue;
      const auto with_root = of_root.find(run);
      Remains remains = with_root == of_root.end() ? Remains() : std::move(with_root->second);
      pairs_.for_each_of(run, [&](uint32_t before, const EndPair& pair) { add_remains(before, run, pair, remains); });
      if (remains.shifted.empty()) continue;
      clock.pairs = static_cast<int64_t>(remains.shifted.size());
      clock.residual = lower_median(std::move(remains.shifted));
      if (clock.drift && !remains.level.empty()) clock.drift_residual = lower_median(std::move(remains.level));
    }
  }

  /// Of many runs, what note() says of each; table clocks has the single ones.
  void note_all() const {
    int64_t aligned = 0;
    int64_t unaligned = 0;
    int64_t largest = 0;
    int64_t residual = 0;
    for (Run& run : session_.runs) {
      if (run.clock.method == RunClock::Method::aligned) {
        ++aligned;
        largest = std::max(largest, magnitude(run.clock.offset));
        residual = std::max(residual, run.clock.residual.value_or(0));
      } else if (run.clock.method == RunClock::Method::unaligned) {
        ++unaligned;
      } else if (run.clock.method == RunClock::Method::unchecked) {
        note(run);  // the same for all
      }
    }
    Notes& notes = session_.runs.front().notes;
    notes.add(
        kClockNote, aligned,
        fmt::format("clocks of ranks were moved, by {} ns at most, so that collectives end when they do on rank {}; "
                    "the residual is {} ns at most",
                    largest, session_.runs[root_].rank, residual));
    notes.add(
        kClockNote, unaligned,
        fmt::format("clocks of ranks cannot be compared with that of rank {}: they have another zero, and there are "
                    "no {} collectives that end alike on both",
                    session_.runs[root_].rank, kFewestPairs));
  }

  void note(Run& run) const {
    const int64_t reference = session_.runs[root_].rank;
    if (run.clock.method == RunClock::Method::aligned) {
      run.notes.add(
          kClockNote, 1,
          fmt::format("rank {}: {} ns were added to its clock, so that collectives end when they do on rank "
                      "{}; the residual of {} ends is {} ns",
                      run.rank, run.clock.offset, reference, run.clock.pairs, run.clock.residual.value_or(0)));
    } else if (run.clock.method == RunClock::Method::unaligned) {
      run.notes.add(kClockNote, 1,
                    fmt::format("rank {}: its clock cannot be compared with that of rank {}: it has another zero, and "
                                "there are no {} collectives that end alike on both",
                                run.rank, reference, kFewestPairs));
    } else if (run.clock.method == RunClock::Method::unchecked) {
      run.notes.add(
          kClockNote, 1,
          "the clocks of ranks count from 1970 but could not be checked against each other: there are too few "
          "collectives that end alike on several ranks");
    }
  }

  Session& session_;
  const EndPairs& pairs_;
  const std::vector<uint32_t> clock_;  // of each run, as the first run that has it
  const bool may_share_device_;
  std::map<uint32_t, std::vector<uint32_t>> runs_of_clock_;
  std::map<uint32_t, std::map<uint32_t, PairCount>> links_;  // between clocks, in both directions
  uint32_t root_ = 0;
  std::map<uint32_t, Offset> offsets_;               // by clock
  std::set<std::pair<uint32_t, uint32_t>> refused_;  // between clocks
  std::map<uint32_t, RunClock::Drift> drifts_;       // by clock
};

}  // namespace

void align_clocks(Session& session, const std::vector<CollectiveSeries>& device,
                  const std::vector<CollectiveSeries>& host) {
  if (session.runs.size() > 1) Alignment(session, EndPairs(session, device, host)).apply();
}

void align_clocks(Session& session) {
  if (session.runs.size() > 1) align_clocks(session, device_collectives(session), host_collectives(session));
}

void undo_alignment(Run& run) {
  run.clock_base -= run.clock.offset;
  if (run.clock.made_unix) run.clock_is_unix = false;
  run.clock = {};
  run.notes.erase(kClockNote);
}

}  // namespace cgpu
