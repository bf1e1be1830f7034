#include "serve/static_copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "base/base64.h"
#include "base/error.h"
#include "export/sink.h"
#include "serve/contents.h"
#include "serve/http/assets.h"
#include "table/json_text_writer.h"
#include "tiles/lanes/lane_sources.h"

namespace cgpu {

namespace {

constexpr size_t kMostDetails = 20'000;
constexpr size_t kMostRawBytes = size_t{1} << 30;  // that a page unpacks
constexpr int kLevelsAbove = 3;                    // of the one whose first tile has all: where a page zooms out

std::string_view asset(std::string_view path) {
  const Asset* found = find_asset(path);
  return found == nullptr ? std::string_view() : found->content;
}

/// `text` with each `from` as `to`.
std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  for (size_t at = text.find(from); at != std::string_view::npos; at = text.find(from)) {
    out.append(text.substr(0, at)).append(to);
    text.remove_prefix(at + from.size());
  }
  return out.append(text);
}

/// The page with its script and style in it.
std::string page_begin() {
  std::string page(asset("/index.html"));
  const auto put = [&](std::string_view place, const std::string& what) {
    const size_t at = page.find(place);
    if (at != std::string::npos) page.replace(at, place.size(), what);
  };
  put(R"(<link rel="icon" href="favicon.svg" type="image/svg+xml" />)",
      fmt::format(
          R"(<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; )"
          R"(style-src 'unsafe-inline'; img-src data:" /><link rel="icon" href="data:image/svg+xml;base64,{}" />)",
          base64(asset("/favicon.svg"))));
  put(R"(<link rel="stylesheet" href="app.css" />)", fmt::format("<style>{}</style>", asset("/app.css")));
  put(R"(<script src="app.js" defer></script>)", "");
  page.resize(std::min(page.size(), page.find("</body>")));
  return page;
}

std::string page_end() {
  const std::string script = replaced(replaced(asset("/app.js"), "</script", "<\\/script"), "<!--", "<\\!--");
  return fmt::format("<script>{}</script>\n</body>\n</html>\n", script);
}

class Recorder {
 public:
  Recorder(const Viewer& viewer, const Profile& profile, const StaticCopyOptions& options)
      : viewer_(viewer),
        profile_(profile),
        view_(profile.view()),
        options_(options),
        begin_(page_begin()),
        end_(page_end()),
        sink_(gzip_sink([this](std::string_view bytes) { packed_ += bytes; })) {}

  StaticCopy make() {
    if (asset("/app.js").empty()) throw Error("the copy", "this cgpu was built without its page, which needs Node.js");
    if (!record_frame()) {
      throw Error(
          "the copy",
          fmt::format("does not fit into {} MB with the names of its slices alone: allow more with --size-limit, "
                      "or choose a part with --from and --to",
                      options_.most_bytes >> 20));
    }
    record_tables();
    record_timeline();
    record_details();
    return finish();
  }

 private:
  struct Tile {
    ViewTrackId track;
    TilePlace place;
  };

  /// Whether the file stays within its limits with another answer of this size, even if that cannot be packed.
  bool fits(size_t size) const {
    constexpr size_t kIndexEntry = 40;
    constexpr size_t kMore = size_t{4} << 10;
    const size_t packed = packed_.size() + pending_ + size + (entries_ + 1) * kIndexEntry;
    return begin_.size() + end_.size() + packed / 3 * 4 + kMore <= options_.most_bytes && raw_ + size <= kMostRawBytes;
  }

  /// Records an answer; false where there is none, or no room for it.
  bool record(const std::string& what, std::multimap<std::string, std::string> query, const std::string& key) {
    const Answer answer = viewer_.answer({"/api/" + what, std::move(query)});
    if (answer.status != 200) return false;
    return add(key, answer.body, false);
  }

  bool add(const std::string& key, std::string_view bytes, bool complete) {
    if (!fits(bytes.size())) return false;
    const size_t before = packed_.size();
    sink_->write(bytes);
    pending_ = packed_.size() == before ? pending_ + bytes.size() : bytes.size();
    index_.begin_array().value(key).value(raw_).value(bytes.size());
    if (complete) index_.value(1);
    index_.end_array();
    raw_ += bytes.size();
    ++entries_;
    return true;
  }

  bool record_frame() {
    index_.begin_object().member("made_by", options_.made_by).key("answers").begin_array();
    bool all = record("status", {}, "status") && record("p/0/session", {}, "session");
    constexpr uint32_t kBlock = 4096;  // names in an answer
    for (uint32_t block = 0; all && block * kBlock < view_.names().size(); ++block) {
      const std::string key = fmt::format("names/{}", block);
      all = record("p/0/" + key, {}, key);
    }
    return all;
  }

  /// Whole tables; the page sorts, cuts and filters them itself.
  void record_tables() {
    for (const Analysis* analysis : contents_of(profile_).tables) {
      if (analysis->events) continue;
      const std::string& name = analysis->name;
      const auto has_column = [&](std::string_view wanted) {
        return std::any_of(analysis->columns.begin(), analysis->columns.end(),
                           [&](const Column& column) { return column.name == wanted; });
      };
      std::multimap<std::string, std::string> query;
      for (const char* column : {"name", "kernel"}) {
        if (query.empty() && has_column(column)) query = {{"short", column}};
      }
      copy_.tables += record("p/0/table/" + name, query, "table/" + name) ? 1 : 0;
      record("p/0/distributions", {{"table", name}}, "distributions?table=" + name);
    }
    record("p/0/distributions", {{"table", "slices"}}, "distributions?table=slices");
    for (const char* view : {"down", "up"}) {
      record("p/0/flame", {{"view", view}}, std::string("flame?view=") + view);
    }
    record("p/0/sources", {}, "sources");
  }

  void record_timeline() {
    std::vector<Tile> wanted;
    const int top = top_level();
    for (ViewTrackId track = 0; track < view_.tracks().size(); ++track) {
      const ViewTrack& of = view_.tracks()[track];
      const bool by_columns = !view_.has_slices(track);
      if (by_columns && !add(fmt::format("columns{}", track), columns_of(of), false)) copy_.whole_timeline = false;
      if (by_columns) continue;
      for (int level = std::min(top + kLevelsAbove, kHighestLevel); level > top; --level) {
        if (!record_tile({track, {level, 0}})) copy_.whole_timeline = false;
      }
      wanted.push_back({track, {top, 0}});
    }
    for (int level = top; !wanted.empty(); --level) {
      if (options_.progress) options_.progress(0.5 * (top - level) / std::max(top, 1));
      std::vector<Tile> finer;
      for (const Tile& tile : wanted) {
        if (!record_tile(tile)) {
          copy_.whole_timeline = false;
          return;
        }
        if (level == 0 || holds_all(tile)) continue;
        for (const int64_t half : {0, 1}) {
          const TilePlace place{level - 1, 2 * tile.place.index + half};
          if (place.edge(0) <= view_.span()) finer.push_back({tile.track, place});
        }
      }
      wanted = std::move(finer);
    }
  }

  /// The lowest level that fits one tile.
  int top_level() const {
    int level = 0;
    while (level < kHighestLevel && TilePlace{level, 0}.edge(kTileBuckets) < view_.span()) ++level;
    return level;
  }

  /// Counters and busy times as columns, from which the page makes tiles of any level: of a counter times and values of
  /// its samples, of a device beginnings and ends of each kind of work.
  std::string columns_of(const ViewTrack& track) const {
    std::string out;
    const auto append = [&](const std::vector<double>& column) {
      const uint64_t size = column.size();
      out.append(reinterpret_cast<const char*>(&size), sizeof size);
      out.append(reinterpret_cast<const char*>(column.data()), column.size() * sizeof(double));
    };
    std::vector<double> first;
    std::vector<double> second;
    if (track.lane->drawing == Drawing::counter) {
      std::vector<CounterIndex::Sample> samples = view_.samples_of(track);
      std::stable_sort(samples.begin(), samples.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
      for (const CounterIndex::Sample& sample : samples) {
        first.push_back(static_cast<double>(sample.time));
        second.push_back(sample.value);
      }
      append(first);
      append(second);
      return out;
    }
    const DeviceTimes& times = view_.device_times(track);
    for (const IntervalSet* kind : {&times.compute, &times.exposed_communication, &times.exposed_memory}) {
      first.clear();
      second.clear();
      for (const Interval& interval : kind->intervals()) {
        first.push_back(static_cast<double>(interval.begin - view_.zero(track.run)));
        second.push_back(static_cast<double>(interval.end - view_.zero(track.run)));
      }
      append(first);
      append(second);
    }
    return out;
  }

  /// False where there is no room for it.
  bool record_tile(const Tile& tile) {
    const std::string key = fmt::format("tile{}/{}/{}", tile.track, tile.place.level, tile.place.index);
    if (!add(key, view_.tile(tile.track, tile.place), holds_all(tile))) return false;
    ++copy_.tiles;
    return true;
  }

  /// Whether every slice that the tile touches is the longest somewhere in it.
  bool holds_all(const Tile& tile) const {
    const LaneIndex& index = view_.lanes(tile.track);
    for (uint32_t number = 0; number < index.lanes(); ++number) {
      const Lane lane = index.lane(number);
      const size_t first = lane.first_reaching(tile.place.edge(0));
      const size_t last = lane.first_starting(tile.place.edge(kTileBuckets), first);
      if (last - first > kTileBuckets) return false;
      std::set<SliceIndex> shown;
      for (const TileEntry& entry : tile_of_lane(lane, tile.place)) shown.insert(entry.slice);
      if (shown.size() < last - first) return false;
    }
    return true;
  }

  void record_details() {
    struct Place {
      int64_t duration;
      ViewTrackId track;
      SliceIndex slice;
    };
    std::vector<Place> places;
    for (ViewTrackId track = 0; track < view_.tracks().size(); ++track) {
      if (!view_.has_slices(track)) continue;
      const LaneIndex& index = view_.lanes(track);
      for (uint32_t number = 0; number < index.lanes(); ++number) {
        const Lane lane = index.lane(number);
        for (size_t i = 0; i < lane.size(); ++i) places.push_back({lane.duration(i), track, lane.slice(i)});
      }
    }
    copy_.slices = places.size();
    std::stable_sort(places.begin(), places.end(),
                     [](const Place& a, const Place& b) { return a.duration > b.duration; });
    for (const Place& place : places) {
      if (copy_.details == kMostDetails) return;
      if (options_.progress && copy_.details % 256 == 0) {
        options_.progress(0.5 + 0.5 * static_cast<double>(copy_.details) /
                                    static_cast<double>(std::min(kMostDetails, places.size())));
      }
      const std::string of = fmt::format("track={}&slice={}", place.track, place.slice);
      const std::multimap<std::string, std::string> query{{"track", std::to_string(place.track)},
                                                          {"slice", std::to_string(place.slice)}};
      if (!record("p/0/slice", query, "slice?" + of) || !record("p/0/flows", query, "flows?" + of)) return;
      ++copy_.details;
    }
  }

  /// The packed answers, behind them the index, behind that its length.
  StaticCopy finish() {
    index_.end_array().end_object();
    const std::string index = std::move(index_).text();
    sink_->write(index);
    std::string length(sizeof(uint32_t), '\0');
    for (size_t i = 0; i < length.size(); ++i) length[i] = static_cast<char>(index.size() >> (8 * i));
    sink_->write(length);
    sink_->finish();
    copy_.html =
        fmt::format("{}<script type=\"text/plain\" id=\"copy\">{}</script>\n{}", begin_, base64(packed_), end_);
    return std::move(copy_);
  }

  const Viewer& viewer_;
  const Profile& profile_;
  const TimelineView& view_;
  const StaticCopyOptions& options_;
  const std::string begin_;
  const std::string end_;
  std::string packed_;
  std::unique_ptr<Sink> sink_;
  JsonTextWriter index_;
  size_t raw_ = 0;
  size_t entries_ = 0;
  size_t pending_ = 0;  // bytes at most that the packer still holds
  StaticCopy copy_;
};

}  // namespace

StaticCopy make_static_copy(const Viewer& viewer, const Profile& profile, const StaticCopyOptions& options) {
  return Recorder(viewer, profile, options).make();
}

}  // namespace cgpu
