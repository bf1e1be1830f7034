// The charts over time: what the devices did, and the allocator's totals.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "report/cells.h"
#include "report/charts.h"
#include "report/figure.h"
#include "report/phrases.h"
#include "report/svg.h"
#include "report/time_axis.h"
#include "report/timeline_strip.h"
#include "table/units.h"

namespace cgpu {

namespace {

constexpr size_t kColumns = 1000;  // of a picture: more than a screen shows
/// More devices are drawn as a heat map.
constexpr size_t kMostStrips = 32;
constexpr std::string_view kStripStyles[3] = {"c-blue", "c-orange", "c-green"};

/// One path a kind: in each bucket the shares are stacked. Neighbours of equal height are drawn as one.
std::vector<Svg::Path> strip_paths(const TimelineStrip& strip, const StripRow& row) {
  const size_t buckets = row.buckets.size();
  std::vector<Svg::Path> paths;
  for (const std::string_view style : kStripStyles) paths.push_back({"", std::string(style)});
  using Heights = std::array<int, 4>;  // 0 and the upper ends of the kinds, in percent from the bottom
  const auto heights = [&](size_t i) {
    const auto width =
        static_cast<double>(std::max<int64_t>(1, strip.border(i + 1, buckets) - strip.border(i, buckets)));
    Heights ends{};
    int64_t sum = 0;
    for (size_t kind = 0; kind < 3; ++kind) {
      sum += row.buckets[i][kind];
      ends[kind + 1] = static_cast<int>(std::lround(100 * std::min(1.0, static_cast<double>(sum) / width)));
    }
    return ends;
  };
  for (size_t i = 0; i < buckets;) {
    const Heights ends = heights(i);
    size_t next = i + 1;
    while (next < buckets && heights(next) == ends) ++next;
    for (size_t kind = 0; kind < 3; ++kind) {
      if (ends[kind + 1] == ends[kind]) continue;
      fmt::format_to(std::back_inserter(paths[kind].data), "M{} {}H{}V{}H{}z", i, 100 - ends[kind], next,
                     100 - ends[kind + 1], i);
    }
    i = next;
  }
  return paths;
}

/// A step line over [begin, end] that keeps every maximum. Samples are on a clock on which `zero` is shown as 0.
std::vector<int64_t> decimate(std::vector<MemorySample> samples, int64_t zero, int64_t begin, int64_t end) {
  for (MemorySample& sample : samples) sample.time -= zero;
  std::stable_sort(samples.begin(), samples.end(),
                   [](const MemorySample& a, const MemorySample& b) { return a.time < b.time; });
  std::vector<int64_t> columns(kColumns, -1);
  int64_t value = -1;
  size_t next = 0;
  for (size_t column = 0; column < kColumns; ++column) {
    columns[column] = value;
    const auto share = static_cast<long double>(column + 1) / kColumns;
    const auto until =
        column + 1 == kColumns ? end : begin + static_cast<int64_t>(share * static_cast<long double>(end - begin));
    for (; next < samples.size() && samples[next].time <= until; ++next) {
      value = samples[next].bytes;
      columns[column] = std::max(columns[column], value);
    }
  }
  return columns;
}

std::string curve_path(const std::vector<int64_t>& columns, int64_t peak, bool closed) {
  std::string path;
  size_t column = 0;
  while (column < columns.size() && columns[column] < 0) ++column;
  if (column == columns.size() || peak <= 0) return path;
  const auto y_of = [&](int64_t value) {
    return svg_number(100 - 100 * static_cast<double>(value) / static_cast<double>(peak));
  };
  path = fmt::format("M{} {}", column, closed ? "100" : y_of(columns[column]));
  int64_t shown = closed ? 0 : columns[column];
  for (; column < columns.size(); ++column) {
    if (columns[column] == shown) continue;
    shown = columns[column];
    fmt::format_to(std::back_inserter(path), "H{}V{}", column, y_of(shown));
  }
  fmt::format_to(std::back_inserter(path), "H{}", columns.size());
  if (closed) path += "V100z";
  return path;
}

}  // namespace

std::string draw_timeline(const std::vector<RunHistory>& runs, const Table& rank_activity, const Table& gpu_time,
                          const Table* steps) {
  const size_t devices = std::max<size_t>(gpu_time.row_count(), 1);
  if (devices > kMostStrips && !rank_activity.empty()) return draw_activity(rank_activity, steps);
  TimelineStrip strip = make_timeline_strip(runs, std::clamp<size_t>(4 * kColumns / devices, 250, kColumns));
  if (strip.rows.empty()) strip = timeline_strip_of(rank_activity, kColumns);
  if (strip.end == strip.begin) return "";

  const size_t rows = std::min(strip.rows.size(), kMostStrips);
  const double left = rows > 1 ? 12 : 0;
  const double height = rows > 4 ? 26 : 54;
  const double top = 16;
  const double bottom = top + (height + 6) * static_cast<double>(rows);
  Svg svg(bottom + 22, "What each device did over time",
          fmt::format("{} from {} to {} after the start of the profile; in each column of the picture the shares of "
                      "compute, exposed communication and exposed copies are stacked",
                      counted(static_cast<int64_t>(rows), "device"), format_ns(strip.begin), format_ns(strip.end)));
  add_time_axis(svg, {strip.begin, strip.end}, left, top, bottom);
  double y = top;
  for (size_t r = 0; r < rows; ++r, y += height + 6) {
    const StripRow& row = strip.rows[r];
    const std::string name = fmt::format("rank {}, {}", row.rank, row.device);
    if (rows > 1) svg.text(0, y + height / 2 + 4, name, Anchor::start, "tick");
    svg.rect(left, y, 100 - left, height, "c-idle");
    svg.paths(left, y, 100 - left, height, static_cast<double>(row.buckets.size()), strip_paths(strip, row), name);
    if (steps) add_step_lines(svg, {strip.begin, strip.end}, *steps, row.rank, r == 0, left, y, y + height);
  }
  std::string title = "What each device did over time";
  if (rows < strip.rows.size()) title += fmt::format(", the first {} of {} devices", rows, strip.rows.size());
  std::vector<LegendEntry> legend;
  if (sum_of(gpu_time, "compute_ns") > 0) legend.push_back({"c-blue", "compute"});
  if (sum_of(gpu_time, "exposed_comm_ns") > 0) legend.push_back({"c-orange", "exposed communication"});
  if (sum_of(gpu_time, "exposed_memory_ns") > 0) legend.push_back({"c-green", "exposed copies"});
  legend.push_back({"c-idle", "idle"});
  if (steps) title += "; dashed lines where steps begin";
  return figure(title, legend, svg.finish());
}

std::string draw_memory(const std::vector<RunHistory>& runs) {
  constexpr size_t kMostRows = 8;
  std::map<std::pair<int64_t, int32_t>, std::pair<const RunHistory*, const MemoryHistory*>> by_device;
  int64_t begin = INT64_MAX;
  int64_t end = INT64_MIN;
  int64_t peak = 0;
  for (const RunHistory& run : runs) {
    for (const MemoryHistory& memory : run.memory) {
      by_device[{run.rank, memory.device}] = {&run, &memory};
      begin = std::min(begin, memory.span.begin - run.zero);
      end = std::max(end, memory.span.end - run.zero);
      peak = std::max(peak, memory.peak);
    }
  }
  if (begin >= end || peak == 0) return "";
  // On the common scale these would be a line at 0.
  std::erase_if(by_device, [&](const auto& entry) { return entry.second.second->peak < peak / 1000; });

  const size_t rows = std::min(by_device.size(), kMostRows);
  constexpr double kLeft = 12;
  const double height = rows > 1 ? 80 : 160;
  const double pitch = height + 30;
  const double bottom = pitch * static_cast<double>(rows);
  Svg svg(
      bottom + 22, "Memory of the allocator over time",
      fmt::format("{} from {} to {} after the start of the profile, the largest total {}",
                  counted(static_cast<int64_t>(rows), "device"), format_ns(begin), format_ns(end), format_bytes(peak)));
  add_time_axis(svg, {begin, end}, kLeft, 18, bottom);
  size_t row = 0;
  for (const auto& [key, found] : by_device) {
    if (row == rows) break;
    const auto& [run, memory] = found;
    const double y = 18 + pitch * static_cast<double>(row++);
    const std::string name =
        fmt::format("rank {}, {}", key.first, key.second < 0 ? "host" : std::to_string(key.second));
    const std::vector<int64_t> allocated = decimate(memory->allocated, run->zero, begin, end);
    svg.text(kLeft, y - 4, name, Anchor::start, "tick");
    svg.text(kLeft - 1, y + 8, format_bytes(peak), Anchor::end, "tick");
    svg.text(kLeft - 1, y + height, "0", Anchor::end, "tick");
    svg.horizontal(kLeft, 100, y, "grid");
    svg.horizontal(kLeft, 100, y + height, "grid");
    svg.paths(kLeft, y, 100 - kLeft, height, kColumns,
              {{curve_path(allocated, peak, true), "area"},
               {curve_path(decimate(memory->reserved, run->zero, begin, end), peak, false), "curve2"},
               {curve_path(allocated, peak, false), "curve"}},
              name);
  }
  std::string title = "Memory of the allocator over time";
  if (rows < by_device.size()) title += fmt::format(", the first {} of {} devices", rows, by_device.size());
  return figure(title, {{"c-blue", "in use"}, {"c-orange", "held by the allocator"}}, svg.finish());
}

}  // namespace cgpu
