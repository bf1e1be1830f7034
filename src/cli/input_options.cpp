#include "cli/input_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "analysis/session_clock.h"
#include "analysis/tables.h"
#include "base/decimal.h"
#include "base/error.h"
#include "cli/terminal.h"
#include "kernels/dictionary.h"
#include "links/clocks.h"
#include "links/complete.h"
#include "links/profile_selection.h"
#include "links/window.h"
#include "readers/reader.h"

namespace cgpu {

namespace {

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(path, "cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Keeps the run of that rank, or of a run that is of several ranks what this one did.
void select_rank(Session& session, int64_t rank) {
  std::set<int64_t> ranks;
  std::vector<Run> kept;
  for (Run& run : session.runs) {
    std::vector<int64_t> own = ranks_inside(run);
    const bool several = !own.empty() && !run.rank_known;
    if (!several) own = {run.rank};
    ranks.insert(own.begin(), own.end());
    if (std::find(own.begin(), own.end(), rank) == own.end()) continue;
    if (several) select_rank_inside(run, rank);
    kept.push_back(std::move(run));
  }
  session.runs = std::move(kept);
  const std::string known = fmt::format("{}", fmt::join(ranks, ", "));
  if (session.runs.empty()) throw Error(fmt::format("--rank {}: there is no such rank (there are: {})", rank, known));
}

/// Keeps one thread or stream of every call tree: by its name, or its number in the table `profiles`.
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
  if (!found) throw Error("--profile " + wanted + ": there is no such thread or stream; table `profiles` lists them");
}

void select_time(Session& session, const InputOptions& options) {
  const std::vector<int64_t> zeros = time_zeros(session);
  const int64_t from = options.from.empty() ? 0 : parse_time(options.from, "--from");
  const int64_t to = options.to.empty() ? INT64_MAX : parse_time(options.to, "--to");
  if (from >= to) throw Error("--from " + options.from + " is not before --to " + options.to);
  std::vector<Interval> windows;
  for (const int64_t zero : zeros) {
    int64_t end = INT64_MAX;
    if (to != INT64_MAX && __builtin_add_overflow(zero, to, &end)) end = INT64_MAX;
    windows.push_back({options.from.empty() ? INT64_MIN : zero + from, end});
  }
  select_windows(session, windows);
  session.zeros = zeros;
}

std::pair<int64_t, int64_t> parse_steps(const std::string& text) {
  const auto number = [](const std::string& digits) -> int64_t {
    const auto decimal = Decimal::parse(digits);
    return decimal ? decimal->scaled(0).value_or(INT64_MIN) : INT64_MIN;
  };
  const size_t dash = text.find('-', 1);
  const int64_t first = number(text.substr(0, dash));
  const int64_t last = dash == std::string::npos ? first : number(text.substr(dash + 1));
  if (first == INT64_MIN || first > last) throw Error("--step " + text + ": a step number or a range N-M was expected");
  return {first, last};
}

/// Keeps the time of the steps first to last; each rank has its own.
void select_steps(Session& session, const std::string& text) {
  const auto [first, last] = parse_steps(text);
  const std::vector<int64_t> zeros = time_zeros(session);
  const Table steps = steps_table(session, {});
  const size_t rank = steps.column("rank");
  const size_t step = steps.column("step");
  const size_t start = steps.column("start_ns");
  const size_t duration = steps.column("duration_ns");
  const auto value = [](const Row& row, size_t column) { return std::get<int64_t>(row[column]); };
  std::map<int64_t, std::pair<int64_t, int64_t>> window_of_rank;
  for (const Row& row : steps.rows) {
    if (value(row, step) < first || value(row, step) > last) continue;
    const int64_t begin = value(row, start);
    const auto [at, added] = window_of_rank.try_emplace(value(row, rank), begin, begin);
    at->second.first = std::min(at->second.first, begin);
    at->second.second = std::max(at->second.second, begin + value(row, duration));
  }
  if (window_of_rank.empty()) {
    if (steps.rows.empty()) throw Error("--step " + text + ": the profile has no steps (no ProfilerStep# marks)");
    throw Error(fmt::format("--step {}: there is no such step (there are {} to {})", text,
                            value(steps.rows.front(), step), value(steps.rows.back(), step)));
  }
  std::vector<Interval> windows;
  for (size_t i = 0; i < session.runs.size(); ++i) {
    const auto window = window_of_rank.find(session.runs[i].rank);
    const auto [begin, end] = window == window_of_rank.end() ? std::pair<int64_t, int64_t>() : window->second;
    windows.push_back({zeros[i] + begin, zeros[i] + end});
  }
  select_windows(session, windows);
  session.zeros = zeros;
}

void report_damage(const Session& session, bool strict) {
  for (const Run& run : session.runs) {
    for (const Note& note : run.notes.all()) {
      if (!note.damage) continue;
      const std::string line =
          fmt::format("{}: {}{}", run.file, note.text, note.count > 1 ? fmt::format(" ({})", note.count) : "");
      if (strict) throw Error(line + " (--strict)");
      fmt::print(stderr, "cgpu: warning: {}\n", line);
    }
  }
}

}  // namespace

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

void add_input_options(Verb verb, InputOptions& options, bool with_window) {
  verb.add_option("--input-format", options.input_format, "Read the input as this format instead of recognising it");
  verb.add_option("--threads", options.threads, "Threads to read with (default: all)");
  verb.add_flag("--strict", options.strict, "Treat damaged input as an error (exit 2) instead of a warning");
  if (!with_window) return;
  verb.add_option("--from", options.from, "Leave out what comes before this time: 1500 (ns), 250us, 1.5ms, 2s");
  verb.add_option("--to", options.to, "Leave out what comes after this time, from the start");
  verb.add_option("--step", options.step, "Only this iteration, or iterations N-M");
  verb.add_option("--rank", options.rank, "Only this rank");
  verb.add_option("--profile", options.profile,
                  "Only this thread or stream of a call tree: its name or number in table profiles");
  verb.add_option("--kernel-rules", options.kernel_rules,
                  "File with rules for kernel classes, asked before the built-in ones");
}

Session open_session(const InputOptions& options, bool complete_runs) {
  KernelDictionary dictionary;
  if (!options.kernel_rules.empty()) dictionary.add_rules(read_file(options.kernel_rules), options.kernel_rules);

  Session session;
  {
    ProgressBar bar("reading " + options.inputs.front());
    ReadOptions read;
    read.threads = options.threads;
    read.input_format = options.input_format;
    read.progress = [&](double share) {
      bar.update(share);
      if (options.opening) options.opening(OpeningPhase::reading, share);
    };
    session = open_inputs(options.inputs, read);
  }
  report_damage(session, options.strict);
  if (!complete_runs) return session;
  for (size_t i = 0; i < session.runs.size(); ++i) {
    if (options.opening) {
      options.opening(OpeningPhase::linking, static_cast<double>(i) / static_cast<double>(session.runs.size()));
    }
    complete(session.runs[i], dictionary, options.threads);
  }
  align_clocks(session);
  if (options.rank) select_rank(session, *options.rank);
  if (!options.profile.empty()) select_profile(session, options.profile);
  if (!options.step.empty()) select_steps(session, options.step);
  if (!options.from.empty() || !options.to.empty()) select_time(session, options);
  return session;
}

}  // namespace cgpu
