// The heat map of what many devices did over time.
//
// Of devices that share a row, the one is drawn that falls behind the median device most: in each column, the squares
// of how much longer it computes, copies or is idle. What it waits for others in communication does not count, or those
// would be drawn that a straggler keeps waiting; and a long delay counts for more than many short ones, of which noise
// is made. A row is therefore what one device did, and a straggler is seen among thousands. O(devices x columns).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/lower_median.h"
#include "report/charts.h"
#include "report/figure.h"
#include "report/phrases.h"
#include "report/svg.h"
#include "report/time_axis.h"
#include "report/timeline_strip.h"
#include "table/units.h"

namespace cgpu {

namespace {

constexpr size_t kMostMapRows = 128;
constexpr size_t kMostMapColumns = 256;
constexpr size_t kMostMapCells = 16'384;
constexpr size_t kMostTooltips = 1'024;

struct StateStyle {
  std::string_view style;
  std::string_view name;
};
constexpr std::array<StateStyle, 4> kStates = {
    {{"c-blue", "compute"}, {"c-orange", "exposed communication"}, {"c-green", "exposed copies"}, {"c-grey", "idle"}}};
constexpr size_t kWaitingState = 1;
using StateTimes = std::array<int64_t, kStates.size()>;
/// The least share of a colour's shades (style.cpp) but the palest.
constexpr std::array<double, 3> kShadeFrom = {0.5, 0.7, 0.9};

/// What a device did from one bucket to another: the last state is what is left of the time in which it is recorded.
StateTimes times_in(const TimelineStrip& strip, const StripRow& row, size_t begin, size_t end) {
  StateTimes times{};
  const int64_t from = std::max(row.span.begin, strip.border(begin, row.buckets.size()));
  const int64_t until = std::min(row.span.end, strip.border(end, row.buckets.size()));
  int64_t idle = std::max<int64_t>(0, until - from);
  for (size_t bucket = begin; bucket < end; ++bucket) {
    for (size_t state = 0; state < row.buckets[bucket].size(); ++state) {
      times[state] += row.buckets[bucket][state];
      idle -= row.buckets[bucket][state];
    }
  }
  times.back() = std::max<int64_t>(0, idle);
  return times;
}

int64_t sum_of(const StateTimes& times) {
  int64_t sum = 0;
  for (const int64_t time : times) sum += time;
  return sum;
}

bool is_whole(const StateTimes& times, const TimelineStrip& strip, size_t column, size_t columns) {
  return sum_of(times) == strip.border(column + 1, columns) - strip.border(column, columns);
}

/// By column the median of what the devices' time goes to, of those that are recorded all the while.
std::vector<StateTimes> usual_times(const TimelineStrip& strip, size_t columns) {
  std::vector<StateTimes> usual(columns);
  for (size_t column = 0; column < columns; ++column) {
    std::array<std::vector<int64_t>, kStates.size()> all;
    for (const StripRow& row : strip.rows) {
      const StateTimes times = times_in(strip, row, column, column + 1);
      if (!is_whole(times, strip, column, columns)) continue;
      for (size_t state = 0; state < times.size(); ++state) all[state].push_back(times[state]);
    }
    for (size_t state = 0; state < all.size(); ++state) {
      if (!all[state].empty()) usual[column][state] = lower_median(std::move(all[state]));
    }
  }
  return usual;
}

/// How far a device falls behind the usual one.
double delay_of(const TimelineStrip& strip, const StripRow& row, const std::vector<StateTimes>& usual) {
  double delay = 0;
  for (size_t column = 0; column < usual.size(); ++column) {
    const StateTimes times = times_in(strip, row, column, column + 1);
    if (!is_whole(times, strip, column, usual.size())) continue;
    for (size_t state = 0; state < times.size(); ++state) {
      if (state == kWaitingState || times[state] <= usual[column][state]) continue;
      const auto longer = static_cast<double>(times[state] - usual[column][state]);
      delay += longer * longer;
    }
  }
  return delay;
}

/// Devices [first, last) of the strip; `drawn` represents them.
struct Band {
  size_t first = 0;
  size_t last = 0;
  size_t drawn = 0;
};

std::vector<Band> bands_of(const TimelineStrip& strip, size_t columns) {
  const size_t devices = strip.rows.size();
  const size_t group = (devices + kMostMapRows - 1) / kMostMapRows;
  std::vector<StateTimes> usual;
  if (group > 1) usual = usual_times(strip, columns);
  std::vector<Band> bands;
  for (size_t first = 0; first < devices; first += group) {
    Band& band = bands.emplace_back(Band{first, std::min(first + group, devices), first});
    double most = -1;
    for (size_t device = band.first; group > 1 && device < band.last; ++device) {
      const double delay = delay_of(strip, strip.rows[device], usual);
      if (delay <= most) continue;
      most = delay;
      band.drawn = device;
    }
  }
  return bands;
}

/// The colour of a cell, as classes of the style sheet; "" where the device is not recorded.
std::string style_of(const StateTimes& times) {
  const int64_t all = sum_of(times);
  if (all == 0) return "";
  const auto most = static_cast<size_t>(std::max_element(times.begin(), times.end()) - times.begin());
  const double share = static_cast<double>(times[most]) / static_cast<double>(all);
  const auto shade = std::count_if(kShadeFrom.begin(), kShadeFrom.end(), [&](double from) { return share >= from; });
  return fmt::format("{} s{}", kStates[most].style, shade + 1);
}

/// A path a colour. Neighbours of one colour are drawn as one.
std::vector<Svg::Path> row_paths(const TimelineStrip& strip, const StripRow& row, size_t columns) {
  std::vector<Svg::Path> paths;
  for (size_t column = 0; column < columns;) {
    const std::string style = style_of(times_in(strip, row, column, column + 1));
    size_t next = column + 1;
    while (next < columns && style_of(times_in(strip, row, next, next + 1)) == style) ++next;
    if (!style.empty()) {
      auto path = std::find_if(paths.begin(), paths.end(), [&](const Svg::Path& one) { return one.style == style; });
      if (path == paths.end()) path = paths.insert(paths.end(), {"", style});
      fmt::format_to(std::back_inserter(path->data), "M{} 0H{}V100H{}z", column, next, column);
    }
    column = next;
  }
  return paths;
}

std::string place_text(const StripRow& row) {
  return fmt::format("rank {}, {}", row.rank, row.device);
}

std::string label_of(const TimelineStrip& strip, const Band& band) {
  const StripRow& first = strip.rows[band.first];
  const StripRow& last = strip.rows[band.last - 1];
  return first.rank != last.rank ? fmt::format("{}\u2013{}", first.rank, last.rank)
                                 : fmt::format("{}, {}", first.rank, first.device);
}

std::string shares_text(const StateTimes& times) {
  std::vector<NamedTime> parts;
  for (size_t state = 0; state < times.size(); ++state)
    parts.push_back({std::string(kStates[state].name), times[state]});
  return largest_shares(std::move(parts), sum_of(times), kStates.size());
}

}  // namespace

std::string draw_activity(const Table& rank_activity, const Table* steps) {
  TimelineStrip strip = timeline_strip_of(rank_activity, kMostMapColumns);
  if (strip.end == strip.begin) return "";
  const size_t rows = std::min(strip.rows.size(), kMostMapRows);
  if (rows * kMostMapColumns > kMostMapCells) strip = timeline_strip_of(rank_activity, kMostMapCells / rows);
  const size_t columns = strip.rows.front().buckets.size();
  const std::vector<Band> bands = bands_of(strip, columns);

  constexpr double kLeft = 9;  // percent, for the ranks
  constexpr double kTop = 16;
  const double height = std::clamp(std::floor(400.0 / static_cast<double>(bands.size())), 3.0, 18.0);
  const double bottom = kTop + height * static_cast<double>(bands.size());
  const auto label_every = static_cast<size_t>(std::ceil(14 / height));
  StateTimes all{};
  for (const StripRow& row : strip.rows) {
    const StateTimes times = times_in(strip, row, 0, columns);
    for (size_t state = 0; state < times.size(); ++state) all[state] += times[state];
  }
  Svg svg(bottom + 22, "What each device did over time",
          fmt::format("{} from {} to {} after the start of the profile: {}",
                      counted(static_cast<int64_t>(strip.rows.size()), "device"), format_ns(strip.begin),
                      format_ns(strip.end), shares_text(all)));
  add_time_axis(svg, {strip.begin, strip.end}, kLeft, kTop, bottom);
  const size_t blocks = std::clamp<size_t>(kMostTooltips / bands.size(), 1, columns);
  const auto x_of = [&](size_t column) {
    return kLeft + (100 - kLeft) * static_cast<double>(column) / static_cast<double>(columns);
  };
  for (size_t i = 0; i < bands.size(); ++i) {
    const Band& band = bands[i];
    const StripRow& row = strip.rows[band.drawn];
    const double y = kTop + height * static_cast<double>(i);
    if (i % label_every == 0) svg.text(kLeft - 0.8, y + height / 2 + 4, label_of(strip, band), Anchor::end, "tick");
    svg.paths(kLeft, y, 100 - kLeft, height - (height > 6 ? 1 : 0), static_cast<double>(columns),
              row_paths(strip, row, columns), "");
    for (size_t block = 0; block < blocks; ++block) {
      const size_t begin = block * columns / blocks;
      const size_t end = (block + 1) * columns / blocks;
      const StateTimes times = times_in(strip, row, begin, end);
      if (sum_of(times) == 0) continue;
      svg.rect(x_of(begin), y, x_of(end) - x_of(begin), height, "hit",
               fmt::format("{}, {} to {}: {}", place_text(row), format_ns(strip.border(begin, columns)),
                           format_ns(strip.border(end, columns)), shares_text(times)));
    }
  }
  if (steps != nullptr) {
    add_step_lines(svg, {strip.begin, strip.end}, *steps, strip.rows.front().rank, true, kLeft, kTop, bottom);
  }

  std::string title = "What each device (rank, device) did over time: the colour of what most of it went to";
  if (bands.size() < strip.rows.size()) {
    title += fmt::format(", of every {} the one that falls behind the median device most",
                         bands.front().last - bands.front().first);
  }
  if (steps != nullptr) title += fmt::format("; dashed lines where steps of rank {} begin", strip.rows.front().rank);
  std::vector<LegendEntry> legend;
  for (size_t state = 0; state < all.size(); ++state) {
    if (all[state] > 0) legend.push_back({std::string(kStates[state].style), std::string(kStates[state].name)});
  }
  legend.push_back({std::string(kStates.front().style) + " s1", "fainter: less than 90%, 70%, 50% of the time"});
  return figure(title, legend, svg.finish());
}

}  // namespace cgpu
