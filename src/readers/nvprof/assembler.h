// Puts the rows of a database of nvprof into a run: tracks, categories, slices, texts.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/run.h"
#include "readers/common/event_tables.h"
#include "readers/common/timeline_builder.h"

namespace cgpu::nvprof {

/// The tables whose rows become slices, and what their rows hold.
const RowLayout& row_layout();

/// Whom a record is about: 12 bytes in the database; a kind of object uses the first ones.
struct Object {
  enum Kind : int64_t { process = 1, thread = 2, device = 3, context = 4, stream = 5 };
  uint32_t first = 0;   // process; device
  uint32_t second = 0;  // thread; context
  uint32_t third = 0;   // stream
};
/// Empty where the bytes are too few for an object of this kind.
std::optional<Object> object_of(int64_t kind, std::string_view bytes);

/// The bytes of an unsigned number, the lowest first; empty where `at` has too few behind it.
std::optional<uint32_t> number_at(std::string_view bytes, size_t at);

class Assembler : public EventTables {
 public:
  Assembler(Run& into, TableSource& from) : EventTables(into, from, row_layout()), builder(into) {}

  /// Adds the slice of the row, whose first two columns are `start` and `end`; kNone where it has no time.
  SliceIndex add_slice(Row& row, uint16_t category, StringId name, TrackIndex track,
                       int64_t correlation = kNoCorrelation);
  /// The same with times given.
  SliceIndex add_slice_at(const Row& row, int64_t start, int64_t end, uint16_t category, StringId name,
                          TrackIndex track, int64_t correlation = kNoCorrelation);
  void skip(const char* code, const char* why) { builder.skip(code, why); }

  /// Adds a row of StringTable.
  void add_text(int64_t id, std::string_view text);
  /// Of a column with the id of a text; 0 for none.
  StringId text(Row& row, int column);
  StringId intern(std::string_view text) { return run.timeline.names.intern(text); }

  TrackIndex thread_track(uint32_t process, uint32_t thread);
  TrackIndex stream_track(int32_t device, int64_t stream);
  /// A column with the number of a device; -1 for one that cannot be true.
  static int32_t device(Row& row, int column);
  /// A column with the number of a stream; -1 for none.
  static int64_t stream(Row& row, int column);
  static int64_t correlation(Row& row, int column);

  const std::map<std::pair<uint32_t, uint32_t>, TrackIndex>& threads() const { return threads_; }

  TimelineBuilder builder;

 private:
  std::unordered_map<int64_t, StringId> texts_;
  std::map<std::pair<uint32_t, uint32_t>, TrackIndex> threads_;
  std::map<std::pair<int32_t, int64_t>, TrackIndex> streams_;
};

}  // namespace cgpu::nvprof
