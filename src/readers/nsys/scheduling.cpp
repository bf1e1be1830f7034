// Thread scheduling: which thread each processor ran, as slices on a track a processor. O(n log n) in the events.
#include <algorithm>
#include <unordered_map>

#include "model/processor_time.h"
#include "model/time_range.h"
#include "readers/nsys/tables.h"

namespace cgpu::nsys {

namespace {

struct Switch {
  int64_t time;
  int64_t cpu;
  int64_t thread;
  bool in;
};

class Processors {
 public:
  explicit Processors(Assembler& assembler)
      : assembler_(assembler), category_(assembler.category(kSchedulingCategory, SliceKind::other)) {
    assembler.each("ThreadNames", {"globalTid", "nameId"},
                   [&](Row& row) { thread_names_.try_emplace(row.integer(0), row.integer(1)); });
  }

  void read() {
    enum { kTime, kCpu, kIn, kThread };
    assembler_.each_event("SCHED_EVENTS", {"start", "cpu", "isSchedIn", "globalTid"}, [&](Row& row) {
      if (row.is_null(kTime) || !is_time(row.integer(kTime))) {
        return assembler_.skip("skipped_event", "scheduling events without a time were left out");
      }
      switches_.push_back({row.integer(kTime), row.integer(kCpu), row.integer(kThread), row.integer(kIn) != 0});
    });
    // Of events at one time the file's order holds: a thread leaves before the next one comes.
    std::stable_sort(switches_.begin(), switches_.end(),
                     [](const Switch& a, const Switch& b) { return a.cpu != b.cpu ? a.cpu < b.cpu : a.time < b.time; });
    for (auto first = switches_.cbegin(); first != switches_.cend();) {
      const auto end =
          std::find_if(first, switches_.cend(), [&](const Switch& other) { return other.cpu != first->cpu; });
      add_processor(first, end);
      first = end;
    }
  }

 private:
  using Iterator = std::vector<Switch>::const_iterator;

  void add_processor(Iterator at, Iterator end) {
    const auto track = static_cast<TrackIndex>(assembler_.run.timeline.tracks.size());
    Track& row = assembler_.run.timeline.tracks.emplace_back();
    row.process = "processors";
    row.thread = "processor " + std::to_string(at->cpu);
    const int64_t last = std::prev(end)->time;

    const Switch* running = nullptr;
    const auto close = [&](int64_t time) {
      assembler_.add_slice_without_row(running->time, time, category_, name_of(running->thread), track);
      running = nullptr;
    };
    for (; at != end; ++at) {
      if (at->in) {
        if (running != nullptr) close(at->time);
        running = &*at;
      } else if (running != nullptr && running->thread == at->thread) {
        close(at->time);
        ++assembler_.run.events.ends;
      } else {
        assembler_.skip("unmatched_end", "threads that left a processor on which they were not seen to come");
      }
    }
    if (running != nullptr) {
      close(last);
      assembler_.run.notes.add("unmatched_begin", 1, "threads that were still on a processor at its last event");
    }
  }

  StringId name_of(int64_t thread) {
    const auto [at, added] = names_.try_emplace(thread, 0);
    if (added) {
      const auto known = thread_names_.find(thread);
      const std::string_view text = known == thread_names_.end() ? "" : assembler_.names.text(known->second);
      at->second = assembler_.names.intern(scheduled_name(
          {std::to_string(process_number(process_of(thread))), std::to_string(thread_number(thread)), text}));
    }
    return at->second;
  }

  Assembler& assembler_;
  uint16_t category_;
  std::vector<Switch> switches_;
  std::unordered_map<int64_t, int64_t> thread_names_;
  std::unordered_map<int64_t, StringId> names_;
};

}  // namespace

void read_scheduling(Assembler& assembler) {
  if (assembler.tables.has_rows("SCHED_EVENTS")) Processors(assembler).read();
}

}  // namespace cgpu::nsys
