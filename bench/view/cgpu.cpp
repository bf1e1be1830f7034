// The server side of the viewer, without the sockets: FILE [SEED]. Prints one line of JSON.
//
// first_picture_s: from the end of the import to the last tile of a first page (all there is to know about the session,
// and the whole time of 20 tracks at 1,600 pixels), two requests at a time; without the tracks that the page folds
// until somebody looks at them, since they are found on demand. tile_ms: 500 requests for tiles of a scripted tour (in
// at a point, along, out again; every such track in its turn), one thread. index_bytes: of the level-of-detail indexes,
// a slice of the tracks that were opened. search_ms: over all names, after the first search has opened what it found.
// export_rate: slices a second of a Perfetto export, without and with what the profile says about each event.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <random>
#include <thread>

#include "base/error.h"
#include "export/export.h"
#include "links/complete.h"
#include "readers/reader.h"
#include "serve/endpoints/endpoints.h"
#include "tiles/lanes/lane_sources.h"

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

struct Tile {
  cgpu::ViewTrackId track;
  int level;
  int64_t index;
};

cgpu::Answer fetch(const cgpu::Profile& profile, const Tile& tile) {
  cgpu::Request request;
  request.query = {{"track", std::to_string(tile.track)},
                   {"level", std::to_string(tile.level)},
                   {"index", std::to_string(tile.index)}};
  switch (profile.view().tracks()[tile.track].lane->drawing) {
    case cgpu::Drawing::counter:
      return answer_counter(profile, request);
    case cgpu::Drawing::activity:
      return answer_activity(profile, request);
    default:
      return answer_tile(profile, request);
  }
}

/// The level at which a window of `span` ns has at least two buckets a pixel.
int level_of(int64_t span) {
  int level = 0;
  while ((int64_t{2} << level) <= span / 3200) ++level;
  return level;
}

/// The tracks that the page does not fold at first, in their order.
std::vector<cgpu::ViewTrackId> shown_tracks(const cgpu::Profile& profile) {
  std::vector<cgpu::ViewTrackId> shown;
  const std::vector<cgpu::ViewTrack>& tracks = profile.view().tracks();
  for (cgpu::ViewTrackId track = 0; track < tracks.size(); ++track) {
    if (!tracks[track].lane->is_found_on_demand) shown.push_back(track);
  }
  return shown;
}

double first_picture(const cgpu::Profile& profile) {
  const std::vector<cgpu::ViewTrackId> shown = shown_tracks(profile);
  const auto begin = Clock::now();
  answer_session(profile, {"", ""}, {});
  const int level = level_of(profile.view().span());
  const size_t tracks = std::min<size_t>(20, shown.size());
  std::atomic<size_t> next = 0;
  const auto work = [&] {  // a browser asks for several things at once
    for (size_t track = next++; track < tracks; track = next++) {
      for (int64_t index = 0; index << level << 10 < profile.view().span(); ++index) {
        fetch(profile, {shown[track], level, index});
      }
    }
  };
  {
    const std::jthread other(work);
    work();
  }
  return seconds_since(begin);
}

std::vector<double> tour(const cgpu::Profile& profile, unsigned seed) {
  std::mt19937_64 random(seed);
  const int64_t span = profile.view().span();
  const std::vector<cgpu::ViewTrackId> shown = shown_tracks(profile);
  std::vector<double> times;
  size_t track = 0;
  while (times.size() < 500) {
    const auto centre = static_cast<int64_t>(random() % static_cast<uint64_t>(span));
    for (int64_t window = span; window > 1000 && times.size() < 500; window /= 4) {  // zoom in, and a step aside
      const int level = level_of(window);
      for (const int64_t time : {centre, centre + window}) {
        const auto begin = Clock::now();
        fetch(profile, {shown[track++ % shown.size()], level, time >> level >> 10});
        times.push_back(1000 * seconds_since(begin));
      }
    }
  }
  times.resize(500);
  std::sort(times.begin(), times.end());
  return times;
}

double search(const cgpu::Profile& profile, const char* text) {
  cgpu::Request request;
  request.query = {{"q", text}};
  answer_search(profile, request);
  const auto begin = Clock::now();
  answer_search(profile, request);
  return 1000 * seconds_since(begin);
}

double area(const cgpu::Profile& profile, int64_t from, int64_t to) {
  cgpu::Request request;
  request.query = {{"from", std::to_string(from)}, {"to", std::to_string(to)}};
  const auto begin = Clock::now();
  answer_area(profile, request);
  return seconds_since(begin);
}

double flame(const cgpu::Profile& profile, const char* metric) {
  cgpu::Request request;
  request.query = {{"metric", metric}};
  const auto begin = Clock::now();
  answer_flame(profile, request);
  return seconds_since(begin);
}

/// Slices a second, into nothing.
double export_rate(const cgpu::Session& session, bool arguments) {
  size_t bytes = 0;
  size_t slices = 0;
  for (const cgpu::Run& run : session.runs) slices += run.timeline.slices.size();
  const auto sink = cgpu::plain_sink([&](std::string_view block) { bytes += block.size(); });
  const auto begin = Clock::now();
  cgpu::write_perfetto(session, *sink, {arguments, {}});
  if (bytes == 0) throw cgpu::Error("the export wrote nothing");
  return static_cast<double>(slices) / seconds_since(begin);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  try {
    const auto begin = Clock::now();
    cgpu::Session session = cgpu::open_inputs({argv[1]}, {});
    const cgpu::KernelDictionary dictionary;
    for (cgpu::Run& run : session.runs) complete(run, dictionary);
    const double import = seconds_since(begin);

    const auto imported = Clock::now();
    const cgpu::Profile profile(std::move(session));
    const double layout = seconds_since(imported);
    const double picture = layout + first_picture(profile);
    const std::vector<double> tiles = tour(profile, argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1);
    const cgpu::TimelineView::Cost cost = profile.view().cost();
    const int64_t span = profile.view().span();
    uint64_t slices = 0;
    for (const cgpu::Run& run : profile.session().runs) slices += run.timeline.slices.size();
    fmt::print("{{\"slices\": {}, \"import_s\": {:.2f}, \"layout_s\": {:.5f}, \"first_picture_s\": {:.5f}, ", slices,
               import, layout, picture);
    fmt::print("\"tile_ms\": {{\"median\": {:.3f}, \"p99\": {:.3f}, \"max\": {:.3f}}}, ", tiles[250], tiles[495],
               tiles.back());
    fmt::print("\"index_bytes_a_slice\": {:.1f}, ", static_cast<double>(cost.bytes) / static_cast<double>(cost.slices));
    fmt::print("\"search_ms\": {{\"rare\": {:.1f}, \"common\": {:.1f}}}, ", search(profile, "memcpy"),
               search(profile, "a"));
    fmt::print("\"area_s\": {{\"hundredth\": {:.5f}, \"all\": {:.5f}}}, ",
               area(profile, span / 2, span / 2 + span / 100), area(profile, 0, span));
    fmt::print("\"flame_s\": {{\"device_time\": {:.5f}, \"host_time\": {:.5f}}}, ", flame(profile, "device_time"),
               flame(profile, "host_time"));
    fmt::print("\"export_rate\": {{\"columns\": {:.0f}, \"arguments\": {:.0f}}}}}\n",
               export_rate(profile.session(), false), export_rate(profile.session(), true));
  } catch (const cgpu::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
