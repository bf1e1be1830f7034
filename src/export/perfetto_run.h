// The packets of one run of a Perfetto trace: slices, counters, marks, arrows, and what cgpu derives.
//
// Slices are begin and end events of tracks that follow the tracks of the profile (perfetto_tracks.h); what Perfetto
// has no field for is in categories, annotations and numbers as model/export_marks.h says. O(n log n).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "export/event_arguments.h"
#include "export/export.h"
#include "export/perfetto_tracks.h"
#include "export/slice_arrows.h"
#include "export/trace_packets.h"
#include "tiles/timeline_view.h"

namespace cgpu {

class PerfettoRunWriter {
 public:
  /// `base` is the time in the trace of the start of the session.
  PerfettoRunWriter(const TimelineView& view, size_t run, Sink& sink, PerfettoTracks& tracks, int64_t base,
                    uint64_t& next_arrow, const ExportOptions& options);
  void write();

 private:
  enum EventType : uint64_t { kBegin = 1, kEnd = 2, kInstant = 3, kCounter = 4 };  // TrackEvent.type

  template <typename WriteFields>
  void event(EventType type, uint64_t uuid, int64_t time, WriteFields write_fields);
  void end_event(uint64_t uuid, int64_t time);

  void write_description();
  void write_track(ViewTrackId id);
  void write_source(ViewTrackId id);
  void begin_slice(uint64_t uuid, int64_t time, SliceIndex slice, std::span<const ArgumentView> arguments);
  const std::vector<uint64_t>& categories_of(uint16_t category);
  uint64_t name_of(StringId slice_name);
  uint64_t name_of(const ArgumentView& argument);
  void write_derived(ViewTrackId id);
  void write_plain(uint64_t uuid, std::string_view name, std::string_view category, int64_t start, int64_t end);
  void write_busy(ViewTrackId id);
  void write_counter(ViewTrackId id);
  void write_instants();
  void write_memory();

  const TimelineView& view_;
  size_t number_;
  const Run& run_;
  const Timeline& timeline_;
  const ExportOptions& options_;
  PerfettoTracks& tracks_;
  TracePackets packets_;
  EventArguments arguments_;
  SliceArrows arrows_;
  int64_t base_;
  int64_t zero_;
  std::vector<uint32_t> lanes_;           // that have been described, by track of the profile
  std::vector<uint64_t> slice_names_;     // interned, by name of the profile; 0 if not written yet
  std::vector<uint64_t> argument_names_;  // by key number; 0 if not written yet
  /// By category of the profile: the interned categories of its slices; none if not written yet.
  std::vector<std::vector<uint64_t>> categories_;
};

}  // namespace cgpu
