// Tracks of a trace and their descriptions: processes, threads, tracks of their own, counters.
//
// A description may come after the events of its track, so that names are looked up at the end.
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

namespace cgpu::perfetto {

/// What a counter track says of its values.
struct CounterScale {
  int64_t multiplier = 1;
  bool incremental = false;
};

class Tracks {
 public:
  explicit Tracks(Run& run) : run_(run) {}

  /// A TrackDescriptor, ProcessDescriptor, ThreadDescriptor or ProcessTree message.
  void add_descriptor(std::string_view message);
  void add_process(std::string_view message);
  void add_thread(std::string_view message);
  void add_process_tree(std::string_view message);

  void name_process(int64_t process, std::string_view name);
  void name_thread(int64_t process, int64_t thread, std::string_view name);

  /// The row of a track by its uuid (tracks of one name below one parent are one row, as Perfetto shows them), of a
  /// thread, of events that are known by an id, of a GPU's queue, of a processor.
  TrackIndex of_uuid(uint64_t uuid);
  TrackIndex of_thread(int64_t process, int64_t thread);
  TrackIndex of_async(int64_t process, StringId name);
  TrackIndex of_queue(int64_t gpu, StringId queue);
  TrackIndex of_cpu(uint64_t cpu);

  uint32_t counter_of_uuid(uint64_t uuid);
  uint32_t counter_of(const std::string& process, const std::string& name);
  CounterScale scale_of(uint64_t uuid) const;

  /// The process of a thread as the process tree has it.
  std::optional<int64_t> process_of_thread(int64_t thread) const;

  /// Puts the names on all rows. Call last.
  void finish();

 private:
  struct Description {
    std::string name;
    uint64_t parent = 0;
    std::optional<int64_t> process;
    std::optional<int64_t> thread;
    CounterScale scale;
    bool stands_alone = false;  // not to be shown as one row with tracks of the same name beside it
  };
  struct Place {
    std::optional<int64_t> process;
    std::optional<int64_t> thread;
    std::string root;                // name of the outermost track, where it is of no process
    std::vector<std::string> above;  // of the tracks between that and this one, outermost first
  };
  Place place_of(uint64_t uuid) const;
  std::string process_name(int64_t process) const;
  TrackIndex new_row(uint64_t uuid);
  TrackIndex add_track(std::string process, std::string thread);

  Run& run_;
  std::unordered_map<uint64_t, Description> descriptions_;
  std::unordered_map<uint64_t, TrackIndex> by_uuid_;
  std::map<std::pair<uint64_t, std::string>, TrackIndex> by_name_;  // below one parent
  std::map<std::pair<int64_t, int64_t>, TrackIndex> by_thread_;
  std::map<std::pair<int64_t, StringId>, TrackIndex> by_async_;
  std::map<std::pair<int64_t, StringId>, TrackIndex> by_queue_;
  std::map<uint64_t, TrackIndex> by_cpu_;
  std::unordered_map<uint64_t, uint32_t> counters_;
  std::map<std::pair<std::string, std::string>, uint32_t> named_counters_;
  std::unordered_map<int64_t, std::string> process_names_;
  std::map<std::pair<int64_t, int64_t>, std::string> thread_names_;
  std::unordered_map<int64_t, int64_t> process_of_thread_;
};

}  // namespace cgpu::perfetto
