#include "export/perfetto_tracks.h"

#include "base/ascii.h"
#include "model/export_marks.h"

namespace cgpu {

namespace {

using export_marks::TrackNumber;

constexpr uint64_t kExplicitOrder = 3;  // TrackDescriptor.ChildTracksOrdering.EXPLICIT

}  // namespace

void PerfettoTracks::begin_run(size_t run, TracePackets& packets) {
  run_ = run;
  packets_ = &packets;
  processes_.clear();
  headings_.clear();
  process_names_.clear();
  for (const Track& track : session_.runs[run].timeline.tracks) {
    if (!is_thread(track)) continue;
    std::string& name = process_names_[track.process];
    if (name.empty()) name = track.process_name;
  }
}

/// A track of slices that nest as on a thread may be one of asynchronous ones, which is named and has no number.
bool PerfettoTracks::is_thread(const Track& track) const {
  return track.kind == TrackKind::host_thread && track.above.empty() &&
         (is_digits(track.thread) || !is_digits(track.process));
}

std::string PerfettoTracks::with_rank(const std::string& name) const {
  if (session_.runs.size() == 1) return name;
  return "rank " + std::to_string(session_.runs[run_].rank) + (name.empty() ? "" : " ") + name;
}

template <typename WriteFields>
void PerfettoTracks::describe(uint64_t uuid, uint64_t parent, const std::string& name, int64_t order,
                              WriteFields write_fields) {
  packets_->description([&](ProtoWriter& packet) {
    packet.message(60, [&] {  // track_descriptor
      packet.varint(1, uuid);
      if (parent != 0) packet.varint(5, parent);
      if (!name.empty()) packet.text(2, name);
      if (order >= 0) packet.integer(12, order);  // sibling_order_rank
      write_fields(packet);
    });
  });
}

uint64_t PerfettoTracks::process(const std::string& text) {
  const auto known = processes_.find(text);
  if (known != processes_.end()) return known->second.first;
  const int64_t number = numbers_.of_process(run_, text);
  std::string name = process_names_[text];
  if (name.empty() && number >= ProcessNumbers::kFirstMade) name = text.empty() ? "program" : text;
  const uint64_t uuid = next_uuid_++;
  describe(uuid, 0, "", -1, [&](ProtoWriter& packet) {
    packet.message(3, [&] {  // process
      packet.integer(1, number);
      if (const std::string shown = with_rank(name); !shown.empty()) packet.text(6, shown);
    });
    packet.varint(11, kExplicitOrder);
  });
  processes_[text] = {uuid, number};
  return uuid;
}

uint64_t PerfettoTracks::heading(uint64_t parent, const std::string& name) {
  const auto [at, added] = headings_.try_emplace({parent, name}, next_uuid_);
  if (added) {
    ++next_uuid_;
    describe(at->second, parent, name, -1, [](ProtoWriter& packet) { packet.varint(11, kExplicitOrder); });
  }
  return at->second;
}

/// The process of the track, if that has threads, else the outer headings of the view; below it the headings that the
/// profile has above the track.
uint64_t PerfettoTracks::parent_of(const ViewTrack& track) {
  const Timeline& timeline = session_.runs[run_].timeline;
  const std::string* of_process = nullptr;
  size_t above = 0;
  if (track.source != kNone && !track.device) {
    of_process = &timeline.tracks[track.source].process;
    above = timeline.tracks[track.source].above.size();
  } else if (track.counter) {
    of_process = &timeline.counters.tracks[*track.counter].process;
  }
  const bool below_process = of_process != nullptr && process_names_.contains(*of_process);
  uint64_t parent = below_process ? process(*of_process) : 0;
  for (size_t i = below_process ? track.group.size() - above : 0; i < track.group.size(); ++i) {
    parent = heading(parent, track.group[i]);
  }
  return parent;
}

uint64_t PerfettoTracks::source_lane(const ViewTrack& track, ViewTrackId order, uint32_t lane) {
  const uint64_t uuid = TrackNumber{TrackNumber::What::slices, static_cast<uint32_t>(run_), track.source, lane}.uuid();
  const Track& source = session_.runs[run_].timeline.tracks[track.source];
  if (!is_thread(source)) {
    describe(uuid, parent_of(track), track.name, order, [](ProtoWriter&) {});
    return uuid;
  }
  if (lane > 0) {  // slices that overlap those of the thread's first lane
    const uint64_t thread = TrackNumber{TrackNumber::What::slices, static_cast<uint32_t>(run_), track.source, 0}.uuid();
    describe(uuid, thread, "overlapping slices", -1, [](ProtoWriter&) {});
    return uuid;
  }
  process(source.process);
  const int64_t process_number = processes_[source.process].second;
  const int64_t number = numbers_.new_thread(process_number, source.thread);
  const std::string name =
      source.thread_name.empty() && number >= ProcessNumbers::kFirstMade ? source.thread : source.thread_name;
  describe(uuid, 0, "", order, [&](ProtoWriter& packet) {
    packet.message(4, [&] {  // thread
      packet.integer(1, process_number);
      packet.integer(2, number);
      if (!name.empty()) packet.text(5, name);
    });
  });
  return uuid;
}

uint64_t PerfettoTracks::derived(const ViewTrack& track, ViewTrackId order) {
  const uint64_t parent = parent_of(track);
  const uint64_t uuid = next_uuid_++;
  describe(uuid, parent, track.name, order, [](ProtoWriter&) {});
  return uuid;
}

uint64_t PerfettoTracks::counter(const ViewTrack& track, ViewTrackId order) {
  const uint64_t parent = parent_of(track);
  const uint64_t uuid =
      track.counter ? TrackNumber{TrackNumber::What::counter, static_cast<uint32_t>(run_), *track.counter, 0}.uuid()
                    : next_uuid_++;
  describe(uuid, parent, track.name, order, [](ProtoWriter& packet) { packet.message(8, [] {}); });
  return uuid;
}

uint64_t PerfettoTracks::of_run(uint64_t uuid, const std::string& name) {
  describe(uuid, 0, with_rank(name), -1, [](ProtoWriter&) {});
  return uuid;
}

}  // namespace cgpu
