// Chrome trace JSON, in the dialect of the PyTorch profiler: complete events, ac2g and fwdbwd flows, [memory] events.
// Times are relative to baseTimeNanoseconds, so that readers that keep them in a double lose nothing. What the dialect
// has no place for is marked (model/export_marks.h). The events of each run are together.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/session_clock.h"
#include "export/chrome_places.h"
#include "export/event_arguments.h"
#include "export/export.h"
#include "export/nesting_lanes.h"
#include "export/run_description.h"
#include "export/slice_arrows.h"
#include "model/export_marks.h"
#include "table/json.h"
#include "table/json_text_writer.h"

namespace cgpu {

namespace {

class ChromeWriter {
 public:
  ChromeWriter(const Session& session, Sink& sink, const ExportOptions& options)
      : session_(session), options_(options), zeros_(time_zeros(session)), blocks_(sink), out_(blocks_.block()) {}

  void write() {
    write_header();
    for (size_t run = 0; run < session_.runs.size(); ++run) {
      run_ = &session_.runs[run];
      zero_ = zeros_[run] + earliest_;
      places_.begin_run(*run_, run, session_.runs.size() > 1);
      const std::vector<SliceIndex> slices = arrange();
      write_run_mark(run);
      write_names();
      write_slices(run, slices);
      write_counters();
      write_memory();
      write_instants();
    }
    out_ += "\n], ";
    append_json_string(out_, export_marks::kRunPositionsKey);
    fmt::format_to(std::back_inserter(out_), ": [{}]}}\n", fmt::join(positions_, ", "));
    blocks_.flush();
  }

 private:
  void write_header() {
    const Run& first = session_.runs.front();
    fmt::format_to(std::back_inserter(out_), "{{\"schemaVersion\": 1, \"{}\": {}, \"{}\": {}",
                   export_marks::kVersionKey, export_marks::kVersion, export_marks::kRunsKey, session_.runs.size());
    if (first.clock_is_unix) {
      fmt::format_to(std::back_inserter(out_), ", \"baseTimeNanoseconds\": {}",
                     first.clock_base + zeros_.front() + earliest_);
    }
    if (session_.runs.size() == 1) {
      if (first.rank_known) {
        fmt::format_to(std::back_inserter(out_), ", \"distributedInfo\": {{\"rank\": {}", first.rank);
        if (first.world_size) fmt::format_to(std::back_inserter(out_), ", \"world_size\": {}", *first.world_size);
        out_ += "}";
      }
      write_devices(first);
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
  void member(const std::string& json) { out_.append(", ").append(json); }

  /// Where the events of a run begin, and what a reader of cgpu's own exports has to know of it.
  void write_run_mark(size_t run) {
    const Timeline& timeline = run_->timeline;
    JsonTextWriter json;
    json.begin_object().member(export_marks::kRunNumberMember, run);
    json.key(export_marks::kDescriptionMember).raw(run_description(*run_));
    places_.describe(json);
    categories_.clear();
    std::map<std::string, std::string> own_categories;
    for (const Category& category : timeline.categories) {
      std::string written(written_category(category));
      const auto own = own_categories.try_emplace(written, category.name).first;
      std::string& members = categories_.emplace_back("\"cat\": ");
      append_json_string(members, written);
      if (own->second == category.name) continue;
      fmt::format_to(std::back_inserter(members), ", \"{}\": ", export_marks::kOwnCategory);
      append_json_string(members, category.name);
    }
    std::erase_if(own_categories, [](const auto& one) { return one.first == one.second; });
    json.key(export_marks::kCategoriesMember).begin_object();
    for (const auto& [written, own] : own_categories) json.member(written, own);
    json.end_object().end_object();

    if (!first_) out_ += ",";
    first_ = false;
    out_ += "\n";
    positions_.push_back(blocks_.position());
    fmt::format_to(std::back_inserter(out_),
                   "{{\"name\": \"{}\", \"ph\": \"M\", \"pid\": 0, \"tid\": 0, \"args\": ", export_marks::kRunKey);
    out_ += std::move(json).text();
    end();
  }

  /// The names of processes and threads, of several runs with the rank.
  void write_names() {
    const bool several = session_.runs.size() > 1;
    const std::vector<Track>& tracks = run_->timeline.tracks;
    std::map<std::string, std::string> names;
    for (const Track& track : tracks) {
      std::string& name = names[track.process];
      if (name.empty()) name = track.process_name;
    }
    for (TrackIndex i = 0; i < tracks.size(); ++i) {
      const Track& track = tracks[i];
      if (const auto process = names.find(track.process); process != names.end()) {
        const std::string& name = several && process->second.empty() ? track.process : process->second;
        if (several || !name.empty()) name_of("process_name", places_.of_track(i), with_rank(name));
        names.erase(process);
      }
      if (!track.thread_name.empty()) name_of("thread_name", places_.of_track(i), track.thread_name);
      for (size_t lane = 1; lane < places_.lanes(i); ++lane) {
        name_of("thread_name", places_.of_lane(i, lane),
                (track.thread_name.empty() ? track.thread : track.thread_name) + " (overlapping)");
      }
    }
  }
  std::string with_rank(const std::string& name) const {
    if (session_.runs.size() == 1) return name;
    return "rank " + std::to_string(run_->rank) + (name.empty() ? "" : " ") + name;
  }
  void name_of(const char* what, const std::string& place, const std::string& name) {
    begin('M');
    text("name", what);
    member(place);
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
    lane_of_.clear();
    NestingLanes lanes;
    for (size_t i = 0; i < order.size(); ++i) {
      const TrackIndex track = slices.track[order[i]];
      if (i == 0 || track != slices.track[order[i - 1]]) lanes = {};
      const size_t lane = lanes.place(slices.start[order[i]], slices.end(order[i]), [](size_t, int64_t) {});
      if (lane == 0) continue;
      while (places_.lanes(track) <= lane) places_.add_lane(track);
      lane_of_[order[i]] = lane;
    }
    return order;
  }

  const std::string& place_of(SliceIndex slice) const {
    const TrackIndex track = run_->timeline.slices.track[slice];
    const auto lane = lane_of_.find(slice);
    return lane == lane_of_.end() ? places_.of_track(track) : places_.of_lane(track, lane->second);
  }

  void write_slices(size_t run, const std::vector<SliceIndex>& all) {
    EventArguments arguments(*run_, options_.arguments, EventArguments::Joined::by_correlation);
    const SliceArrows arrows(run_->timeline, next_arrow_);
    size_t written = 0;
    arguments.for_each(all, [&](SliceIndex slice, std::span<const ArgumentView> values) {
      write_slice(slice, arguments.is_foreign(slice), values);
      for (const ArrowEnd& arrow : arrows.of(slice)) write_arrow(slice, arrow);
      constexpr size_t kSayEvery = 1 << 15;
      if (++written % kSayEvery != 0 || !options_.progress) return;
      options_.progress((static_cast<double>(run) + static_cast<double>(written) / static_cast<double>(all.size())) /
                        static_cast<double>(session_.runs.size()));
    });
  }

  void write_slice(SliceIndex slice, bool is_foreign, std::span<const ArgumentView> arguments) {
    const Timeline& timeline = run_->timeline;
    const Slices& slices = timeline.slices;
    begin('X');
    member(categories_[slices.category[slice]]);
    text("name", timeline.name(slice));
    member(place_of(slice));
    time("ts", slices.start[slice] - zero_);
    time("dur", slices.duration[slice]);
    if (slices.flags[slice] != 0) {
      fmt::format_to(std::back_inserter(out_), ", \"{}\": {}", export_marks::kFlags, slices.flags[slice]);
    }
    const int64_t id = slices.correlation[slice];
    if (id != kNoCorrelation && (is_foreign || !export_marks::has_correlation_argument(timeline.kind(slice)))) {
      fmt::format_to(std::back_inserter(out_), ", \"{}\": {}", export_marks::kCorrelation, id);
    }
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

  void write_arrow(SliceIndex slice, const ArrowEnd& arrow) {
    const std::string_view category = export_marks::kFlowCategories[arrow.number() >> export_marks::kFlowKindShift];
    begin(arrow.ends() ? 'f' : 's');
    if (arrow.ends()) text("bp", "e");
    text("cat", category);
    text("name", category);
    fmt::format_to(std::back_inserter(out_), ", \"id\": {}",
                   arrow.number() & ((uint64_t{1} << export_marks::kFlowKindShift) - 1));
    member(place_of(slice));
    time("ts", run_->timeline.slices.start[slice] - zero_);
    end();
  }

  void write_counters() {
    const Counters& counters = run_->timeline.counters;
    for (size_t i = 0; i < counters.time.size(); ++i) {
      begin('C');
      text("name", places_.name_of_counter(counters.track[i]));
      member(places_.process_of_counter(counters.track[i]));
      time("ts", counters.time[i] - zero_);
      const char* const quote = std::isfinite(counters.value[i]) ? "" : "\"";  // JSON has no other numbers
      fmt::format_to(std::back_inserter(out_), ", \"args\": {{\"value\": {}{}{}}}", quote, counters.value[i], quote);
      end();
    }
  }

  void write_memory() {
    if (run_->timeline.memory.empty()) return;
    const auto has_no_thread = [](const MemoryEvent& event) { return event.track == kNone; };
    std::string elsewhere = "\"pid\": 0, \"tid\": 0";
    if (session_.runs.size() > 1 &&
        std::any_of(run_->timeline.memory.begin(), run_->timeline.memory.end(), has_no_thread)) {
      elsewhere = fmt::format("\"pid\": {}, \"tid\": 0", places_.made_process("allocator"));
      name_of("process_name", elsewhere, with_rank("allocator"));
    }
    for (const MemoryEvent& event : run_->timeline.memory) {
      begin('i');
      text("s", "t");
      text("name", "[memory]");
      member(has_no_thread(event) ? elsewhere : places_.of_track(event.track));
      time("ts", event.time - zero_);
      fmt::format_to(std::back_inserter(out_), ", \"args\": {{\"Bytes\": {}, \"Device Type\": {}, \"Device Id\": {}",
                     event.bytes, event.device < 0 ? 0 : 1, event.device);
      if (event.address != 0) fmt::format_to(std::back_inserter(out_), ", \"Addr\": {}", event.address);
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
      if (instant.track != kNone) member(places_.of_track(instant.track));
      time("ts", instant.time - zero_);
      end();
    }
  }

  const Session& session_;
  const ExportOptions& options_;
  std::vector<int64_t> zeros_;
  const int64_t earliest_ = earliest_time(session_, zeros_);  // what is before the start of the session stays positive
  BlockWriter blocks_;
  std::string& out_;
  bool first_ = true;
  ChromePlaces places_;
  uint64_t next_arrow_ = 1;
  std::vector<uint64_t> positions_;  // of the events that begin a run
  // Of the run:
  const Run* run_ = nullptr;
  int64_t zero_ = 0;
  std::vector<std::string> categories_;             // the members of a slice of this category
  std::unordered_map<SliceIndex, size_t> lane_of_;  // of slices that are not in the first lane
};

}  // namespace

void write_chrome(const Session& session, Sink& sink, const ExportOptions& options) {
  ChromeWriter(session, sink, options).write();
  sink.finish();
}

}  // namespace cgpu
