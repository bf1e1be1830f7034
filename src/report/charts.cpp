// The charts that are made of one table.
#include "report/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/cells.h"
#include "report/facts.h"
#include "report/figure.h"
#include "report/phrases.h"
#include "report/svg.h"
#include "table/units.h"

namespace cgpu {

namespace {

constexpr size_t kBars = 12;

struct DevicePart {
  std::string_view column;
  LegendEntry entry;
};
std::vector<DevicePart> device_parts(std::string_view idle_word) {
  return {{"compute_ns", {"c-blue", "compute"}},
          {"exposed_comm_ns", {"c-orange", "exposed communication"}},
          {"exposed_memory_ns", {"c-green", "exposed copies"}},
          {"idle_ns", {"c-idle", std::string(idle_word)}}};
}

/// Colours of kStepParts, in their order.
constexpr std::string_view kStepStyles[kStepParts.size()] = {"c-blue",   "c-orange",     "c-green", "c-yellow",
                                                             "c-purple", "c-vermillion", "c-sky",   "c-idle"};

std::string rank_device(const Table& table, RowView row) {
  return fmt::format("rank {}, {}", integer_of(table, row, "rank"), integer_of(table, row, "device"));
}

/// The steps of one rank, at most `most`: of each group of neighbours the longest.
std::vector<RowView> chosen_steps(const Table& steps, const std::vector<RowView>& of_rank, size_t most) {
  const size_t group = (of_rank.size() + most - 1) / most;
  std::vector<RowView> chosen;
  for (size_t begin = 0; begin < of_rank.size(); begin += group) {
    const auto first = of_rank.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = of_rank.begin() + static_cast<std::ptrdiff_t>(std::min(begin + group, of_rank.size()));
    chosen.push_back(*std::max_element(first, last, [&](RowView a, RowView b) {
      return integer_of(steps, a, "duration_ns") < integer_of(steps, b, "duration_ns");
    }));
  }
  return chosen;
}

/// One rank's steps as columns on a scale up to `longest`.
void add_step_columns(Svg& svg, const Table& steps, const std::vector<RowView>& rows, double top, double height,
                      int64_t longest) {
  constexpr double kLeft = 9.5;    // percent, for the axis
  constexpr double kWidest = 7.5;  // percent, of a column
  const auto y_of = [&](int64_t time) {
    return top + height - height * static_cast<double>(time) / static_cast<double>(longest);
  };
  for (const int64_t tick : axis_ticks(0, longest, height > 100 ? 6 : 3)) {
    svg.horizontal(kLeft, 100, y_of(tick), "grid");
    svg.text(kLeft - 0.8, y_of(tick) + 4, tick_text(tick), Anchor::end, "tick");
  }
  const double pitch = std::min(kWidest, (100 - kLeft) / static_cast<double>(rows.size()));
  const size_t label_every = 1 + rows.size() / 16;
  double x = kLeft;
  for (size_t i = 0; i < rows.size(); ++i, x += pitch) {
    const RowView row = rows[i];
    const std::string name = fmt::format("step {}", integer_of(steps, row, "step"));
    int64_t sum = 0;
    for (size_t p = 0; p < kStepParts.size(); ++p) {
      const int64_t time = integer_of(steps, row, kStepParts[p].column);
      if (time <= 0) continue;
      const double bottom = y_of(sum);
      sum += time;
      svg.rect(x + pitch * 0.08, y_of(sum), pitch * 0.84, bottom - y_of(sum), kStepStyles[p],
               fmt::format("{}: {} {} of {}", name, kStepParts[p].name, format_ns(time),
                           format_ns(integer_of(steps, row, "duration_ns"))));
    }
    if (i % label_every == 0) {
      svg.text(x + pitch / 2, top + height + 15, std::to_string(integer_of(steps, row, "step")), Anchor::middle,
               "tick");
    }
  }
}

/// One bar a row for a table of names with total_ns, pct and count.
std::vector<Bar> time_bars(const Table& table, std::string_view name, std::string_view counted_as, bool brief) {
  std::vector<Bar> bars;
  for (const RowView row : table.rows()) {
    if (bars.size() == kBars) break;
    const std::string full = text_of(table, row, name);
    const auto total = integer_of(table, row, "total_ns");
    bars.push_back({.label = brief ? brief_kernel_name(full) : full,
                    .value = fmt::format("{} \u00b7 {} \u00b7 {}", format_percent(number_of(table, row, "pct")),
                                         format_ns(total), counted(integer_of(table, row, "count"), counted_as)),
                    .tooltip = full,
                    .size = static_cast<double>(total),
                    .style = "c-blue"});
  }
  return bars;
}

/// Colours the bars by the class of their rows, and answers with the families that occur.
std::vector<LegendEntry> color_by_family(const Table& table, std::vector<Bar>& bars) {
  std::vector<LegendEntry> families;
  for (size_t i = 0; i < bars.size(); ++i) {
    const LegendEntry family = family_of(text_of(table, table.row(i), "class"));
    bars[i].style = family.style;
    families.push_back(family);
  }
  return distinct(families);
}

}  // namespace

std::string draw_device_time(const Table& gpu_time, std::string_view idle_word) {
  const std::vector<DevicePart> parts = device_parts(idle_word);
  constexpr double kRow = 26;
  constexpr size_t kMost = 64;
  const size_t rows = shown_rows(gpu_time, kMost);
  const double left = rows > 1 ? 12 : 0;
  std::string description;
  std::vector<LegendEntry> legend;
  const int64_t span = sum_of(gpu_time, "span_ns");
  if (span == 0) return "";
  for (const DevicePart& part : parts) {
    if (sum_of(gpu_time, part.column) == 0) continue;
    LegendEntry entry = part.entry;
    entry.name += " " + share_text(sum_of(gpu_time, part.column), span);
    description += (description.empty() ? "" : ", ") + entry.name;
    legend.push_back(std::move(entry));
  }

  Svg svg(kRow * static_cast<double>(rows), "Span of each device by what it did",
          "Of the spans of all devices: " + description);
  for (size_t r = 0; r < rows; ++r) {
    RowView row = gpu_time.row(r);
    const double y = kRow * static_cast<double>(r);
    const int64_t whole = integer_of(gpu_time, row, "span_ns");
    if (rows > 1) svg.text(0, y + 15, rank_device(gpu_time, row), Anchor::start, "tick");
    double x = left;
    for (const DevicePart& part : parts) {
      const int64_t time = integer_of(gpu_time, row, part.column);
      if (whole == 0 || time <= 0) continue;
      const double width = (100 - left) * static_cast<double>(time) / static_cast<double>(whole);
      svg.rect(x, y, width, kRow - 5, part.entry.style,
               fmt::format("{}{}: {}, {} of {}", rows > 1 ? rank_device(gpu_time, row) + ": " : "", part.entry.name,
                           format_ns(time), share_text(time, whole), format_ns(whole)));
      const std::string_view ink = part.entry.style == "c-idle" ? "value" : "inside";
      if (width > 8) svg.text(x + width / 2, y + 15, share_text(time, whole), Anchor::middle, ink);
      x += width;
    }
  }
  return figure(rows > 1 ? "Span of each device (rank, device) by what it did" : "Span of the device by what it did",
                legend, svg.finish());
}

std::string draw_steps(const Table& steps) {
  constexpr size_t kColumns = 150;
  constexpr size_t kRanks = 8;
  std::map<int64_t, std::vector<RowView>> by_rank;
  int64_t longest = 0;
  for (const RowView row : steps.rows()) {
    by_rank[integer_of(steps, row, "rank")].push_back(row);
    longest = std::max(longest, integer_of(steps, row, "duration_ns"));
  }
  if (longest == 0) return "";

  std::vector<LegendEntry> legend;
  for (size_t p = 0; p < kStepParts.size(); ++p) {
    if (sum_of(steps, kStepParts[p].column) == 0) continue;
    legend.push_back({std::string(kStepStyles[p]), std::string(kStepParts[p].name)});
  }
  const size_t ranks = std::min(by_rank.size(), kRanks);
  const double height = ranks > 1 ? 90 : 190;
  const double pitch = height + (ranks > 1 ? 52 : 34);
  Svg svg(pitch * static_cast<double>(ranks) - 6, "Steps by what their time went to",
          fmt::format("{} as stacked columns, the longest {}", counted(static_cast<int64_t>(steps.row_count()), "step"),
                      format_ns(longest)));
  double top = 8;
  bool grouped = false;
  for (const auto& [rank, rows] : by_rank) {
    if (top > pitch * static_cast<double>(ranks)) break;
    if (ranks > 1) svg.text(0, top + 6, fmt::format("rank {}", rank), Anchor::start, "tick");
    grouped = grouped || rows.size() > kColumns;
    add_step_columns(svg, steps, chosen_steps(steps, rows, kColumns), top + (ranks > 1 ? 14 : 0), height, longest);
    top += pitch;
  }
  std::string title = "Steps by what their time went to";
  if (grouped) title += ", the longest of each group of neighbours";
  if (by_rank.size() > kRanks) title += fmt::format(", the first {} of {} ranks", kRanks, by_rank.size());
  return figure(title, legend, svg.finish());
}

std::string draw_idle(const Table& page) {
  std::vector<Bar> bars = time_bars(page, "cause", "gap", false);
  for (size_t i = 0; i < bars.size(); ++i) {
    bars[i].tooltip = text_of(page, page.row(i), "meaning");
    bars[i].style = "c-vermillion";
  }
  return bar_figure("Idle time by cause", "The causes with their shares of the idle time",
                    {{"c-vermillion", "idle time"}}, bars);
}

std::string draw_kernel_classes(const Table& kernel_classes) {
  std::vector<Bar> bars = time_bars(kernel_classes, "class", "op", false);
  const std::vector<LegendEntry> legend = color_by_family(kernel_classes, bars);
  return bar_figure("Device time by class of kernel", "The classes with their shares of the device time", legend, bars);
}

std::string draw_kernels(const Table& kernels) {
  std::vector<Bar> bars = time_bars(kernels, "name", "launch", true);
  for (size_t i = 0; i < bars.size(); ++i) {
    RowView row = kernels.row(i);
    const int64_t count = integer_of(kernels, row, "count");
    bars[i].value = fmt::format("{} \u00b7 {} \u00b7 {}", format_percent(number_of(kernels, row, "pct")),
                                format_ns(integer_of(kernels, row, "total_ns")), counted(count, "launch", "launches"));
  }
  const std::vector<LegendEntry> legend = color_by_family(kernels, bars);
  return bar_figure("Kernels with the largest total time", "The kernels with their shares of all kernel time", legend,
                    bars);
}

std::string draw_ops(const Table& ops) {
  const int64_t whole = sum_of(ops, "cpu_self_ns");
  std::vector<RowView> rows;
  for (const RowView row : ops.rows()) rows.push_back(row);
  std::ranges::stable_sort(rows, [&](RowView a, RowView b) {
    return integer_of(ops, a, "cpu_self_ns") > integer_of(ops, b, "cpu_self_ns");
  });
  std::vector<Bar> bars;
  for (const RowView row : rows) {
    const int64_t own = integer_of(ops, row, "cpu_self_ns");
    if (bars.size() == kBars || own <= 0) break;
    bars.push_back({.label = text_of(ops, row, "name"),
                    .value = fmt::format("{} \u00b7 {} \u00b7 {}", share_text(own, whole), format_ns(own),
                                         counted(integer_of(ops, row, "count"), "op")),
                    .tooltip = "",
                    .size = static_cast<double>(own),
                    .style = "c-sky"});
  }
  return bar_figure("Framework ops by own time on the host", "The ops with their shares of the own time of all ops",
                    {{"c-sky", "own time: without the ops inside"}}, bars);
}

std::string draw_transfers(const Table& transfers) {
  static const std::map<std::string_view, LegendEntry> directions = {{"HtoD", {"c-blue", "host to device"}},
                                                                     {"DtoH", {"c-orange", "device to host"}},
                                                                     {"DtoD", {"c-green", "within a device"}},
                                                                     {"PtoP", {"c-purple", "between devices"}},
                                                                     {"Memset", {"c-grey", "memset"}}};
  static const LegendEntry kElse = {"c-sky", "other"};
  std::vector<LegendEntry> legend;
  std::vector<Bar> bars;
  std::vector<RowView> rows;
  for (const RowView row : transfers.rows()) rows.push_back(row);
  std::ranges::stable_sort(rows, [&](RowView a, RowView b) {
    return integer_of(transfers, a, "bytes") > integer_of(transfers, b, "bytes");
  });
  for (const RowView row : rows) {
    const std::string kind = text_of(transfers, row, "kind");
    const auto found = directions.find(kind);
    const LegendEntry& entry = found == directions.end() ? kElse : found->second;
    const std::string from = text_of(transfers, row, "src_memory");
    const std::string to = text_of(transfers, row, "dst_memory");
    std::string value =
        has_value(transfers, row, "bytes") ? format_bytes(integer_of(transfers, row, "bytes")) : "size not recorded";
    if (has_value(transfers, row, "bandwidth")) {
      value += " \u00b7 " + format_rate(number_of(transfers, row, "bandwidth"), "GB/s");
    }
    value += fmt::format(" \u00b7 {} \u00b7 {}", format_ns(integer_of(transfers, row, "total_ns")),
                         counted(integer_of(transfers, row, "count"), "op"));
    bars.push_back({.label = fmt::format("{} {}{}{}", kind, from, from.empty() || to.empty() ? "" : " to ", to),
                    .value = std::move(value),
                    .tooltip = "",
                    .size = static_cast<double>(integer_of(transfers, row, "bytes")),
                    .style = entry.style});
    legend.push_back(entry);
  }
  return bar_figure("Bytes moved by direction and kind of memory", "The bytes of each kind of copy and memset",
                    distinct(legend), bars);
}

}  // namespace cgpu
