// Where the events of a run are written in Chrome trace JSON: process and thread of each track, process and name of
// each counter. Every track has a place of its own, by which a reader of cgpu's own exports finds the track again.
//
// Of a single run these are the profile's, as far as they differ and are plain text. Of several runs processes have
// numbers, different for different runs (process_numbers.h).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "export/process_numbers.h"
#include "model/run.h"
#include "table/json_text_writer.h"

namespace cgpu {

class ChromePlaces {
 public:
  /// Forgets the run before; `several`: the export is of several runs.
  void begin_run(const Run& run, size_t number, bool several);

  /// `"pid": P, "tid": T` of a lane of a track, lane 0 being the track's own thread.
  const std::string& of_track(TrackIndex track) const { return tracks_[track].members.front(); }
  const std::string& of_lane(TrackIndex track, size_t lane) const { return tracks_[track].members[lane]; }
  /// Gives the track one lane more, for slices that overlap those of the others without nesting.
  void add_lane(TrackIndex track);
  size_t lanes(TrackIndex track) const { return tracks_[track].members.size(); }
  /// `"pid": P` and the name of a counter.
  const std::string& process_of_counter(uint32_t counter) const { return counters_[counter].process; }
  const std::string& name_of_counter(uint32_t counter) const { return counters_[counter].name; }
  /// The process of what has no track: the number that a process called `name` of the run gets.
  int64_t made_process(const std::string& name) { return numbers_.of_process(run_, name); }

  /// Writes two members of the description of a run (model/export_marks.h), with all lanes there are by now.
  void describe(JsonTextWriter& json) const;

 private:
  struct Place {
    std::string process;               // JSON
    std::vector<std::string> threads;  // JSON, one a lane
    std::vector<std::string> members;  // of an event, one a lane
  };
  struct Counter {
    std::string process;  // the member of an event
    std::string value;    // JSON
    std::string name;
  };

  std::string process(const std::string& text);
  void add_thread(Place& place, const std::string& text);

  ProcessNumbers numbers_;
  size_t run_ = 0;
  bool several_ = false;
  std::vector<Place> tracks_;
  std::vector<Counter> counters_;
  std::map<std::string, std::set<std::string>> taken_;  // threads, by process
  int64_t next_thread_ = ProcessNumbers::kFirstMade;
};

}  // namespace cgpu
