#include "comparison/words/device_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "links/recorded_work.h"
#include "model/unknown_utilization.h"
#include "table/units.h"

namespace cgpu {

DeviceModels models_of(const Comparison& comparison, Side side) {
  DeviceModels models;
  for (const Run& run : comparison.facts(side).session().runs) models.add(run);
  return models;
}

namespace {

/// What a device did for most of its time, and for how much of it.
struct Bound {
  const char* by = "";
  double pct = 0;
};

Bound bound_of(const Comparison& comparison, Side side) {
  const DeviceActivity& activity = comparison.activity(side);
  const std::array<std::pair<const char*, int64_t>, 4> parts = {
      {{"idle", activity.idle},
       {"compute", activity.compute},
       {"exposed communication", activity.exposed_communication},
       {"exposed copies", activity.exposed_memory}}};
  const auto largest =
      std::max_element(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const int64_t time = comparison.totals(side).time;
  return {largest->first, time == 0 ? 0 : 100.0 * static_cast<double>(largest->second) / static_cast<double>(time)};
}

std::string peaks_text(const DevicePeaks& peaks) {
  std::string text;
  if (peaks.memory_bandwidth) text += "memory " + format_rate(*peaks.memory_bandwidth, "B/s");
  for (const std::string_view wanted : {"bf16", "fp16", "fp32"}) {
    const auto found =
        std::find_if(peaks.flops.begin(), peaks.flops.end(), [&](const PeakRate& rate) { return rate.type == wanted; });
    if (found == peaks.flops.end()) continue;
    return text + fmt::format("{}{} {}", text.empty() ? "" : ", ", wanted, format_rate(found->flops, "FLOP/s"));
  }
  return text;
}

/// How much of the peak rate of the matrix units ops with device work of their own reach, weighted by that work.
struct Use {
  int64_t ns = 0;
  double pct_ns = 0;
};

Use use_of(const Table& shapes) {
  Use use;
  for (size_t row = 0; row < shapes.row_count(); ++row) {
    const Cell pct = shapes.cell(row, shapes.column("flops_pct"));
    const auto own = std::get<int64_t>(shapes.cell(row, shapes.column("device_self_ns")));
    // Of ops inside of each other, which have the same work, the innermost.
    if (!std::holds_alternative<double>(pct) || own == 0) continue;
    if (own != std::get<int64_t>(shapes.cell(row, shapes.column("device_total_ns")))) continue;
    use.ns += own;
    use.pct_ns += std::get<double>(pct) * static_cast<double>(own);
  }
  return use;
}

std::string use_words(const Comparison& comparison) {
  const PerSide<Use> use{use_of(comparison.op_shapes(Side::a)), use_of(comparison.op_shapes(Side::b))};
  if (use.a.ns == 0 || use.b.ns == 0) return {};
  const auto pct = [&](Side side) { return use[side].pct_ns / static_cast<double>(use[side].ns); };
  return fmt::format("Ops of matrix units reach {} -> {} of the peak rate of their device (--table shapes has each).\n",
                     format_percent(pct(Side::a)), format_percent(pct(Side::b)));
}

/// Whether calls of a GPU runtime or driver are in the profile of a side.
bool has_device_calls(const Comparison& comparison, Side side) {
  return std::ranges::any_of(comparison.original(side).session().runs,
                             [](const Run& run) { return has_calls(run.timeline); });
}

/// "A used a device": what the profile of a host says of devices without recorded work; "" where it says nothing.
/// That it describes the devices of the machine does not tell whether they were used.
std::string device_of_host(const Comparison& comparison, Side side) {
  const char* name = side == Side::a ? "A" : "B";
  if (has_device_calls(comparison, side)) {
    return fmt::format(
        "{} used a device without a record of its work: its ops may only have started work, or "
        "waited for it.\n",
        name);
  }
  const bool has_device = std::ranges::any_of(comparison.original(side).session().runs,
                                              [](const Run& run) { return !run.devices.empty(); });
  if (!has_device) return {};
  return fmt::format(
      "The machine of {} has a device without a record of its work: if its ops used it, they only "
      "started work there, or waited for it.\n",
      name);
}

/// What is compared where the host is the device of a side.
std::string host_words(const Comparison& comparison) {
  const auto name = [](Side side) { return side == Side::a ? "A" : "B"; };
  std::string text;
  if (!comparison.is_host_vs_device()) {
    const bool of_ops = comparison.host(Side::a)->unit() == HostUnit::framework_ops;
    text = fmt::format(
        "Neither has device work: what is compared is the time that threads of the host spend in {}, and in none "
        "inside of {}.\n",
        of_ops ? "an op" : "a function or range", of_ops ? "it" : "that");
  } else {
    const Side on_host = comparison.host(Side::a) != nullptr ? Side::a : Side::b;
    const std::string model = models_of(comparison, other(on_host)).only();
    text = fmt::format(
        "{0} ran its ops on the CPU, {1} on {2}: the time that threads of {0} spend in an op, and in none inside of "
        "it, is compared with the time of the device work of the same op in {1}.\n",
        name(on_host), name(other(on_host)), model.empty() ? "a device" : model);
  }
  for (const Side side : kSides) {
    if (comparison.host(side) != nullptr) text += device_of_host(comparison, side);
  }
  return text;
}

/// Of which side it is not known how busy its devices were, and why.
std::string unknown_utilization_words(const Comparison& comparison) {
  std::string text;
  for (const Side side : kSides) {
    const std::string why = why_utilization_is_unknown(comparison.facts(side).session());
    if (why.empty()) continue;
    text += fmt::format("How busy the devices of {} were is not known: {}. Its idle time need not be any.\n",
                        side == Side::a ? "A" : "B", why);
  }
  return text;
}

/// How many of the ops that lie in no other one both sides have.
std::string op_words(const Comparison& comparison) {
  PerSide<int64_t> ops;
  PerSide<int64_t> of_both;
  for (const Comparison::Group& group : comparison.groups()) {
    const Alignment::TopLevel& top = group.alignment->top_level();
    for (const Side side : kSides) {
      ops[side] += top.ops[side];
      of_both[side] += top.aligned[side];
    }
  }
  // A top-level op of one side may be inside of one of the other.
  return fmt::format("Top-level ops: {} -> {}, matched {} -> {}.\n", ops.a, ops.b, of_both.a, of_both.b);
}

}  // namespace

std::string unrecorded_device_words(const Comparison& comparison) {
  if (!comparison.is_host_vs_device()) return {};
  const Side on_host = comparison.host(Side::a) != nullptr ? Side::a : Side::b;
  if (!has_device_calls(comparison, on_host)) return {};
  return fmt::format(
      "{0} used a device without a record of its work: its ops only started work there or waited for it, so that their "
      "times cannot be compared with the times of the device in {1}. Record the work of the device in {0}, too.\n",
      on_host == Side::a ? "A" : "B", on_host == Side::a ? "B" : "A");
}

std::string device_words(const Comparison& comparison) {
  if (comparison.host(Side::a) != nullptr || comparison.host(Side::b) != nullptr) {
    const auto busy = [&](Side side) {
      const int64_t time = comparison.totals(side).time;
      const double pct =
          time == 0 ? 0 : 100.0 * static_cast<double>(comparison.activity(side).busy) / static_cast<double>(time);
      return format_percent(pct);
    };
    const auto where = [&](Side side) { return comparison.host(side) != nullptr ? "host" : "device"; };
    const std::string of_a =
        comparison.is_host_vs_device() ? fmt::format(" of the time of the {}", where(Side::a)) : "";
    return host_words(comparison) + op_words(comparison) +
           fmt::format("Their work takes {}{} -> {} of the time of the {}.\n", busy(Side::a), of_a, busy(Side::b),
                       where(Side::b));
  }
  const PerSide<DeviceModels> models{models_of(comparison, Side::a), models_of(comparison, Side::b)};
  const bool unlike = !models.a.only().empty() && !models.b.only().empty() && models.a.only() != models.b.only();
  std::string text;
  if (unlike) {
    const auto described = [&](Side side) {
      const auto peaks = models[side].peaks();
      const std::string rates = peaks ? peaks_text(*peaks) : "";
      return models[side].only() + (rates.empty() ? "" : " (at most " + rates + ")");
    };
    text += fmt::format("A ran on {}, B on {}.\n", described(Side::a), described(Side::b)) + use_words(comparison);
  }
  if (const std::string unknown = unknown_utilization_words(comparison); !unknown.empty()) return text + unknown;
  const Bound a = bound_of(comparison, Side::a);
  const Bound b = bound_of(comparison, Side::b);
  if (std::string_view(a.by) != b.by) {
    text += fmt::format("Most of the time of the devices: {} ({}) -> {} ({}).\n", a.by, format_percent(a.pct), b.by,
                        format_percent(b.pct));
  } else if (unlike) {
    text += fmt::format("Most of the time of the devices is {} in both: {} -> {}.\n", a.by, format_percent(a.pct),
                        format_percent(b.pct));
  }
  return text;
}

}  // namespace cgpu
