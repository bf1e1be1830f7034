// Table `slices`: every event with a duration, in order of its start. Beside the session it keeps nothing a slice where
// rows are asked for in order, else up to 4 bytes (start_order.h). The first rows cost O(n), each row O(depth + log n).
#include <algorithm>
#include <numeric>
#include <string>

#include "analysis/common/columns.h"
#include "analysis/common/slices_by_name.h"
#include "analysis/events/event_columns.h"
#include "analysis/events/event_table.h"
#include "analysis/events/slice_ops.h"
#include "analysis/events/start_order.h"
#include "analysis/tables.h"
#include "model/argument_reader.h"
#include "table/json.h"

namespace cgpu {

namespace {

const TableOption kArgumentsOption{"args", TableOption::Kind::flag, "", "Also the arguments of every event"};

std::string json_object(std::span<const ArgumentView> arguments) {
  std::string out = "{";
  for (const ArgumentView& argument : arguments) {
    if (out.size() > 1) out += ", ";
    append_json_string(out, argument.key);
    out += ": ";
    if (argument.json) {
      out += argument.value;
    } else {
      append_json_string(out, argument.value);
    }
  }
  return out + "}";
}

/// By flags of a slice; absent where nothing is doubtful.
std::vector<std::optional<std::string_view>> remarks(const Run&) {
  std::vector<std::optional<std::string_view>> texts;
  for (unsigned flags = 0; flags <= UINT8_MAX; ++flags) {
    if ((flags & kImplausibleTime) != 0) {
      texts.emplace_back("implausible time, in no total");
    } else if ((flags & kNeverEnded) != 0) {
      texts.emplace_back("end not recorded: lasts until the end of the profile");
    } else if ((flags & kClipped) != 0) {
      texts.emplace_back("cut at the border of the window");
    } else {
      texts.emplace_back(std::nullopt);
    }
  }
  return texts;
}

/// Number of slices around a slice.
int64_t depth_of(const Slices& slices, SliceIndex slice) {
  int64_t depth = 0;
  for (SliceIndex above = slices.parent[slice]; above != kNone; above = slices.parent[above]) ++depth;
  return depth;
}

class SlicesTable final : public EventTable {
 public:
  SlicesTable(const SessionFacts& facts, bool has_arguments)
      : columns_(facts), remarks_(facts.session(), remarks), has_arguments_(has_arguments) {
    size_t tracks = 0;
    for (const Run& run : facts.session().runs) {
      tracks_.push_back(tracks);
      tracks += run.timeline.tracks.size();
      orders_.emplace_back(run.timeline.slices.start);
      ops_.emplace_back(run.timeline.device_ops);
      ends_.push_back(row_count() + run.timeline.slices.size());
      readers_.push_back(std::make_unique<ArgumentReader>(run.arguments.get()));
    }
  }

  static std::vector<Column> declared() {
    return {rank_column(),
            moment_column("start_ns", "from the start of the profile"),
            time_column("duration_ns", "length"),
            key_column("name", "full name"),
            text_column("category", "category, as the profile says"),
            text_column("kind", "what it is, whichever profiler wrote it"),
            text_column("process", "process, as the profile says"),
            text_column("thread", "thread or stream, as the profile says"),
            number_column("depth", "number of host events around it; absent off the host"),
            number_column("correlation", "number that a launch and its device ops share; absent where not recorded"),
            number_column("device", "device it ran on; absent unless it is a device op"),
            number_column("stream", "stream it ran on; absent unless it is a device op"),
            text_column("remark", "what is doubtful about it"),
            number_column("slice", "its number, by which other tables name it"),
            number_column("parent", "number of the slice that contains it or put it into a queue; absent for none"),
            number_column("track", "number of its thread or stream, as in table tracks")};
  }
  void add_columns(std::vector<Column>& columns) const override {
    if (has_arguments_) columns.push_back(text_column("args", "arguments of the event, a JSON object"));
  }

  size_t row_count() const override { return ends_.empty() ? 0 : ends_.back(); }

  ColumnValues values(size_t column, std::span<const uint32_t> rows) const override {
    const EventPlaces slices = places(rows);
    switch (column) {
      case kRank:
        return columns_.rank(slices);
      case kStart:
        return columns_.start(slices);
      case kDuration:
        return columns_.duration(slices);
      case kName:
        return columns_.name_if_any(slices);
      case kCategory:
        return columns_.category(slices);
      case kKind:
        return columns_.kind(slices);
      case kProcess:
        return columns_.process(slices);
      case kThread:
        return columns_.thread(slices);
      case kDepth:
        return integer_values(slices, [&](EventPlace place) -> std::optional<int64_t> {
          const Timeline& timeline = columns_.timeline(place.run);
          if (!is_host(timeline.kind(place.event))) return std::nullopt;
          return depth_of(timeline.slices, place.event);
        });
      case kCorrelation:
        return columns_.correlation(slices);
      case kDevice:
        return of_ops(slices, [](const DeviceOps& ops, uint32_t op) { return ops.device[op]; });
      case kStream:
        return of_ops(slices, [](const DeviceOps& ops, uint32_t op) { return ops.stream[op]; });
      case kRemark:
        return remarks_.values(
            slices, [&](EventPlace place) { return columns_.timeline(place.run).slices.flags[place.event]; });
      case kSlice:
        return integer_values(slices, [&](EventPlace place) { return columns_.numbers().number(place.run, place.event); });
      case kParent:
        return integer_values(slices, [&](EventPlace place) {
          return columns_.numbers().number(place.run, columns_.timeline(place.run).slices.parent[place.event]);
        });
      case kTrack:
        return integer_values(slices, [&](EventPlace place) {
          return static_cast<int64_t>(tracks_[place.run] + columns_.timeline(place.run).slices.track[place.event]);
        });
      default:
        return arguments(slices);
    }
  }

 private:
  enum : size_t {
    kRank,
    kStart,
    kDuration,
    kName,
    kCategory,
    kKind,
    kProcess,
    kThread,
    kDepth,
    kCorrelation,
    kDevice,
    kStream,
    kRemark,
    kSlice,
    kParent,
    kTrack,
    kArguments  // only with the option
  };

  EventPlaces places(std::span<const uint32_t> rows) const {
    EventPlaces places;
    places.reserve(rows.size());
    uint32_t run = 0;
    size_t begin = 0;  // of the rows of the run
    for (const uint32_t row : rows) {
      if (row < begin || row >= ends_[run]) {
        run = static_cast<uint32_t>(std::upper_bound(ends_.begin(), ends_.end(), row) - ends_.begin());
        begin = run == 0 ? 0 : ends_[run - 1];
      }
      places.push_back({run, orders_[run].at(row - begin)});
    }
    return places;
  }

  template <typename ValueOf>
  ColumnValues of_ops(const EventPlaces& slices, ValueOf value_of) const {
    SliceOps::Search search;
    return integer_values(slices, [&](EventPlace place) -> std::optional<int64_t> {
      const uint32_t op = ops_[place.run].op_of(place.event, search);
      if (op == kNone) return std::nullopt;
      return value_of(columns_.timeline(place.run).device_ops, op);
    });
  }

  /// Read a run at a time, each in the order of its file.
  ColumnValues arguments(const EventPlaces& slices) const {
    const auto texts = std::make_shared<TextDictionary>();
    std::vector<int32_t> codes(slices.size(), -1);
    std::vector<std::vector<uint32_t>> rows_of(ends_.size());
    for (uint32_t row = 0; row < slices.size(); ++row) rows_of[slices[row].run].push_back(row);
    for (size_t run = 0; run < rows_of.size(); ++run) {
      if (!columns_.session().runs[run].arguments) continue;
      std::vector<uint64_t> sources;
      for (const uint32_t row : rows_of[run]) {
        sources.push_back(columns_.timeline(run).slices.source[slices[row].event]);
      }
      readers_[run]->for_each(sources, [&](size_t i, std::span<const ArgumentView> views) {
        codes[rows_of[run][i]] = texts->code(json_object(views));
      });
    }
    ColumnValues values(ColumnType::text);
    values.append_codes(texts, codes);
    return values;
  }

  SliceColumns columns_;
  EventTexts remarks_;
  bool has_arguments_;
  // By run.
  std::vector<size_t> tracks_;  // number of its first track
  mutable std::vector<StartOrder> orders_;
  std::vector<SliceOps> ops_;
  std::vector<size_t> ends_;  // row behind the last one
  std::vector<std::unique_ptr<ArgumentReader>> readers_;
};

}  // namespace

Analysis slices_analysis() {
  return {.name = "slices",
          .about = "every event with a duration, in order of its start",
          .columns = SlicesTable::declared(),
          .options = {kArgumentsOption},
          .applies = [](const ProfileCounts& counts) { return counts.slices > 0; },
          .row_slices = {{"name"},
                         [](const SessionFacts& facts, const TableOptions&, const auto& visit) {
                           return visit_slices_by_name(
                               facts.session(), [](SliceKind kind) { return kind != SliceKind::profiler_span; },
                               nullptr, visit);
                         }},
          .events = [](const Analysis&, const SessionFacts& facts,
                       const TableOptions& options) -> std::unique_ptr<EventTable> {
            return std::make_unique<SlicesTable>(facts, options.flag(kArgumentsOption));
          }};
}

}  // namespace cgpu
