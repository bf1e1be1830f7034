// One window of events, tokenised by simdjson (on-demand), into a batch of rows.
//
// A window is the text of complete events separated by commas, wrapped in brackets. Keys may come in any order;
// arguments that no analysis needs are stepped over and stay in the file. Times are read from their decimal text
// (base/decimal.h).
#pragma once

#include <simdjson.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "readers/common/known_arguments.h"
#include "readers/trace_event/batch.h"
#include "readers/trace_event/own_export.h"

namespace cgpu::trace_event {

struct WindowResult {
  bool ok = false;      // false: broken somewhere; the batch is to be discarded
  bool closed = false;  // the array of events ended inside the window
  size_t tail = 0;      // if closed: where in `text` what follows the array begins
};

class EventParser {
 public:
  /// `own`: of a trace that cgpu exported, what it tells of the run.
  explicit EventParser(WorkerTables& tables, const RunMark* own = nullptr) : tables_(tables), own_(own) {}

  /// Parses `text`, which begins with '[' and ends with ']', followed by simdjson::SIMDJSON_PADDING readable bytes.
  /// `offset` is the position of text[0] in the input. Rows are appended to `batch`.
  WindowResult parse(std::string_view text, uint64_t offset, Batch& batch);

 private:
  // Arguments that become columns; everything else is read again on demand.
  using enum known_arguments::Arg;
  using Arg = known_arguments::Arg;
  static constexpr size_t arg_count = none;
  // Keys that PyTorch's slices do not have (rare_events.cpp).
  struct RareKeys {
    std::string_view thread_duration, local_id, scope, binding_point, instant_scope, frame, flow;
    bool flow_in = false;
    bool flow_out = false;
    // of cgpu's own exports
    std::optional<std::string_view> own_category;
    std::string_view flags, correlation;
  };
  struct Event {
    char phase = 0;
    bool has_rare = false;
    std::string_view name, category, process, thread, time, duration, id;
    std::string_view sample_args;  // the JSON text of a sample's arguments
    uint64_t args_present = 0;
    static_assert(arg_count <= 64);
    std::array<std::string_view, arg_count> args;
    RareKeys rare;  // as it was, unless has_rare

    /// For the next event. What is in `args` is left: `args_present` tells what is valid.
    void clear() {
      phase = 0;
      has_rare = false;
      args_present = 0;
      name = category = process = thread = time = duration = id = sample_args = {};
    }
    bool has(Arg arg) const { return ((args_present >> arg) & 1u) != 0; }
    std::string_view get(Arg arg) const { return has(arg) ? args[arg] : std::string_view(); }
  };

  /// The argument whose key is at `key`; `none` for one that is left in the file.
  static Arg arg_at(const char* key);
  /// Whether an event of this category has arguments that become columns; true while the category is unknown.
  bool wants_args(const Event& event);
  bool read_event(simdjson::ondemand::object object, Event& event);
  bool read_args(simdjson::ondemand::value value, Event& event);
  bool read_late_args(Event& event);

  void add(const Event& event, uint64_t source, Batch& batch);
  static bool read_times(const Event& event, Slice& row, Batch& batch);
  void add_slice(const Event& event, uint64_t source, Batch& batch);
  void read_xla_arguments(const Event& event, Slice& row, Batch& batch);
  void add_device_op(const Event& event, SliceKind kind, Batch& batch);
  void add_collective(const Event& event, Batch& batch);
  Collective collective_of(const Event& event, Batch& batch);
  void add_synchronization(const Event& event, Batch& batch);
  void add_instant(const Event& event, Batch& batch);
  void add_flow(const Event& event, uint64_t source, Batch& batch);
  void add_counter(const Event& event, Batch& batch);
  void add_metadata(const Event& event, Batch& batch);

  // What PyTorch does not write, in rare_events.cpp.
  bool read_rare_key(const char* key, simdjson::ondemand::value value, Event& event);
  /// An event of a phase that Kineto does not use.
  void add_rare(const Event& event, uint64_t source, Batch& batch);
  /// An event that is put aside until all are there.
  void add_part(PartKind kind, const Event& event, uint64_t source, Batch& batch);
  void add_slice_without_duration(const Event& event, uint64_t source, Batch& batch);
  /// The flow that a slice says it is a part of; `event` has rare keys.
  void add_flow_of_slice(const Event& event, uint64_t source, Batch& batch);
  StringId part_key(PartKind kind, const Event& event);

  // What cgpu's own exports mark, in own_events.cpp.
  void add_own_slice(const Event& event, uint64_t source, Batch& batch);
  void add_own_device_op(const Event& event, Batch& batch);
  void add_arrow(const Event& event, Batch& batch);

  StringId intern(std::string_view text) { return tables_.names.intern(text); }
  StringId intern_json(std::string_view raw);
  uint32_t track(const Event& event);
  static constexpr uint16_t kNoNumber = UINT16_MAX;
  struct KnownCategory {
    std::string name;
    SliceKind kind;
    std::string in_run;                         // its name there
    std::array<uint16_t, kSliceKinds> numbers;  // in tables_, by the kind of the event
  };
  KnownCategory& category_of(std::string_view name);
  KnownCategory& own_category_of(const Event& event);
  KnownCategory own_category(std::string_view key) const;
  uint16_t category_number(KnownCategory& category, SliceKind kind);
  std::optional<int64_t> integer(std::string_view token, Batch& batch);
  std::optional<int64_t> time(std::string_view token, Batch& batch);

  /// The integer that an event has as this argument; none where it is empty or absent.
  std::optional<int64_t> integer_of(const Event& event, Arg arg, Batch& batch);

  WorkerTables& tables_;
  const RunMark* const own_;
  simdjson::ondemand::parser parser_;
  simdjson::ondemand::parser late_parser_;
  std::string_view late_args_;  // args that came before the phase was known
  std::vector<std::pair<std::string, double>> counter_values_;
  std::string scratch_;
  std::vector<KnownCategory> categories_;
  size_t last_category_ = 0;
  struct RecentTrack {
    std::string process;
    std::string thread;
    uint32_t number = kNone;
  };
  std::array<RecentTrack, 4> recent_tracks_;
  size_t next_recent_ = 0;
};

}  // namespace cgpu::trace_event
