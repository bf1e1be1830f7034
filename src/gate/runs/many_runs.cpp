#include "gate/runs/many_runs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <set>
#include <utility>

#include "analysis/common/columns.h"
#include "analysis/common/order_statistics.h"
#include "analysis/common/rank_sum.h"
#include "analysis/common/student.h"
#include "gate/figures/comparable.h"
#include "gate/runs/many_figures.h"
#include "table/unicode.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// Quartiles of fewer runs say nothing of outliers.
constexpr size_t kRunsForOutliers = 5;
/// The place of the info columns in compare_runs: after the column of the groups.
constexpr std::ptrdiff_t kAfterGroup = 2;
/// Names in the words, and from which share of the step on.
constexpr size_t kMostNamed = 3;
constexpr double kLeastNamed = 0.01;

/// Runs that share a property, by their places in the list of all.
struct Group {
  std::string property;
  std::vector<size_t> runs;
  std::optional<Statistics> whole = {};  // of what counts: the first figure; absent where no run has a value of it
  std::optional<double> speedup = {};    // as in compare_groups
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
    std::ranges::stable_sort(
        groups, [](const Group& a, const Group& b) { return *number_in(a.property) < *number_in(b.property); });
  }
  return groups;
}

std::vector<double> values_of(const ManyFigure& figure, const Group& group) {
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

bool is_of_timelines(const ManyFigure& whole) {
  return whole.kind == "time";
}

std::optional<Statistics> statistics_in(const ManyFigure& figure, const Group& group) {
  std::vector<double> values = values_of(figure, group);
  return values.empty() ? std::nullopt : std::optional(statistics_of(std::move(values)));
}

/// `scales`: whether perfect scaling divides it by the growth of the property, which it does not with sums over ranks
/// and threads.
void set_whole(std::vector<Group>& groups, const ManyFigure& whole, bool scales) {
  for (Group& group : groups) group.whole = statistics_in(whole, group);
  const Group& first = groups.front();
  const auto begin = number_in(first.property);
  for (Group& group : groups) {
    if (!first.whole || !group.whole) continue;
    group.speedup = ratio_of(first.whole->median, group.whole->median);
    if (!scales) continue;
    const auto number = number_in(group.property);
    if (!group.speedup || !begin || !number || *begin <= 0 || *number <= 0) continue;
    group.efficiency_pct = 100 * *group.speedup * *begin / *number;
  }
}

void append_runs(const std::vector<GivenRun>& runs, const std::vector<Group>& groups,
                 const std::vector<ManyFigure>& figures, Table& table) {
  const ManyFigure& whole = figures.front();
  const bool of_timelines = is_of_timelines(whole);
  std::vector<std::string> outlier(runs.size());
  std::vector<std::optional<double>> speedup(runs.size());
  for (const Group& group : groups) {
    for (const size_t run : group.runs) {
      if (!whole.values[run]) continue;
      if (groups.front().whole) speedup[run] = ratio_of(groups.front().whole->median, *whole.values[run]);
      if (!is_outside(*group.whole, *whole.values[run])) continue;
      const bool is_above = *whole.values[run] > group.whole->median;
      outlier[run] = of_timelines ? (is_above ? "slow" : "fast") : (is_above ? "high" : "low");
    }
  }
  const auto value = [&](const char* name, size_t run) -> Cell {
    for (const ManyFigure& figure : figures) {
      if (figure.kind == "time" && figure.name == name) return cell(figure.values[run]);
    }
    return {};
  };
  for (size_t run = 0; run < runs.size(); ++run) {
    const RunFigures& of = runs[run].figures;
    Row row{static_cast<int64_t>(run + 1),
            runs[run].property.empty() ? Cell() : cell(runs[run].property),
            static_cast<int64_t>(of.steady_iterations().size()),
            of_timelines ? cell(whole.values[run]) : Cell(),
            of_timelines ? Cell() : cell(whole.values[run]),
            of_timelines ? Cell() : cell(whole.unit),
            cell(speedup[run]),
            outlier[run].empty() ? Cell() : cell(outlier[run]),
            value("busy", run),
            value("exposed_communication", run),
            value("idle", run),
            cell(of.peak_bytes),
            cell(runs[run].input),
            cell(devices_text(of))};
    auto place = row.begin() + kAfterGroup;
    for (const std::optional<std::string>& said : runs[run].said) place = row.insert(place, cell(said)) + 1;
    table.append(row);
  }
}

void append_groups(const std::vector<Group>& groups, const ManyFigure& whole, Table& table) {
  const std::vector<double> first = values_of(whole, groups.front());
  const bool of_timelines = is_of_timelines(whole);
  for (const Group& group : groups) {
    const std::vector<double> values = values_of(whole, group);
    const bool is_compared = &group != &groups.front() && !first.empty() && !values.empty();
    const std::vector<Cell> middle =
        group.whole ? std::vector<Cell>{group.whole->median, cell(group.whole->low), cell(group.whole->high)}
                    : std::vector<Cell>(3);
    Row row = {cell(group.property), static_cast<int64_t>(group.runs.size())};
    for (const Cell& each : middle) row.push_back(of_timelines ? each : Cell());
    for (const Cell& each : middle) row.push_back(of_timelines ? Cell() : each);
    row.push_back(of_timelines ? Cell() : cell(whole.unit));
    row.push_back(cell(group.speedup));
    row.push_back(cell(group.efficiency_pct));
    row.push_back(is_compared ? Cell(cliffs_delta(first, values)) : Cell());
    table.append(row);
  }
}

void append_statistics(const std::vector<Group>& groups, const std::vector<ManyFigure>& figures, Table& table) {
  for (const ManyFigure& figure : figures) {
    const std::vector<double> first = values_of(figure, groups.front());
    const double middle = first.empty() ? 0 : median_of(first);
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
                    compared ? cell(ratio_of(of.median, middle)) : Cell(),
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

/// A name on a line: of a long path its begin and where it leads.
std::string name_in_line(const std::string& name) {
  constexpr size_t kWidest = 80;
  return shorten(printable(name), kWidest);
}

/// What runs of a group did that its first one did not, each kind of difference once. Of call trees it is how many
/// ranks there were.
void add_differences(const std::vector<GivenRun>& runs, const Group& group, bool of_timelines,
                     std::vector<std::string>& words) {
  if (!of_timelines) {
    const int64_t ranks = runs[group.runs.front()].figures.world_size;
    for (const size_t run : group.runs) {
      if (runs[run].figures.world_size == ranks) continue;
      words.push_back(fmt::format("Run {} is not like run {}: of {} ranks, not of {}", run + 1, group.runs.front() + 1,
                                  runs[run].figures.world_size, ranks));
      return;
    }
    return;
  }
  std::set<std::string> said;
  for (const size_t run : group.runs) {
    for (const Difference& difference : differences_between(runs[group.runs.front()].figures, runs[run].figures)) {
      if (!said.insert(difference.kind).second) continue;
      words.push_back(fmt::format("Run {} is not like run {}: {}", run + 1, group.runs.front() + 1, difference.text));
    }
  }
}

/// The ops, or kernels where there are no ops, or, of call trees, the call paths that differ most: between
/// the groups, or between the runs of the only one.
void add_most_different(const std::vector<Group>& groups, const std::string& by, const std::vector<ManyFigure>& figures,
                        std::vector<std::string>& words) {
  if (!groups.front().whole) return;
  const auto has = [&](const char* kind) {
    return std::any_of(figures.begin(), figures.end(), [&](const ManyFigure& each) { return each.kind == kind; });
  };
  const bool of_timelines = is_of_timelines(figures.front());
  const bool of_functions = has("call_exclusive");
  const std::string kind = of_timelines ? (has("op") ? "op" : "kernel") : of_functions ? "call_exclusive" : "call";
  const double least = kLeastNamed * groups.front().whole->median;
  struct Named {
    double change = 0;
    std::string text;
  };
  std::vector<Named> named;
  for (const ManyFigure& figure : figures) {
    if (figure.kind != kind) continue;
    Named one;
    std::vector<std::string> values;
    const std::optional<Statistics> first = statistics_in(figure, groups.front());
    if (!first) continue;
    for (const Group& group : groups) {
      const std::optional<Statistics> of = statistics_in(figure, group);
      if (of) one.change = std::max(one.change, std::abs(of->median - first->median));
      values.push_back(of ? format_value(of->median, figure.unit) : "-");
    }
    if (groups.size() == 1) {
      one.change = first->max - first->min;
      values = {format_value(first->min, figure.unit) + " to " + format_value(first->max, figure.unit)};
    }
    if (one.change == 0 || one.change < least) continue;
    one.text = fmt::format("  {}: {}", name_in_line(figure.name), fmt::join(values, ", "));
    named.push_back(std::move(one));
  }
  if (named.empty()) return;
  std::ranges::stable_sort(named, [](const Named& a, const Named& b) { return a.change > b.change; });
  std::vector<std::string> properties;
  for (const Group& group : groups) properties.push_back(group.property);
  const std::string what = of_timelines   ? "of the device time of an iteration"
                           : of_functions ? "of what functions spend themselves"
                                          : "of call paths";
  words.push_back(groups.size() == 1
                      ? fmt::format("What varies most between the runs, {}:", what)
                      : fmt::format("What differs most, {}, by {} ({}):", what, by, fmt::join(properties, ", ")));
  for (size_t i = 0; i < std::min(kMostNamed, named.size()); ++i) words.push_back(named[i].text);
}

/// How a group is to the first one: ", 2 times as fast as ranks 1, 50 % of perfect strong scaling".
std::string comparison_words(const Group& group, const Group& first, const std::string& by, bool of_timelines) {
  if (&group == &first || !group.speedup) return "";
  std::string text = of_timelines
                         ? fmt::format(", {:.3g} times as fast as {} {}", *group.speedup, by, first.property)
                         : fmt::format(", {:.3g} times as much as {} {}", 1 / *group.speedup, by, first.property);
  if (group.efficiency_pct) text += fmt::format(", {:.0f} % of perfect strong scaling", *group.efficiency_pct);
  return text;
}

/// That the iterations of the runs are what repeats, where they are.
void add_repetitions(const std::vector<GivenRun>& runs, std::vector<std::string>& words) {
  if (!runs.front().figures.by_repetition) return;
  const auto less = [](const GivenRun& a, const GivenRun& b) {
    return a.figures.iterations.size() < b.figures.iterations.size();
  };
  const auto [fewest, most] = std::minmax_element(runs.begin(), runs.end(), less);
  words.push_back(
      fmt::format("There are no marks of iterations: an iteration is what repeats on the device, {} to {} "
                  "times a run",
                  fewest->figures.iterations.size(), most->figures.iterations.size()));
}

std::vector<std::string> words_of(const std::vector<GivenRun>& runs, const std::string& by,
                                  const std::vector<Group>& groups, const std::vector<ManyFigure>& figures) {
  const ManyFigure& whole = figures.front();
  const bool of_timelines = is_of_timelines(whole);
  const std::string what = !of_timelines          ? fmt::format("{} is", whole.name)
                           : whole.name == "span" ? "the whole takes"
                                                  : "an iteration takes";
  std::vector<std::string> words;
  const auto shown = [&](double value) { return format_value(value, whole.unit); };
  const auto spread = [&](const Statistics& of) {
    if (!of.low || *of.low <= 0) return std::string();  // so few runs say nothing of it
    return fmt::format(", on average {} to {} at 95 %", shown(*of.low), shown(*of.high));
  };
  const auto runs_text = [](size_t count) { return fmt::format("{} {}", count, count == 1 ? "run" : "runs"); };
  const Group& first = groups.front();
  if (std::none_of(groups.begin(), groups.end(), [](const Group& group) { return group.whole.has_value(); })) {
    words.push_back(fmt::format("{}: {} has no value of the whole program, only of call paths", runs_text(runs.size()),
                                whole.name));
  } else if (by.empty()) {
    words.push_back(fmt::format("{}: {} {} (median; {} to {}{})", runs_text(runs.size()), what,
                                shown(first.whole->median), shown(first.whole->min), shown(first.whole->max),
                                spread(*first.whole)));
  } else {
    words.push_back(fmt::format("{} in {} {} by {}; {} (median of its runs):", runs_text(runs.size()), groups.size(),
                                groups.size() == 1 ? "group" : "groups", by, what));
    for (const Group& group : groups) {
      if (!group.whole) continue;
      words.push_back(fmt::format("  {} {}: {} ({}{}){}", by, group.property, shown(group.whole->median),
                                  runs_text(group.runs.size()), spread(*group.whole),
                                  comparison_words(group, first, by, of_timelines)));
    }
  }
  add_repetitions(runs, words);
  for (const Group& group : groups) {
    for (const size_t run : group.runs) {
      if (!whole.values[run] || !is_outside(*group.whole, *whole.values[run])) continue;
      words.push_back(fmt::format("Run {} ({}) is an outlier: {}, where {} to {} are usual", run + 1, runs[run].input,
                                  shown(*whole.values[run]), shown(group.whole->fence_low),
                                  shown(group.whole->fence_high)));
    }
  }
  for (const Group& group : groups) add_differences(runs, group, of_timelines, words);
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

ManyRuns compare_runs(std::vector<GivenRun> runs, const std::string& by, bool by_call_trees,
                      const std::vector<std::string>& shown_keys) {
  if (!by_call_trees) {
    std::vector<RunFigures*> figures;
    for (GivenRun& run : runs) figures.push_back(&run.figures);
    compare_by_repetitions(figures);
  }
  ManyRuns many{{}, compare_runs_table(), compare_groups_table(), compare_statistics_table()};
  auto place = many.runs.columns.begin() + kAfterGroup;
  for (const std::string& key : shown_keys) {
    const Column column = key_column("info." + key, "as the run says of itself; absent where it does not");
    place = many.runs.columns.insert(place, column) + 1;
  }
  std::vector<Group> groups = groups_of(runs);
  const std::vector<ManyFigure> figures = by_call_trees ? figures_of_call_trees(runs) : figures_of_timelines(runs);
  set_whole(groups, figures.front(), !by_call_trees || !runs.front().figures.calls.is_sum);
  append_runs(runs, groups, figures, many.runs);
  if (!by.empty()) append_groups(groups, figures.front(), many.groups);
  append_statistics(groups, figures, many.statistics);
  many.words = words_of(runs, by, groups, figures);
  return many;
}

}  // namespace cgpu
