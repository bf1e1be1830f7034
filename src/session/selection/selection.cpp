#include "session/selection/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "base/decimal.h"
#include "base/error.h"
#include "links/profile_selection.h"

namespace cgpu {

namespace {

/// `time` from the start of the session on the clock of a run, as far as there are numbers.
int64_t on_clock(int64_t zero, int64_t time) {
  int64_t sum = 0;
  return __builtin_add_overflow(time, zero, &sum) ? (time > 0 ? INT64_MAX : INT64_MIN) : sum;
}

/// Throws Error where one of the wanted numbers is of none of what there is.
void check_numbers(const NumberList& wanted, const std::set<int64_t>& known, const char* what) {
  const std::string missing = wanted.range_without({known.begin(), known.end()});
  if (missing.empty()) return;
  throw Error(fmt::format("{} {}: there is no such {} (there are: {})", what, missing, what, fmt::join(known, ", ")));
}

/// Keeps one thread or stream of every call tree.
void select_profile(Session& session, const std::string& wanted) {
  bool found = false;
  for (Run& run : session.runs) {
    if (!run.call_tree) continue;
    const std::vector<CallProfile>& profiles = run.call_tree->profiles;
    for (uint32_t i = 0; i < profiles.size(); ++i) {
      if (profiles[i].name != wanted && std::to_string(i) != wanted) continue;
      select_profiles(*run.call_tree, {i});
      found = true;
      break;
    }
  }
  if (!found) throw Error("profile " + wanted + ": there is no such thread or stream; table `profiles` lists them");
}

}  // namespace

void Selection::check_window() const {
  if (from.value_or(0) < to.value_or(INT64_MAX)) return;
  throw Error(fmt::format("--from {} is not before --to {} (ns)", from.value_or(0), *to));
}

Interval window_of_run(const Selection& selection, int64_t zero, const std::vector<Step>& steps) {
  Interval window{INT64_MIN, INT64_MAX};
  if (selection.from) window.begin = on_clock(zero, *selection.from);
  if (selection.to) window.end = on_clock(zero, *selection.to);
  if (!selection.steps) return window;
  Interval time{INT64_MAX, INT64_MIN};
  for (const Step& step : steps) {
    if (step.number < selection.steps->first || step.number > selection.steps->second) continue;
    time = {std::min(time.begin, step.time.begin), std::max(time.end, step.time.end)};
  }
  if (time.begin > time.end) time = {zero, zero};
  return {std::max(window.begin, time.begin), std::min(window.end, time.end)};
}

void KnownSteps::add(const std::vector<Step>& steps) {
  for (const Step& step : steps) numbers_.insert(step.number);
}

void KnownSteps::check(const NumberRange& wanted) const {
  const auto first = numbers_.lower_bound(wanted.first);
  if (first != numbers_.end() && *first <= wanted.second) return;
  const auto text = wanted.first == wanted.second ? fmt::format("step {}", wanted.first)
                                                  : fmt::format("steps {}-{}", wanted.first, wanted.second);
  if (numbers_.empty()) throw Error(text + ": the profile has no steps (no ranges that mark them)");
  throw Error(
      fmt::format("{}: there is no such step (there are {} to {})", text, *numbers_.begin(), *numbers_.rbegin()));
}

void select_ranks(Session& session, const NumberList& wanted) {
  std::set<int64_t> ranks;
  std::vector<Run> kept;
  for (Run& run : session.runs) {
    std::vector<int64_t> own = ranks_inside(run);
    const bool several = !own.empty() && !run.rank_known;
    if (!several) own = {run.rank};
    ranks.insert(own.begin(), own.end());
    std::erase_if(own, [&](int64_t rank) { return !wanted.contains(rank); });
    if (own.empty()) continue;
    if (several) select_ranks_inside(run, own);
    kept.push_back(std::move(run));
  }
  check_numbers(wanted, ranks, "rank");
  session.runs = std::move(kept);
}

void check_devices(const Session& session, const NumberList& wanted) {
  std::set<int64_t> devices;
  for (const Run& run : session.runs) {
    for (const Device& device : run.devices) devices.insert(device.id);
    if (run.released_totals)
      devices.insert(run.released_totals->used_devices.begin(), run.released_totals->used_devices.end());
    devices.insert(run.timeline.device_ops.device.begin(), run.timeline.device_ops.device.end());
  }
  check_numbers(wanted, devices, "device");
}

std::vector<std::optional<Part>> parts_of(const SessionFacts& facts, const Selection& selection) {
  const std::vector<Run>& runs = facts.session().runs;
  if (selection.steps) {
    KnownSteps known;
    for (size_t run = 0; run < runs.size(); ++run) known.add(facts.steps(run));
    known.check(*selection.steps);
  }
  std::set<int64_t> ranks;
  for (const Run& run : runs) ranks.insert(run.rank);
  check_numbers(selection.ranks, ranks, "rank");

  std::vector<std::optional<Part>> parts(runs.size());
  for (size_t run = 0; run < runs.size(); ++run) {
    if (!selection.ranks.empty() && !selection.ranks.contains(runs[run].rank)) continue;
    Part& part = parts[run].emplace();
    part.window =
        window_of_run(selection, facts.zeros()[run], selection.steps ? facts.steps(run) : std::vector<Step>());
    if (selection.takes) {
      part.takes = [takes = selection.takes, run](TrackIndex track, SliceKind kind) { return takes(run, track, kind); };
    }
  }
  return parts;
}

Session part_of_session(const SessionFacts& facts, const Selection& selection) {
  const std::vector<std::optional<Part>> parts = parts_of(facts, selection);
  Session part = cut_out(std::shared_ptr<const Session>(std::shared_ptr<void>(), &facts.session()), parts);
  for (size_t run = 0; run < parts.size(); ++run) {
    if (parts[run]) part.zeros.push_back(facts.zeros()[run]);
  }
  return part;
}

void select(Session& session, const Selection& selection) {
  if (!selection.ranks.empty()) select_ranks(session, selection.ranks);
  if (!selection.devices.empty()) {
    check_devices(session, selection.devices);
    for (Run& run : session.runs) {
      select_devices(run, [&](int32_t device) { return selection.devices.contains(device); });
    }
  }
  if (!selection.profile.empty()) select_profile(session, selection.profile);
  if (!selection.has_window()) return;
  selection.check_window();
  Selection window = selection;
  window.ranks = {};
  std::vector<Interval> windows;
  std::vector<int64_t> zeros;
  {
    const SessionFacts facts(session);
    for (const std::optional<Part>& part : parts_of(facts, window)) windows.push_back(part->window);
    zeros = facts.zeros();
  }
  select_windows(session, windows);
  session.zeros = std::move(zeros);
}

int64_t parse_time(const std::string& text, const std::string& option) {
  static const std::map<std::string, int> kPowerOfTen{{"", 0}, {"ns", 0}, {"us", 3}, {"ms", 6}, {"s", 9}};
  const size_t end = text.find_last_of("0123456789.") + 1;
  const size_t unit = std::min(text.find_first_not_of(' ', end), text.size());
  const auto power = kPowerOfTen.find(text.substr(unit));
  const auto value = Decimal::parse(text.substr(0, end));
  const auto ns = value && power != kPowerOfTen.end() ? value->scaled(power->second) : std::nullopt;
  if (!ns) throw Error(option + " " + text + ": a time was expected, like 1500, 250us, 1.5ms or 2s");
  return *ns;
}

}  // namespace cgpu
