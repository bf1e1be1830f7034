// Appends parsed windows, in file order, to the columns of a run.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/run.h"
#include "readers/common/own_export.h"
#include "readers/trace_event/batch.h"
#include "readers/trace_event/own_export.h"
#include "readers/trace_event/parts.h"
#include "readers/trace_event/top_level.h"

namespace cgpu::trace_event {

/// Numbers of one worker's strings, tracks and categories in the run; kNone until first used.
struct Translation {
  std::vector<uint32_t> names;
  std::vector<uint32_t> tracks;
  std::vector<uint32_t> categories;
  std::vector<uint32_t> counter_tracks;
  std::vector<uint32_t> part_keys;
  std::vector<uint32_t> memory_threads;
};

/// Not thread-safe: batches arrive one at a time, in file order, so the result does not depend on the number of
/// threads.
class Assembler {
 public:
  /// `own`: of a trace that cgpu exported, what it tells of the run, whose description has been read.
  explicit Assembler(Run& run, const RunMark* own = nullptr);

  /// `share` is how much of the input has been read (0..1): the columns are sized by what is to be expected.
  void append(const Batch& batch, const WorkerTables& tables, Translation& translation, double share);

  /// After the last batch: makes whole what is spread over several events, names the tracks, notes what was lost.
  void finish(bool kineto, const std::vector<TopLevelValue>& header);

  /// What is held of the trace, for limits.
  size_t slices() const { return run_.timeline.slices.size() + parts_.rows.size(); }
  bool kineto_category() const { return kineto_category_; }

 private:
  StringId name(StringId id, const WorkerTables& tables, Translation& translation);
  uint32_t number_of(const Category& category);
  TrackIndex track(uint32_t id, const WorkerTables& tables, Translation& translation);
  void append_slices(const Batch& batch, const WorkerTables& tables, Translation& translation);
  void append_counters(const Batch& batch, const WorkerTables& tables, Translation& translation);
  void append_memory(const Batch& batch, const WorkerTables& tables, Translation& translation);
  void append_parts(const Batch& batch, const WorkerTables& tables, Translation& translation);
  void append_arrows(const Batch& batch, size_t shift, const WorkerTables& tables, Translation& translation);
  void reserve(size_t more, double share);

  Run& run_;
  const bool own_;
  const size_t described_;  // tracks that the description of the run has
  std::array<int64_t, kLosses> losses_{};
  bool kineto_category_ = false;
  Parts parts_;
  ExportArrows arrows_;
  std::unordered_map<std::string, TrackIndex> tracks_;
  std::unordered_map<std::string, uint32_t> counter_tracks_;
  std::unordered_map<std::string, uint32_t> memory_threads_;  // until finish(): what the events have for a track
  std::unordered_map<std::string, std::string> process_names_;
  std::unordered_map<std::string, std::string> thread_names_;
};

}  // namespace cgpu::trace_event
