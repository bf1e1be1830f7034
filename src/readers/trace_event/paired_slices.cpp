#include "readers/trace_event/paired_slices.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/sort_runs.h"
#include "readers/trace_event/insert_slices.h"

namespace cgpu::trace_event {

namespace {

constexpr int64_t kWeek = int64_t{7} * 24 * 3600 * 1'000'000'000;

/// The last moment at which anything happens, apart from implausible ends.
int64_t end_of_trace(const Parts& parts, const Timeline& timeline) {
  int64_t last = INT64_MIN;
  for (const Part& part : parts.rows) last = std::max(last, part.time);
  for (const int64_t time : timeline.counters.time) last = std::max(last, time);
  for (const Instant& instant : timeline.instants) last = std::max(last, instant.time);
  for (const MemoryEvent& event : timeline.memory) last = std::max(last, event.time);
  const Slices& slices = timeline.slices;
  for (SliceIndex i = 0; i < slices.size(); ++i) {
    last = std::max(last, slices.duration[i] > kWeek ? slices.start[i] : slices.end(i));
  }
  return last;
}

/// ns between two times; the most where they are further apart than can be said.
int64_t length(int64_t start, int64_t end) {
  int64_t difference = 0;
  return __builtin_sub_overflow(end, start, &difference) ? INT64_MAX : difference;
}

/// The slice that begins with a part, until its end is found.
Slice slice_of(const Part& part, int64_t end) {
  return {.start = part.time,
          .duration = length(part.time, end),
          .source = part.source,
          .name = part.name,
          .track = part.track,
          .category = part.category,
          .flags = kNeverEnded};
}

/// The parts that pair among each other, in order of time.
class Pairing {
 public:
  Pairing(const Parts& parts, int64_t end_of_trace, std::vector<Slice>& made)
      : parts_(parts), end_of_trace_(end_of_trace), made_(made) {}

  void add(uint32_t part) {
    const Part& row = parts_.rows[part];
    if (row.time != now_ && !waiting_.empty()) waiting_ = {};
    now_ = row.time;
    if (row.kind == PartKind::end || row.kind == PartKind::async_end) {
      end(row);
    } else {
      begin(row);
    }
  }

  size_t open() const { return open_; }

  /// Ends what is still open; ready for parts of another group.
  void finish() {
    for (const uint32_t slice : stack_) {
      Slice& made = made_[slice];
      if (!is_open(slice)) continue;
      made.duration = length(made.start, std::max(made.start, end_of_trace_));
      ++never_ended_;
    }
    stack_.clear();
    by_name_ = {};  // not clear(), whose cost is that of the largest group so far
    waiting_ = {};
    open_ = 0;
  }

  int64_t never_ended() const { return never_ended_; }
  int64_t ends() const { return ends_; }
  int64_t unmatched_ends() const { return unmatched_ends_; }

 private:
  bool is_open(uint32_t slice) const { return made_[slice].flags == kNeverEnded; }

  void end_at(uint32_t slice, int64_t time) {
    made_[slice].duration = length(made_[slice].start, time);
    made_[slice].flags = 0;
    ++ends_;
  }

  void begin(const Part& row) {
    made_.push_back(slice_of(row, row.time));
    const auto index = static_cast<uint32_t>(made_.size() - 1);
    const auto waiting = waiting_.find(row.name);
    if (waiting != waiting_.end() && waiting->second > 0) {
      --waiting->second;
      --unmatched_ends_;
      return end_at(index, row.time);
    }
    stack_.push_back(index);
    by_name_[row.name].push_back(index);
    ++open_;
  }

  void end(const Part& row) {
    std::vector<uint32_t>& candidates = row.name == 0 ? stack_ : by_name_[row.name];
    while (!candidates.empty() && !is_open(candidates.back())) candidates.pop_back();
    if (candidates.empty()) {
      ++unmatched_ends_;
      if (row.name != 0) ++waiting_[row.name];
      return;
    }
    end_at(candidates.back(), row.time);
    candidates.pop_back();
    --open_;
  }

  const Parts& parts_;
  const int64_t end_of_trace_;
  std::vector<Slice>& made_;
  std::vector<uint32_t> stack_;                                  // what has begun; what has ended may still be there
  std::unordered_map<StringId, std::vector<uint32_t>> by_name_;  // the same
  std::unordered_map<StringId, int64_t> waiting_;                // ends of this moment that nothing has begun
  int64_t now_ = INT64_MIN;
  size_t open_ = 0;
  int64_t never_ended_ = 0;
  int64_t ends_ = 0;
  int64_t unmatched_ends_ = 0;
};

/// Asynchronous slices and instants [first, last) of one key, from the first thing open until nothing is.
struct Tree {
  int64_t begin;
  int64_t end;
  size_t first_slice;
  size_t last_slice;
  size_t first_instant;
  size_t last_instant;
  StringId name;      // of its root
  TrackIndex thread;  // where its root was written
};

/// A group of parts that pair, and when.
struct Place {
  uint64_t group;
  int64_t time;
  uint32_t part;
  auto operator<=>(const Place&) const = default;
};

class Builder {
 public:
  Builder(const Parts& parts, Run& run)
      : parts_(parts),
        run_(run),
        end_of_trace_(end_of_trace(parts, run.timeline)),
        pairing_(parts, end_of_trace_, made_) {
    made_.reserve(static_cast<size_t>(std::count_if(parts.rows.begin(), parts.rows.end(), [](const Part& part) {
      return part.kind == PartKind::begin || part.kind == PartKind::async_begin || part.kind == PartKind::unended;
    })));
  }

  void pair_synchronous() {
    const std::vector<Place> places = sorted([](const Part& part) -> std::pair<bool, uint64_t> {
      return {part.kind == PartKind::begin || part.kind == PartKind::end, part.track};
    });
    for (size_t i = 0; i < places.size(); ++i) {
      pairing_.add(places[i].part);
      if (i + 1 == places.size() || places[i + 1].group != places[i].group) pairing_.finish();
    }
  }

  /// What has a beginning only, and no end could belong to.
  void add_unended() {
    for (const Part& part : parts_.rows) {
      if (part.kind != PartKind::unended) continue;
      made_.push_back(slice_of(part, std::max(part.time, end_of_trace_)));
      ++unended_;
    }
  }

  void pair_asynchronous() {
    const std::vector<Place> places = sorted([](const Part& part) -> std::pair<bool, uint64_t> {
      const bool wanted = part.kind == PartKind::async_begin || part.kind == PartKind::async_end ||
                          part.kind == PartKind::async_instant;
      return {wanted, part.key};
    });
    bool grows = false;
    for (size_t i = 0; i < places.size(); ++i) {
      const Part& part = parts_.rows[places[i].part];
      const bool last = i + 1 == places.size() || places[i + 1].group != places[i].group;
      const size_t slices = made_.size();
      if (part.kind == PartKind::async_instant) {
        instants_.push_back({part.time, part.name, part.track});
      } else {
        pairing_.add(places[i].part);
      }
      if (!grows && (made_.size() > slices || part.kind == PartKind::async_instant)) {
        trees_.push_back({part.time, part.time, slices, slices, instants_.size(), 0, part.name, part.track});
        if (part.kind == PartKind::async_instant) --trees_.back().first_instant;
        grows = true;
      }
      if (grows && (last || pairing_.open() == 0)) {
        Tree& tree = trees_.back();
        tree.last_slice = made_.size();
        tree.last_instant = instants_.size();
        tree.end = pairing_.open() > 0 ? end_of_trace_ : part.time;
        grows = false;
      }
      if (last) pairing_.finish();
    }
    lay_out_trees();
  }

  void finish() {
    EventCounts& events = run_.events;
    events.slices += static_cast<int64_t>(made_.size());
    events.ends += pairing_.ends();
    events.instants += static_cast<int64_t>(instants_.size());
    events.skipped += pairing_.unmatched_ends();
    run_.notes.add("unmatched_begin", pairing_.never_ended() + unended_,
                   "slices whose end is not in the file last until the last moment of the trace");
    run_.notes.add("unmatched_end", pairing_.unmatched_ends(),
                   "ends of slices whose beginning is not in the file were left out");
    std::vector<Instant>& instants = run_.timeline.instants;
    instants.insert(instants.end(), instants_.begin(), instants_.end());
    insert_slices(std::move(made_), run_.timeline);
  }

 private:
  /// `group_of` says whether a part is wanted, and its group.
  template <typename GroupOf>
  std::vector<Place> sorted(GroupOf group_of) const {
    std::vector<Place> places;
    for (uint32_t i = 0; i < parts_.rows.size(); ++i) {
      const auto [wanted, group] = group_of(parts_.rows[i]);
      if (wanted) places.push_back({group, parts_.rows[i].time, i});
    }
    sort_runs(places);
    return places;
  }

  /// Trees of one name in one process, each in the lowest lane that is free when it begins.
  void lay_out_trees() {
    std::map<std::pair<std::string, StringId>, std::vector<const Tree*>> rows;
    for (const Tree& tree : trees_) rows[{run_.timeline.tracks[tree.thread].process, tree.name}].push_back(&tree);
    for (auto& [row, trees] : rows) {
      std::stable_sort(trees.begin(), trees.end(), [](const Tree* a, const Tree* b) { return a->begin < b->begin; });
      std::vector<TrackIndex> lanes;
      std::priority_queue<size_t, std::vector<size_t>, std::greater<>> free;
      std::priority_queue<std::pair<int64_t, size_t>, std::vector<std::pair<int64_t, size_t>>, std::greater<>> busy;
      for (const Tree* tree : trees) {
        for (; !busy.empty() && busy.top().first <= tree->begin; busy.pop()) free.push(busy.top().second);
        size_t lane = lanes.size();
        if (free.empty()) {
          lanes.push_back(add_track(row.first, row.second, lane));
        } else {
          lane = free.top();
          free.pop();
        }
        busy.emplace(tree->end, lane);
        for (size_t i = tree->first_slice; i < tree->last_slice; ++i) made_[i].track = lanes[lane];
        for (size_t i = tree->first_instant; i < tree->last_instant; ++i) instants_[i].track = lanes[lane];
      }
    }
  }

  TrackIndex add_track(const std::string& process, StringId name, size_t lane) {
    std::vector<Track>& tracks = run_.timeline.tracks;
    Track& track = tracks.emplace_back();
    track.process = process;
    track.thread = "async " + std::string(run_.timeline.names[name]);
    if (lane > 0) track.thread += " #" + std::to_string(lane + 1);
    return static_cast<TrackIndex>(tracks.size() - 1);
  }

  const Parts& parts_;
  Run& run_;
  const int64_t end_of_trace_;
  std::vector<Slice> made_;
  Pairing pairing_;
  int64_t unended_ = 0;
  std::vector<Tree> trees_;
  std::vector<Instant> instants_;
};

}  // namespace

void pair_slices(const Parts& parts, Run& run) {
  Builder builder(parts, run);
  builder.pair_synchronous();
  builder.add_unended();
  builder.pair_asynchronous();
  builder.finish();
}

}  // namespace cgpu::trace_event
