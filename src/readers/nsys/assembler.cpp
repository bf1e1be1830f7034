#include "readers/nsys/assembler.h"

#include <algorithm>

#include "base/to_size.h"
#include "model/time_range.h"

namespace cgpu::nsys {

const RowLayout& row_layout() {
  static const RowLayout layout{
      {"CUPTI_ACTIVITY_KIND_KERNEL",
       "CUPTI_ACTIVITY_KIND_MEMCPY",
       "CUPTI_ACTIVITY_KIND_MEMSET",
       "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
       "CUPTI_ACTIVITY_KIND_RUNTIME",
       "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
       "CUPTI_ACTIVITY_KIND_OVERHEAD",
       "PROFILER_OVERHEAD",
       "NVTX_EVENTS",
       "OSRT_API",
       "SYSCALL",
       "CUBLAS_EVENTS",
       "CUDNN_EVENTS",
       "MPI_P2P_EVENTS",
       "MPI_COLLECTIVES_EVENTS",
       "MPI_START_WAIT_EVENTS",
       "MPI_OTHER_EVENTS",
       "CUPTI_ACTIVITY_KIND_OPENACC_DATA",
       "CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH",
       "CUPTI_ACTIVITY_KIND_OPENACC_OTHER",
       "COMPOSITE_EVENTS"},
      {"start", "end", "globalTid"},
      {"nameId", "textId", "demangledName", "shortName", "mangledName", "jsonTextId", "funcName", "srcFile", "varName"},
      "StringIds"};
  return layout;
}

void Assembler::reserve() {
  reserve_slices();
  const size_t samples = to_size(tables.rows_expected("GPU_METRICS"));
  run.timeline.counters.track.reserve(samples);
  run.timeline.counters.time.reserve(samples);
  run.timeline.counters.value.reserve(samples);
}

SliceIndex Assembler::add_slice(Row& row, uint16_t category, StringId name, TrackIndex track, int64_t correlation) {
  if (row.is_null(0) || row.is_null(1)) {
    skip("skipped_event", "rows without a start or an end were left out");
    return kNone;
  }
  const int64_t start = row.integer(0);
  const int64_t end = row.integer(1);
  if (!is_time(start) || !is_time(end)) {
    skip("invalid_number", "rows whose time cannot be true (beyond a century) were left out");
    return kNone;
  }
  if (end < start) run.notes.add("negative_duration", 1, "slices with a negative duration were kept with duration 0");
  return add_slice_at(row, start, std::max(start, end), category, name, track, correlation);
}

SliceIndex Assembler::add_slice_at(const Row& row, int64_t start, int64_t end, uint16_t category, StringId name,
                                   TrackIndex track, int64_t correlation) {
  return push_slice(start, end, category, name, track, correlation, source_of(row));
}

SliceIndex Assembler::add_slice_of(uint64_t source, int64_t start, int64_t end, uint16_t category, StringId name,
                                   TrackIndex track) {
  return push_slice(start, end, category, name, track, kNoCorrelation, source);
}

SliceIndex Assembler::add_slice_without_row(int64_t start, int64_t end, uint16_t category, StringId name,
                                            TrackIndex track) {
  return push_slice(start, end, category, name, track, kNoCorrelation, kNoSource);
}

SliceIndex Assembler::push_slice(int64_t start, int64_t end, uint16_t category, StringId name, TrackIndex track,
                                 int64_t correlation, uint64_t source) {
  return run.add_slice({.start = start,
                        .duration = end - start,
                        .correlation = correlation,
                        .source = source,
                        .name = name,
                        .track = track,
                        .category = category});
}

void Assembler::skip(const char* code, const char* why) {
  ++run.events.skipped;
  run.notes.add(code, 1, why);
}

uint16_t Assembler::category(std::string_view name, SliceKind kind) {
  std::vector<Category>& known = run.timeline.categories;
  const auto found = std::find_if(known.begin(), known.end(),
                                  [&](const Category& one) { return one.kind == kind && one.name == name; });
  const auto place = static_cast<uint16_t>(found - known.begin());
  if (found == known.end()) known.push_back({std::string(name), kind});
  return place;
}

TrackIndex Assembler::thread_track(int64_t global_thread) {
  if (last_thread_.second != kNone && last_thread_.first == global_thread) return last_thread_.second;
  std::vector<Track>& tracks = run.timeline.tracks;
  const auto [at, added] = threads_.try_emplace(global_thread, static_cast<TrackIndex>(tracks.size()));
  if (added) {
    Track& track = tracks.emplace_back();
    track.kind = TrackKind::host_thread;
    track.process = std::to_string(process_number(process_of(global_thread)));
    track.thread = std::to_string(thread_number(global_thread));
  }
  last_thread_ = {global_thread, at->second};
  return at->second;
}

TrackIndex Assembler::samples_track(int64_t global_thread) {
  std::vector<Track>& tracks = run.timeline.tracks;
  const TrackIndex thread = thread_track(global_thread);
  const auto samples = static_cast<TrackIndex>(tracks.size());
  Track track = tracks[thread];
  track.kind = TrackKind::other;
  track.sampled = true;
  tracks.push_back(std::move(track));
  sampled_threads_.emplace_back(samples, thread);
  return samples;
}

TrackIndex Assembler::stream_track(uint64_t process, int32_t device, int64_t stream) {
  const std::tuple key(process, device, stream);
  if (last_stream_.second != kNone && last_stream_.first == key) return last_stream_.second;
  std::vector<Track>& tracks = run.timeline.tracks;
  const auto [at, added] = streams_.try_emplace(key, static_cast<TrackIndex>(tracks.size()));
  if (added) {
    Track& track = tracks.emplace_back();
    track.kind = TrackKind::device_stream;
    track.process = "GPU " + std::to_string(device);
    track.thread = "stream " + std::to_string(stream);
  }
  last_stream_ = {key, at->second};
  return at->second;
}

int64_t Assembler::correlation(uint64_t process, Row& row, int column) {
  const int64_t id = row.integer(column);
  if (id <= 0 || id > UINT32_MAX) return kNoCorrelation;
  if (one_process_) return id;
  if (last_process_.second < 0 || last_process_.first != process) {
    last_process_ = *processes_.try_emplace(process, static_cast<int64_t>(processes_.size())).first;
    if (processes_.size() > 1) run.timeline.hints.correlation_has_process = true;
  }
  return last_process_.second << LinkHints::kProcessOfCorrelation | id;
}

}  // namespace cgpu::nsys
