#include "session/selection.h"

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

/// The time of the selected steps of a run; empty at its zero where it has none of them.
Interval time_of_steps(const SessionFacts& facts, size_t run, const NumberRange& wanted) {
  Interval time{INT64_MAX, INT64_MIN};
  for (const Step& step : facts.steps(run)) {
    if (step.number < wanted.first || step.number > wanted.second) continue;
    time = {std::min(time.begin, step.time.begin), std::max(time.end, step.time.end)};
  }
  const int64_t zero = facts.zeros()[run];
  return time.begin > time.end ? Interval{zero, zero} : time;
}

/// Throws Error where no run has any of these steps.
void check_steps(const SessionFacts& facts, const NumberRange& wanted) {
  const auto text = wanted.first == wanted.second ? fmt::format("step {}", wanted.first)
                                                  : fmt::format("steps {}-{}", wanted.first, wanted.second);
  std::optional<std::pair<int64_t, int64_t>> known;
  for (size_t run = 0; run < facts.session().runs.size(); ++run) {
    for (const Step& step : facts.steps(run)) {
      if (wanted.first <= step.number && step.number <= wanted.second) return;
      known = known ? std::pair(std::min(known->first, step.number), std::max(known->second, step.number))
                    : std::pair(step.number, step.number);
    }
  }
  if (!known) throw Error(text + ": the profile has no steps (no ranges that mark them)");
  throw Error(fmt::format("{}: there is no such step (there are {} to {})", text, known->first, known->second));
}

/// Throws Error where one of the wanted numbers is of none of what there is.
void check_numbers(const NumberList& wanted, const std::set<int64_t>& known, const char* what) {
  const std::string missing = wanted.range_without({known.begin(), known.end()});
  if (missing.empty()) return;
  throw Error(fmt::format("{} {}: there is no such {} (there are: {})", what, missing, what, fmt::join(known, ", ")));
}

/// Keeps the runs of these ranks, or of a run that is of several ranks what these did.
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

void select_devices(Session& session, const NumberList& wanted) {
  std::set<int64_t> devices;
  for (const Run& run : session.runs) {
    for (const Device& device : run.devices) devices.insert(device.id);
    devices.insert(run.timeline.device_ops.device.begin(), run.timeline.device_ops.device.end());
  }
  check_numbers(wanted, devices, "device");
  for (Run& run : session.runs) select_devices(run, [&](int32_t device) { return wanted.contains(device); });
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

std::vector<std::optional<Part>> parts_of(const SessionFacts& facts, const Selection& selection) {
  const std::vector<Run>& runs = facts.session().runs;
  if (selection.steps) check_steps(facts, *selection.steps);
  std::set<int64_t> ranks;
  for (const Run& run : runs) ranks.insert(run.rank);
  check_numbers(selection.ranks, ranks, "rank");

  std::vector<std::optional<Part>> parts(runs.size());
  for (size_t run = 0; run < runs.size(); ++run) {
    if (!selection.ranks.empty() && !selection.ranks.contains(runs[run].rank)) continue;
    Part& part = parts[run].emplace();
    const int64_t zero = facts.zeros()[run];
    if (selection.from) part.window.begin = on_clock(zero, *selection.from);
    if (selection.to) part.window.end = on_clock(zero, *selection.to);
    if (selection.steps) {
      const Interval steps = time_of_steps(facts, run, *selection.steps);
      part.window = {std::max(part.window.begin, steps.begin), std::min(part.window.end, steps.end)};
    }
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
  if (!selection.devices.empty()) select_devices(session, selection.devices);
  if (!selection.profile.empty()) select_profile(session, selection.profile);
  if (!selection.has_window()) return;
  if (selection.from.value_or(0) >= selection.to.value_or(INT64_MAX)) {
    throw Error(fmt::format("--from {} is not before --to {} (ns)", selection.from.value_or(0), *selection.to));
  }
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
