// The charts over the runs of a history.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "report/cells.h"
#include "report/charts.h"
#include "report/figure.h"
#include "report/phrases.h"
#include "report/svg.h"
#include "table/units.h"

namespace cgpu {

namespace {

constexpr size_t kMostSeries = 6;
constexpr double kAxisLeft = 9.5;  // percent, for the axis

/// What the charts show of a run.
struct Point {
  int64_t run = 0;
  std::string day;   // of the recording; "" where it is not known
  std::string name;  // the run with its time
  double value = 0;
  std::optional<double> p25 = {};
  std::optional<double> p75 = {};
  std::optional<double> level = {};
};

struct LevelMark {
  int64_t run = 0;  // the first of the new level
  std::string text;
};

/// A quantity over the runs of a series.
struct RunSeries {
  std::string title;
  std::string quantity;  // as table history_changes names it
  std::string unit;
  std::vector<Point> points;
  std::vector<LevelMark> marks;
  double height = 0;
  bool from_zero = false;
};

/// The lowest and the highest value that the chart shows.
struct Scale {
  double low = 0;
  double high = 0;
  double share(double value) const { return (std::clamp(value, low, high) - low) / (high - low); }
  bool holds(double value) const { return value >= low && value <= high; }
};

/// All values but outliers, which are below three quarters of the lowest level or above four thirds of the highest one,
/// and two percent around the levels at least.
Scale scale_of(const RunSeries& series) {
  double lowest_level = INFINITY;
  double highest_level = 0;
  double highest = 0;
  for (const Point& point : series.points) {
    lowest_level = std::min(lowest_level, point.level.value_or(point.value));
    highest_level = std::max(highest_level, point.level.value_or(point.value));
    highest = std::max(highest, point.value);
  }
  if (series.from_zero) return {0, highest * 1.08};
  Scale scale = {0.98 * lowest_level, 1.02 * highest_level};
  const Scale inliers = {0.75 * lowest_level, highest_level * 4 / 3};
  for (const Point& point : series.points) {
    for (const double value : {point.value, point.p25.value_or(point.value), point.p75.value_or(point.value)}) {
      if (!inliers.holds(value)) continue;
      scale = {std::min(scale.low, value), std::max(scale.high, value)};
    }
  }
  const double margin = 0.08 * (scale.high - scale.low);
  return {scale.low - margin, scale.high + margin};
}

std::string axis_text(double value, const std::string& unit) {
  return unit == "ns" ? tick_text(std::llround(value)) : format_value(value, unit);
}

class HistoryChart {
 public:
  explicit HistoryChart(const RunSeries& series)
      : series_(series),
        scale_(scale_of(series)),
        top_(series.marks.empty() ? 8 : 34),
        svg_(series.height + top_ + 38, series.title, description()) {}

  std::string draw() {
    add_axis();
    add_band();
    add_levels();
    add_points();
    add_marks();
    add_runs();
    std::vector<LegendEntry> legend = {{"c-blue", "run"}};
    if (has_band_) legend.push_back({"c-blue s1", "middle half of its iterations"});
    if (has_levels_) legend.push_back({"c-orange", "level: the median of its runs"});
    if (has_outliers_) legend.push_back({"c-vermillion", "run beyond the axis"});
    std::string title = series_.title;
    if (!series_.marks.empty()) title += "; dashed lines where the level changed";
    return figure(title, legend, svg_.finish());
  }

 private:
  std::string description() const {
    std::string text = counted(static_cast<int64_t>(series_.points.size()), "run");
    for (const LevelMark& mark : series_.marks) text += fmt::format(", {} since run {}", mark.text, mark.run);
    return text;
  }

  double width() const { return (100 - kAxisLeft) / static_cast<double>(series_.points.size()); }
  double left_of(size_t point) const { return kAxisLeft + width() * static_cast<double>(point); }
  double y_of(double value) const { return top_ + series_.height * (1 - scale_.share(value)); }

  void add_axis() {
    // Ticks are integers: of values that are scaled to four digits, and of sizes in hundredths of their unit.
    const double factor = series_.unit == "bytes" ? 100 / std::pow(1024.0, std::floor(std::log2(scale_.high) / 10))
                                                  : std::pow(10.0, std::ceil(4 - std::log10(scale_.high - scale_.low)));
    const auto scaled = [&](double value) { return std::llround(value * factor); };
    for (const int64_t tick : axis_ticks(scaled(scale_.low), scaled(scale_.high), series_.height > 100 ? 6 : 3)) {
      const double value = static_cast<double>(tick) / factor;
      svg_.horizontal(kAxisLeft, 100, y_of(value), "grid");
      svg_.text(kAxisLeft - 0.8, y_of(value) + 4, axis_text(value, series_.unit), Anchor::end, "tick");
    }
    const size_t every = 1 + series_.points.size() / 12;
    for (size_t i = 0; i < series_.points.size(); i += every) {
      const Point& point = series_.points[i];
      const double y = top_ + series_.height;
      svg_.text(left_of(i) + width() / 2, y + 18, std::to_string(point.run), Anchor::middle, "tick");
      if (i % (2 * every) == 0) svg_.text(left_of(i) + width() / 2, y + 33, point.day, Anchor::middle, "tick");
    }
    svg_.text(kAxisLeft - 0.8, top_ + series_.height + 18, "run", Anchor::end, "tick");
  }

  /// The quartiles of neighbours of a level are one area.
  void add_band() {
    const auto place = [&](size_t i, double value) {
      return fmt::format("{} {}", svg_number(static_cast<double>(i) + 0.5),
                         svg_number(100 * (1 - scale_.share(value))));
    };
    std::string data;
    for (size_t begin = 0; begin < series_.points.size();) {
      size_t end = begin;
      std::string upper;
      std::string lower;
      while (end < series_.points.size() && series_.points[end].p25 && series_.points[end].p75 &&
             series_.points[end].level == series_.points[begin].level) {
        upper += (upper.empty() ? "M" : "L") + place(end, *series_.points[end].p75);
        lower.insert(0, "L" + place(end, *series_.points[end].p25));
        ++end;
      }
      if (end > begin) data += upper + lower + "Z";
      begin = std::max(end, begin + 1);
    }
    has_band_ = !data.empty();
    svg_.paths(kAxisLeft, top_, 100 - kAxisLeft, series_.height, static_cast<double>(series_.points.size()),
               {{data, "c-blue s1"}}, "");
  }

  void add_levels() {
    const std::vector<Point>& points = series_.points;
    for (size_t begin = 0; begin < points.size();) {
      size_t end = begin;
      while (end < points.size() && points[end].level == points[begin].level) ++end;
      if (points[begin].level) {
        svg_.horizontal(left_of(begin), left_of(end), y_of(*points[begin].level), "level");
        has_levels_ = true;
      }
      begin = end;
    }
  }

  void add_points() {
    constexpr double kSize = 5;  // pixels
    const double wide = std::min(0.45, 0.8 * width());
    for (size_t i = 0; i < series_.points.size(); ++i) {
      const double value = series_.points[i].value;
      const bool is_outlier = !scale_.holds(value);
      has_outliers_ = has_outliers_ || is_outlier;
      svg_.rect(left_of(i) + (width() - wide) / 2, y_of(value) - kSize / 2, wide, kSize,
                is_outlier ? "c-vermillion" : "c-blue");
    }
  }

  void add_marks() {
    std::array<double, 2> written_until = {0, 0};  // by line of text, the lower one first
    for (const LevelMark& mark : series_.marks) {
      const auto found = std::ranges::find(series_.points, mark.run, &Point::run);
      const double x = left_of(static_cast<size_t>(found - series_.points.begin()));
      svg_.vertical(x, top_ - 4, top_ + series_.height, "step");
      const auto line = std::ranges::find_if(written_until, [&](double until) { return x >= until; });
      if (line == written_until.end()) continue;
      svg_.text(x, top_ - 8 - 14 * static_cast<double>(line - written_until.begin()), mark.text,
                x > 90 ? Anchor::end : Anchor::start, "label");
      *line = x + 6;
    }
  }

  /// What pointing at a run shows.
  void add_runs() {
    for (size_t i = 0; i < series_.points.size(); ++i) {
      const Point& point = series_.points[i];
      std::string text = fmt::format("{}: {}", point.name, format_value(point.value, series_.unit));
      if (point.p25 && point.p75) {
        text += fmt::format(", half of its iterations {} to {}", format_value(*point.p25, series_.unit),
                            format_value(*point.p75, series_.unit));
      }
      svg_.rect(left_of(i), top_, width(), series_.height, "hit", text);
    }
  }

  const RunSeries& series_;
  Scale scale_;
  double top_;  // of the axis, below two lines of text where there are marks
  Svg svg_;
  bool has_band_ = false;
  bool has_levels_ = false;
  bool has_outliers_ = false;
};

std::optional<double> real_in(const Table& table, RowView row, std::string_view column) {
  return has_value(table, row, column) ? std::optional(number_of(table, row, column)) : std::nullopt;
}

/// The rows of a series without the runs that have no value in `column`.
RunSeries series_of(const Table& history, const std::vector<RowView>& rows, std::string_view column) {
  RunSeries series;
  for (const RowView row : rows) {
    if (!has_value(history, row, column)) continue;
    const std::string recorded = text_of(history, row, "recorded");
    const int64_t run = integer_of(history, row, "run");
    series.points.push_back({.run = run,
                             .day = recorded.substr(0, recorded.find(' ')),
                             .name = fmt::format("run {}, {}{}{}", run, text_of(history, row, "input"),
                                                 recorded.empty() ? "" : ", ", recorded),
                             .value = number_of(history, row, column)});
    Point& point = series.points.back();
    if (column == "step_ns") {
      point.p25 = real_in(history, row, "step_p25_ns");
      point.p75 = real_in(history, row, "step_p75_ns");
    }
    if (column != "peak_bytes") point.level = real_in(history, row, column == "value" ? "level_value" : "level_ns");
  }
  return series;
}

void add_marks(const Table& changes, RunSeries& series) {
  for (const RowView row : changes.rows()) {
    const int64_t run = integer_of(changes, row, "run");
    const bool is_here = std::ranges::find(series.points, run, &Point::run) != series.points.end();
    if (!is_here || text_of(changes, row, "quantity") != series.quantity) continue;
    series.marks.push_back({run, fmt::format("{:+.1f}%", number_of(changes, row, "change_pct"))});
  }
}

}  // namespace

std::string draw_history(const Table& history, const Table& changes) {
  std::map<int64_t, std::vector<RowView>> by_series;
  for (const RowView row : history.rows()) by_series[integer_of(history, row, "series")].push_back(row);
  std::string out;
  size_t drawn = 0;
  for (const auto& [number, rows] : by_series) {
    if (rows.size() < 2) continue;
    if (drawn++ == kMostSeries) break;
    const bool by_calls = has_value(history, rows.front(), "metric");
    RunSeries main = series_of(history, rows, by_calls ? "value" : "step_ns");
    main.quantity = by_calls ? text_of(history, rows.front(), "metric") : "step_time";
    main.unit = by_calls ? text_of(history, rows.front(), "unit") : "ns";
    const std::string of_series =
        by_series.size() > 1 ? fmt::format(", series {}: {}", number, text_of(history, rows.front(), "devices")) : "";
    const bool has_steps =
        std::ranges::any_of(rows, [&](RowView row) { return integer_of(history, row, "iterations") > 0; });
    main.title = (by_calls ? main.quantity : has_steps ? "Step time" : "Time of the whole run") + of_series;
    main.height = 190;
    RunSeries memory = series_of(history, rows, "peak_bytes");
    memory.quantity = "peak_allocated";
    memory.unit = "bytes";
    memory.title = "Peak of memory" + of_series;
    memory.height = 80;
    memory.from_zero = true;
    for (RunSeries* series : {&main, &memory}) {
      if (series->points.size() < 2 || !(series->points.front().value > 0)) continue;
      add_marks(changes, *series);
      out += HistoryChart(*series).draw();
    }
  }
  return out;
}

}  // namespace cgpu
