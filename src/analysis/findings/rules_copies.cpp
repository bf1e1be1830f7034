// Rules about how data is moved between host and device.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/common/name_rules.h"
#include "analysis/device/device_ops.h"
#include "analysis/device/device_time.h"
#include "analysis/findings/copy_suggestions.h"
#include "analysis/findings/host_copies.h"
#include "analysis/findings/rule_context.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// Sums over the copies between host and device that are judged.
struct Copies {
  explicit Copies(const std::vector<HostCopy>& copies) : all(copies) {}

  const std::vector<HostCopy>& all;
  int64_t count = 0;
  int64_t bytes = 0;
  int64_t time = 0;
  int64_t cost = 0;
  int64_t cost_of_blocking = 0;            // of those whose call returns only after them
  int64_t blocked = 0;                     // ns in these calls
  std::map<std::string, int64_t> readers;  // of it in ops that wait for a value of the device, by name of the op
  int64_t pageable_bytes = 0;
  int64_t pageable_time = 0;
  int64_t pageable_cost = 0;
  int64_t small = 0;  // below Thresholds::small_copy
  int64_t small_cost = 0;
  int64_t values = 0;  // of these to the host, each alone, so that nothing can be packed with it, and waited for
  int64_t value_bytes = 0;
  int64_t cost_of_values = 0;
  bool on_average = false;                        // whether it is only known how large copies are on average
  std::set<std::pair<int64_t, int32_t>> devices;  // rank, device
};

/// A copy whose call returns only after it.
void add_blocking(const Timeline& timeline, const HostCopy& copy, Copies& copies) {
  const Slices& slices = timeline.slices;
  if (copy.call == kNone || slices.end(copy.call) <= slices.start[copy.slice]) return;
  copies.cost_of_blocking += copy.cost;
  copies.blocked += slices.duration[copy.call];
  SliceIndex reader = kNone;  // the outermost: aten::item, not the op within it
  for (SliceIndex slice = slices.parent[copy.call]; slice != kNone; slice = slices.parent[slice]) {
    if (is_in(NameList::reading_op, timeline.name(slice))) reader = slice;
  }
  if (reader == kNone) return;
  copies.readers[std::string(timeline.name(reader))] += slices.duration[copy.call];
}

Copies copies_of(RuleContext& context) {
  const double small_copy = context.thresholds().small_copy;
  Copies copies(context.host_copies());
  for (const HostCopy& copy : copies.all) {
    const Run& run = context.session().runs[copy.run];
    const int64_t bytes = std::max<int64_t>(copy.bytes, 0);
    ++copies.count;
    copies.time += copy.time;
    copies.cost += copy.cost;
    copies.bytes += bytes;
    copies.on_average = copies.on_average || copy.is_mean;
    copies.devices.emplace(run.rank, copy.device);
    add_blocking(run.timeline, copy, copies);
    if (copy.memory == MemoryKind::pageable) {
      copies.pageable_bytes += bytes;
      copies.pageable_time += copy.time;
      copies.pageable_cost += copy.cost;
    }
    if (copy.bytes < 0 || static_cast<double>(copy.bytes) >= small_copy) continue;
    ++copies.small;
    copies.small_cost += copy.cost;
    if (copy.kind != CopyKind::DtoH || !copy.blocks || copy.has_neighbour) continue;
    ++copies.values;
    copies.value_bytes += bytes;
    copies.cost_of_values += copy.cost;
  }
  return copies;
}

/// What copies of this kind take at the rate of the link, as a part of their time; half of it where the link is not
/// known.
struct BestRate {
  double part = 0.5;
  bool is_known = false;
};

BestRate best_rate_of(const std::vector<HostCopy>& copies) {
  int64_t time = 0;
  double least = 0;
  for (const HostCopy& copy : copies) {
    if (copy.link <= 0 || copy.bytes < 0) continue;
    time += copy.time;
    least += std::min(static_cast<double>(copy.time), static_cast<double>(copy.bytes) / copy.link);
  }
  if (time == 0) return {};
  return {least / static_cast<double>(time), true};
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

/// Copies of one direction and one kind of memory.
struct CopyRoute {
  std::string kind;    // "HtoD"
  std::string memory;  // "pinned": of the host; "" of devices alone
  int64_t count = 0;
  int64_t bytes = 0;
  double rate = 0;  // GB/s; 0 where it is not known
  double peak = 0;
};

/// The copies between host and device that cost most.
CopyRoute costliest_route(const std::vector<HostCopy>& copies) {
  struct Sums {
    int64_t cost = 0;
    int64_t count = 0;
    int64_t bytes = 0;
    int64_t time = 0;  // of those that say their bytes
    double peak = 0;
  };
  std::map<std::pair<CopyKind, MemoryKind>, Sums> routes;
  for (const HostCopy& copy : copies) {
    Sums& sums = routes[{copy.kind, copy.memory}];
    sums.cost += copy.cost;
    ++sums.count;
    if (sums.count == 1) sums.peak = copy.link;
    if (copy.bytes < 0) continue;
    sums.bytes += copy.bytes;
    sums.time += copy.time;
  }
  const auto most = std::ranges::max_element(routes, {}, [](const auto& route) { return route.second.cost; });
  if (most == routes.end()) return {};
  const Sums& sums = most->second;
  return {text_of(most->first.first),
          text_of(most->first.second),
          sums.count,
          sums.bytes,
          sums.time > 0 ? static_cast<double>(sums.bytes) / static_cast<double>(sums.time) : 0,
          sums.peak};
}

/// The row of `transfers` that takes the most time of those of devices alone.
CopyRoute longest_route_of_devices(RuleContext& context) {
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
    if ((kind != "DtoD" && kind != "PtoP") || number(row, "total_ns") <= most) continue;
    most = number(row, "total_ns");
    route = {kind,
             "",
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

/// What part of the time of all copies those of the direction take that has most. Each direction has an engine of its
/// own: copies of the other one can run beside them.
double part_of_longest_direction(const std::vector<HostCopy>& copies) {
  std::map<CopyKind, int64_t> times;
  int64_t all = 0;
  int64_t longest = 0;
  for (const HostCopy& copy : copies) {
    all += copy.time;
    longest = std::max(longest, times[copy.kind] += copy.time);
  }
  return all > 0 ? static_cast<double>(longest) / static_cast<double>(all) : 1;
}

/// What of the judged time lies before the first copy of the direction that has most, or after its last one: no copy
/// can be hidden beside it. 0 of several periods, whose neighbours can.
int64_t time_without_copies(RuleContext& context, const std::vector<HostCopy>& copies) {
  const JudgedPeriods& judged = context.judged();
  if (judged.periods.size() != 1 || copies.empty()) return 0;
  const SessionFacts& facts = context.facts();
  struct OfDirection {
    int64_t time = 0;
    Interval span{INT64_MAX, INT64_MIN};
  };
  std::map<CopyKind, OfDirection> directions;
  for (const HostCopy& copy : copies) {
    const Slices& slices = context.session().runs[copy.run].timeline.slices;
    const int64_t zero = facts.whole().dependencies().zero(facts.place_in_whole(copy.run));
    OfDirection& direction = directions[copy.kind];
    direction.time += copy.time;
    direction.span.begin = std::min(direction.span.begin, slices.start[copy.slice] - zero);
    direction.span.end = std::max(direction.span.end, slices.end(copy.slice) - zero);
  }
  const auto most = std::ranges::max_element(directions, {}, [](const auto& each) { return each.second.time; });
  const Interval& span = most->second.span;
  const Period& period = judged.periods.front();
  return std::max<int64_t>(span.begin - period.begin, 0) + std::max<int64_t>(period.end - span.end, 0);
}

/// From this part of the rate of a link on nothing makes a copy faster: its packets and the protocol take the rest.
constexpr double kFullLink = 0.7;

/// Copies of one direction that take longer than all the rest: nothing could hide all of them. The best that is known
/// is to hide what the devices do beside them, or to copy at the rate of the link; at twice the rate where that is not
/// known.
void bound_what_can_be_hidden(RuleContext& context, const Copies& copies, Finding& finding) {
  const int64_t copying = context.path(BoundBy::memory).total;
  const auto longest =
      static_cast<int64_t>(std::llround(static_cast<double>(copying) * part_of_longest_direction(copies.all)));
  if (copying + longest <= context.measured()) return;
  const int64_t besides = context.measured() - longest - time_without_copies(context, copies.all);
  const int64_t hidden = std::clamp<int64_t>(besides, 0, context.books().other_work_than_copies() + copying - longest);
  const BestRate best = best_rate_of(copies.all);
  const bool is_full = best.is_known && best.part >= kFullLink;
  const int64_t faster =
      is_full ? 0 : static_cast<int64_t>(std::llround(static_cast<double>(copying) * (1 - best.part)));
  finding.title =
      fmt::format("{} of the time the run waits for copies", format_percent(100 * context.path_share(BoundBy::memory)));
  const std::string of_link = fmt::format("{} of the rate of the link", format_percent(100 * best.part));
  const int64_t gain = std::max(hidden, faster);
  if (static_cast<double>(gain) < context.thresholds().noticeable * static_cast<double>(context.measured())) {
    finding.title += ", and the link between host and device bounds it";
    finding.evidence +=
        fmt::format("; these copies reach {}, and the devices do too little else to hide them", of_link);
    finding.suggestion = kSendLess;
    finding.remedy.reset();
    finding.severity = Severity::info;
    return;
  }
  finding.gain = gain;
  finding.gain_without_rest = faster;
  finding.recoverable_low = is_full ? gain : std::min(hidden, faster);
  const std::string beside = fmt::format("beside what the devices do otherwise {} at most", context.of_step(hidden));
  if (is_full) {
    finding.evidence += fmt::format("; these copies reach {}, so that they cannot be faster; {}", of_link, beside);
  } else if (best.is_known) {
    finding.evidence +=
        fmt::format("; these copies reach {}: at all of it {} less, {}", of_link, context.of_step(faster), beside);
  } else {
    finding.evidence +=
        fmt::format("; the rate of the link is not known: if these copies reach half of it, {} less, {}",
                    context.of_step(faster), beside);
  }
  finding.suggestion = std::string(kSendLess) + ": there is too little other work to hide these copies beside";
  if (!is_full) {
    finding.suggestion +=
        ". Look whether they reach the rate of the link (page-locked memory, the memory of the processor next to the "
        "device, no other device on the same link)";
  }
  // They may be at the rate of the link.
  finding.confidence = !best.is_known || context.hides_launches() ? Confidence::low : Confidence::medium;
}

/// What part of what pageable copies cost is sure to be saved with page-locked memory in the same stream, for which the
/// host still waits: their rate rises to what page-locked memory reaches. Where the link is not known, to twice the
/// rate.
double saved_by_rate(const std::vector<HostCopy>& copies) {
  double cost = 0;
  double least = 0;
  for (const HostCopy& copy : copies) {
    if (copy.memory != MemoryKind::pageable) continue;
    const auto time = static_cast<double>(copy.time);
    cost += static_cast<double>(copy.cost);
    least += copy.link > 0 && copy.bytes >= 0
                 ? std::min(time, static_cast<double>(copy.bytes) / (kFullLink * copy.link))
                 : time / 2;
  }
  return cost > 0 ? 1 - least / cost : 0;
}

/// The causes of lost time that have names of their own.
BoundKinds named_causes() {
  BoundKinds kinds;
  kinds.set(kLongHostCode);
  for (const IdleCause cause :
       {IdleCause::data_loading, IdleCause::allocation, IdleCause::module_load, IdleCause::compilation,
        IdleCause::garbage_collection, IdleCause::lock, IdleCause::io, IdleCause::not_scheduled}) {
    kinds.set(BoundBy(cause).number());
  }
  return kinds;
}

/// What it gives not to wait for copies where the named causes are gone: the host then has less to do meanwhile.
int64_t gain_besides_named(RuleContext& context, const EdgeTimes::Scenario& not_blocking) {
  EdgeTimes::Scenario named;
  named.removed = named_causes();
  EdgeTimes::Scenario both = not_blocking;
  both.removed |= named.removed;
  return context.gain_of(both) - context.gain_of(named);
}

/// Whether the profile has device ops of other kinds than copies.
bool has_other_work(const Session& session) {
  return std::ranges::any_of(session.runs, [](const Run& run) {
    return std::ranges::any_of(run.timeline.device_ops.kind, [](OpKind kind) { return kind != OpKind::memory; });
  });
}

/// Pages of managed memory: a kernel that touches one that is not there waits for it.
void find_migrations(RuleContext& context, const Migrations& migrations, std::vector<Finding>& findings) {
  const int64_t beside = migrations.time - migrations.exposed;
  if (static_cast<double>(migrations.time) < context.thresholds().noticeable * static_cast<double>(context.measured()))
    return;
  Finding finding{.rule = "exposed_copies",
                  .title = std::string(kShareOfTime) +
                           " the run waits for pages of managed memory that move between host and device",
                  .evidence = fmt::format("{}, {} in {}", format_count(migrations.count, "migration", "migrations"),
                                          format_bytes(migrations.bytes), context.in_all(migrations.time)),
                  .suggestion = kPrefetchPages,
                  .command = "transfers",
                  .confidence = 2 * beside > migrations.time ? Confidence::low : Confidence::medium,
                  .time = context.path(BoundBy::memory).longest,
                  .remedy = removed({BoundBy::memory})};
  if (beside > 0) {
    finding.evidence +=
        fmt::format(", {} of it while kernels ran, which wait for the pages that they touch", format_ns(beside));
  }
  finding.gain = migrations.time;
  finding.recoverable_low = migrations.exposed;
  findings.push_back(std::move(finding));
}

}  // namespace

void find_copies(RuleContext& context, std::vector<Finding>& findings) {
  // Of copies alone it is not known what they could be hidden beside.
  if (!context.has_device_ops() || !has_other_work(context.session())) return;
  const Copies copies = copies_of(context);
  if (const Migrations migrations = judged_migrations(context); migrations.time > copies.time) {
    return find_migrations(context, migrations, findings);
  }
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
  EdgeTimes::Scenario packed = gone;  // and with them their calls and the ops around these
  packed.removed.set(kOfSmallCopies);
  const bool are_small =
      static_cast<double>(copies.small) >= context.thresholds().many_copies && 2 * copies.small > copies.count;
  const int64_t gain_of_packed = are_small ? context.gain_of(packed) : 0;
  const bool calls_matter = is_noticeable(gain_of_packed - gain);
  if (!calls_matter && !is_noticeable(gain) && waiting + copying < context.thresholds().noticeable) return;
  const CopyRoute route = costliest_route(copies.all);
  const std::string moved =
      fmt::format("{} between host and device, {}{}{}{}", format_count(copies.count, "copy", "copies"),
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
  const bool are_values = 2 * copies.cost_of_values > copies.small_cost && 2 * copies.small_cost > copies.cost;
  const auto blocking = [&] {
    finding.rule = "blocking_copies";
    finding.title = std::string(kShareOfTime) + " is lost because the host waits for copies that block it";
    finding.suggestion = kCopyWithoutBlocking;
    int64_t in_readers = 0;
    for (const auto& [name, time] : copies.readers) in_readers += time;
    if (2 * in_readers > copies.blocked) {
      const auto most = std::ranges::max_element(copies.readers, {}, [](const auto& reader) { return reader.second; });
      finding.title = std::string(kShareOfTime) +
                      " is lost because the host waits for values of the device, mostly in " + most->first;
      finding.suggestion = kReadValuesLess;
    } else if (are_values) {
      finding.title =
          std::string(kShareOfTime) +
          fmt::format(" is lost because the host waits for values of the device: {} of {} on average",
                      format_count(copies.values, "copy", "copies"), format_bytes(copies.value_bytes / copies.values));
      finding.suggestion = kReadEarlierValues;
    }
  };
  const int64_t without_wait = context.gain_of(not_blocking);
  const bool is_waiting = 2 * without_wait > gain;
  // Copies by which values are read go with the waits for them, in the finding `synchronization`.
  if (!is_waiting && read_values(copies.all, context.thresholds().small_copy).are_nearly_all) return;
  const ExposedCopies exposed = is_waiting ? ExposedCopies{} : exposed_copies(context.session());
  const bool waits_for_others = is_waiting && 2 * copies.cost_of_blocking < without_wait &&
                                (!is_noticeable(copies.cost_of_blocking) ||
                                 2 * copies.cost_of_blocking < gain_besides_named(context, not_blocking));
  if (exposed.of_devices > exposed.others) {
    finding.title = std::string(kShareOfTime) + " the run waits for copies within devices or between them";
    finding.evidence =
        fmt::format("{} on the critical path{}; devices only copy for {}, {} of it within or between them",
                    context.per_step(context.path(BoundBy::memory).total), text_of(longest_route_of_devices(context)),
                    context.in_all(exposed.others + exposed.of_devices), format_ns(exposed.of_devices));
    finding.suggestion = kCopyLessOnDevice;
    finding.time = context.path(BoundBy::memory).longest;
  } else if (waits_for_others) {
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
  } else if (are_values && is_waiting) {
    blocking();
    finding.counted_last = is_noticeable(context.path_of(named_causes()));  // what the host does meanwhile is theirs
  } else if (are_small && !are_values && (calls_matter || 2 * copies.small_cost > copies.cost) &&
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
  } else if (2 * copies.pageable_cost > copies.cost) {
    finding.rule = "pageable_copies";
    finding.title = std::string(kShareOfTime) + " the run waits for copies of pageable memory";
    finding.evidence += fmt::format(
        "; {} of it pageable, at {}", format_bytes(copies.pageable_bytes),
        format_rate(static_cast<double>(copies.pageable_bytes) / static_cast<double>(copies.pageable_time), "GB/s"));
    finding.suggestion = kPageLock;
    // The copies and their calls. That the host goes on instead of waiting for kernels is no matter of the memory.
    finding.remedy = at_once;
    finding.remedy->removed.set(kTimeOfCopyCalls);
    finding.recoverable_low = static_cast<int64_t>(
        std::llround(static_cast<double>(context.gain_of(*finding.remedy)) * saved_by_rate(copies.all)));
  } else if (without_wait > context.gain_of(at_once)) {
    blocking();
  } else {
    bound_what_can_be_hidden(context, copies, finding);
  }
  findings.push_back(std::move(finding));
}

}  // namespace cgpu
