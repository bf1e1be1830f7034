// Table `slices`: every slice of the timeline in order of its start. A row costs some hundred bytes, so this is for
// looking at a window of a profile, not for aggregating one. O(n log n), O(n) where the slices come sorted.
#include <algorithm>
#include <numeric>

#include "analysis/columns.h"
#include "analysis/nesting.h"
#include "analysis/session_clock.h"
#include "analysis/tables.h"
#include "table/json.h"

namespace cgpu {

namespace {

std::vector<SliceIndex> by_start(const Slices& slices) {
  std::vector<SliceIndex> order(slices.size());
  std::iota(order.begin(), order.end(), SliceIndex{0});
  if (!std::is_sorted(slices.start.begin(), slices.start.end())) {
    std::stable_sort(order.begin(), order.end(),
                     [&](SliceIndex a, SliceIndex b) { return slices.start[a] < slices.start[b]; });
  }
  return order;
}

/// Number of host slices around each slice.
std::vector<int64_t> depths(const Slices& slices) {
  std::vector<int64_t> depth(slices.size(), 0);
  for_each_outside_in(slices, [&](SliceIndex slice) {
    const SliceIndex parent = slices.parent[slice];
    if (parent != kNone) depth[slice] = depth[parent] + 1;
  });
  return depth;
}

std::string json_object(const std::vector<Argument>& arguments) {
  std::string out = "{";
  for (const Argument& argument : arguments) {
    if (out.size() > 1) out += ", ";
    append_json_string(out, argument.key);
    out += ": ";
    if (argument.json) {
      out += argument.value;
    } else {
      append_json_string(out, argument.value);
    }
  }
  return out + "}";
}

/// The arguments of every slice as a JSON object, asked for in the order of the file, which is the cheap one.
std::vector<std::string> all_arguments(const Run& run) {
  const std::vector<uint64_t>& source = run.timeline.slices.source;
  std::vector<SliceIndex> order(source.size());
  std::iota(order.begin(), order.end(), SliceIndex{0});
  std::stable_sort(order.begin(), order.end(), [&](SliceIndex a, SliceIndex b) { return source[a] < source[b]; });
  std::vector<std::string> arguments(source.size());
  for (const SliceIndex i : order) arguments[i] = json_object(run.arguments->arguments(source[i]));
  return arguments;
}

const char* remark(uint8_t flags) {
  if ((flags & kImplausibleDuration) != 0) return "implausible duration, in no total";
  if ((flags & kNeverEnded) != 0) return "end not recorded: lasts until the end of the profile";
  if ((flags & kClipped) != 0) return "cut at the border of the window";
  return nullptr;
}

}  // namespace

Table slices_table(const Session& session, const AnalysisOptions& options) {
  Table table{
      "slices",
      "every event with a duration, in order of its start",
      {rank_column(), time_column("start_ns", "from the start of the profile"), time_column("duration_ns", "length"),
       text_column("name", "full name"), text_column("category", "category, as the profile says"),
       text_column("kind", "what it is, whichever profiler wrote it"),
       text_column("process", "process, as the profile says"),
       text_column("thread", "thread or stream, as the profile says"),
       number_column("depth", "number of host events around it; absent off the host"),
       number_column("correlation", "number that a launch and its device ops share; absent where not recorded"),
       number_column("device", "device it ran on; absent unless it is a device op"),
       number_column("stream", "stream it ran on; absent unless it is a device op"),
       text_column("remark", "what is doubtful about it")},
      {}};
  if (options.arguments) table.columns.push_back(text_column("args", "arguments of the event, a JSON object"));

  const std::vector<int64_t> zeros = time_zeros(session);
  for (size_t r = 0; r < session.runs.size(); ++r) {
    const Run& run = session.runs[r];
    const Timeline& timeline = run.timeline;
    const Slices& slices = timeline.slices;
    const DeviceOps& ops = timeline.device_ops;
    std::vector<uint32_t> op_of(slices.size(), kNone);
    for (uint32_t op = 0; op < ops.size(); ++op) op_of[ops.slice[op]] = op;
    const std::vector<int64_t> depth = depths(slices);
    std::vector<std::string> arguments;
    if (options.arguments && run.arguments) arguments = all_arguments(run);

    for (const SliceIndex i : by_start(slices)) {
      const Track& track = timeline.tracks[slices.track[i]];
      const SliceKind kind = timeline.kind(i);
      const uint32_t op = op_of[i];
      const char* doubt = remark(slices.flags[i]);
      Row row = {run.rank,
                 slices.start[i] - zeros[r],
                 slices.duration[i],
                 cell(timeline.name(i)),
                 timeline.categories[slices.category[i]].name,
                 text_of(kind),
                 track.process,
                 track.thread,
                 is_host(kind) ? Cell(depth[i]) : Cell(),
                 slices.correlation[i] == Slices::kNoCorrelation ? Cell() : Cell(slices.correlation[i]),
                 op == kNone ? Cell() : Cell(int64_t{ops.device[op]}),
                 op == kNone ? Cell() : Cell(ops.stream[op]),
                 doubt == nullptr ? Cell() : Cell(doubt)};
      if (options.arguments) {
        row.push_back(arguments.empty() ? Cell() : Cell(std::move(arguments[i])));
      }
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

}  // namespace cgpu
