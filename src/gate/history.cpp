#include "gate/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "analysis/common/columns.h"
#include "base/atomic_file.h"
#include "base/error.h"
#include "gate/check/check_calls.h"
#include "gate/figures/samples.h"
#include "gate/statistics/change_points.h"
#include "session/summaries/summary.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// Smaller changes of level are not reported.
constexpr double kLeastChange = 0.01;

/// "2026-01-31 12:00:05", UTC.
Cell time_text(std::optional<int64_t> ns) {
  if (!ns) return {};
  const auto seconds = static_cast<std::time_t>(*ns / 1'000'000'000 - (*ns % 1'000'000'000 < 0 ? 1 : 0));
  std::tm parts{};
  if (::gmtime_r(&seconds, &parts) == nullptr) return {};
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
}

/// Whether a run is followed by the main metric of its call tree.
bool is_followed_by_calls(const RunFigures& run) {
  return are_compared_by_calls({&run}, {&run}, {});
}
double main_value_of(const RunFigures& run) {
  return is_followed_by_calls(run) ? *run.calls.whole : time_of(run);
}

/// What makes runs a series of their own besides what they did: what they are followed by.
std::pair<std::string, std::string> metric_and_unit(const RunFigures& run) {
  return is_followed_by_calls(run) ? std::pair(run.calls.metric, run.calls.unit)
                                   : std::pair<std::string, std::string>();
}

struct Followed {
  std::string name;
  std::string unit;
  std::function<double(const RunFigures&)> value;  // 0 where a run has none
};

/// What runs like this one are followed by, the main quantity first.
std::vector<Followed> followed(const RunFigures& like) {
  const auto mean = [](const char* name) {
    for (const Quantity& each : quantities(true)) {
      if (each.name != name) continue;
      return std::function([each](const RunFigures& run) {
        const auto sample = sample_of(each, {&run}, false);
        return sample ? sample->values[0] : 0.0;
      });
    }
    return std::function([](const RunFigures&) { return 0.0; });
  };
  if (is_followed_by_calls(like)) return {{like.calls.metric, like.calls.unit, main_value_of}};
  return {
      {"step_time", "ns", time_of},
      {"busy", "ns", mean("busy")},
      {"exposed_communication", "ns", mean("exposed_communication")},
      {"peak_allocated", "B", [](const RunFigures& run) { return static_cast<double>(run.peak_bytes.value_or(0)); }}};
}

}  // namespace

History history_of(std::vector<CheckedRun> runs) {
  std::ranges::stable_sort(runs, [](const CheckedRun& a, const CheckedRun& b) {
    return a.figures.recorded.value_or(INT64_MAX) < b.figures.recorded.value_or(INT64_MAX);
  });
  std::vector<RunFigures*> all;
  for (CheckedRun& run : runs) all.push_back(&run.figures);
  compare_by_repetitions(all);
  History history;
  history.runs = Table(
      "history", "runs in the order in which they were recorded",
      {number_column("run", "number in this order"),
       text_column("recorded", "when it was recorded (UTC); absent where the profile does not say"),
       real_column("step_ns", "ns",
                   "median of the steady iterations; the whole run without any; absent where a run is "
                   "followed by the metric of a call tree"),
       text_column("metric", "main metric of the call tree, of a run that has no iterations and no work of a device"),
       real_column("value", "", "of the whole program, in its unit"), text_column("unit", "of the metric"),
       real_column("change_pct", "%", "of step_ns or value, from the run before in its series"),
       text_column("level", "the change of level of step_ns or value that begins here, if one does"),
       bytes_column("peak_bytes", "peak of memory; absent where nothing says"),
       count_column("iterations", "steady ones"), key_column("input", "as it was given"),
       number_column("series", "number of the series of runs that did the same on the same devices"),
       text_column("devices", "devices and ranks")});
  history.changes = Table(
      "history_changes", "where a quantity changed its level",
      {key_column("quantity", "step_time, busy, exposed_communication, peak_allocated, or the metric of a call tree"),
       number_column("run", "the first run of the new level"), real_column("change_pct", "%", "of the level before"),
       real_column("before_ns", "ns", "median of the level before, of a time"),
       real_column("after_ns", "ns", "median of the new level, of a time"),
       real_column("before_bytes", "bytes", "median of the level before, of a size"),
       real_column("after_bytes", "bytes", "median of the new level, of a size"),
       real_column("before", "", "median of the level before, of a metric, in its unit"),
       real_column("after", "", "median of the new level, of a metric"),
       real_column("chance", "", "that runs without a change would look like that, by permutation"),
       key_column("input", "the run, as it was given")});

  // Series: runs that can be compared with the first of theirs.
  std::vector<size_t> series(runs.size(), 0);
  std::vector<size_t> firsts;
  for (size_t run = 0; run < runs.size(); ++run) {
    size_t of = 0;
    const RunFigures& figures = runs[run].figures;
    const auto is_like = [&](const RunFigures& first) {
      return metric_and_unit(first) == metric_and_unit(figures) && differences_between(first, figures).empty();
    };
    while (of < firsts.size() && !is_like(runs[firsts[of]].figures)) ++of;
    if (of == firsts.size()) firsts.push_back(run);
    series[run] = of;
  }

  std::vector<std::string> levels(runs.size());
  size_t longest = 0;
  for (size_t of = 0; of < firsts.size(); ++of) {
    std::vector<size_t> members;
    for (size_t run = 0; run < runs.size(); ++run) {
      if (series[run] == of) members.push_back(run);
    }
    longest = std::max(longest, members.size());
    const bool by_calls = is_followed_by_calls(runs[firsts[of]].figures);
    const std::vector<Followed> quantities = followed(runs[firsts[of]].figures);
    for (const Followed& quantity : quantities) {
      std::vector<double> values;
      for (const size_t run : members) values.push_back(quantity.value(runs[run].figures));
      if (std::any_of(values.begin(), values.end(), [](double value) { return !(value > 0); })) continue;
      for (const ChangePoint& point : change_points(values)) {
        const double change = point.after / point.before - 1;
        if (std::abs(change) < kLeastChange) continue;
        const size_t run = members[point.at];
        const bool is_time = !by_calls && quantity.unit == "ns";
        const bool is_size = !by_calls && quantity.unit == "B";
        const auto as = [&](bool wanted, double value) { return wanted ? Cell(value) : Cell(); };
        history.changes.append({quantity.name, static_cast<int64_t>(run), 100 * change, as(is_time, point.before),
                                as(is_time, point.after), as(is_size, point.before), as(is_size, point.after),
                                as(by_calls, point.before), as(by_calls, point.after), point.chance, runs[run].input});
        const auto text = [&](double value) { return format_value(value, quantity.unit); };
        history.changed.push_back(fmt::format("{} {:+.1f}% since run {} ({}): {} to {}", quantity.name, 100 * change,
                                              run, runs[run].input, text(point.before), text(point.after)));
        if (&quantity == &quantities.front()) levels[run] = fmt::format("{:+.1f}%", 100 * change);
      }
    }
  }

  std::vector<std::optional<double>> before(firsts.size());
  for (size_t run = 0; run < runs.size(); ++run) {
    const RunFigures& figures = runs[run].figures;
    const double value = main_value_of(figures);
    const bool by_calls = is_followed_by_calls(figures);
    std::optional<double>& last = before[series[run]];
    history.runs.append({static_cast<int64_t>(run), time_text(figures.recorded), by_calls ? Cell() : Cell(value),
                         by_calls ? Cell(figures.calls.metric) : Cell(), by_calls ? Cell(value) : Cell(),
                         by_calls ? cell(figures.calls.unit) : Cell(),
                         last && *last > 0 ? Cell(100 * (value / *last - 1)) : Cell(),
                         levels[run].empty() ? Cell() : Cell(levels[run]), cell(figures.peak_bytes),
                         static_cast<int64_t>(figures.steady_iterations().size()), runs[run].input,
                         static_cast<int64_t>(series[run]), devices_text(figures)});
    last = value;
  }
  if (firsts.size() > 1) {
    history.remarks.push_back(
        fmt::format("the runs are of {} series that did different things (devices, ranks, shapes or iterations); each "
                    "is looked at by itself",
                    firsts.size()));
  }
  constexpr size_t kFewest = 10;
  if (longest < kFewest) {
    history.remarks.push_back(
        fmt::format("a series needs {} runs before a change of level can be distinguished from noise", kFewest));
  }
  return history;
}

std::vector<std::string> runs_of_history(const std::string& input) {
  std::error_code failed;
  if (!std::filesystem::is_directory(input, failed)) return {input};
  std::vector<std::string> runs;
  for (std::filesystem::directory_iterator at(input, failed), end; !failed && at != end; at.increment(failed)) {
    if (is_unfinished_file(at->path().filename().string())) continue;
    if (is_summary(at->path().string())) runs.push_back(at->path().string());
  }
  if (runs.empty()) throw Error(input, "has no summaries in it: make them with `cgpu summarize PROFILE -o RUN.cgpu`");
  std::sort(runs.begin(), runs.end());
  return runs;
}

}  // namespace cgpu
