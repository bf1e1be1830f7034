// Sections about the devices: how busy they were, with what, and why not.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/common/statistics.h"
#include "analysis/ranks/outlier_place.h"
#include "base/ascii.h"
#include "report/cells.h"
#include "report/facts.h"
#include "report/phrases.h"
#include "report/sections.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// The parts of a device's span in which it was busy, as one reads them.
std::vector<NamedTime> busy_parts(const DeviceTime& time) {
  return {{"compute", time.compute}, {"exposed communication", time.exposed_comm}, {"copies", time.exposed_memory}};
}

double busy_share(const Table& table, RowView row) {
  return number_of(table, row, "busy_pct");
}

std::string one_device_text(const Table& table, const Scope& scope) {
  RowView row = table.row(0);
  const DeviceTime time = device_time(table);
  if (time.span == 0)
    return fmt::format("What ran on the {} took no time that the profile could measure.", scope.device);
  if (!scope.unknown_utilization.empty()) {
    return fmt::format("The {} was busy for at least {} of the {} from its first op to its last ({}); {}.",
                       scope.device, share_text(time.busy, time.span), format_ns(time.span), format_ns(time.busy),
                       unknown_rest(false, scope.unknown_utilization));
  }
  std::string text = fmt::format("The {} was busy {} of the {} from its first op to its last: {}.", scope.device,
                                 share_text(time.busy, time.span), format_ns(time.span),
                                 largest_shares(busy_parts(time), time.span, 3));
  text += time.idle > 0 ? fmt::format(" It was idle {} ({}).", share_text(time.idle, time.span), format_ns(time.idle))
                        : " It was never idle.";
  if (const int64_t comm = integer_of(table, row, "comm_ns"); comm > 0) {
    text += comm == time.exposed_comm
                ? fmt::format(" Compute hid none of the {} of communication.", format_ns(comm))
                : fmt::format(" Of {} of communication, compute hid {}; {} stayed exposed.", format_ns(comm),
                              share_text(comm - time.exposed_comm, comm), format_ns(time.exposed_comm));
  }
  return text;
}

std::string many_devices_text(const Table& table, const Scope& scope) {
  const Table::Rows rows = table.rows();
  const auto [least, most] = std::minmax_element(
      rows.begin(), rows.end(), [&](RowView a, RowView b) { return busy_share(table, a) < busy_share(table, b); });
  if (!scope.unknown_utilization.empty()) {
    return fmt::format("{} {}s were busy for at least {} to {} of their spans; {}.", table.row_count(), scope.device,
                       share_text(busy_share(table, *least), 100.0), share_text(busy_share(table, *most), 100.0),
                       unknown_rest(true, scope.unknown_utilization));
  }
  std::string text =
      fmt::format("{} {}s were busy {} to {} of their spans. Least busy was {}, idle for {} of {}.", table.row_count(),
                  scope.device, share_text(busy_share(table, *least), 100.0),
                  share_text(busy_share(table, *most), 100.0), place_of(table, *least, scope),
                  format_ns(integer_of(table, *least, "idle_ns")), format_ns(integer_of(table, *least, "span_ns")));
  if (const int64_t comm = sum_of(table, "comm_ns"); comm > 0) {
    const int64_t exposed = sum_of(table, "exposed_comm_ns");
    RowView worst = largest_of(table, "exposed_comm_ns");
    text += fmt::format(" Compute hid {} of the communication; most of it stayed exposed on {}: {}.",
                        share_text(comm - exposed, comm), place_of(table, worst, scope),
                        format_ns(integer_of(table, worst, "exposed_comm_ns")));
  }
  return text;
}

/// One row a cause, summed over the devices, with the longest gap.
Table idle_page(const Table& idle) {
  struct Sum {
    int64_t count = 0;
    int64_t longest = 0;
  };
  std::map<std::string, Sum> sums;
  for (const RowView row : idle.rows()) {
    Sum& sum = sums[text_of(idle, row, "cause")];
    sum.count += integer_of(idle, row, "count");
    sum.longest = std::max(sum.longest, integer_of(idle, row, "max_ns"));
  }
  Table page{idle.name,
             idle.about,
             {{"cause", ColumnType::text, "", "what happened meanwhile"},
              {"total_ns", ColumnType::integer, "ns", "idle time of this cause"},
              {"pct", ColumnType::real, "%", "share of all idle time"},
              {"count", ColumnType::integer, "count", "gaps with a part of this cause"},
              {"max_ns", ColumnType::integer, "ns", "the most that one gap has of it"},
              {"meaning", ColumnType::text, "", "what the cause means"}}};
  const int64_t whole = sum_of(idle, "total_ns");
  for (const NamedTime& cause : idle_causes(idle)) {
    const Sum& sum = sums[cause.name];
    page.append({cause.name, cause.time,
                 whole > 0 ? Cell(100.0 * static_cast<double>(cause.time) / static_cast<double>(whole)) : Cell(),
                 sum.count, sum.longest, std::string(meaning_of_cause(cause.name))});
  }
  return page;
}

}  // namespace

Section describe_gpu_time(Table table, const Scope& scope) {
  const std::string summary = table.row_count() == 1 ? one_device_text(table, scope) : many_devices_text(table, scope);
  std::vector<std::string_view> columns = place_columns(scope);
  columns.insert(columns.end(), {"busy_pct", "span_ns", "compute_ns"});
  if (sum_of(table, "comm_ns") > 0) columns.emplace_back("exposed_comm_ns");
  columns.insert(columns.end(), {"exposed_memory_ns", "idle_ns"});
  if (sum_of(table, "comm_ns") > 0) columns.insert(columns.end(), {"comm_ns", "comm_overlap_pct"});
  columns.insert(columns.end(), {"memory_ns", "memory_overlap_pct"});
  return section_of(scope.device == "GPU" ? "GPU utilization" : "Device utilization", summary, std::move(table),
                    columns, 16);
}

Section describe_mfu(Table table, const Scope& scope) {
  const auto at_most = [&](std::string_view column) {
    double most = 0;
    for (const RowView row : table.rows()) most = std::max(most, number_of(table, row, column));
    return most;
  };
  // "11.7%", of several devices "at most 11.7%".
  const auto share = [&](std::string_view column) {
    return (table.row_count() > 1 ? "at most " : "") + share_text(at_most(column), 100.0);
  };
  std::string summary =
      fmt::format("What framework ops computed, by their shapes: {}{} over the span of the device ops.",
                  table.row_count() > 1 ? "at most " : "", format_rate(at_most("flops_per_s"), "FLOP/s"));
  if (has_any(table, "mfu_pct")) {
    summary += fmt::format(
        " Matrix products, convolutions and attention reached {} of the peak rate (model FLOPs utilisation)",
        share("mfu_pct"));
    if (has_any(table, "achievable_pct")) {
      summary +=
          fmt::format(", {} of the best rate that was measured on this model of device", share("achievable_pct"));
    }
    summary += ".";
  } else {
    summary += fmt::format(" The peak rate for their types is not known on this {}: `--peak NAME=RATE` states it.",
                           scope.device);
  }
  summary += fmt::format(" FLOPs are known of {} of the time of device ops.", share("flops_known_pct"));
  std::vector<std::string_view> columns = place_columns(scope);
  columns.insert(columns.end(), {"mfu_pct", "achievable_pct", "flops_per_s", "flops_known_pct", "bandwidth_pct",
                                 "bytes_per_s", "bytes_known_pct"});
  return section_of("FLOPs and bandwidth", summary, std::move(table), columns, 16);
}

Section describe_streams(Table table, const Scope& scope) {
  RowView busiest = largest_of(table, "busy_ns");
  const std::string summary =
      fmt::format("Work ran on {}; the busiest is stream {} of {} with {} of work in {}.",
                  counted(static_cast<int64_t>(table.row_count()), "stream"), integer_of(table, busiest, "stream"),
                  place_of(table, busiest, scope), format_ns(integer_of(table, busiest, "busy_ns")),
                  counted(integer_of(table, busiest, "count"), "op"));
  std::vector<std::string_view> columns = place_columns(scope);
  columns.insert(columns.end(), {"stream", "count", "busy_ns", "first_ns", "last_ns"});
  Section section = section_of("Streams", summary, std::move(table), columns);
  if (section.table.row_count() == 1) section.page.clear_rows();  // the device's own numbers once more
  return section;
}

Section describe_idle(Table table, const Scope& scope) {
  Table page = idle_page(table);
  const int64_t whole = sum_of(table, "total_ns");
  RowView longest = largest_of(table, "max_ns");
  const std::string who = (scope.several_devices ? "a " : "the ") + scope.device;
  std::string summary =
      scope.unknown_utilization.empty()
          ? fmt::format("Of {} in which {} was idle: ", format_ns(whole), who)
          : fmt::format("Of {} in which nothing is recorded of {}, which need not have been idle ({}): ",
                        format_ns(whole), who, scope.unknown_utilization);
  std::vector<std::string> causes;
  for (const NamedTime& cause : idle_causes(table)) {
    if (causes.size() == 3 || (!causes.empty() && cause.time < whole / 20)) break;
    std::string text = share_text(cause.time, whole) + " " + cause.name;
    if (const std::string_view meaning = meaning_of_cause(cause.name); !meaning.empty()) {
      text += fmt::format(" ({})", meaning);
    }
    causes.push_back(std::move(text));
  }
  summary += listed(causes) + ".";
  summary += fmt::format(" The longest single wait was {} of {}{}.", format_ns(integer_of(table, longest, "max_ns")),
                         text_of(table, longest, "cause"),
                         scope.several_devices ? " on " + place_of(table, longest, scope) : "");
  std::string cut;
  if (scope.several_devices) cut = "summed over the devices";
  return {"Idle time by cause", summary, std::move(table), std::move(page), cut};
}

Section describe_kernel_classes(Table table, const Scope&) {
  std::vector<NamedTime> classes;
  for (const RowView row : table.rows()) {
    classes.push_back({text_of(table, row, "class"), integer_of(table, row, "total_ns")});
  }
  const int64_t whole = sum_of(table, "total_ns");
  const std::string summary = fmt::format("Device ops ran {} in all (streams that overlap counted each): {}.",
                                          format_ns(whole), largest_shares(classes, whole, 4));
  return section_of("Kernel classes", summary, std::move(table), {"class", "pct", "total_ns", "count"}, 0);
}

Section describe_kernels(Table table, const Scope&) {
  RowView first = largest_of(table, "total_ns");
  const int64_t whole = sum_of(table, "total_ns");
  const int64_t count = integer_of(table, first, "count");
  const std::string summary =
      fmt::format("{} ran {}, {} in all. The largest, {} ({}), takes {} of that: {} of {} on average.",
                  counted(static_cast<int64_t>(table.row_count()), "kernel"), counted(sum_of(table, "count"), "time"),
                  format_ns(whole), quoted_name(brief_kernel_name(text_of(table, first, "name"))),
                  text_of(table, first, "class"), share_text(integer_of(table, first, "total_ns"), whole),
                  counted(count, "launch", "launches"), format_ns(number_of(table, first, "mean_ns")));
  return section_of(
      "Top kernels", summary, std::move(table),
      {"name", "class", "pct", "total_ns", "count", "mean_ns", "median_ns", "min_ns", "max_ns", "std_ns"});
}

Section describe_transfers(Table table, const Scope&) {
  std::map<std::string, NamedTime> kinds;
  std::map<std::string, int64_t> bytes;
  int64_t between_host = 0;
  int64_t pageable = 0;
  for (const RowView row : table.rows()) {
    const std::string kind = text_of(table, row, "kind");
    kinds[kind].name = kind;
    kinds[kind].time += integer_of(table, row, "total_ns");
    bytes[kind] += integer_of(table, row, "bytes");
    if (kind != "HtoD" && kind != "DtoH") continue;
    between_host += integer_of(table, row, "bytes");
    const bool slow =
        text_of(table, row, "src_memory") == "pageable" || text_of(table, row, "dst_memory") == "pageable";
    if (slow) pageable += integer_of(table, row, "bytes");
  }
  std::vector<std::string> parts;
  for (const auto& [kind, sum] : kinds) {
    std::string part = fmt::format("{} {}", kind == "unknown" ? "of unknown direction" : kind, format_ns(sum.time));
    if (bytes[kind] > 0) part += fmt::format(" for {}", format_bytes(bytes[kind]));
    parts.push_back(std::move(part));
  }
  std::string summary =
      fmt::format("{} took {}: {}.", counted(sum_of(table, "count"), "copy or memset", "copies and memsets"),
                  format_ns(sum_of(table, "total_ns")), listed(parts));
  if (pageable > 0) {
    summary += fmt::format(" Of the bytes between host and device, {} went through pageable memory.",
                           share_text(pageable, between_host));
  }
  return section_of("Transfers", summary, std::move(table),
                    {"kind", "src_memory", "dst_memory", "count", "bytes", "total_ns", "bandwidth", "mean_bytes"}, 0);
}

Section describe_collectives(Table table, const Scope&) {
  RowView first = largest_of(table, "total_ns");
  const int64_t whole = sum_of(table, "total_ns");
  std::string summary =
      fmt::format("{} took {} (sum of the durations on all ranks); {} takes {} of it",
                  counted(sum_of(table, "count"), "collective"), format_ns(whole), text_of(table, first, "name"),
                  share_text(integer_of(table, first, "total_ns"), whole));
  if (has_value(table, first, "bus_bandwidth")) {
    summary += fmt::format(", at {} of bus bandwidth", format_rate(number_of(table, first, "bus_bandwidth"), "GB/s"));
    if (has_value(table, first, "link_pct")) {
      summary += fmt::format(", {:.0f} % of the links between its devices", number_of(table, first, "link_pct"));
    }
  }
  summary += ".";
  if (const int64_t wait = sum_of(table, "wait_ns"); wait > 0) {
    summary += fmt::format(" Ranks waited {} in all for the last one to arrive.", format_ns(wait));
  }
  return section_of(
      "Collectives", summary, std::move(table),
      {"name", "ranks", "count", "total_ns", "bytes", "bus_bandwidth", "algo_bandwidth", "wait_ns", "group"});
}

Section describe_stragglers(Table table, const Scope& scope) {
  RowView first = largest_of(table, "caused_ns");
  const int64_t caused = integer_of(table, first, "caused_ns");
  const std::string who = place_of(table, first, scope);
  std::string summary = "Nobody waited for anybody.";
  if (caused > 0) {
    summary =
        fmt::format("{} began {} of its {} last; the others waited {} for it, {} of all waiting for the last one.", who,
                    integer_of(table, first, "last"), counted(integer_of(table, first, "count"), "collective"),
                    format_ns(caused), share_text(caused, sum_of(table, "caused_ns")));
    summary = capitalized(summary);
  }
  std::vector<std::string_view> columns = place_columns(scope);
  for (const std::string_view column : {"count", "last", "caused_ns", "pct", "wait_ns"}) columns.push_back(column);
  return section_of("Who keeps others waiting", summary, std::move(table), columns);
}

Section describe_rank_outliers(Table table, const Scope& scope) {
  RowView first = largest_of(table, "excess_ns");
  const std::string ranks = text_of(table, first, "ranks");
  const int64_t devices = integer_of(table, first, "devices");
  const bool one = devices == 1;
  const std::string who = one ? fmt::format("{} {} of rank {}", scope.device, integer_of(table, first, "device"), ranks)
                              : fmt::format("{} of ranks {}", counted(devices, scope.device), ranks);
  const std::string owner = as_words(text_of(table, first, "owner"));
  std::string summary = fmt::format(
      "{}{} {} {} more an iteration than usual for {}: {}, where the median is {}.", who,
      outlier_place(table, first.index()), one ? "takes" : "take", format_ns(integer_of(table, first, "excess_ns")),
      owner, format_ns(integer_of(table, first, "time_ns")), format_ns(integer_of(table, first, "usual_ns")));
  if (const int64_t caused = integer_of(table, first, "caused_ns"); caused > 0) {
    summary += fmt::format(" Others wait {} in all for {} an iteration.", format_ns(caused), one ? "it" : "them");
  }
  summary += fmt::format(" The profile to open is that of rank {}.", integer_of(table, first, "rank"));
  return section_of("Ranks that deviate", summary, std::move(table),
                    {"owner", "ranks", "devices", "scope", "host", "rack", "stage", "group", "group_kind", "excess_ns",
                     "usual_ns", "distance", "caused_ns", "rank"});
}

namespace {

/// "GPU 0", "the host of rank 3": whose memory a row is about.
std::string place_of_memory(const Table& table, RowView row, const Scope& scope) {
  const int64_t device = integer_of(table, row, "device");
  return (device < 0 ? "the host" : fmt::format("{} {}", scope.device, device)) +
         (varies(table, "rank") ? fmt::format(" of rank {}", integer_of(table, row, "rank")) : "");
}

}  // namespace

Section describe_memory(Table table, const Scope& scope) {
  RowView most = largest_of(table, "peak_allocated_bytes");
  std::string summary;
  if (has_value(table, most, "peak_allocated_bytes")) {
    summary =
        fmt::format("At its peak the allocator had {} in use on {}",
                    format_bytes(integer_of(table, most, "peak_allocated_bytes")), place_of_memory(table, most, scope));
    if (has_value(table, most, "peak_reserved_bytes")) {
      summary += fmt::format("; it held up to {}", format_bytes(integer_of(table, most, "peak_reserved_bytes")));
    }
    summary += ".";
  } else {
    summary = "The profile records the allocator's events without its totals.";
  }
  return section_of("Memory", summary, std::move(table),
                    {"rank", "device", "peak_allocated_bytes", "peak_reserved_bytes", "allocations"}, 16);
}

Section describe_memory_at_peak(Table table, const Scope& scope) {
  const RowView all = largest_of(table, "bytes");  // of the device that this is about
  std::optional<RowView> before;
  std::optional<RowView> most;
  for (const RowView row : table.rows()) {
    const bool is_elsewhere = integer_of(table, row, "device") != integer_of(table, all, "device") ||
                              integer_of(table, row, "rank") != integer_of(table, all, "rank");
    if (is_elsewhere) continue;
    std::optional<RowView>& first = has_value(table, row, "allocations") ? most : before;
    if (!first) first = row;  // rows are in order of their bytes
  }
  const auto share = [&](RowView row) {
    return fmt::format("{} ({:.0f} %)", format_bytes(integer_of(table, row, "bytes")), number_of(table, row, "pct"));
  };
  std::string summary = "On " + place_of_memory(table, all, scope);
  if (most) summary += fmt::format(", results of {} take most: {}", text_of(table, *most, "name"), share(*most));
  if (before) summary += fmt::format("{} {} was there before the recording", most ? ";" : ",", share(*before));
  summary += ". `cgpu table INPUT memory_at_peak --by frame` (or module) names the place in the model's code.";
  return section_of("What memory was in use at the peak", summary, std::move(table),
                    {"rank", "device", "time_ns", "name", "allocations", "bytes", "pct", "largest_bytes"});
}

}  // namespace cgpu
