// Tables of what is on a timeline besides slices: `tracks`, `links`, `waits`, `counter_samples`, `memory_events`. Rows
// are named by their run and their number in it: 8 bytes a row; O(n) to begin with, O(n log n) where they are put in
// order of time.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/device/device_ops.h"
#include "analysis/events/event_trace.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

Column slice_number(std::string name, const std::string& of) {
  return number_column(std::move(name), of + ", by its number in table slices");
}

const char* text_of_track_kind(TrackKind kind) {
  switch (kind) {
    case TrackKind::host_thread:
      return "host_thread";
    case TrackKind::device_stream:
      return "device_stream";
    case TrackKind::other:
      break;
  }
  return "other";
}

template <std::string Track::*text>
std::vector<std::optional<std::string_view>> texts_of_tracks(const Run& run) {
  std::vector<std::optional<std::string_view>> texts;
  for (const Track& track : run.timeline.tracks) {
    const std::string& each = track.*text;
    texts.emplace_back(each.empty() ? std::nullopt : std::optional<std::string_view>(each));
  }
  return texts;
}

class Tracks final : public EventTrace {
 public:
  explicit Tracks(const SessionFacts& facts)
      : EventTrace(facts),
        kinds_(facts.session(), texts_of_enum<TrackKind, text_of_track_kind, TrackKind::other>),
        processes_(facts.session(), texts_of_tracks<&Track::process>),
        threads_(facts.session(), texts_of_tracks<&Track::thread>),
        process_names_(facts.session(), texts_of_tracks<&Track::process_name>),
        thread_names_(facts.session(), texts_of_tracks<&Track::thread_name>) {
    for (size_t run = 0; run < runs(); ++run) {
      begins_.push_back(row_count());
      std::vector<int64_t>& counts = counts_.emplace_back(timeline(run).tracks.size());
      for (const TrackIndex track : timeline(run).slices.track) ++counts[track];
      for (size_t track = 0; track < counts.size(); ++track) add(run, track);
    }
  }

  static std::vector<Column> declared() {
    return {rank_column(),
            number_column("track", "number of the track, as in table slices"),
            text_column("kind", "host_thread, device_stream or other"),
            text_column("process", "process, as the profile says"),
            text_column("thread", "thread or stream, as the profile says"),
            text_column("process_name", "name of the process; absent where it has none"),
            text_column("thread_name", "name of the thread; absent where it has none"),
            count_column("slices", "events with a duration on it")};
  }

 private:
  enum : size_t { kRank, kTrack, kKind, kProcess, kThread, kProcessName, kThreadName };

  ColumnValues values_at(size_t column, const EventPlaces& tracks) const override {
    const auto number = [](EventPlace place) { return place.event; };
    switch (column) {
      case kRank:
        return columns().rank(tracks);
      case kTrack:
        return integer_values(tracks,
                              [&](EventPlace place) { return static_cast<int64_t>(begins_[place.run] + place.event); });
      case kKind:
        return kinds_.values(tracks, [&](EventPlace place) {
          return static_cast<size_t>(timeline(place.run).tracks[place.event].kind);
        });
      case kProcess:
        return processes_.values(tracks, number);
      case kThread:
        return threads_.values(tracks, number);
      case kProcessName:
        return process_names_.values(tracks, number);
      case kThreadName:
        return thread_names_.values(tracks, number);
      default:
        return integer_values(tracks, [&](EventPlace place) { return counts_[place.run][place.event]; });
    }
  }

  EventTexts kinds_, processes_, threads_, process_names_, thread_names_;
  std::vector<size_t> begins_;                // by run: number of its first track
  std::vector<std::vector<int64_t>> counts_;  // by run and track
};

/// A launch of a device op, or a Link.
class Links final : public EventTrace {
 public:
  explicit Links(const SessionFacts& facts) : EventTrace(facts), kinds_(facts.session(), all_kinds) {
    for (size_t run = 0; run < runs(); ++run) {
      const Timeline& of = timeline(run);
      std::vector<Ends>& ends = ends_.emplace_back();
      for_each_device_op(of, [&](OpIndex, SliceIndex slice) {
        if (of.slices.launch[slice] != kNone) ends.push_back({0, of.slices.launch[slice], slice});
      });
      for (const Link& link : of.links) {
        ends.push_back({link.kind == Link::Kind::forward_backward ? uint8_t{1} : uint8_t{2}, link.from, link.to});
      }
      for (size_t number = 0; number < ends.size(); ++number) add(run, number);
    }
  }

  static std::vector<Column> declared() {
    return {rank_column(),
            key_column("kind",
                       "launch (of a call to its device op), forward_backward (of an op to its gradient) or flow "
                       "(an arrow of the profile)"),
            slice_number("from_slice", "where it begins"), slice_number("to_slice", "where it ends")};
  }

 private:
  enum : size_t { kRank, kKind, kFrom };
  struct Ends {
    uint8_t kind;  // of all_kinds
    SliceIndex from;
    SliceIndex to;
  };

  static std::vector<std::optional<std::string_view>> all_kinds(const Run&) {
    return {"launch", "forward_backward", "flow"};
  }

  ColumnValues values_at(size_t column, const EventPlaces& links) const override {
    const auto at = [&](EventPlace place) -> const Ends& { return ends_[place.run][place.event]; };
    switch (column) {
      case kRank:
        return columns().rank(links);
      case kKind:
        return kinds_.values(links, [&](EventPlace place) { return at(place).kind; });
      case kFrom:
        return integer_values(links,
                              [&](EventPlace place) { return columns().numbers().number(place.run, at(place).from); });
      default:
        return integer_values(links,
                              [&](EventPlace place) { return columns().numbers().number(place.run, at(place).to); });
    }
  }

  EventTexts kinds_;
  std::vector<std::vector<Ends>> ends_;  // by run
};

class WaitTrace final : public EventTrace {
 public:
  explicit WaitTrace(const SessionFacts& facts)
      : EventTrace(facts),
        facts_(facts),
        ends_(facts.session(), texts_of_enum<Wait::End, text_of, Wait::End::unknown>),
        sources_(facts.session(), texts_of_enum<Wait::By, text_of, Wait::By::times>) {
    for (size_t run = 0; run < runs(); ++run) {
      for (size_t wait = 0; wait < facts.waits(run).all().size(); ++wait) add(run, wait);
    }
    order_by_start([&](EventPlace wait) { return timeline(wait.run).slices.start[at(wait).slice]; });
  }

  static std::vector<Column> declared() {
    return {rank_column(),
            moment_column("start_ns", "from the start of the profile"),
            time_column("duration_ns", "length"),
            key_column("name", "name of the call or of the recorded wait"),
            text_column("ended", "how it ended: op, event, nothing (to wait for), later, ambiguous or unknown"),
            text_column("known_from", "what that is concluded from: launch, record, stream, device or times"),
            slice_number("slice", "the wait"),
            slice_number("op_slice", "the device op that it waited for; absent where not known"),
            slice_number("held_slice", "the device op that it held back; absent for waits of the host"),
            slice_number("record_slice", "what recorded the awaited event; absent where there is none")};
  }

 private:
  enum : size_t { kRank, kStart, kDuration, kName, kEnded, kKnownFrom, kSlice, kOp, kHeld };

  const Wait& at(EventPlace wait) const { return facts_.waits(wait.run).all()[wait.event]; }

  ColumnValues values_at(size_t column, const EventPlaces& waits) const override {
    const auto slices = [&] {
      EventPlaces places;
      places.reserve(waits.size());
      for (const EventPlace wait : waits) places.push_back({wait.run, at(wait).slice});
      return places;
    };
    const auto numbers = [&](SliceIndex Wait::*slice) {
      return integer_values(waits,
                            [&](EventPlace wait) { return columns().numbers().number(wait.run, at(wait).*slice); });
    };
    switch (column) {
      case kRank:
        return columns().rank(waits);
      case kStart:
        return columns().start(slices());
      case kDuration:
        return columns().duration(slices());
      case kName:
        return columns().name(slices());
      case kEnded:
        return ends_.values(waits, [&](EventPlace wait) { return static_cast<size_t>(at(wait).end); });
      case kKnownFrom:
        return sources_.values(waits, [&](EventPlace wait) { return static_cast<size_t>(at(wait).by); });
      case kSlice:
        return numbers(&Wait::slice);
      case kOp:
        return numbers(&Wait::op);
      case kHeld:
        return numbers(&Wait::held);
      default:
        return numbers(&Wait::record);
    }
  }

  const SessionFacts& facts_;
  EventTexts ends_, sources_;
};

template <std::string CounterTrack::*text>
std::vector<std::optional<std::string_view>> texts_of_counters(const Run& run) {
  std::vector<std::optional<std::string_view>> texts;
  for (const CounterTrack& track : run.timeline.counters.tracks) texts.emplace_back(track.*text);
  return texts;
}

class CounterSamples final : public EventTrace {
 public:
  explicit CounterSamples(const SessionFacts& facts)
      : EventTrace(facts),
        processes_(facts.session(), texts_of_counters<&CounterTrack::process>),
        names_(facts.session(), texts_of_counters<&CounterTrack::name>) {
    for (size_t run = 0; run < runs(); ++run) {
      for (size_t sample = 0; sample < timeline(run).counters.time.size(); ++sample) add(run, sample);
    }
    order_by_start([&](EventPlace sample) { return timeline(sample.run).counters.time[sample.event]; });
  }

  static std::vector<Column> declared() {
    return {rank_column(), moment_column("time_ns", "from the start of the profile"),
            text_column("process", "process, as the profile says"), key_column("name", "name of the counter"),
            real_column("value", "", "value from this time on; absent where it is not finite")};
  }

 private:
  enum : size_t { kRank, kTime, kProcess, kName };

  ColumnValues values_at(size_t column, const EventPlaces& samples) const override {
    const auto track = [&](EventPlace sample) { return timeline(sample.run).counters.track[sample.event]; };
    switch (column) {
      case kRank:
        return columns().rank(samples);
      case kTime:
        return integer_values(samples, [&](EventPlace sample) {
          return timeline(sample.run).counters.time[sample.event] - columns().zero(sample.run);
        });
      case kProcess:
        return processes_.values(samples, track);
      case kName:
        return names_.values(samples, track);
      default:
        break;
    }
    ColumnValues values(ColumnType::real);
    values.reserve(samples.size());
    for (const EventPlace sample : samples) values.append(timeline(sample.run).counters.value[sample.event]);
    return values;
  }

  EventTexts processes_, names_;
};

class MemoryEvents final : public EventTrace {
 public:
  explicit MemoryEvents(const SessionFacts& facts) : EventTrace(facts) {
    for (size_t run = 0; run < runs(); ++run) {
      for (size_t event = 0; event < timeline(run).memory.size(); ++event) add(run, event);
    }
    order_by_start([&](EventPlace event) { return at(event).time; });
  }

  static std::vector<Column> declared() {
    return {rank_column(),
            moment_column("time_ns", "from the start of the profile"),
            number_column("device", "number of the device; absent for memory of the host"),
            bytes_column("bytes", "allocated; below 0: released"),
            bytes_column("allocated_bytes", "allocated in all after it; absent where not recorded"),
            bytes_column("reserved_bytes", "reserved by the allocator after it; absent where not recorded")};
  }

 private:
  enum : size_t { kRank, kTime, kDevice, kBytes, kAllocated };

  const MemoryEvent& at(EventPlace event) const { return timeline(event.run).memory[event.event]; }

  ColumnValues values_at(size_t column, const EventPlaces& events) const override {
    const auto unless_negative = [](int64_t value) { return value < 0 ? std::nullopt : std::optional(value); };
    switch (column) {
      case kRank:
        return columns().rank(events);
      case kTime:
        return integer_values(events, [&](EventPlace event) { return at(event).time - columns().zero(event.run); });
      case kDevice:
        return integer_values(events, [&](EventPlace event) { return unless_negative(at(event).device); });
      case kBytes:
        return integer_values(events, [&](EventPlace event) { return at(event).bytes; });
      case kAllocated:
        return integer_values(events, [&](EventPlace event) { return unless_negative(at(event).total_allocated); });
      default:
        return integer_values(events, [&](EventPlace event) { return unless_negative(at(event).total_reserved); });
    }
  }
};

template <typename Trace>
std::unique_ptr<EventTable> table_of(const Analysis&, const SessionFacts& facts, const TableOptions&) {
  return std::make_unique<Trace>(facts);
}

}  // namespace

Analysis tracks_analysis() {
  return {.name = "tracks",
          .about = "every thread and stream of the timeline",
          .columns = Tracks::declared(),
          .applies = [](const ProfileCounts& counts) { return counts.slices > 0; },
          .events = table_of<Tracks>};
}

Analysis links_analysis() {
  return {.name = "links",
          .about = "which slice led to which: launches, gradients, arrows of the profile",
          .columns = Links::declared(),
          .applies = [](const ProfileCounts& counts) { return counts.slices > 0; },
          .events = table_of<Links>};
}

Analysis waits_analysis() {
  return {.name = "waits",
          .about = "every wait of the host or of a stream for a device, and what ended it, in order of time",
          .columns = WaitTrace::declared(),
          .applies = [](const ProfileCounts& counts) { return counts.slices > 0; },
          .events = table_of<WaitTrace>};
}

Analysis counter_samples_analysis() {
  return {.name = "counter_samples",
          .about = "every sample of a counter, in order of time",
          .columns = CounterSamples::declared(),
          .applies = [](const ProfileCounts& counts) { return counts.counter_samples > 0; },
          .events = table_of<CounterSamples>};
}

Analysis memory_events_analysis() {
  return {.name = "memory_events",
          .about = "every allocation and release of memory, in order of time",
          .columns = MemoryEvents::declared(),
          .applies = [](const ProfileCounts& counts) { return counts.memory_events > 0; },
          .events = table_of<MemoryEvents>};
}

}  // namespace cgpu
