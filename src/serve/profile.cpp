#include "serve/profile.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <tuple>

#include "base/error.h"

namespace cgpu {

namespace {

/// A part of a profile that is looked at begins at 0.
Session from_zero(Session session) {
  session.zeros.clear();
  return session;
}

}  // namespace

Profile::Profile(Session session, unsigned threads, const TimelineView::Progress& progress)
    : session_(from_zero(std::move(session))),
      view_(session_, threads, progress),
      launched_(session_.runs.size()),
      waits_(session_.runs.size()) {}

std::vector<SliceIndex> Profile::launched_by(size_t run, SliceIndex call) const {
  LaunchedOps& launched = launched_[run];
  const Timeline& timeline = session_.runs[run].timeline;
  std::call_once(launched.once, [&] {
    for (const SliceIndex op : timeline.device_ops.slice) {
      if (timeline.slices.launch[op] != kNone) launched.by_call.emplace_back(timeline.slices.launch[op], op);
    }
    std::sort(launched.by_call.begin(), launched.by_call.end(), [&](const auto& a, const auto& b) {
      return std::tuple(a.first, timeline.slices.start[a.second], a.second) <
             std::tuple(b.first, timeline.slices.start[b.second], b.second);
    });
  });
  std::vector<SliceIndex> ops;
  const auto first = std::partition_point(launched.by_call.begin(), launched.by_call.end(),
                                          [&](const auto& entry) { return entry.first < call; });
  for (auto at = first; at != launched.by_call.end() && at->first == call; ++at) ops.push_back(at->second);
  return ops;
}

const Waits& Profile::waits(size_t run) const {
  FoundWaits& found = waits_[run];
  std::call_once(found.once, [&] { found.waits.emplace(session_.runs[run].timeline); });
  return *found.waits;
}

const MeasuredLaunches& Profile::measured() const {
  std::call_once(measured_once_, [&] { measured_.emplace(session_); });
  return *measured_;
}

std::vector<Argument> Profile::arguments(size_t run, SliceIndex slice) const {
  const Run& of = session_.runs[run];
  if (!of.arguments) return {};
  const std::unique_lock lock(arguments_mutex_, std::chrono::seconds(2));
  if (!lock) throw Error("the profile is being exported; ask again when that has ended");
  return of.arguments->arguments(of.timeline.slices.source[slice]);
}

std::string title_of(const Session& session) {
  std::string title;
  for (const std::string& input : session.inputs) {
    std::filesystem::path path(input);
    if (!path.has_filename()) path = path.parent_path();  // "folder/"
    title += (title.empty() ? "" : ", ") + path.filename().string();
    if (title.size() > 200) return title + ", ...";
  }
  return title;
}

void write_placed(JsonTextWriter& json, const Profile& profile, const Placed& placed) {
  json.begin_object()
      .member("track", placed.track)
      .member("slice", placed.slice)
      .member("lane", placed.lane)
      .member("name", shown_name(profile.view().names()[placed.name]))
      .member("start", placed.start)
      .member("duration", placed.duration)
      .end_object();
}

std::string shown_name(std::string_view name) {
  constexpr size_t kLongest = 1024;
  if (name.size() <= kLongest) return std::string(name);
  size_t end = kLongest;
  while (end > kLongest - 4 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;  // not inside a character
  return std::string(name.substr(0, end)) + "...";
}

}  // namespace cgpu
