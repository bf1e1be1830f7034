// Sections about the host: framework ops, calls, and how work got to the devices.
#include <fmt/format.h>

#include <algorithm>

#include "report/cells.h"
#include "report/facts.h"
#include "report/phrases.h"
#include "report/sections.h"
#include "table/filter.h"
#include "table/units.h"

namespace cgpu {

namespace {

std::vector<NamedTime> named_times(const Table& table, std::string_view column) {
  std::vector<NamedTime> times;
  for (const RowView row : table.rows()) times.push_back({text_of(table, row, "name"), integer_of(table, row, column)});
  return times;
}

}  // namespace

Section describe_ops(Table table, const Scope& scope) {
  const int64_t device = sum_of(table, "device_self_ns");
  const int64_t cpu = sum_of(table, "cpu_self_ns");
  Table sorted = table;
  std::string summary;
  std::vector<std::string_view> columns;
  if (device > 0) {
    sort_rows(sorted, "device_total_ns");
    summary = fmt::format("Framework ops launched {} of the {} that device ops ran. By the op that launched: {}.",
                          share_text(device, scope.device_op_ns), format_ns(scope.device_op_ns),
                          largest_shares(named_times(table, "device_self_ns"), scope.device_op_ns, 4));
    columns = {"name", "count", "device_total_ns", "device_self_ns", "cpu_total_ns", "cpu_self_ns"};
  } else {
    sort_rows(sorted, "cpu_self_ns");
    summary = fmt::format("{} took {} on the host, all threads together.",
                          counted(sum_of(table, "count"), "framework op"), format_ns(cpu));
    if (cpu > 0) {
      summary += fmt::format(" By own time, without the ops inside: {}.",
                             largest_shares(named_times(table, "cpu_self_ns"), cpu, 4));
    }
    columns = {"name", "count", "cpu_self_ns", "cpu_total_ns"};
  }
  Section section =
      section_of(device > 0 ? "Top ops by device time" : "Top ops by own time", summary, std::move(sorted), columns);
  section.table = std::move(table);
  return section;
}

Section describe_api(Table table, const Scope&) {
  const int64_t whole = sum_of(table, "total_ns");
  int64_t waiting = 0;
  for (const RowView row : table.rows()) {
    if (text_of(table, row, "name").find("Synchronize") != std::string::npos) {
      waiting += integer_of(table, row, "total_ns");
    }
  }
  std::string summary = fmt::format("{} of the runtime and the driver took {} on all threads together",
                                    counted(sum_of(table, "count"), "call"), format_ns(whole));
  const std::string shares = largest_shares(named_times(table, "total_ns"), whole, 3);
  summary += shares.empty() ? "." : ": " + shares + ".";
  if (waiting > 0) {
    summary += fmt::format(" Calls that wait for a device (...Synchronize) make up {}.", share_text(waiting, whole));
  }
  return section_of("Runtime calls", summary, std::move(table),
                    {"name", "pct", "total_ns", "count", "mean_ns", "median_ns", "max_ns", "min_ns", "std_ns"});
}

Section describe_processes(Table table, const Scope& scope) {
  RowView most = largest_of(table, "busy_threads");
  const std::string name = text_of(table, most, "name");
  const std::string what = name.empty() ? "Process " + text_of(table, most, "process")
                                        : fmt::format("{} ({})", quoted_name(name), text_of(table, most, "process"));
  const int64_t whole = integer_of(table, most, "thread_ns");
  std::vector<NamedTime> parts;
  for (const Column& column : table.columns) {
    if (column.unit != "ns" || column.name == "span_ns" || column.name == "thread_ns") continue;
    parts.push_back({as_words(column.name.substr(0, column.name.size() - 3)), integer_of(table, most, column.name)});
  }
  const std::string summary = fmt::format(
      "{}: of {}, {} were at work on average over {}, as far as the profile tells. Their time went to {}.", what,
      counted(integer_of(table, most, "threads"), "thread"), format_real(number_of(table, most, "busy_threads")),
      format_ns(integer_of(table, most, "span_ns")), largest_shares(parts, whole, 5));
  std::vector<std::string_view> columns;
  if (scope.several_ranks) columns.push_back("rank");
  columns.insert(columns.end(), {"process", "name", "threads", "span_ns", "busy_threads", "running_ns",
                                 "device_wait_ns", "lock_wait_ns", "io_wait_ns", "not_scheduled_ns", "unknown_ns"});
  return section_of("Threads of the host", summary, std::move(table), columns);
}

Section describe_launches(Table table, const Scope&) {
  RowView most = largest_of(table, "count");
  std::string summary = fmt::format(
      "{} put work on a device. {}, the most frequent, took {} on average, and its work began {} after it "
      "(median, {} at most). A long delay is a queue that the host keeps full.",
      counted(sum_of(table, "count"), "call"), quoted_name(text_of(table, most, "name")),
      format_ns(number_of(table, most, "cpu_mean_ns")), format_ns(number_of(table, most, "delay_median_ns")),
      format_ns(integer_of(table, most, "delay_max_ns")));
  if (const int64_t unlinked = sum_of(table, "unlinked"); unlinked > 0) {
    summary += fmt::format(" For {} of these names the profile shows no work.", counted(unlinked, "more call"));
  }
  return section_of("Launches", summary, std::move(table),
                    {"name", "count", "cpu_mean_ns", "delay_mean_ns", "delay_median_ns", "delay_max_ns", "unlinked"});
}

Section describe_queue(Table table, const Scope& scope) {
  RowView main = largest_of(table, "count");
  const std::string summary = fmt::format(
      "The queue of stream {} of {}, which got most of the launches, held {:.1f} ops on average (median {:.0f}, at "
      "most {}). While it is empty the stream waits for the host.",
      integer_of(table, main, "stream"), place_of(table, main, scope), number_of(table, main, "mean"),
      number_of(table, main, "median"), format_count(integer_of(table, main, "max")));
  std::vector<std::string_view> columns = place_columns(scope);
  columns.insert(columns.end(), {"stream", "count", "mean", "median", "p25", "p75", "max"});
  return section_of("Launch queue", summary, std::move(table), columns);
}

}  // namespace cgpu
