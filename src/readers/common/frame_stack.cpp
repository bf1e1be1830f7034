#include "readers/common/frame_stack.h"

namespace cgpu {

void FrameStack::spend(int64_t time) {
  if (!open_.empty()) sink_.tree.add(profile_, sink_.time, open_.back().node, static_cast<double>(time - last_));
  last_ = time;
}

void FrameStack::open(uint32_t place, int64_t time) {
  spend(time);
  Frame frame{sink_.tree.child(open_.empty() ? 0 : open_.back().node, place), kNone};
  if (sink_.run.timeline.slices.size() < kNone - 1) {
    frame.slice = sink_.run.add_slice({.start = time, .name = place, .track = track_, .category = sink_.category});
  } else {
    ++sink_.run.events.skipped;
    sink_.run.notes.add("truncated_input", 1, "calls beyond the most that a run can hold are not on the timeline",
                        true);
  }
  ++sink_.run.events.read;
  open_.push_back(frame);
}

void FrameStack::close(int64_t time) {
  spend(time);
  const SliceIndex slice = open_.back().slice;
  open_.pop_back();
  if (slice == kNone) return;
  Slices& slices = sink_.run.timeline.slices;
  slices.duration[slice] = time - slices.start[slice];
}

uint16_t add_frame_category(Timeline& timeline, const char* name) {
  timeline.categories.push_back({name, SliceKind::python_function});
  return static_cast<uint16_t>(timeline.categories.size() - 1);
}

void name_frames(Timeline& timeline, const StringPool& names, const std::vector<CallPlace>& places) {
  std::vector<StringId> ids(places.size(), StringPool::absent);
  const StringId unknown = timeline.names.intern("<unknown function>");
  for (SliceIndex i = 0; i < timeline.slices.size(); ++i) {
    if (timeline.kind(i) != SliceKind::python_function) continue;
    const uint32_t place = timeline.slices.name[i];
    timeline.slices.name[i] = unknown;
    if (place >= places.size() || places[place].name == 0) continue;
    if (ids[place] == StringPool::absent) ids[place] = timeline.names.intern(names[places[place].name]);
    timeline.slices.name[i] = ids[place];
  }
}

Metric call_time_metric() {
  Metric metric;
  metric.name = "time";
  metric.unit = "ns";
  metric.about = "time in calls, as the thread's clock shows it";
  metric.aliases = {"duration"};
  return metric;
}

}  // namespace cgpu
