#include "session/summaries/summary_messages.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kernels/kernel_class.h"
#include "table/packed_column.h"

namespace cgpu {

namespace {

/// Whether it is a time whose sums and differences with others fit: no profile has one of more than a century.
bool can_be(int64_t time) {
  constexpr int64_t kMost = INT64_MAX / 4;
  return -kMost <= time && time <= kMost;
}
bool can_be(const std::optional<Interval>& interval) {
  return !interval || (can_be(interval->begin) && can_be(interval->end));
}

/// The members of a run that are kept, in both directions.
struct KeptRun {
  Run& run;
  TimelineTotals totals = {};

  bool has_times_that_can_be() const {
    return can_be(run.clock_base) && can_be(totals.slices_time) && can_be(totals.extent) && can_be(totals.event_extent);
  }
  template <typename Archive>
  void members(Archive& archive) {
    EventCounts& events = run.events;
    archive(run.file, run.format, run.format_version, run.host, run.rank, run.rank_known, run.world_size, run.metadata,
            run.clock_is_unix, run.clock_base, run.event_step, run.input_bytes, run.text_bytes);
    archive(events.read, events.slices, events.ends, events.instants, events.samples, events.memory, events.counters,
            events.flows, events.metadata, events.skipped);
    archive(totals.slices, totals.device_ops, totals.bytes);
    interval(archive, totals.slices_time);
    interval(archive, totals.extent);
    interval(archive, totals.event_extent);
    if constexpr (!Archive::kIsPositional) archive(run.exported_from);
  }
  template <typename Archive>
  static void interval(Archive& archive, std::optional<Interval>& interval) {
    auto ends = interval ? std::optional(std::pair(interval->begin, interval->end)) : std::nullopt;
    archive(ends);
    if (ends) interval = Interval{ends->first, ends->second};
  }
};

template <typename Archive>
void device_members(Archive& archive, Device& device) {
  archive(device.id, device.name, device.vendor, device.sm_count, device.memory_bytes, device.warp_size,
          device.compute_capability, device.stated_peaks);
}

/// Not its ranks: each member would list all others.
template <typename Archive>
void group_members(Archive& archive, ParallelGroup& group) {
  archive(group.name, group.description, group.size, group.place);
}

/// Columns of equal length; version 9 has them row by row.
template <typename Archive, typename First, typename... Others>
void archive_columns(Archive& archive, std::vector<First>& first, std::vector<Others>&... others) {
  if constexpr (Archive::kIsPositional) {
    archive.each(0, [&](size_t) { archive(first.emplace_back(), others.emplace_back()...); });
  } else {
    archive(first, others...);
    if constexpr (!Archive::kIsWriting) {
      if (((others.size() != first.size()) || ...)) archive.fail("holds columns of unlike length");
    }
  }
}

/// The texts of a pool, in order; the first one of a pool is always empty, and is not among them.
template <typename Archive>
void name_members(Archive& archive, StringPool& names) {
  const auto name = [&](size_t i) {
    std::string text;
    if constexpr (Archive::kIsWriting) text = names[static_cast<StringId>(i + 1)];
    archive(text);
    if constexpr (!Archive::kIsWriting) {
      if (names.intern(text) != i + 1) archive.fail("holds a name twice");
    }
  };
  if constexpr (Archive::kIsPositional) {
    uint32_t count = 0;  // with the first one
    archive(count);
    for (uint32_t i = 0; i + 1 < count; ++i) name(i);
  } else {
    archive.each(names.size() - 1, name);
  }
}

/// What is kept of a slice, by column.
struct SliceColumns {
  std::vector<int64_t> start;  // from that of the slice before
  std::vector<int64_t> duration;
  std::vector<StringId> name;
  std::vector<TrackIndex> track;
  std::vector<uint16_t> category;
  std::vector<uint8_t> flags;

  template <typename Archive>
  void members(Archive& archive) {
    archive_columns(archive, start, duration, name, track, category, flags);
  }
};

struct DeviceOpColumns {
  std::vector<SliceIndex> slice;
  std::vector<int32_t> device;
  std::vector<int64_t> stream;
  std::vector<int64_t> bytes;
  std::vector<OpKind> kind;
  std::vector<uint8_t> kernel_class;

  template <typename Archive>
  void members(Archive& archive) {
    archive_columns(archive, slice, device, stream, bytes, kind, kernel_class);
  }
};

struct CollectiveColumns {
  std::vector<SliceIndex> slice;
  std::vector<StringId> name;
  std::vector<StringId> group;
  std::vector<StringId> type;
  std::vector<int64_t> elements_in;
  std::vector<int64_t> elements_out;
  std::vector<int32_t> group_size;
  std::vector<int64_t> sequence;
  std::vector<int32_t> from;
  std::vector<int32_t> to;

  template <typename Archive>
  void members(Archive& archive) {
    archive_columns(archive, slice, name, group, type, elements_in, elements_out, group_size, sequence, from, to);
  }
};

SliceColumns columns_of(const Slices& slices) {
  SliceColumns columns;
  for (size_t i = 0; i < slices.size(); ++i) {
    columns.start.push_back(slices.start[i] - (i == 0 ? 0 : slices.start[i - 1]));
    columns.duration.push_back(slices.duration[i]);
    columns.name.push_back(slices.name[i]);
    columns.track.push_back(slices.track[i]);
    columns.category.push_back(slices.category[i]);
    columns.flags.push_back(slices.flags[i]);
  }
  return columns;
}

DeviceOpColumns columns_of(const DeviceOps& ops) {
  DeviceOpColumns columns;
  for (size_t i = 0; i < ops.size(); ++i) {
    columns.slice.push_back(ops.slice[i]);
    columns.device.push_back(ops.device[i]);
    columns.stream.push_back(ops.stream[i]);
    columns.bytes.push_back(ops.bytes[i]);
    columns.kind.push_back(ops.kind[i]);
    columns.kernel_class.push_back(ops.kernel_class[i]);
  }
  return columns;
}

CollectiveColumns columns_of(const std::vector<Collective>& collectives) {
  CollectiveColumns columns;
  for (const Collective& collective : collectives) {
    columns.slice.push_back(collective.slice);
    columns.name.push_back(collective.name);
    columns.group.push_back(collective.group);
    columns.type.push_back(collective.type);
    columns.elements_in.push_back(collective.elements_in);
    columns.elements_out.push_back(collective.elements_out);
    columns.group_size.push_back(collective.group_size);
    columns.sequence.push_back(collective.sequence);
    columns.from.push_back(collective.from);
    columns.to.push_back(collective.to);
  }
  return columns;
}

template <typename Reader>
void read_slices(Reader& reader, Timeline& timeline) {
  SliceColumns columns;
  reader(columns);
  int64_t before = 0;
  for (size_t i = 0; i < columns.start.size(); ++i) {
    Slice slice{.duration = columns.duration[i],
                .name = columns.name[i],
                .track = columns.track[i],
                .category = columns.category[i],
                .flags = columns.flags[i]};
    const bool fits = can_be(columns.start[i]) && can_be(before + columns.start[i]) && slice.duration >= 0 &&
                      can_be(slice.duration) && slice.name < timeline.names.size() &&
                      slice.track < timeline.tracks.size() && slice.category < timeline.categories.size();
    if (!fits) reader.fail("holds a slice that cannot be");
    slice.start = before += columns.start[i];
    timeline.slices.append(slice);
  }
  timeline.slices.parent.assign(timeline.slices.size(), kNone);
  timeline.slices.launch.assign(timeline.slices.size(), kNone);
}

template <typename Reader>
void read_device_ops(Reader& reader, Timeline& timeline) {
  DeviceOpColumns columns;
  reader(columns);
  for (size_t i = 0; i < columns.slice.size(); ++i) {
    if (columns.slice[i] >= timeline.slices.size() || columns.kind[i] > OpKind::memory ||
        columns.kernel_class[i] > static_cast<uint8_t>(KernelClass::unknown)) {
      reader.fail("holds a device op that cannot be");
    }
    timeline.device_ops.append({.slice = columns.slice[i],
                                .device = columns.device[i],
                                .stream = columns.stream[i],
                                .bytes = columns.bytes[i]});
  }
  timeline.device_ops.kind = std::move(columns.kind);
  timeline.device_ops.kernel_class = std::move(columns.kernel_class);
}

template <typename Reader>
void read_collectives(Reader& reader, Timeline& timeline) {
  CollectiveColumns columns;
  reader(columns);
  const StringId names = timeline.names.size();
  for (size_t i = 0; i < columns.slice.size(); ++i) {
    Collective& collective = timeline.collectives.emplace_back();
    collective.slice = columns.slice[i];
    collective.name = columns.name[i];
    collective.group = columns.group[i];
    collective.type = columns.type[i];
    collective.elements_in = columns.elements_in[i];
    collective.elements_out = columns.elements_out[i];
    collective.group_size = columns.group_size[i];
    collective.sequence = columns.sequence[i];
    collective.from = columns.from[i];
    collective.to = columns.to[i];
    if (collective.slice >= timeline.slices.size() || collective.name >= names || collective.group >= names ||
        collective.type >= names) {
      reader.fail("holds a collective that cannot be");
    }
  }
}

/// What release_timeline has left of it. Of tracks without such a slice only that they are there, and whose.
template <typename Archive>
void timeline_members(Archive& archive, Timeline& timeline) {
  name_members(archive, timeline.names);
  each_element(archive, timeline.categories, [&](Category& category) {
    archive(category.name, category.kind);
    if constexpr (!Archive::kIsWriting) {
      if (category.kind > SliceKind::other) archive.fail("holds a slice of no known kind");
    }
  });
  std::vector<bool> used(timeline.tracks.size());
  for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) used[timeline.slices.track[slice]] = true;
  size_t number = 0;
  each_element(archive, timeline.tracks, [&](Track& track) {
    if constexpr (Archive::kIsWriting) {
      archive(track.kind, track.rank, used[number++] ? track.process : std::string());
    } else {
      archive(track.kind, track.rank, track.process);
      if (track.kind > TrackKind::other) archive.fail("holds a track of no known kind");
    }
  });
  if constexpr (Archive::kIsWriting) {
    archive(columns_of(timeline.slices), columns_of(timeline.device_ops), columns_of(timeline.collectives));
  } else {
    read_slices(archive, timeline);
    read_device_ops(archive, timeline);
    read_collectives(archive, timeline);
  }
}

template <typename Archive>
void note_members(Archive& archive, Notes& notes) {
  archive.each(notes.all().size(), [&](size_t i) {
    Note note;
    if constexpr (Archive::kIsWriting) note = notes.all()[i];
    archive(note.code, note.count, note.text, note.damage);
    if constexpr (!Archive::kIsWriting) notes.add(note.code, note.count, note.text, note.damage);
  });
}

template <typename Archive>
void run_members(Archive& archive, KeptRun& kept) {
  Run& run = kept.run;
  archive(kept);
  bool has_call_tree = run.call_tree.has_value();
  bool has_launch_metrics = run.launch_metrics.has_value();
  bool has_op_graph = run.op_graph.has_value();
  std::vector<int32_t> used(kept.totals.used_devices.begin(), kept.totals.used_devices.end());
  archive(has_call_tree, has_launch_metrics, has_op_graph, used);
  each_element(archive, run.devices, [&](Device& device) { device_members(archive, device); });
  each_element(archive, run.groups, [&](ParallelGroup& group) { group_members(archive, group); });
  note_members(archive, run.notes);
  archive.one([&] { timeline_members(archive, run.timeline); });
  if constexpr (!Archive::kIsWriting) {
    if (!kept.has_times_that_can_be()) archive.fail("holds a time that no profile has");
    if (has_call_tree) run.call_tree.emplace();
    if (has_launch_metrics) run.launch_metrics.emplace();
    if (has_op_graph) run.op_graph.emplace();
    kept.totals.used_devices = {used.begin(), used.end()};
  }
}

template <typename Reader>
Run run_from(Reader& reader) {
  Run run;
  KeptRun kept{run};
  run_members(reader, kept);
  run.released_totals = std::move(kept.totals);
  return run;
}

void set_all(Table& table, std::vector<ColumnValues> all) {
  for (size_t i = 0; i < all.size(); ++i) table.set_values(i, std::move(all[i]));
}

}  // namespace

void write_table(MessageWriter& message, const Table& table) {
  message(table.name, table.about, static_cast<uint64_t>(table.row_count()));
  message.each(table.columns.size(), [&](size_t i) {
    const Column& column = table.columns[i];
    message(column.name, column.type, column.unit, column.about, column.role);
    if (!table.empty()) message(packed(table.values(i)));
  });
  message(table.per, table.sorted_by);
}

Table read_table(MessageReader& message) {
  Table table;
  uint64_t rows = 0;
  std::vector<ColumnValues> all;
  message(table.name, table.about, rows);
  message.each(0, [&](size_t) {
    Column column;
    PackedColumn values;
    message(column.name, column.type, column.unit, column.about, column.role, values);
    if (column.type > ColumnType::text) return;
    if (column.role > ColumnRole::text) column.role = ColumnRole::text;
    if (rows > 0) {
      auto unpacked_values = unpacked(values, column.type, rows);
      if (!unpacked_values) message.fail("holds a column of another length than its table");
      all.push_back(std::move(*unpacked_values));
    }
    table.columns.push_back(std::move(column));
  });
  std::string sorted_by;
  message(table.per, sorted_by);
  if (rows > 0 && all.empty()) message.fail("holds rows without columns");
  set_all(table, std::move(all));
  table.sorted_by = std::move(sorted_by);  // what earlier versions wrote does not say it
  return table;
}

Table read_table(PositionalReader& bytes) {
  Table table;
  uint64_t columns = 0;
  uint64_t rows = 0;
  bytes(table.name, table.about, columns, rows);
  std::vector<ColumnValues> all;
  for (uint64_t i = 0; i < columns; ++i) {
    Column column;
    bytes(column.name, column.type, column.unit, column.about, column.role);
    if (column.type > ColumnType::text || column.role > ColumnRole::text) bytes.fail("holds a column of no known kind");
    if (rows > 0) {
      uint64_t values = 0;
      bytes(values);
      if (values != rows) bytes.fail("holds a column of another length than its table");
      all.push_back(positional_values(bytes, column.type, rows));
    }
    table.columns.push_back(std::move(column));
  }
  if (rows > 0 && columns == 0) bytes.fail("holds rows without columns");
  set_all(table, std::move(all));
  return table;
}

void write_run(MessageWriter& message, const Run& run) {
  KeptRun kept{const_cast<Run&>(run),
               run.released_totals.value_or(TimelineTotals())};  // run_members() serves both directions
  if (!kept.has_times_that_can_be()) {
    throw Error(run.file,
                "has slices more than 70 years from its others, which no summary holds: choose a part without "
                "them (--from, --to)");
  }
  run_members(message, kept);
}

Run read_run(MessageReader& message) {
  return run_from(message);
}

Run read_run(PositionalReader& bytes) {
  return run_from(bytes);
}

}  // namespace cgpu
