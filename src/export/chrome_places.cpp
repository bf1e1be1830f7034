#include "export/chrome_places.h"

#include <algorithm>
#include <utility>

#include "model/export_marks.h"
#include "table/json.h"

namespace cgpu {

namespace {

bool is_number(std::string_view text) {
  constexpr size_t kMostDigits = 15;  // every JSON reader keeps these exactly
  return !text.empty() && text.size() <= kMostDigits &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }) &&
         (text == "0" || text.front() != '0');
}

/// Whether a text is the same with and without JSON's escapes.
bool is_plain(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
}

std::string json_of(const std::string& text) {
  if (is_number(text)) return text;
  std::string json;
  append_json_string(json, text);
  return json;
}

}  // namespace

void ChromePlaces::begin_run(const Run& run, size_t number, bool several) {
  run_ = number;
  several_ = several;
  tracks_.clear();
  counters_.clear();
  for (const Track& track : run.timeline.tracks) {
    Place& place = tracks_.emplace_back();
    place.process = process(track.process);
    add_thread(place, track.thread);
  }
  std::set<std::pair<std::string, std::string>> counters;
  for (const CounterTrack& track : run.timeline.counters.tracks) {
    Counter& counter = counters_.emplace_back();
    counter.value = process(track.process);
    counter.process = "\"pid\": " + counter.value;
    counter.name = track.name;
    for (int more = 2; !counters.emplace(counter.value, counter.name).second; ++more) {
      counter.name = track.name + " #" + std::to_string(more);
    }
  }
}

void ChromePlaces::add_lane(TrackIndex track) {
  add_thread(tracks_[track], "");
}

std::string ChromePlaces::process(const std::string& text) {
  if (!several_ && is_plain(text)) return json_of(text);
  return std::to_string(numbers_.of_process(run_, text));
}

/// The text of the profile, where it is plain and no other track of the process has it.
void ChromePlaces::add_thread(Place& place, const std::string& text) {
  std::set<std::string>& taken = taken_[place.process];
  std::string thread = is_plain(text) ? text : std::to_string(next_thread_++);
  while (!taken.insert(thread).second) thread = std::to_string(next_thread_++);
  thread = json_of(thread);
  place.members.push_back("\"pid\": " + place.process + ", \"tid\": " + thread);
  place.threads.push_back(std::move(thread));
}

void ChromePlaces::describe(JsonTextWriter& json) const {
  json.key(export_marks::kTracksMember).begin_array();
  for (const Place& place : tracks_) {
    json.begin_array().raw(place.process);
    for (const std::string& thread : place.threads) json.raw(thread);
    json.end_array();
  }
  json.end_array();
  json.key(export_marks::kCountersMember).begin_array();
  for (const Counter& counter : counters_) json.begin_array().raw(counter.value).value(counter.name).end_array();
  json.end_array();
}

}  // namespace cgpu
