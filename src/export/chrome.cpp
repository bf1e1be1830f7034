// Chrome trace JSON, in the dialect of the PyTorch profiler: complete events, ac2g and fwdbwd flows, [memory] events.
// Times are relative to baseTimeNanoseconds, so that readers that keep them in a double lose nothing.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "analysis/session_clock.h"
#include "export/event_arguments.h"
#include "export/export.h"
#include "export/nesting_lanes.h"
#include "export/process_numbers.h"
#include "model/export_marks.h"
#include "table/json.h"

namespace cgpu {

namespace {

bool is_number(std::string_view text) {
  constexpr size_t kMostDigits = 15;  // every JSON reader keeps these exactly
  return !text.empty() && text.size() <= kMostDigits &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }) &&
         (text == "0" || text.front() != '0');
}

class ChromeWriter {
 public:
  ChromeWriter(const Session& session, Sink& sink, const ExportOptions& options)
      : session_(session), options_(options), zeros_(time_zeros(session)), blocks_(sink), out_(blocks_.block()) {}

  void write() {
    write_header();
    for (size_t run = 0; run < session_.runs.size(); ++run) {
      run_ = &session_.runs[run];
      zero_ = zeros_[run] + earliest_;
      prefix_ = session_.runs.size() > 1 ? "rank " + std::to_string(run_->rank) + " " : "";
      write_tracks();
      write_slices(run);
      write_flows();
      write_counters();
      write_memory();
      write_instants();
    }
    out_ += "\n]}\n";
    blocks_.flush();
  }

 private:
  void write_header() {
    out_ += "{\"schemaVersion\": 1";
    if (session_.runs.size() == 1) {
      const Run& run = session_.runs.front();
      if (run.clock_is_unix) {
        fmt::format_to(std::back_inserter(out_), ", \"baseTimeNanoseconds\": {}",
                       run.clock_base + zeros_.front() + earliest_);
      }
      if (run.rank_known) {
        fmt::format_to(std::back_inserter(out_), ", \"distributedInfo\": {{\"rank\": {}", run.rank);
        if (run.world_size) fmt::format_to(std::back_inserter(out_), ", \"world_size\": {}", *run.world_size);
        out_ += "}";
      }
      write_devices(run);
    }
    out_ += ", \"displayTimeUnit\": \"ms\", \"traceEvents\": [";
  }

  void write_devices(const Run& run) {
    out_ += ", \"deviceProperties\": [";
    for (size_t i = 0; i < run.devices.size(); ++i) {
      const Device& device = run.devices[i];
      if (i > 0) out_ += ", ";
      fmt::format_to(std::back_inserter(out_), "{{\"id\": {}, \"name\": ", device.id);
      append_json_string(out_, device.name);
      if (device.memory_bytes) {
        fmt::format_to(std::back_inserter(out_), ", \"totalGlobalMem\": {}", *device.memory_bytes);
      }
      if (device.sm_count) fmt::format_to(std::back_inserter(out_), ", \"numSms\": {}", *device.sm_count);
      if (device.warp_size) fmt::format_to(std::back_inserter(out_), ", \"warpSize\": {}", *device.warp_size);
      const size_t point = device.compute_capability.find('.');
      if (point != std::string::npos) {
        fmt::format_to(std::back_inserter(out_), ", \"computeMajor\": {}, \"computeMinor\": {}",
                       device.compute_capability.substr(0, point), device.compute_capability.substr(point + 1));
      }
      out_ += "}";
    }
    out_ += "]";
  }

  // An event is opened with its phase and closed with a brace; its other members are written in between.
  void begin(char phase) {
    if (!first_) out_ += ",";
    first_ = false;
    out_ += "\n{\"ph\": \"";
    out_ += phase;
    out_ += '"';
  }
  void end() {
    out_ += "}";
    blocks_.flush_if_full();
  }
  void text(const char* key, std::string_view value) {
    fmt::format_to(std::back_inserter(out_), ", \"{}\": ", key);
    append_json_string(out_, value);
  }
  /// Microseconds with three decimals: exact.
  void time(const char* key, int64_t ns) {
    const uint64_t size = ns < 0 ? 0 - static_cast<uint64_t>(ns) : static_cast<uint64_t>(ns);
    fmt::format_to(std::back_inserter(out_), ", \"{}\": {}{}.{:03}", key, ns < 0 ? "-" : "", size / 1000, size % 1000);
  }
  void place(const char* key, const std::string& value, bool is_process) {
    const std::string& prefix = is_process ? prefix_ : kNoPrefix;
    if (prefix.empty() && is_number(value)) {
      fmt::format_to(std::back_inserter(out_), ", \"{}\": {}", key, value);
    } else {
      text(key, prefix + value);
    }
  }
  void place(const Track& track) {
    place("pid", track.process, true);
    place("tid", track.thread, false);
  }

  void write_tracks() {
    std::string last_process;
    bool any = false;
    for (const Track& track : run_->timeline.tracks) {
      if (!track.process_name.empty() && (!any || track.process != last_process)) {
        name_of("process_name", track, track.process_name);
        last_process = track.process;
        any = true;
      }
      if (!track.thread_name.empty()) name_of("thread_name", track, track.thread_name);
    }
  }
  void name_of(const char* what, const Track& track, const std::string& name) {
    begin('M');
    text("name", what);
    place(track);
    out_ += ", \"args\": {\"name\": ";
    append_json_string(out_, name);
    out_ += "}";
    end();
  }

  /// The slices by track, outer before inner. Viewers nest the slices of a thread by time alone: those that overlap
  /// others without nesting go to further threads beside it.
  std::vector<SliceIndex> arrange() {
    const Slices& slices = run_->timeline.slices;
    std::vector<SliceIndex> order(slices.size());
    std::iota(order.begin(), order.end(), SliceIndex{0});
    std::sort(order.begin(), order.end(), [&](SliceIndex a, SliceIndex b) {
      if (slices.track[a] != slices.track[b]) return slices.track[a] < slices.track[b];
      if (slices.start[a] != slices.start[b]) return slices.start[a] < slices.start[b];
      return slices.end(a) != slices.end(b) ? slices.end(a) > slices.end(b) : a < b;
    });
    overlapping_.clear();
    lane_of_.clear();
    NestingLanes lanes;
    for (size_t i = 0; i < order.size(); ++i) {
      const TrackIndex track = slices.track[order[i]];
      if (i == 0 || track != slices.track[order[i - 1]]) lanes = {};
      const size_t lane = lanes.place(slices.start[order[i]], slices.end(order[i]), [](size_t, int64_t) {});
      if (lane == 0) continue;
      const auto [at, added] = overlapping_.try_emplace({track, lane}, next_thread_);
      if (added) write_overlapping(run_->timeline.tracks[track], next_thread_++);
      lane_of_[order[i]] = at->second;
    }
    return order;
  }

  void write_overlapping(const Track& track, int64_t thread) {
    begin('M');
    text("name", "thread_name");
    place("pid", track.process, true);
    fmt::format_to(std::back_inserter(out_), ", \"tid\": {}, \"args\": {{\"name\": ", thread);
    append_json_string(out_, track.thread + std::string(export_marks::kOverlappingSuffix));
    out_ += "}";
    end();
  }

  void place_slice(SliceIndex slice) {
    const Track& track = run_->timeline.tracks[run_->timeline.slices.track[slice]];
    const auto lane = lane_of_.find(slice);
    if (lane == lane_of_.end()) return place(track);
    place("pid", track.process, true);
    fmt::format_to(std::back_inserter(out_), ", \"tid\": {}", lane->second);
  }

  void write_slices(size_t run) {
    const Timeline& timeline = run_->timeline;
    EventArguments arguments(*run_, options_.arguments, EventArguments::Joined::by_correlation);
    const std::vector<SliceIndex> all = arrange();
    size_t written = 0;
    arguments.for_each(all, [&](SliceIndex slice, std::span<const ArgumentView> values) {
      write_slice(timeline, slice, values);
      constexpr size_t kSayEvery = 1 << 15;
      if (++written % kSayEvery != 0 || !options_.progress) return;
      options_.progress((static_cast<double>(run) + static_cast<double>(written) / static_cast<double>(all.size())) /
                        static_cast<double>(session_.runs.size()));
    });
  }

  void write_slice(const Timeline& timeline, SliceIndex slice, std::span<const ArgumentView> arguments) {
    begin('X');
    text("cat", category_of(timeline, slice));
    text("name", timeline.name(slice));
    place_slice(slice);
    time("ts", timeline.slices.start[slice] - zero_);
    time("dur", timeline.slices.duration[slice]);
    out_ += ", \"args\": {";
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (i > 0) out_ += ", ";
      append_json_string(out_, arguments[i].key);
      out_ += ": ";
      if (arguments[i].json) {
        out_ += arguments[i].value;
      } else {
        append_json_string(out_, arguments[i].value);
      }
    }
    out_ += "}";
    end();
  }

  void write_flows() {
    const Timeline& timeline = run_->timeline;
    for (const SliceIndex op : timeline.device_ops.slice) {
      const SliceIndex launch = timeline.slices.launch[op];
      if (launch != kNone) write_flow("ac2g", launch, op);
    }
    for (const Link& link : timeline.links) {
      write_flow(link.kind == Link::Kind::forward_backward ? "fwdbwd" : "flow", link.from, link.to);
    }
  }
  void write_flow(const char* kind, SliceIndex from, SliceIndex to) {
    ++flow_;
    for (const bool ends : {false, true}) {
      begin(ends ? 'f' : 's');
      if (ends) text("bp", "e");
      text("cat", kind);
      text("name", kind);
      fmt::format_to(std::back_inserter(out_), ", \"id\": {}", flow_);
      const SliceIndex slice = ends ? to : from;
      place_slice(slice);
      time("ts", run_->timeline.slices.start[slice] - zero_);
      end();
    }
  }

  void write_counters() {
    const Counters& counters = run_->timeline.counters;
    for (size_t i = 0; i < counters.time.size(); ++i) {
      const CounterTrack& track = counters.tracks[counters.track[i]];
      begin('C');
      text("name", track.name);
      place("pid", track.process, true);
      time("ts", counters.time[i] - zero_);
      fmt::format_to(std::back_inserter(out_), ", \"args\": {{\"value\": {}}}", counters.value[i]);
      end();
    }
  }

  void write_memory() {
    for (const MemoryEvent& event : run_->timeline.memory) {
      begin('i');
      text("s", "t");
      text("name", "[memory]");
      out_ += ", \"pid\": 0, \"tid\": 0";
      time("ts", event.time - zero_);
      fmt::format_to(std::back_inserter(out_), ", \"args\": {{\"Bytes\": {}, \"Device Type\": {}, \"Device Id\": {}",
                     event.bytes, event.device < 0 ? 0 : 1, event.device);
      if (event.total_allocated >= 0) {
        fmt::format_to(std::back_inserter(out_), ", \"Total Allocated\": {}", event.total_allocated);
      }
      if (event.total_reserved >= 0) {
        fmt::format_to(std::back_inserter(out_), ", \"Total Reserved\": {}", event.total_reserved);
      }
      out_ += "}";
      end();
    }
  }

  void write_instants() {
    for (const Instant& instant : run_->timeline.instants) {
      begin('i');
      text("s", instant.scope == InstantScope::thread ? "t" : instant.scope == InstantScope::process ? "p" : "g");
      text("name", run_->timeline.names[instant.name]);
      if (instant.track != kNone) {
        place(run_->timeline.tracks[instant.track]);
      } else {
        out_ += ", \"pid\": 0, \"tid\": 0";
      }
      time("ts", instant.time - zero_);
      end();
    }
  }

  static inline const std::string kNoPrefix;

  const Session& session_;
  const ExportOptions& options_;
  std::vector<int64_t> zeros_;
  const int64_t earliest_ = earliest_time(session_, zeros_);  // what is before the start of the session stays positive
  BlockWriter blocks_;
  std::string& out_;
  bool first_ = true;
  const Run* run_ = nullptr;
  int64_t zero_ = 0;
  std::string prefix_;  // of process ids, if the file has several ranks
  int64_t flow_ = 0;
  int64_t next_thread_ = ProcessNumbers::kFirstMade;
  std::map<std::pair<TrackIndex, size_t>, int64_t> overlapping_;  // of the run: the thread of a lane of a track
  std::unordered_map<SliceIndex, int64_t> lane_of_;               // of slices that are not in the first lane
};

}  // namespace

void write_chrome(const Session& session, Sink& sink, const ExportOptions& options) {
  ChromeWriter(session, sink, options).write();
  sink.finish();
}

}  // namespace cgpu
