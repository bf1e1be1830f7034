// Rules about how data is moved between host and device.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/common/name_rules.h"
#include "analysis/device/copy_metrics.h"
#include "analysis/device/device_ops.h"
#include "analysis/device/device_time.h"
#include "analysis/findings/copy_suggestions.h"
#include "analysis/findings/rule_context.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// The copies between host and device of a session.
struct Copies {
  int64_t count = 0;
  int64_t bytes = 0;
  int64_t time = 0;
  /// What those take whose call returns only after them, with that call, without what it waits for before the copy
  /// begins.
  int64_t cost_of_blocking = 0;
  int64_t blocked = 0;                     // ns in these calls
  std::map<std::string, int64_t> readers;  // of it in ops that wait for a value of the device, by name of the op
  int64_t pageable_bytes = 0;
  int64_t pageable_time = 0;
  int64_t small = 0;  // below Thresholds::small_copy
  int64_t small_time = 0;
  bool on_average = false;                        // whether it is only known how large copies are on average
  std::set<std::pair<int64_t, int32_t>> devices;  // rank, device
};

/// A copy whose call returns only after it. `busy_until`: when the ops that the device ran before it had ended; the
/// call waits for these first.
void add_blocking(const Timeline& timeline, SliceIndex copy, int64_t busy_until, Copies& copies) {
  const Slices& slices = timeline.slices;
  const SliceIndex call = launch_of(timeline, copy);
  if (call == kNone || slices.end(call) <= slices.start[copy]) return;
  const int64_t begin = std::max(slices.start[call], std::min(busy_until, slices.start[copy]));
  copies.cost_of_blocking += std::max(slices.end(copy), slices.end(call)) - std::min(begin, slices.start[copy]);
  copies.blocked += slices.duration[call];
  SliceIndex reader = kNone;  // the outermost: aten::item, not the op within it
  for (SliceIndex slice = slices.parent[call]; slice != kNone; slice = slices.parent[slice]) {
    if (is_in(NameList::reading_op, timeline.name(slice))) reader = slice;
  }
  if (reader == kNone) return;
  copies.readers[std::string(timeline.name(reader))] += slices.duration[call];
}

/// What each copy of a direction moved on average, of those that do not say it, where a call tree has counted that
/// (copy_metrics.h).
std::map<CopyKind, int64_t> mean_bytes_of(const Run& run) {
  std::map<CopyKind, int64_t> means;
  if (!run.call_tree) return means;
  const DeviceOps& ops = run.timeline.device_ops;
  std::map<CopyKind, int64_t> counts;
  for (OpIndex op = 0; op < ops.size(); ++op) counts[ops.copy[op]] += ops.bytes[op] < 0 ? 1 : 0;
  for (const auto& [kind, bytes] : copied_bytes(*run.call_tree)) {
    if (counts[kind] > 0) means[kind] = bytes / counts[kind];
  }
  return means;
}

Copies copies_of(const Session& session, double small_copy) {
  Copies copies;
  for (const Run& run : session.runs) {
    const DeviceOps& ops = run.timeline.device_ops;
    const Slices& slices = run.timeline.slices;
    const std::map<CopyKind, int64_t> mean_bytes = mean_bytes_of(run);
    for (auto& [device, of_device] : ops_by_device(run.timeline)) {
      std::vector<OpIndex> in_order = of_device;
      std::stable_sort(in_order.begin(), in_order.end(),
                       [&](OpIndex a, OpIndex b) { return slices.start[ops.slice[a]] < slices.start[ops.slice[b]]; });
      int64_t busy_until = INT64_MIN;
      for (const OpIndex op : in_order) {
        const SliceIndex slice = ops.slice[op];
        const int64_t busy_before = busy_until;
        busy_until = std::max(busy_until, slices.end(slice));
        if (ops.copy[op] != CopyKind::HtoD && ops.copy[op] != CopyKind::DtoH) continue;
        const int64_t time = slices.duration[slice];
        ++copies.count;
        copies.time += time;
        add_blocking(run.timeline, slice, busy_before, copies);
        copies.devices.emplace(run.rank, device);
        int64_t bytes = ops.bytes[op];
        if (const auto mean = mean_bytes.find(ops.copy[op]); bytes < 0 && mean != mean_bytes.end()) {
          bytes = mean->second;
          copies.on_average = true;
        }
        if (bytes > 0) copies.bytes += bytes;
        if (ops.source[op] == MemoryKind::pageable || ops.destination[op] == MemoryKind::pageable) {
          copies.pageable_bytes += std::max<int64_t>(bytes, 0);
          copies.pageable_time += time;
        }
        if (bytes >= 0 && static_cast<double>(bytes) < small_copy) {
          ++copies.small;
          copies.small_time += time;
        }
      }
    }
  }
  return copies;
}

/// ns in which devices only copy or set memory.
struct ExposedCopies {
  int64_t of_devices = 0;  // within devices or between them
  int64_t others = 0;
};

ExposedCopies exposed_copies(const Session& session) {
  ExposedCopies exposed;
  for (const Run& run : session.runs) {
    const DeviceOps& all = run.timeline.device_ops;
    for (const auto& [device, ops] : ops_by_device(run.timeline)) {
      std::vector<OpIndex> of_devices;
      std::ranges::copy_if(ops, std::back_inserter(of_devices), [&](OpIndex op) {
        return all.copy[op] == CopyKind::DtoD || all.copy[op] == CopyKind::PtoP;
      });
      const IntervalSet only_copying = device_time(run.timeline, ops).exposed_memory;
      const int64_t besides = only_copying.subtract(busy_time(run.timeline, of_devices)).length();
      exposed.others += besides;
      exposed.of_devices += only_copying.length() - besides;
    }
  }
  return exposed;
}

/// The row of `transfers` that takes the most time of those between host and device, or of those of devices alone.
struct CopyRoute {
  std::string kind;    // "HtoD"
  std::string memory;  // "pinned": of the host; "" of devices alone
  int64_t count = 0;
  int64_t bytes = 0;
  double rate = 0;  // GB/s; 0 where it is not known
  double peak = 0;
};

CopyRoute longest_route(RuleContext& context, bool of_devices) {
  const Table& transfers = context.table("transfers");
  const auto number = [&](const RowView& row, const char* name) {
    const Cell cell = row[transfers.column(name)];
    const auto* real = std::get_if<double>(&cell);
    const auto* integer = std::get_if<int64_t>(&cell);
    return real != nullptr ? *real : integer != nullptr ? static_cast<double>(*integer) : 0.0;
  };
  CopyRoute route;
  double most = 0;
  for (const RowView row : transfers.rows()) {
    const auto kind = std::get<std::string>(row[transfers.column("kind")]);
    const bool counts = of_devices ? kind == "DtoD" || kind == "PtoP" : kind == "HtoD" || kind == "DtoH";
    if (!counts || number(row, "total_ns") <= most) continue;
    most = number(row, "total_ns");
    const Cell memory = of_devices ? Cell() : row[transfers.column(kind == "HtoD" ? "src_memory" : "dst_memory")];
    route = {kind,
             of_devices ? "" : std::get<std::string>(memory),
             static_cast<int64_t>(number(row, "count")),
             static_cast<int64_t>(number(row, "bytes")),
             number(row, "bandwidth"),
             number(row, "peak_bandwidth")};
  }
  return route;
}

std::string text_of(const CopyRoute& route) {
  if (route.count == 0) return "";
  std::string text = fmt::format("; most of it {} {}", format_count(route.count), route.kind);
  if (!route.memory.empty() && route.memory != text_of(MemoryKind::unknown))
    text += fmt::format(" of {} memory", route.memory);
  if (route.bytes > 0) text += fmt::format(", {} each", format_bytes(route.bytes / route.count));
  if (route.rate > 0) text += fmt::format(", at {}", format_rate(route.rate, "GB/s"));
  if (route.peak > 0) {
    text += fmt::format(" ({}: {})", route.kind == "DtoD" ? "the memory, read and written" : "its link",
                        format_rate(route.peak, "GB/s"));
  }
  return text;
}

std::string text_of(const std::set<std::pair<int64_t, int32_t>>& devices, size_t ranks) {
  std::vector<std::string> names;
  for (const auto& [rank, device] : devices) {
    names.push_back(ranks > 1 ? fmt::format("rank {} device {}", rank, device) : fmt::format("{}", device));
  }
  return fmt::format("; device{} {}", ranks == 1 && names.size() > 1 ? "s" : "", fmt::join(names, ", "));
}

/// Copies that take longer than all the rest: nothing could hide all of them. The best that is known is to hide what
/// the devices do beside them, or to copy at twice the rate.
void bound_what_can_be_hidden(RuleContext& context, Finding& finding) {
  const int64_t copying = context.path(BoundBy::memory).total;
  if (2 * copying <= context.measured()) return;
  const int64_t hidden = std::min(context.measured() - copying, context.books().other_work_than_copies());
  const int64_t faster = copying / 2;
  finding.gain = std::max(hidden, faster);
  finding.gain_without_rest = faster;
  finding.recoverable_low = std::min(hidden, faster);
  finding.title =
      fmt::format("{} of the time the run waits for copies", format_percent(100 * context.path_share(BoundBy::memory)));
  finding.evidence += fmt::format("; at twice the rate {} less, beside what the devices do otherwise {} at most",
                                  context.of_step(faster), context.of_step(hidden));
  finding.suggestion =
      "Copy less, or keep the data on the device: there is too little other work to hide these copies beside. Look "
      "whether they reach the rate of the link (page-locked memory, the memory of the processor next to the device, no "
      "other device on the same link)";
  finding.confidence = context.hides_launches() ? Confidence::low : Confidence::medium;  // they may be at that rate
}

/// Whether the profile has device ops of other kinds than copies.
bool has_other_work(const Session& session) {
  return std::ranges::any_of(session.runs, [](const Run& run) {
    return std::ranges::any_of(run.timeline.device_ops.kind, [](OpKind kind) { return kind != OpKind::memory; });
  });
}

}  // namespace

void find_copies(RuleContext& context, std::vector<Finding>& findings) {
  // Of copies alone it is not known what they could be hidden beside.
  if (!context.has_device_ops() || !has_other_work(context.session())) return;
  const double waiting = context.path_share(IdleCause::blocking_copy);
  const double copying = context.path_share(BoundBy::memory);
  const EdgeTimes::Scenario not_blocking = removed({IdleCause::blocking_copy});
  const EdgeTimes::Scenario at_once = removed({BoundBy::memory});
  EdgeTimes::Scenario gone;  // what copies cost is also what the host does only after those that block it
  gone.removed = not_blocking.removed | at_once.removed;
  const int64_t gain = context.gain_of(gone);
  const auto is_noticeable = [&](int64_t time) {
    return static_cast<double>(time) >= context.thresholds().noticeable * static_cast<double>(context.measured());
  };
  const Copies copies = copies_of(context.session(), context.thresholds().small_copy);
  EdgeTimes::Scenario packed = gone;  // and with them their calls and the ops around these
  packed.removed.set(kOfSmallCopies);
  const bool are_small =
      static_cast<double>(copies.small) >= context.thresholds().many_copies && 2 * copies.small > copies.count;
  const int64_t gain_of_packed = are_small ? context.gain_of(packed) : 0;
  const bool calls_matter = is_noticeable(gain_of_packed - gain);
  if (!calls_matter && !is_noticeable(gain) && waiting + copying < context.thresholds().noticeable) return;
  const CopyRoute route = longest_route(context, false);
  const std::string moved =
      fmt::format("{} copies between host and device, {}{}{}{}", copies.count,
                  copies.bytes > 0 ? format_bytes(copies.bytes) + " in " : "", context.in_all(copies.time),
                  text_of(route), text_of(copies.devices, context.session().runs.size()));
  Finding finding{
      .rule = "exposed_copies",
      .title = std::string(kShareOfTime) + " the run waits for copies",
      .evidence = fmt::format(
          "{} on the critical path; {}",
          context.per_step(context.path(BoundBy::memory).total + context.path(IdleCause::blocking_copy).total), moved),
      .suggestion = kCopyBesideKernels,
      .command = "transfers",
      .confidence = Confidence::high,
      .time = (copying > waiting ? context.path(BoundBy::memory) : context.path(IdleCause::blocking_copy)).longest,
      .remedy = gone};
  const auto blocking = [&] {
    finding.rule = "blocking_copies";
    finding.title = std::string(kShareOfTime) + " is lost because the host waits for copies that block it";
    finding.suggestion =
        "Copy without blocking (cudaMemcpyAsync, non_blocking=True, page-locked memory), and wait only "
        "where the data is used";
    int64_t in_readers = 0;
    for (const auto& [name, time] : copies.readers) in_readers += time;
    if (2 * in_readers <= copies.blocked) return;
    const auto most = std::ranges::max_element(copies.readers, {}, [](const auto& reader) { return reader.second; });
    finding.title = std::string(kShareOfTime) + " is lost because the host waits for values of the device, mostly in " +
                    most->first;
    finding.suggestion =
        "Read values of the device less often, or those of an earlier step: an op whose result the host needs cannot be "
        "made non-blocking. Keep conditions and counts on the device (torch.where, masks in place of nonzero and of "
        "indexing by booleans, output of a known size)";
  };
  const int64_t without_wait = context.gain_of(not_blocking);
  const bool is_waiting = 2 * without_wait > gain;
  const ExposedCopies exposed = is_waiting ? ExposedCopies{} : exposed_copies(context.session());
  if (exposed.of_devices > exposed.others) {
    finding.title = std::string(kShareOfTime) + " the run waits for copies within devices or between them";
    finding.evidence =
        fmt::format("{} on the critical path{}; devices only copy for {}, {} of it within or between them",
                    context.per_step(context.path(BoundBy::memory).total), text_of(longest_route(context, true)),
                    context.in_all(exposed.others + exposed.of_devices), format_ns(exposed.of_devices));
    finding.suggestion =
        "Copy less on the device: write results where they are needed (out=, buffers that are used again), views in the "
        "place of copies (contiguous, clone, cat, repeat), layouts that the next op takes as they are";
    finding.time = context.path(BoundBy::memory).longest;
  } else if (2 * copies.cost_of_blocking < without_wait && is_waiting) {
    // Not the copies: their calls wait for what the device does before, and the host goes on only then.
    blocking();
    const std::string culprit = context.culprit_of("host_code").text();
    finding.evidence = fmt::format(
        "{} could go on beside the device if the host did not wait in these calls, which take {} without that wait; {}",
        context.per_step(gain), context.in_all(copies.cost_of_blocking), moved);
    if (!culprit.empty()) finding.evidence += fmt::format("; after them the host does most in {}", culprit);
    // A stall of the host after them is a finding of its own, which comes first.
    const PathShare& code = context.path(IdleCause::host_code);
    if (2 * code.in_long_stretches > code.total) finding.confidence = Confidence::medium;
    finding.counted_last = true;  // a host that never waits hides what else it does
    finding.remedy = not_blocking;
  } else if (are_small && (calls_matter || 2 * copies.small_time > copies.time) &&
             static_cast<double>(gain_of_packed) <
                 context.thresholds().small_copy_cost * static_cast<double>(copies.small)) {
    finding.rule = "small_copies";
    finding.title = std::string(kShareOfTime) + " the run waits for copies, most of them small";
    finding.evidence += fmt::format(
        "; {} of them below 64 KiB{}, which would be gone with their calls and the ops around them if they were packed",
        copies.small, copies.on_average ? " on average" : "");
    finding.suggestion = kPackCopies;
    finding.precedence = 1.1;  // what the host does for each of them is the pace of the host, too
    finding.remedy = packed;
  } else if (2 * copies.pageable_time > copies.time && copies.pageable_time > 0) {
    finding.rule = "pageable_copies";
    finding.title = std::string(kShareOfTime) + " the run waits for copies of pageable memory";
    finding.evidence += fmt::format(
        "; {} of it pageable, at {}", format_bytes(copies.pageable_bytes),
        format_rate(static_cast<double>(copies.pageable_bytes) / static_cast<double>(copies.pageable_time), "GB/s"));
    finding.suggestion =
        "Use page-locked memory (pin_memory=True, cudaHostAlloc) with copies that do not block "
        "(non_blocking=True): they run beside kernels, at the speed of the link";
  } else if (without_wait > context.gain_of(at_once)) {
    blocking();
  } else {
    bound_what_can_be_hidden(context, finding);
  }
  findings.push_back(std::move(finding));
}

}  // namespace cgpu
