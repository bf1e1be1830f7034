#include "gate/many_runs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "analysis/common/columns.h"
#include "analysis/common/student.h"
#include "gate/comparable.h"
#include "gate/samples.h"
#include "gate/statistics/order_statistics.h"
#include "gate/statistics/rank_sum.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// Quartiles of fewer runs say nothing of outliers.
constexpr size_t kRunsForOutliers = 5;
/// Names in the words, and from which share of the step on.
constexpr size_t kMostNamed = 3;
constexpr double kLeastNamed = 0.01;

/// Runs that share a property, by their places in the list of all.
struct Group {
  std::string property;
  std::vector<size_t> runs;
  Statistics step = {};                // of the time of an iteration, or of the whole
  std::optional<double> speedup = {};  // as in compare_groups
  std::optional<double> efficiency_pct = {};
};

std::optional<double> number_in(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::vector<Group> groups_of(const std::vector<GivenRun>& runs) {
  std::vector<Group> groups;
  for (size_t run = 0; run < runs.size(); ++run) {
    const auto same = [&](const Group& group) { return group.property == runs[run].property; };
    const auto found = std::find_if(groups.begin(), groups.end(), same);
    if (found != groups.end()) {
      found->runs.push_back(run);
    } else {
      groups.push_back({.property = runs[run].property, .runs = {run}});
    }
  }
  const auto is_number = [](const Group& group) { return number_in(group.property).has_value(); };
  if (std::all_of(groups.begin(), groups.end(), is_number)) {
    std::stable_sort(groups.begin(), groups.end(),
                     [](const Group& a, const Group& b) { return *number_in(a.property) < *number_in(b.property); });
  }
  return groups;
}

/// What is looked at of every run.
struct Figure {
  std::string kind;
  std::string name;
  std::string unit;
  std::vector<std::optional<double>> values;  // by run; absent where it does not record this
  std::vector<bool> missing;                  // by run: it does not have this, and has 0 of it
};

Figure figure_of(const Quantity& quantity, const std::vector<GivenRun>& runs) {
  Figure figure{"time", quantity.name, "ns", {}, std::vector<bool>(runs.size())};
  for (const GivenRun& run : runs) {
    const auto sample = sample_of(quantity, {&run.figures}, false);
    // A sample has no value of 0, which such a quantity may well be.
    figure.values.push_back(sample ? sample->values[0] : 0.0);
  }
  return figure;
}

/// Figures of one kind by their names.
class NamedFigures {
 public:
  /// `absent`: of what no run has.
  explicit NamedFigures(Figure absent) : absent_(std::move(absent)) {}

  void set(const std::string& name, size_t run, double value) {
    Figure& figure = by_name_.try_emplace(name, absent_).first->second;
    figure.name = name;
    figure.values[run] = value;
    figure.missing[run] = false;
  }

  /// What takes most in any run comes first.
  void append_to(std::vector<Figure>& figures) && {
    std::vector<Figure> sorted;
    for (auto& [name, figure] : by_name_) sorted.push_back(std::move(figure));
    const auto largest = [](const Figure& figure) {
      return *std::max_element(figure.values.begin(), figure.values.end());
    };
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](const Figure& a, const Figure& b) { return largest(a) > largest(b); });
    std::move(sorted.begin(), sorted.end(), std::back_inserter(figures));
  }

 private:
  Figure absent_;
  std::map<std::string, Figure> by_name_;
};

void add_times(const char* kind, const TimeFigures RunFigures::*times, const std::vector<GivenRun>& runs,
               std::vector<Figure>& figures) {
  NamedFigures found(
      {kind, "", "ns", std::vector<std::optional<double>>(runs.size(), 0.0), std::vector<bool>(runs.size(), true)});
  for (size_t run = 0; run < runs.size(); ++run) {
    for (const auto& [name, time] : runs[run].figures.*times) {
      if (time.total_ns <= 0 || runs[run].figures.steady <= 0) continue;
      found.set(name, run, static_cast<double>(time.total_ns) / static_cast<double>(runs[run].figures.steady));
    }
  }
  std::move(found).append_to(figures);
}

/// Call paths by the metric of the first run that has call trees; runs without it record nothing of them.
void add_calls(const std::vector<GivenRun>& runs, std::vector<Figure>& figures) {
  const auto has_calls = [](const GivenRun& run) { return !run.figures.calls.metric.empty(); };
  const auto first = std::find_if(runs.begin(), runs.end(), has_calls);
  if (first == runs.end()) return;
  const CallFigures& told = first->figures.calls;
  const auto has_metric = [&](const GivenRun& run) {
    return run.figures.calls.metric == told.metric && run.figures.calls.unit == told.unit;
  };
  Figure absent{"call", "", told.unit, {}, {}};
  for (const GivenRun& run : runs) {
    absent.values.push_back(has_metric(run) ? std::optional(0.0) : std::nullopt);
    absent.missing.push_back(has_metric(run));
  }
  NamedFigures found(std::move(absent));
  for (size_t run = 0; run < runs.size(); ++run) {
    if (!has_metric(runs[run])) continue;
    for (const auto& [path, value] : runs[run].figures.calls.inclusive) found.set(path, run, value);
  }
  std::move(found).append_to(figures);
}

/// The time of an iteration comes first, or that of the whole.
std::vector<Figure> figures_of(const std::vector<GivenRun>& runs) {
  const bool of_iterations = std::all_of(runs.begin(), runs.end(),
                                         [](const GivenRun& run) { return !run.figures.steady_iterations().empty(); });
  std::vector<Figure> figures;
  for (const Quantity& quantity : quantities(of_iterations)) figures.push_back(figure_of(quantity, runs));
  Figure memory{"memory", "peak_allocated", "bytes", {}, std::vector<bool>(runs.size())};
  for (const GivenRun& run : runs) {
    const auto peak = run.figures.peak_bytes;
    memory.values.push_back(peak ? std::optional(static_cast<double>(*peak)) : std::nullopt);
  }
  figures.push_back(std::move(memory));
  add_times("op", &RunFigures::ops, runs, figures);
  add_times("kernel_class", &RunFigures::classes, runs, figures);
  add_times("kernel", &RunFigures::kernels, runs, figures);
  add_calls(runs, figures);
  return figures;
}

std::vector<double> values_of(const Figure& figure, const Group& group) {
  std::vector<double> values;
  for (const size_t run : group.runs) {
    if (figure.values[run]) values.push_back(*figure.values[run]);
  }
  return values;
}

bool is_outside(const Statistics& statistics, double value) {
  return statistics.n >= kRunsForOutliers && (value < statistics.fence_low || value > statistics.fence_high);
}

/// Absent where one of them is none.
std::optional<double> ratio_of(double a, double b) {
  return a > 0 && b > 0 ? std::optional(a / b) : std::nullopt;
}

void set_step_times(std::vector<Group>& groups, const Figure& step) {
  for (Group& group : groups) group.step = statistics_of(values_of(step, group));
  const Group& first = groups.front();
  const auto begin = number_in(first.property);
  for (Group& group : groups) {
    group.speedup = ratio_of(first.step.median, group.step.median);
    const auto number = number_in(group.property);
    if (!group.speedup || !begin || !number || *begin <= 0 || *number <= 0) continue;
    group.efficiency_pct = 100 * *group.speedup * *begin / *number;
  }
}

void append_runs(const std::vector<GivenRun>& runs, const std::vector<Group>& groups,
                 const std::vector<Figure>& figures, Table& table) {
  const Figure& step = figures.front();
  std::vector<std::string> outlier(runs.size());
  for (const Group& group : groups) {
    for (const size_t run : group.runs) {
      if (is_outside(group.step, *step.values[run])) {
        outlier[run] = *step.values[run] > group.step.median ? "slow" : "fast";
      }
    }
  }
  const auto value = [&](const char* name, size_t run) -> Cell {
    for (const Figure& figure : figures) {
      if (figure.kind == "time" && figure.name == name) return cell(figure.values[run]);
    }
    return {};
  };
  for (size_t run = 0; run < runs.size(); ++run) {
    const RunFigures& of = runs[run].figures;
    table.append({static_cast<int64_t>(run + 1), runs[run].property.empty() ? Cell() : cell(runs[run].property),
                  static_cast<int64_t>(of.steady_iterations().size()), cell(step.values[run]),
                  cell(ratio_of(groups.front().step.median, *step.values[run])),
                  outlier[run].empty() ? Cell() : cell(outlier[run]), value("busy", run),
                  value("exposed_communication", run), value("idle", run), cell(of.peak_bytes), cell(runs[run].input),
                  cell(devices_text(of))});
  }
}

void append_groups(const std::vector<Group>& groups, const Figure& step, Table& table) {
  const std::vector<double> first = values_of(step, groups.front());
  for (const Group& group : groups) {
    const bool is_first = &group == &groups.front();
    table.append({cell(group.property), static_cast<int64_t>(group.runs.size()), group.step.median,
                  cell(group.step.low), cell(group.step.high), cell(group.speedup), cell(group.efficiency_pct),
                  is_first ? Cell() : Cell(cliffs_delta(first, values_of(step, group)))});
  }
}

void append_statistics(const std::vector<Group>& groups, const std::vector<Figure>& figures, Table& table) {
  for (const Figure& figure : figures) {
    const std::vector<double> first = values_of(figure, groups.front());
    for (const Group& group : groups) {
      const std::vector<double> values = values_of(figure, group);
      if (values.empty()) continue;
      const Statistics of = statistics_of(values);
      std::vector<size_t> outliers;
      int64_t missing = 0;
      for (const size_t run : group.runs) {
        missing += figure.missing[run] ? 1 : 0;
        if (figure.values[run] && is_outside(of, *figure.values[run])) outliers.push_back(run + 1);
      }
      const bool compared = &group != &groups.front() && !first.empty();
      const Cell outside = outliers.empty() ? Cell() : Cell(fmt::format("{}", fmt::join(outliers, ", ")));
      table.append({cell(figure.kind),
                    cell(figure.name),
                    group.property.empty() ? Cell() : cell(group.property),
                    cell(figure.unit),
                    static_cast<int64_t>(of.n),
                    missing,
                    of.median,
                    compared ? cell(ratio_of(of.median, statistics_of(first).median)) : Cell(),
                    of.mean,
                    cell(of.low),
                    cell(of.high),
                    cell(of.deviation),
                    of.min,
                    of.p25,
                    of.p75,
                    of.max,
                    of.fence_low,
                    of.fence_high,
                    compared ? Cell(cliffs_delta(first, values)) : Cell(),
                    outside});
    }
  }
}

/// What runs of a group did that its first one did not, each kind of difference once.
void add_differences(const std::vector<GivenRun>& runs, const Group& group, std::vector<std::string>& words) {
  std::set<std::string> said;
  for (const size_t run : group.runs) {
    for (const Difference& difference : differences_between(runs[group.runs.front()].figures, runs[run].figures)) {
      if (!said.insert(difference.kind).second) continue;
      words.push_back(fmt::format("Run {} is not like run {}: {}", run + 1, group.runs.front() + 1, difference.text));
    }
  }
}

/// The ops, or kernels where there are no ops, that differ most: between the groups, or between the runs of the only
/// one.
void add_most_different(const std::vector<Group>& groups, const std::string& by, const std::vector<Figure>& figures,
                        std::vector<std::string>& words) {
  const bool of_ops = std::any_of(figures.begin(), figures.end(), [](const Figure& each) { return each.kind == "op"; });
  const double least = kLeastNamed * groups.front().step.median;
  struct Named {
    double change = 0;
    std::string text;
  };
  std::vector<Named> named;
  for (const Figure& figure : figures) {
    if (figure.kind != (of_ops ? "op" : "kernel")) continue;
    Named one;
    std::vector<std::string> times;
    const Statistics first = statistics_of(values_of(figure, groups.front()));
    for (const Group& group : groups) {
      const double time = statistics_of(values_of(figure, group)).median;
      one.change = std::max(one.change, std::abs(time - first.median));
      times.push_back(format_ns(time));
    }
    if (groups.size() == 1) {
      one.change = first.max - first.min;
      times = {format_ns(first.min) + " to " + format_ns(first.max)};
    }
    if (one.change == 0 || one.change < least) continue;
    one.text = fmt::format("  {}: {}", figure.name, fmt::join(times, ", "));
    named.push_back(std::move(one));
  }
  if (named.empty()) return;
  std::stable_sort(named.begin(), named.end(), [](const Named& a, const Named& b) { return a.change > b.change; });
  std::vector<std::string> properties;
  for (const Group& group : groups) properties.push_back(group.property);
  words.push_back(groups.size() == 1
                      ? "What varies most between the runs, of the device time of an iteration:"
                      : fmt::format("What differs most, of the device time of an iteration, by {} ({}):", by,
                                    fmt::join(properties, ", ")));
  for (size_t i = 0; i < std::min(kMostNamed, named.size()); ++i) words.push_back(named[i].text);
}

std::vector<std::string> words_of(const std::vector<GivenRun>& runs, const std::string& by,
                                  const std::vector<Group>& groups, const std::vector<Figure>& figures) {
  const Figure& step = figures.front();
  const std::string what = step.name == "span" ? "the whole" : "an iteration";
  std::vector<std::string> words;
  const auto spread = [](const Statistics& of) {
    if (!of.low || *of.low <= 0) return std::string();  // so few runs say nothing of it
    return fmt::format(", on average {} to {} at 95 %", format_ns(*of.low), format_ns(*of.high));
  };
  const auto runs_text = [](size_t count) { return fmt::format("{} {}", count, count == 1 ? "run" : "runs"); };
  const Group& first = groups.front();
  if (by.empty()) {
    words.push_back(fmt::format("{}: {} takes {} (median; {} to {}{})", runs_text(runs.size()), what,
                                format_ns(first.step.median), format_ns(first.step.min), format_ns(first.step.max),
                                spread(first.step)));
  } else {
    words.push_back(fmt::format("{} in {} {} by {}; {} takes (median of its runs):", runs_text(runs.size()),
                                groups.size(), groups.size() == 1 ? "group" : "groups", by, what));
    for (const Group& group : groups) {
      std::string line = fmt::format("  {} {}: {} ({}{})", by, group.property, format_ns(group.step.median),
                                     runs_text(group.runs.size()), spread(group.step));
      if (&group != &first && group.speedup) {
        line += fmt::format(", {:.3g} times as fast as {} {}", *group.speedup, by, first.property);
      }
      if (&group != &first && group.efficiency_pct) {
        line += fmt::format(", {:.0f} % of perfect strong scaling", *group.efficiency_pct);
      }
      words.push_back(line);
    }
  }
  for (const Group& group : groups) {
    for (const size_t run : group.runs) {
      if (!is_outside(group.step, *step.values[run])) continue;
      words.push_back(fmt::format("Run {} ({}) is an outlier: {}, where {} to {} are usual", run + 1, runs[run].input,
                                  format_ns(*step.values[run]), format_ns(group.step.fence_low),
                                  format_ns(group.step.fence_high)));
    }
  }
  for (const Group& group : groups) add_differences(runs, group, words);
  add_most_different(groups, by, figures, words);
  return words;
}

}  // namespace

Statistics statistics_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  Statistics of;
  of.n = values.size();
  of.mean = mean_of(values);
  of.median = quantile_of(values, 0.5);
  of.min = values.front();
  of.p25 = quantile_of(values, 0.25);
  of.p75 = quantile_of(values, 0.75);
  of.max = values.back();
  of.fence_low = of.p25 - 1.5 * (of.p75 - of.p25);
  of.fence_high = of.p75 + 1.5 * (of.p75 - of.p25);
  if (of.n < 2) return of;
  const auto n = static_cast<double>(of.n);
  of.deviation = std::sqrt(squares_around_mean(values) / (n - 1));
  const double half = student_quantile(0.975, n - 1) * *of.deviation / std::sqrt(n);
  of.low = of.mean - half;
  of.high = of.mean + half;
  return of;
}

ManyRuns compare_runs(const std::vector<GivenRun>& runs, const std::string& by) {
  ManyRuns many{{}, compare_runs_table(), compare_groups_table(), compare_statistics_table()};
  std::vector<Group> groups = groups_of(runs);
  const std::vector<Figure> figures = figures_of(runs);
  set_step_times(groups, figures.front());
  append_runs(runs, groups, figures, many.runs);
  if (!by.empty()) append_groups(groups, figures.front(), many.groups);
  append_statistics(groups, figures, many.statistics);
  many.words = words_of(runs, by, groups, figures);
  return many;
}

}  // namespace cgpu
