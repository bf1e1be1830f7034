// Puts the events of a trace into a run: slices, device ops, counters, flows.
//
// Events come in the order of the file, which is in order of time within a sequence only. Beginnings and ends of slices
// are therefore put aside a lane (a track, or the events of one id) and paired in order of time at the end.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "model/run.h"
#include "readers/perfetto/annotations.h"
#include "readers/perfetto/tracks.h"

namespace cgpu::perfetto {

using LaneIndex = uint32_t;

/// A slice as its event gives it.
struct NewSlice {
  int64_t start = 0;
  std::optional<int64_t> duration;  // absent: its end is an event of its own, in `lane`
  LaneIndex lane = kNone;
  StringId name = 0;
  TrackIndex track = kNone;
  StringId category = 0;
  uint64_t source = kNoSource;
};

class Assembler {
 public:
  explicit Assembler(Run& run) : tracks(run), run_(run), timeline_(run.timeline) {}

  /// Adds a slice; its arguments too where the kind of slice has a use for them.
  SliceIndex add_slice(const NewSlice& slice, SliceKind kind, const KnownArguments& arguments);
  /// The end of the slice that is open in the lane at the time; `source` where its arguments are, if it has any.
  /// Answers what add_flow takes for `end`.
  uint32_t add_end(LaneIndex lane, int64_t time, std::optional<uint64_t> source, bool wants_number);
  void add_instant(int64_t time, StringId name, TrackIndex track, const KnownArguments& arguments);
  void add_counter(uint32_t counter, int64_t time, double value);
  /// A slice (or the one that an end ends) is a step of a flow.
  void add_flow(uint64_t id, int64_t time, SliceIndex slice, uint32_t end, bool terminating);
  /// An end of an arrow that is an event of its own (phases s, t, f); kept where it leads from a launch to a device op.
  void add_flow_event(uint64_t id, int64_t time, TrackIndex track, char phase, std::string_view category);
  /// A call handed an event to a GPU, which has a number; and the slice of that.
  void add_submission(uint64_t event, SliceIndex call) { submissions_.push_back({event, call}); }
  /// A call submitted a device op, by a number of theirs.
  void join(SliceIndex call, SliceIndex op, std::optional<int64_t> number);
  void add_gpu_event(uint64_t event, SliceIndex op) { gpu_events_[event] = op; }

  /// No ends of slices were recorded in this lane: all have duration 0.
  void without_ends(LaneIndex lane) { without_ends_.insert(lane); }

  LaneIndex lane_of_track(uint64_t uuid);
  LaneIndex lane_of_thread(int64_t process, int64_t thread);
  LaneIndex lane_of_id(int64_t process, StringId category, uint64_t id);

  StringId name(std::string_view text);
  std::string_view text(StringId id) const { return timeline_.names[id]; }
  /// What the category says about its slices.
  SliceKind kind_of_category(StringId category);
  /// The same of a stage of a GPU, which does not tell who wrote the trace.
  SliceKind kind_of_stage(StringId stage) const { return kind_by_text(text(stage)); }
  /// What a slice is, by its category unless its name says otherwise.
  SliceKind kind_of_slice(SliceKind by_category, StringId category, StringId name) const;
  /// Whether such slices have arguments that the model keeps.
  static bool wants_arguments(SliceKind kind);
  /// Of a slice without a category, as PyTorch first wrote them: by the arguments that its profiler gives each kind.
  SliceKind kind_by_arguments(StringId name, const KnownArguments& arguments) const;

  void metadata() { ++run_.events.metadata; }
  void note(const char* code, const std::string& text, int64_t count = 1) { run_.notes.add(code, count, text); }
  void skip(const char* code, const std::string& why, int64_t count = 1);

  bool full() const { return timeline_.slices.size() >= limit_; }
  /// Pairs, joins and names everything. `end_sources` gets the slices whose end has arguments too.
  void finish(std::unordered_map<uint64_t, uint64_t>& end_sources);

  Tracks tracks;

 private:
  struct Edge {
    int64_t time;
    SliceIndex slice;  // that begins; kNone: an end
    uint32_t end;      // number of the end, where anything asks for it
  };
  struct End {
    std::optional<uint64_t> source;
    SliceIndex slice = kNone;
  };
  struct FlowStep {
    uint64_t id;
    int64_t time;
    SliceIndex slice;
    uint32_t end;
    bool terminating;
  };
  struct Submission {
    uint64_t event;
    SliceIndex call;
  };

  static SliceKind kind_by_text(std::string_view categories);
  uint16_t category(StringId text, SliceKind kind);
  void add_device_op(SliceIndex slice, SliceKind kind, const KnownArguments& arguments);
  void pair_lane(LaneIndex lane);
  void join_flows();
  void join_submissions();
  void place_device_ops();
  void settle_kinds();

  Run& run_;
  Timeline& timeline_;
  std::vector<std::vector<Edge>> lanes_;
  std::unordered_map<uint64_t, LaneIndex> lane_of_uuid_;
  std::map<std::pair<int64_t, int64_t>, LaneIndex> lane_of_thread_;
  std::map<std::tuple<int64_t, StringId, uint64_t>, LaneIndex> lane_of_id_;
  std::set<LaneIndex> without_ends_;
  std::vector<End> ends_;
  std::vector<FlowStep> flows_;
  std::vector<Submission> submissions_;
  std::unordered_map<uint64_t, SliceIndex> gpu_events_;
  std::unordered_map<StringId, SliceKind> kinds_;
  std::map<std::pair<StringId, SliceKind>, uint16_t> categories_;
  int64_t last_time_ = INT64_MIN;
  int64_t unmatched_ends_ = 0;
  int64_t never_ended_ = 0;
  int64_t without_end_ = 0;
  const size_t limit_ = most_slices();

  static size_t most_slices();
};

}  // namespace cgpu::perfetto
