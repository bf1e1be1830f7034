#include "gate/history.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "analysis/common/columns.h"
#include "analysis/common/order_statistics.h"
#include "base/error.h"
#include "base/unfinished_file.h"
#include "gate/check/check_calls.h"
#include "gate/figures/samples.h"
#include "gate/history_tables.h"
#include "gate/level_changes.h"
#include "gate/statistics/change_points.h"
#include "session/summaries/summary.h"
#include "table/units.h"

namespace cgpu {

namespace {

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

/// A quantity that changed its level.
struct QuantityChange {
  size_t series = 0;
  size_t quantity = 0;  // place in followed() of the series
  std::string name;
  std::string unit;
  bool of_calls = false;  // whether it is a metric of call trees
  size_t run = 0;         // the first of the new level
  ChangePoint point;      // in its series

  double share() const { return point.after / point.before - 1; }
  std::string words() const { return fmt::format("{} {:+.1f}%", name, 100 * share()); }
  std::string levels() const {
    return fmt::format("{} to {}", format_value(point.before, unit), format_value(point.after, unit));
  }
};

/// A moment at which quantities of a series changed.
struct Moment {
  std::vector<QuantityChange> changes;  // the main quantity first
  std::vector<size_t> before;           // runs of the level before, in order
  std::vector<size_t> after;            // runs of the new level
};

/// Changes of a series by moment: those at most kOneMoment runs apart are one.
std::vector<std::vector<QuantityChange>> by_moment(std::vector<QuantityChange> changes) {
  constexpr size_t kOneMoment = 2;
  std::ranges::stable_sort(changes, {}, [](const QuantityChange& change) { return change.point.at; });
  std::vector<std::vector<QuantityChange>> moments;
  size_t begin = 0;
  for (QuantityChange& change : changes) {
    if (moments.empty() || change.point.at - begin > kOneMoment) {
      moments.emplace_back();
      begin = change.point.at;
    }
    moments.back().push_back(std::move(change));
  }
  for (auto& moment : moments) std::ranges::stable_sort(moment, {}, &QuantityChange::quantity);
  return moments;
}

class HistoryMaker {
 public:
  explicit HistoryMaker(std::vector<CheckedRun> runs)
      : runs_(std::move(runs)), series_(runs_.size()), levels_(runs_.size()), begins_(runs_.size()) {
    std::ranges::stable_sort(runs_, {}, [](const CheckedRun& run) { return run.figures.recorded.value_or(INT64_MAX); });
    std::vector<RunFigures*> all;
    for (CheckedRun& run : runs_) all.push_back(&run.figures);
    compare_by_repetitions(all);
    find_series();
  }

  History make() && {
    for (size_t series = 0; series < members_.size(); ++series) add_series(series);
    add_changes();
    for (const auto& [run, moment] : moments_) add_change_point(run, moment);
    add_runs();
    add_latest();
    add_remarks();
    return std::move(history_);
  }

 private:
  /// Series: runs that can be compared with the first of theirs.
  void find_series() {
    for (size_t run = 0; run < runs_.size(); ++run) {
      const RunFigures& figures = runs_[run].figures;
      const auto is_like = [&](const std::vector<size_t>& members) {
        const RunFigures& first = runs_[members.front()].figures;
        return metric_and_unit(first) == metric_and_unit(figures) && differences_between(first, figures).empty();
      };
      const auto like = std::ranges::find_if(members_, is_like);
      series_[run] = static_cast<size_t>(like - members_.begin());
      if (like == members_.end()) members_.emplace_back();
      members_[series_[run]].push_back(run);
    }
  }

  void add_series(size_t series) {
    const std::vector<size_t>& members = members_[series];
    const RunFigures& first = runs_[members.front()].figures;
    const std::vector<Followed> quantities = followed(first);
    std::vector<QuantityChange> changes;
    for (size_t quantity = 0; quantity < quantities.size(); ++quantity) {
      std::vector<double> values;
      values.reserve(members.size());
      for (const size_t run : members) values.push_back(quantities[quantity].value(runs_[run].figures));
      if (std::any_of(values.begin(), values.end(), [](double value) { return !(value > 0); })) continue;
      const std::vector<ChangePoint> points = change_points(values);
      if (quantity == 0) add_levels(members, values, points);
      for (const ChangePoint& point : points) {
        const QuantityChange change = {series,
                                       quantity,
                                       quantities[quantity].name,
                                       quantities[quantity].unit,
                                       is_followed_by_calls(first),
                                       members[point.at],
                                       point};
        if (std::abs(change.share()) < kLeastChange) continue;
        changes.push_back(change);
        if (quantity == 0) begins_[change.run] = fmt::format("{:+.1f}%", 100 * change.share());
      }
    }
    add_moments(members, by_moment(std::move(changes)));
  }

  /// The median of the level of each run.
  void add_levels(const std::vector<size_t>& members, const std::vector<double>& values,
                  const std::vector<ChangePoint>& points) {
    double level = points.empty() ? median_of(values) : points.front().before;
    auto next = points.begin();
    for (size_t i = 0; i < members.size(); ++i) {
      if (next != points.end() && next->at == i) level = (next++)->after;
      levels_[members[i]] = level;
    }
  }

  void add_moments(const std::vector<size_t>& members, const std::vector<std::vector<QuantityChange>>& moments) {
    const auto place_of = [&](size_t moment) {
      return moment == moments.size() ? members.size() : moments[moment].front().point.at;
    };
    size_t begin = 0;
    for (size_t i = 0; i < moments.size(); ++i) {
      const auto middle = members.begin() + static_cast<std::ptrdiff_t>(place_of(i));
      moments_[*middle] = {moments[i],
                           {members.begin() + static_cast<std::ptrdiff_t>(begin), middle},
                           {middle, members.begin() + static_cast<std::ptrdiff_t>(place_of(i + 1))}};
      begin = place_of(i);
    }
  }

  /// By series and quantity.
  void add_changes() {
    std::vector<std::pair<QuantityChange, int64_t>> changes;
    int64_t number = 0;
    for (const auto& [run, moment] : moments_) {
      for (const QuantityChange& change : moment.changes) changes.emplace_back(change, number);
      ++number;
    }
    std::ranges::stable_sort(changes, [](const auto& a, const auto& b) {
      return std::pair(a.first.series, a.first.quantity) < std::pair(b.first.series, b.first.quantity);
    });
    for (const auto& [change, change_point] : changes) {
      const bool is_time = !change.of_calls && change.unit == "ns";
      const bool is_size = !change.of_calls && change.unit == "B";
      const auto as = [](bool wanted, double value) { return wanted ? Cell(value) : Cell(); };
      const ChangePoint& point = change.point;
      history_.changes.append({change.name, static_cast<int64_t>(change.run), 100 * change.share(),
                               as(is_time, point.before), as(is_time, point.after), as(is_size, point.before),
                               as(is_size, point.after), as(change.of_calls, point.before),
                               as(change.of_calls, point.after), point.chance, runs_[change.run].input, change_point});
    }
  }

  void add_change_point(size_t run, const Moment& moment) {
    const auto number = static_cast<int64_t>(history_.change_points.row_count());
    const size_t skipped = moment.before.size() - std::min(moment.before.size(), kMostLevelRuns);
    const LevelChange change = level_change(
        checked({moment.before.begin() + static_cast<std::ptrdiff_t>(skipped), moment.before.end()}),
        checked({moment.after.begin(),
                 moment.after.begin() + static_cast<std::ptrdiff_t>(std::min(moment.after.size(), kMostLevelRuns))}));
    const std::string moved = words_of(change.parts, moment.changes.front().share() > 0);
    std::vector<std::string> changed;
    for (const QuantityChange& each : moment.changes) {
      changed.push_back(fmt::format("{} ({})", each.words(), each.levels()));
      history_.changed.push_back(
          fmt::format("{} since run {} ({}): {}", each.words(), each.run, runs_[each.run].input, each.levels()));
    }
    if (!moved.empty()) history_.changed.push_back("  moved with it: " + moved);
    history_.change_points.append({number, static_cast<int64_t>(run), time_text(runs_[run].figures.recorded),
                                   runs_[run].input, static_cast<int64_t>(moment.before.back()),
                                   runs_[moment.before.back()].input, fmt::format("{}", fmt::join(changed, ", ")),
                                   moved.empty() ? Cell() : Cell(moved), text_of(change.outcome), change.why});
    for (const MovedPart& part : change.parts) {
      const bool is_time = part.kind != "function";
      const auto as = [](bool wanted, double value) { return wanted ? Cell(value) : Cell(); };
      history_.parts.append({number, static_cast<int64_t>(run), part.kind, part.name, as(is_time, part.before),
                             as(is_time, part.after), as(is_time, part.change()), as(!is_time, part.before),
                             as(!is_time, part.after), as(!is_time, part.change()), is_time ? Cell() : cell(part.unit),
                             part.before > 0 ? Cell(100 * (part.after / part.before - 1)) : Cell(), part.verdict});
    }
  }

  std::vector<CheckedRun> checked(const std::vector<size_t>& runs) const {
    std::vector<CheckedRun> checked;
    checked.reserve(runs.size());
    for (const size_t run : runs) checked.push_back(runs_[run]);
    return checked;
  }

  void add_runs() {
    std::vector<std::optional<double>> before(members_.size());
    for (size_t run = 0; run < runs_.size(); ++run) {
      const RunFigures& figures = runs_[run].figures;
      const double value = main_value_of(figures);
      const bool by_calls = is_followed_by_calls(figures);
      const auto of_times = [&](std::optional<double> time) { return by_calls ? Cell() : cell(time); };
      const auto of_calls = [&](std::optional<double> metric) { return by_calls ? cell(metric) : Cell(); };
      std::vector<double> steps = series_of(quantities(true).front(), figures);
      std::sort(steps.begin(), steps.end());
      const auto quartile = [&](double q) { return steps.empty() ? Cell() : of_times(quantile_of(steps, q)); };
      std::optional<double>& last = before[series_[run]];
      history_.runs.append(
          {static_cast<int64_t>(run), time_text(figures.recorded), of_times(value), quartile(0.25), quartile(0.75),
           by_calls ? Cell(figures.calls.metric) : Cell(), of_calls(value),
           by_calls ? cell(figures.calls.unit) : Cell(), last && *last > 0 ? Cell(100 * (value / *last - 1)) : Cell(),
           begins_[run].empty() ? Cell() : Cell(begins_[run]), of_times(levels_[run]), of_calls(levels_[run]),
           cell(figures.peak_bytes), static_cast<int64_t>(figures.steady_iterations().size()), runs_[run].input,
           static_cast<int64_t>(series_[run]), devices_text(figures)});
      last = value;
    }
  }

  void add_latest() {
    if (runs_.empty()) return;
    const size_t run = runs_.size() - 1;
    std::vector<size_t> level = members_[series_[run]];  // up to the last run
    for (const auto& [first, moment] : moments_) {
      if (series_[first] == series_[run]) level = moment.after;
    }
    level.pop_back();
    if (level.empty()) return;
    if (level.size() > kMostLevelRuns)
      level.erase(level.begin(), level.end() - static_cast<std::ptrdiff_t>(kMostLevelRuns));
    CheckOptions options;
    options.explain = false;
    const CheckResult check = check_runs(checked(level), checked({run}), options);
    history_.latest.append({static_cast<int64_t>(run), time_text(runs_[run].figures.recorded), runs_[run].input,
                            static_cast<int64_t>(level.size()), text_of(check.outcome), check.headline});
    history_.judged =
        fmt::format("Run {} ({}), the last one, against {} of its level before it: {}; {}", run, runs_[run].input,
                    level.size() == 1 ? "the run" : fmt::format("the {} runs", level.size()), text_of(check.outcome),
                    check.headline);
  }

  void add_remarks() {
    if (members_.size() > 1) {
      history_.remarks.push_back(
          fmt::format("the runs are of {} series that did different things (devices, ranks, shapes or iterations); "
                      "each is looked at by itself",
                      members_.size()));
    }
    constexpr size_t kFewest = 10;
    if (std::ranges::all_of(members_, [](const auto& members) { return members.size() < kFewest; })) {
      history_.remarks.push_back(
          fmt::format("a series needs {} runs before a change of level can be distinguished from noise", kFewest));
    }
  }

  std::vector<CheckedRun> runs_;
  std::vector<size_t> series_;                 // by run
  std::vector<std::optional<double>> levels_;  // by run: the median of its level
  std::vector<std::string> begins_;            // by run: the change of level that begins there
  std::vector<std::vector<size_t>> members_;   // runs by series
  std::map<size_t, Moment> moments_;           // by the first run of the new level
  History history_{history_table(),
                   history_changes_table(),
                   history_change_points_table(),
                   history_parts_table(),
                   history_latest_table(),
                   {},
                   {},
                   {}};
};

}  // namespace

History history_of(std::vector<CheckedRun> runs) {
  return HistoryMaker(std::move(runs)).make();
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
