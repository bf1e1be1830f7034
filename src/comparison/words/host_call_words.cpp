#include "comparison/words/host_call_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/common/asked_names.h"
#include "analysis/common/statistics.h"
#include "analysis/findings/thresholds.h"
#include "analysis/idle/idle_causes.h"
#include "comparison/tables/compared_columns.h"
#include "comparison/words/quantity_words.h"
#include "kernels/names.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// HIP has the names of CUDA with another beginning.
std::string common_name(std::string_view name) {
  return name.starts_with("hip") ? "cuda" + std::string(name.substr(3)) : std::string(name);
}

/// A call that the host waits in: what it is called on each side, and how often, in all compared iterations.
struct WaitingCall {
  PerSide<std::string> name;
  PerSide<int64_t> count;
};

std::map<std::string, WaitingCall> count_waiting_calls(const Comparison& comparison) {
  std::map<std::string, WaitingCall> calls;
  for (const Side side : kSides) {
    for (size_t run = 0; run < comparison.facts(side).session().runs.size(); ++run) {
      const Timeline& timeline = comparison.facts(side).run(run).timeline;
      const std::vector<Iteration>& iterations = comparison.time(side, run).iterations;
      AskedNames waits(timeline, [&](SliceIndex call) {
        return cause_named_by(timeline.kind(call), timeline.name(call)) == IdleCause::synchronization;
      });
      for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) {
        if (!is_call(timeline.kind(slice))) continue;
        const auto intervals = is_marked(iterations) ? &Iteration::mark : &Iteration::time;
        if (!iteration_at(iterations, intervals, timeline.slices.start[slice])) continue;
        if (!waits(slice)) continue;
        const std::string_view name = api_name(timeline.name(slice));
        WaitingCall& call = calls[common_name(name)];
        call.name[side] = name;
        ++call.count[side];
      }
    }
  }
  return calls;
}

std::string launch_count_words(const Comparison& comparison) {
  const auto launches = [&](Side side) {
    return per_device_iteration(comparison, side, comparison.activity(side).launches);
  };
  const auto ops = [&](Side side) {
    return per_device_iteration(comparison, side, comparison.totals(side).device_ops);
  };
  const double a = launches(Side::a);
  const double b = launches(Side::b);
  if (a == 0 || b == 0 || std::abs(b / ops(Side::b) - a / ops(Side::a)) < 0.1) return {};
  const auto of_graphs = [&](Side side) -> std::string {
    const int64_t graphs = comparison.activity(side).graph_launches;
    if (graphs == 0) return "";
    const double count = per_device_iteration(comparison, side, graphs);
    const char* of_what = count == 1 ? "of a graph" : "of graphs";
    return graphs == comparison.activity(side).launches ? fmt::format(" {}", of_what)
                                                        : fmt::format(" ({} {})", count_words(count), of_what);
  };
  return fmt::format("Launches of device ops{}: {}{} -> {}{}.\n", comparison.per_iteration() ? " an iteration" : "",
                     count_words(a), of_graphs(Side::a), count_words(b), of_graphs(Side::b));
}

/// A call that starts device work: what it is called on each side, and how long each of them lasts.
struct LaunchingCalls {
  PerSide<std::string> name;
  PerSide<std::vector<int64_t>> durations;  // ns, of all compared iterations
};

std::map<std::string, LaunchingCalls> launching_calls_by_name(const Comparison& comparison) {
  std::map<std::string, LaunchingCalls> calls;
  for (const Side side : kSides) {
    for (size_t run = 0; run < comparison.facts(side).session().runs.size(); ++run) {
      const Timeline& timeline = comparison.facts(side).run(run).timeline;
      const std::vector<uint32_t>& nodes = comparison.nodes_of_ops(side, run);
      for (const LaunchingCall& launch : comparison.facts(side).launching_calls(run)) {
        if (nodes[launch.first_op] == kNone) continue;
        const std::string_view name = api_name(timeline.name(launch.call));
        LaunchingCalls& call = calls[common_name(name)];
        call.name[side] = name;
        call.durations[side].push_back(timeline.slices.duration[launch.call]);
      }
    }
  }
  return calls;
}

/// Which calls last longer or shorter, by their medians: a few wait for a full queue. Where the devices are idle as
/// before, longer calls only wait for them.
std::string launch_duration_words(const Comparison& comparison) {
  constexpr double kChanged = 0.1;
  if (comparison.host(Side::a) != nullptr || comparison.host(Side::b) != nullptr) return {};
  const auto idle = [&](Side side) { return per_device_iteration(comparison, side, comparison.activity(side).idle); };
  const double idle_change = idle(Side::b) - idle(Side::a);
  const double least =
      Thresholds{}.noticeable * per_device_iteration(comparison, Side::a, comparison.totals(Side::a).time);
  if (std::abs(idle_change) < least) return {};
  std::string text;
  for (const auto& calls_of_name : launching_calls_by_name(comparison)) {
    const LaunchingCalls& call = calls_of_name.second;
    if (call.durations.a.empty() || call.durations.b.empty()) continue;
    const PerSide<double> each{median(call.durations.a), median(call.durations.b)};
    if (std::abs(each.b - each.a) < kChanged * each.a) continue;
    const auto count = [&](Side side) {
      return per_device_iteration(comparison, side, static_cast<int64_t>(call.durations[side].size()));
    };
    const double change = (each.b - each.a) * std::min(count(Side::a), count(Side::b));
    if (std::abs(change) < least || change * idle_change < 0 || 2 * std::abs(idle_change) < std::abs(change)) continue;
    text += fmt::format("A call of {}: {} -> {} (median), {}{}.\n",
                        call.name.a == call.name.b ? call.name.a : call.name.a + " -> " + call.name.b,
                        format_ns(static_cast<int64_t>(each.a)), format_ns(static_cast<int64_t>(each.b)),
                        count_words(count(Side::b)), comparison.per_iteration() ? " an iteration" : " in all");
  }
  return text;
}

}  // namespace

std::string waiting_call_words(const Comparison& comparison) {
  std::string text;
  for (const auto& [key, call] : count_waiting_calls(comparison)) {
    const double a = per_device_iteration(comparison, Side::a, call.count.a);
    const double b = per_device_iteration(comparison, Side::b, call.count.b);
    if (std::abs(b - a) < 0.5 || std::abs(b - a) < 0.1 * a) continue;
    const bool renamed = a > 0 && b > 0 && call.name.a != call.name.b;
    const std::string& name = b > 0 ? call.name.b : call.name.a;
    text += fmt::format("Waits of the host in {}: {} -> {}{}.\n",
                        renamed ? fmt::format("{} -> {}", call.name.a, name) : name, count_words(a), count_words(b),
                        comparison.per_iteration() ? " an iteration" : "");
  }
  return text;
}

std::string launch_words(const Comparison& comparison) {
  return launch_count_words(comparison) + launch_duration_words(comparison);
}

}  // namespace cgpu
