// Perfetto's trace: what holds for all runs, then each run in a sequence of packets of its own (perfetto_run.h).
#include <set>
#include <string>

#include "analysis/session_clock.h"
#include "export/export.h"
#include "export/perfetto_run.h"
#include "export/trace_packets.h"
#include "model/export_marks.h"
#include "tiles/timeline_view.h"

namespace cgpu {

namespace {

class PerfettoWriter {
 public:
  PerfettoWriter(const Session& session, Sink& sink, const ExportOptions& options)
      : session_(session), sink_(sink), options_(options), facts_(session), view_(facts_) {
    const bool unix = !session.runs.empty() && session.runs.front().clock_is_unix;
    base_ = unix ? session.runs.front().clock_base + view_.zero(0) : -earliest_time(session, time_zeros(session));
    TracePackets packets(sink, export_marks::kHeaderSequence);
    write_attributes(packets);
    if (unix) write_clocks(packets);
    write_gpu_info(packets);
    packets.flush();
  }

  void write() {
    PerfettoTracks tracks(session_);
    uint64_t next_arrow = 1;
    for (size_t run = 0; run < session_.runs.size(); ++run) {
      PerfettoRunWriter(view_, run, sink_, tracks, base_, next_arrow, options_).write();
    }
  }

 private:
  /// Times are of the trace clock (BOOTTIME, 6), which is set equal to real time (1).
  void write_clocks(TracePackets& packets) const {
    packets.packet(base_, [&](ProtoWriter& packet) {
      packet.message(6, [&] {  // clock_snapshot
        for (const uint64_t clock : {6, 1}) {
          packet.message(1, [&] {
            packet.varint(1, clock);
            packet.integer(2, base_);
          });
        }
      });
    });
  }

  /// That this is an export and of how many runs; of a single run its rank, the number of ranks, and the host.
  void write_attributes(TracePackets& packets) const {
    packets.description([&](ProtoWriter& packet) {
      packet.message(126, [&] {  // trace_attributes
        write_attribute(packet, export_marks::kVersionKey, export_marks::kVersion);
        write_attribute(packet, export_marks::kRunsKey, static_cast<int64_t>(session_.runs.size()));
        if (session_.runs.size() != 1) return;
        const Run& run = session_.runs.front();
        if (run.rank_known) write_attribute(packet, "rank", run.rank);
        if (run.world_size) write_attribute(packet, "world_size", *run.world_size);
        if (!run.host.empty()) write_attribute(packet, "host", run.host);
      });
    });
  }

  /// The devices of all runs, one after another, without gaps.
  void write_gpu_info(TracePackets& packets) const {
    packets.description([&](ProtoWriter& packet) {
      packet.message(128, [&] {  // gpu_info
        for (const Run& run : session_.runs) {
          std::set<int32_t> described;
          for (const Device& device : run.devices) {
            described.insert(device.id);
            packet.message(1, [&] { write_gpu(packet, run, device); });
          }
          for (const int32_t device : used_devices(run)) {
            if (device < 0 || described.contains(device)) continue;
            Device unknown;
            unknown.id = device;
            packet.message(1, [&] { write_gpu(packet, run, unknown); });
          }
        }
      });
    });
  }

  void write_gpu(ProtoWriter& packet, const Run& run, const Device& gpu) const {
    packet.text(1, gpu.name.empty() ? "GPU " + std::to_string(gpu.id) : gpu.name);
    if (!gpu.vendor.empty()) packet.text(2, gpu.vendor);
    const auto extra = [&](std::string_view key, const std::string& value) {
      packet.message(6, [&] {  // extra_info
        packet.text(1, key);
        packet.text(2, value);
      });
    };
    if (session_.runs.size() > 1) extra("rank", std::to_string(run.rank));
    extra("device", std::to_string(gpu.id));
    if (gpu.sm_count) extra("numSms", std::to_string(*gpu.sm_count));
    if (gpu.memory_bytes) extra("totalGlobalMem", std::to_string(*gpu.memory_bytes));
    if (gpu.warp_size) extra("warpSize", std::to_string(*gpu.warp_size));
    if (!gpu.compute_capability.empty()) extra("computeCapability", gpu.compute_capability);
  }

  const Session& session_;
  Sink& sink_;
  const ExportOptions& options_;
  SessionFacts facts_;
  TimelineView view_;
  int64_t base_ = 0;  // trace time at the start of the session
};

}  // namespace

void write_perfetto(const Session& session, Sink& sink, const ExportOptions& options) {
  PerfettoWriter(session, sink, options).write();
  sink.finish();
}

}  // namespace cgpu
