#include "readers/empty_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace cgpu {

bool is_empty_run(const Run& run) {
  const Timeline& timeline = run.timeline;
  const bool has_timeline = timeline.slices.size() > 0 || !timeline.instants.empty() || !timeline.memory.empty() ||
                            !timeline.counters.time.empty() || !timeline.collectives.empty();
  const bool has_launches = run.launch_metrics && !run.launch_metrics->launches.empty();
  const bool has_graph = run.op_graph && !run.op_graph->nodes.empty();
  // A whole recording of Nsight Systems says on which devices nothing was recorded, and often why.
  const bool is_damaged = std::ranges::any_of(run.notes.all(), &Note::damage);
  const bool describes_machine = run.format.starts_with("nsys") && !run.devices.empty() && !is_damaged;
  return !has_timeline && !has_launches && !has_graph && !run.call_tree && run.step_traces.empty() &&
         !describes_machine;
}

void refuse_empty_run(const Run& run) {
  const EventCounts& events = run.events;
  const std::vector<std::pair<int64_t, const char*>> kinds{{events.metadata, "metadata"}, {events.samples, "samples"},
                                                           {events.counters, "counters"}, {events.flows, "arrows"},
                                                           {events.ends, "ends"},         {events.skipped, "left out"}};
  std::string kept;
  for (const auto& [count, kind] : kinds) {
    if (count > 0) kept += fmt::format("{}{} {}", kept.empty() ? " (" : ", ", count, kind);
  }
  if (!kept.empty()) kept += ")";
  std::string lost;
  bool damaged = false;
  for (const Note& note : run.notes.all()) {
    if (note.code == "credentials_present") continue;  // says nothing of events
    lost += note.count > 1 ? fmt::format("; {} {}", note.count, note.text) : "; " + note.text;
    damaged = damaged || note.damage;
  }
  throw Error(
      run.file,
      fmt::format(
          "has no recorded work: read as {}, it has {}{}, and none is a slice, an instant, a counter, "
          "an allocation, a sample, a launch or an op of a graph{}. {}",
          run.format, events.read == 1 ? "1 event" : fmt::format("{} events", events.read), kept, lost,
          damaged ? "The file is damaged: copy it again, or record again"
                  : "Copy it again where it was cut, else record again with the profiler on while the program works"));
}

}  // namespace cgpu
