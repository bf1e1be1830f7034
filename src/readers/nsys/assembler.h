// Puts the rows of an Nsight Systems export into a run: tracks, categories, slices, and the keys that join them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "model/run.h"
#include "readers/common/event_tables.h"
#include "readers/nsys/names.h"

namespace cgpu::nsys {

/// The tables whose rows become slices, and what their rows hold.
const RowLayout& row_layout();

/// A process over all machines of a report: what a global thread or process id is without its thread.
/// <hardware:8><virtual machine:8><process:24><thread:24>
inline constexpr int kIdBits = 24;
inline constexpr int64_t kIdMask = (int64_t{1} << kIdBits) - 1;
inline uint64_t process_of(int64_t global_id) {
  return static_cast<uint64_t>(global_id) >> kIdBits;
}
inline int64_t process_number(uint64_t process) {
  return static_cast<int64_t>(process) & kIdMask;
}
inline int64_t thread_number(int64_t global_id) {
  return global_id & kIdMask;
}

class Assembler : public EventTables {
 public:
  using EventTables::source_of;
  Assembler(Run& into, TableSource& from) : EventTables(into, from, row_layout()), names(into.timeline.names) {}

  /// Adds the slice of the row, whose first two columns are `start` and `end`; kNone where it has no time.
  SliceIndex add_slice(Row& row, uint16_t category, StringId name, TrackIndex track,
                       int64_t correlation = kNoCorrelation);
  /// The same with times given.
  SliceIndex add_slice_at(const Row& row, int64_t start, int64_t end, uint16_t category, StringId name,
                          TrackIndex track, int64_t correlation = kNoCorrelation);
  /// The same of a row that was read before, by its source_of.
  SliceIndex add_slice_of(uint64_t source, int64_t start, int64_t end, uint16_t category, StringId name,
                          TrackIndex track);
  /// A slice that is made of several rows: none of them can be asked for its arguments.
  SliceIndex add_slice_without_row(int64_t start, int64_t end, uint16_t category, StringId name, TrackIndex track);
  /// Counts an event that is not kept.
  void skip(const char* code, const char* why);

  uint16_t category(std::string_view name, SliceKind kind);
  TrackIndex thread_track(int64_t global_thread);
  /// A new track beside that of the thread, for samples of its call stack.
  TrackIndex samples_track(int64_t global_thread);
  TrackIndex stream_track(uint64_t process, int32_t device, int64_t stream);

  /// (process, correlation id) as one number, as long as launches are not linked: ids repeat from process to process.
  int64_t correlation(uint64_t process, Row& row, int column);
  /// Rows of devices and rows of calls do not all say their process: all of them are taken as one.
  void assume_one_process() { one_process_ = true; }

  /// Makes room for the slices of all tables and the samples of counters, so that columns need not grow.
  void reserve();

  const std::unordered_map<int64_t, TrackIndex>& threads() const { return threads_; }
  /// The tracks of samples, each with that of its thread.
  const std::vector<std::pair<TrackIndex, TrackIndex>>& sampled_threads() const { return sampled_threads_; }

  Names names;

 private:
  SliceIndex push_slice(int64_t start, int64_t end, uint16_t category, StringId name, TrackIndex track,
                        int64_t correlation, uint64_t source);

  // The last answer of each lookup: rows of one thread or stream are together.
  std::pair<int64_t, TrackIndex> last_thread_{0, kNone};
  std::pair<std::tuple<uint64_t, int32_t, int64_t>, TrackIndex> last_stream_{{}, kNone};
  std::pair<uint64_t, int64_t> last_process_{0, -1};
  bool one_process_ = false;
  std::unordered_map<uint64_t, int64_t> processes_;
  std::unordered_map<int64_t, TrackIndex> threads_;
  std::vector<std::pair<TrackIndex, TrackIndex>> sampled_threads_;
  std::map<std::tuple<uint64_t, int32_t, int64_t>, TrackIndex> streams_;
};

}  // namespace cgpu::nsys
