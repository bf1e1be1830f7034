#include "session/summary_archive.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kernels/kernel_class.h"

namespace cgpu {

namespace {

template <typename T>
void write_values(ByteWriter& bytes, const ColumnValues& values, const T& value_at) {
  std::vector<std::optional<std::decay_t<decltype(value_at(0))>>> all;
  for (size_t row = 0; row < values.size(); ++row) {
    all.push_back(values.is_absent(row) ? std::nullopt : std::optional(value_at(row)));
  }
  bytes(all);
}

template <typename T>
void read_values(ByteReader& bytes, ColumnValues& values) {
  std::vector<std::optional<T>> all;
  bytes(all);
  for (const std::optional<T>& value : all) {
    if (value) {
      if constexpr (std::is_same_v<T, std::string>) {
        values.append(std::string_view(*value));
      } else {
        values.append(*value);
      }
    } else {
      values.append_absent();
    }
  }
}

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

template <typename Archive>
void collective_members(Archive& archive, Collective& collective) {
  archive(collective.slice, collective.name, collective.group, collective.type, collective.elements_in,
          collective.elements_out, collective.group_size, collective.sequence, collective.from, collective.to);
}

/// What let_timeline_go has left of it. Of tracks without such a slice only that they are there, and whose.
void write_timeline(ByteWriter& bytes, const Timeline& timeline) {
  bytes(timeline.names.size());
  for (StringId name = 1; name < timeline.names.size(); ++name) bytes(std::string(timeline.names[name]));
  bytes(static_cast<uint64_t>(timeline.categories.size()));
  for (const Category& category : timeline.categories) bytes(category.name, category.kind);
  const Slices& slices = timeline.slices;
  std::vector<bool> used(timeline.tracks.size());
  for (SliceIndex slice = 0; slice < slices.size(); ++slice) used[slices.track[slice]] = true;
  bytes(static_cast<uint64_t>(timeline.tracks.size()));
  for (size_t i = 0; i < used.size(); ++i) {
    const Track& track = timeline.tracks[i];
    bytes(track.kind, track.rank, used[i] ? track.process : std::string());
  }
  bytes(static_cast<uint64_t>(slices.size()));
  int64_t before = 0;
  for (SliceIndex slice = 0; slice < slices.size(); ++slice) {
    bytes(slices.start[slice] - before, slices.duration[slice], slices.name[slice], slices.track[slice],
          slices.category[slice], slices.flags[slice]);
    before = slices.start[slice];
  }
  const DeviceOps& ops = timeline.device_ops;
  bytes(static_cast<uint64_t>(ops.size()));
  for (size_t op = 0; op < ops.size(); ++op) {
    bytes(ops.slice[op], ops.device[op], ops.stream[op], ops.bytes[op], ops.kind[op], ops.kernel_class[op]);
  }
  bytes(static_cast<uint64_t>(timeline.collectives.size()));
  for (Collective collective : timeline.collectives) collective_members(bytes, collective);
}

Timeline read_timeline(ByteReader& bytes) {
  Timeline timeline;
  uint64_t count = 0;
  uint32_t names = 0;
  bytes(names);
  for (StringId name = 1; name < names; ++name) {
    std::string text;
    bytes(text);
    if (timeline.names.intern(text) != name) bytes.fail("holds a name twice");
  }
  for (bytes(count); count > 0; --count) {
    Category category;
    bytes(category.name, category.kind);
    if (category.kind > SliceKind::other) bytes.fail("holds a slice of no known kind");
    timeline.categories.push_back(std::move(category));
  }
  for (bytes(count); count > 0; --count) {
    Track track;
    bytes(track.kind, track.rank, track.process);
    if (track.kind > TrackKind::other) bytes.fail("holds a track of no known kind");
    timeline.tracks.push_back(std::move(track));
  }
  const auto check = [&](bool holds) {
    if (!holds) bytes.fail("holds a collective that cannot be");
  };
  int64_t before = 0;
  for (bytes(count); count > 0; --count) {
    Slice slice;
    bytes(slice.start, slice.duration, slice.name, slice.track, slice.category, slice.flags);
    check(can_be(slice.start) && slice.duration >= 0 && can_be(slice.duration));
    slice.start += before;
    before = slice.start;
    check(can_be(slice.start) && slice.name < names && slice.track < timeline.tracks.size() &&
          slice.category < timeline.categories.size());
    timeline.slices.append(slice);
  }
  const size_t slices = timeline.slices.size();
  timeline.slices.parent.assign(slices, kNone);
  timeline.slices.launch.assign(slices, kNone);
  for (bytes(count); count > 0; --count) {
    DeviceOp op;
    OpKind kind = OpKind::compute;
    uint8_t kernel_class = 0;
    bytes(op.slice, op.device, op.stream, op.bytes, kind, kernel_class);
    check(op.slice < slices && kind <= OpKind::memory && kernel_class <= static_cast<uint8_t>(KernelClass::unknown));
    timeline.device_ops.append(op);
    timeline.device_ops.kind.push_back(kind);
    timeline.device_ops.kernel_class.push_back(kernel_class);
  }
  for (bytes(count); count > 0; --count) {
    Collective collective;
    collective_members(bytes, collective);
    check(collective.slice < slices && collective.name < names && collective.group < names && collective.type < names);
    timeline.collectives.push_back(collective);
  }
  return timeline;
}

}  // namespace

void write_table(ByteWriter& bytes, const Table& table) {
  bytes(table.name, table.about, static_cast<uint64_t>(table.columns.size()), static_cast<uint64_t>(table.row_count()));
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const Column& column = table.columns[i];
    bytes(column.name, column.type, column.unit, column.about, column.role);
    if (table.empty()) continue;
    const ColumnValues& values = table.values(i);
    switch (column.type) {
      case ColumnType::integer:
        write_values(bytes, values, [&](size_t row) { return values.integer(row); });
        break;
      case ColumnType::real:
        write_values(bytes, values, [&](size_t row) { return values.real(row); });
        break;
      case ColumnType::text:
        write_values(bytes, values, [&](size_t row) { return std::string(values.text(row)); });
        break;
    }
  }
}

Table read_table(ByteReader& bytes) {
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
      ColumnValues& values = all.emplace_back(column.type);
      if (column.type == ColumnType::integer) {
        read_values<int64_t>(bytes, values);
      } else if (column.type == ColumnType::real) {
        read_values<double>(bytes, values);
      } else {
        read_values<std::string>(bytes, values);
      }
      if (values.size() != rows) bytes.fail("holds a column of another length than its table");
    }
    table.columns.push_back(std::move(column));
  }
  if (rows > 0 && columns == 0) bytes.fail("holds rows without columns");
  for (size_t i = 0; i < all.size(); ++i) table.set_values(i, std::move(all[i]));
  return table;
}

void write_run(ByteWriter& bytes, const Run& run) {
  KeptRun kept{const_cast<Run&>(run), run.let_go.value_or(TimelineTotals())};  // members() serves both directions
  if (!kept.has_times_that_can_be()) {
    throw Error(run.file,
                "has slices more than 70 years from its others, which no summary holds: choose a part without "
                "them (--from, --to)");
  }
  bytes(kept);
  std::vector<int32_t> used(kept.totals.used_devices.begin(), kept.totals.used_devices.end());
  bytes(run.call_tree.has_value(), run.launch_metrics.has_value(), run.op_graph.has_value(), used,
        static_cast<uint64_t>(run.devices.size()));
  for (Device device : run.devices) device_members(bytes, device);
  bytes(static_cast<uint64_t>(run.groups.size()));
  for (ParallelGroup group : run.groups) group_members(bytes, group);
  bytes(static_cast<uint64_t>(run.notes.all().size()));
  for (const Note& note : run.notes.all()) bytes(note.code, note.count, note.text, note.damage);
  write_timeline(bytes, run.timeline);
}

Run read_run(ByteReader& bytes) {
  Run run;
  KeptRun kept{run};
  bytes(kept);
  if (!kept.has_times_that_can_be()) bytes.fail("holds a time that no profile has");
  bool has_call_tree = false;
  bool has_launch_metrics = false;
  bool has_op_graph = false;
  std::vector<int32_t> used;
  uint64_t count = 0;
  bytes(has_call_tree, has_launch_metrics, has_op_graph, used, count);
  if (has_call_tree) run.call_tree.emplace();
  if (has_launch_metrics) run.launch_metrics.emplace();
  if (has_op_graph) run.op_graph.emplace();
  for (; count > 0; --count) {
    Device device;
    device_members(bytes, device);
    run.devices.push_back(std::move(device));
  }
  for (bytes(count); count > 0; --count) {
    ParallelGroup group;
    group_members(bytes, group);
    run.groups.push_back(std::move(group));
  }
  for (bytes(count); count > 0; --count) {
    Note note;
    bytes(note.code, note.count, note.text, note.damage);
    run.notes.add(note.code, note.count, note.text, note.damage);
  }
  run.timeline = read_timeline(bytes);
  kept.totals.used_devices = {used.begin(), used.end()};
  run.let_go = std::move(kept.totals);
  return run;
}

}  // namespace cgpu
