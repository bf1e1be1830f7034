// Tables of single events in order of time: `api_trace`, `device_trace`, `launch_trace`. A row costs some hundred
// bytes. O(n log n) in the slices.
#include <algorithm>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/device/device_ops.h"
#include "analysis/host/launch_calls.h"
#include "analysis/session_clock.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

Cell correlation_cell(const Slices& slices, SliceIndex slice) {
  return slices.correlation[slice] == kNoCorrelation ? Cell() : Cell(slices.correlation[slice]);
}

Cell memory_cell(MemoryKind kind) {
  return kind == MemoryKind::none ? Cell() : cell(text_of(kind));
}

}  // namespace

Table api_trace_table(const Session& session, const AnalysisOptions&) {
  Table table{"api_trace",
              "every runtime and driver call, in order of time",
              {rank_column(), time_column("start_ns", "from the start of the profile"),
               time_column("duration_ns", "length"), text_column("name", "name of the call"),
               number_column("correlation", "number that it shares with what it launched; absent where not recorded"),
               text_column("process", "process, as the profile says"), text_column("thread", "thread"),
               text_column("thread_name", "name of the thread; absent where it has none")}};
  const std::vector<int64_t> zeros = time_zeros(session);
  for (size_t r = 0; r < session.runs.size(); ++r) {
    const Run& run = session.runs[r];
    const Timeline& timeline = run.timeline;
    for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) {
      if (!is_call(timeline.kind(slice)) || !is_plausible(timeline, slice)) continue;
      const Track& track = timeline.tracks[timeline.slices.track[slice]];
      table.append({run.rank, timeline.slices.start[slice] - zeros[r], timeline.slices.duration[slice],
                            cell(timeline.name(slice)), correlation_cell(timeline.slices, slice), track.process,
                            track.thread, track.thread_name.empty() ? Cell() : Cell(track.thread_name)});
    }
  }
  sort_by_start(table);
  return table;
}

Table device_trace_table(const Session& session, const AnalysisOptions&) {
  Table table{"device_trace",
              "every device op, in order of time",
              {rank_column(), time_column("start_ns", "from the start of the profile"),
               time_column("duration_ns", "length"), text_column("name", "full name"), device_column(), stream_column(),
               bytes_column("bytes", "of a copy or memset; absent where not recorded"),
               real_column("bandwidth", "GB/s", "bytes over the duration"),
               text_column("src_memory", "memory copied from"), text_column("dst_memory", "memory copied to or set"),
               number_column("correlation", "number that it shares with its launch; absent where not recorded")}};
  const std::vector<int64_t> zeros = time_zeros(session);
  for (size_t r = 0; r < session.runs.size(); ++r) {
    const Run& run = session.runs[r];
    const Timeline& timeline = run.timeline;
    const DeviceOps& ops = timeline.device_ops;
    for_each_device_op(timeline, [&](OpIndex op, SliceIndex slice) {
      const int64_t duration = timeline.slices.duration[slice];
      const int64_t bytes = ops.bytes[op];
      const bool rate = bytes >= 0 && duration > 0;
      table.append({run.rank, timeline.slices.start[slice] - zeros[r], duration, cell(timeline.name(slice)),
                            int64_t{ops.device[op]}, ops.stream[op], bytes < 0 ? Cell() : Cell(bytes),
                            rate ? Cell(static_cast<double>(bytes) / static_cast<double>(duration)) : Cell(),
                            memory_cell(ops.source[op]), memory_cell(ops.destination[op]),
                            correlation_cell(timeline.slices, slice)});
    });
  }
  sort_by_start(table);
  return table;
}

Table launch_trace_table(const Session& session, const AnalysisOptions&) {
  Table table{"launch_trace",
              "every device op with the call that launched it, in order of time",
              {rank_column(), time_column("start_ns", "start of the call, from the start of the profile"),
               time_column("call_ns", "duration of the call"),
               time_column("queue_ns", "from the end of the call to the start of the op; absent where it began before"),
               time_column("device_start_ns", "start of the op, from the start of the profile"),
               time_column("device_ns", "duration of the op"),
               time_column("total_ns", "from the start of the call to the end of both"),
               text_column("call", "name of the call"), text_column("name", "name of the device op"), device_column(),
               stream_column(), text_column("process", "process of the call"), text_column("thread", "its thread")}};
  const std::vector<int64_t> zeros = time_zeros(session);
  for (size_t r = 0; r < session.runs.size(); ++r) {
    const Run& run = session.runs[r];
    const Timeline& timeline = run.timeline;
    const Slices& slices = timeline.slices;
    for_each_device_op(timeline, [&](OpIndex op, SliceIndex slice) {
      const SliceIndex call = launch_of(timeline, slice);
      if (call == kNone) return;
      const int64_t queued = slices.start[slice] - slices.end(call);
      const Track& track = timeline.tracks[slices.track[call]];
      table.append({run.rank, slices.start[call] - zeros[r], slices.duration[call],
                            queued > 0 ? Cell(queued) : Cell(), slices.start[slice] - zeros[r], slices.duration[slice],
                            std::max(slices.end(call), slices.end(slice)) - slices.start[call],
                            cell(timeline.name(call)), cell(timeline.name(slice)),
                            int64_t{timeline.device_ops.device[op]}, timeline.device_ops.stream[op], track.process,
                            track.thread});
    });
  }
  sort_by_start(table);
  return table;
}

}  // namespace cgpu
