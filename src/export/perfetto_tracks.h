// The descriptions of the tracks of a Perfetto trace: processes and threads as such, everything else below headings.
//
// A thread is a thread of its process. Other tracks of such a process are below it; the streams of a device, and what
// is derived for it, below the heading of the device. Each is written before its first event. O(tracks).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "export/process_numbers.h"
#include "export/trace_packets.h"
#include "tiles/view_tracks.h"

namespace cgpu {

class PerfettoTracks {
 public:
  explicit PerfettoTracks(const Session& session) : session_(session) {}

  /// From now on descriptions are of this run.
  void begin_run(size_t run, TracePackets& packets);

  /// Describes one lane of a track of the profile and gives its number; `track` shows it.
  uint64_t source_lane(const ViewTrack& track, ViewTrackId order, uint32_t lane);
  /// A track of what is derived, with a number of its own.
  uint64_t derived(const ViewTrack& track, ViewTrackId order);
  /// A counter: of the profile, else derived.
  uint64_t counter(const ViewTrack& track, ViewTrackId order);
  /// The track of marks that are on none, or of the allocator's events.
  uint64_t of_run(uint64_t uuid, const std::string& name);

 private:
  bool is_thread(const Track& track) const;
  uint64_t process(const std::string& process);
  uint64_t heading(uint64_t parent, const std::string& name);
  uint64_t parent_of(const ViewTrack& track);
  std::string with_rank(const std::string& name) const;
  template <typename WriteFields>
  void describe(uint64_t uuid, uint64_t parent, const std::string& name, int64_t order, WriteFields write_fields);

  const Session& session_;
  size_t run_ = 0;
  TracePackets* packets_ = nullptr;
  ProcessNumbers numbers_;
  uint64_t next_uuid_ = 1;
  std::map<std::string, std::pair<uint64_t, int64_t>> processes_;  // of the run: track and number
  std::map<std::pair<uint64_t, std::string>, uint64_t> headings_;  // of the run, by parent and name
  std::map<std::string, std::string> process_names_;               // of the run, of processes with threads
};

}  // namespace cgpu
