#include "session/summary_archive.h"

#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

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

  template <typename Archive>
  void members(Archive& archive) {
    archive(run.file, run.format, run.format_version, run.host, run.rank, run.rank_known, run.world_size,
            run.clock_is_unix, run.clock_base, run.clock.method, run.clock.offset, run.clock.residual, run.clock.pairs,
            run.event_step, run.input_bytes, run.text_bytes);
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
  bytes(kept);
  std::vector<int32_t> used(kept.totals.used_devices.begin(), kept.totals.used_devices.end());
  bytes(run.call_tree.has_value(), used, static_cast<uint64_t>(run.devices.size()));
  for (const Device& device : run.devices) bytes(device.id, device.name, device.vendor);
  bytes(static_cast<uint64_t>(run.notes.all().size()));
  for (const Note& note : run.notes.all()) bytes(note.code, note.count, note.text, note.damage);
}

Run read_run(ByteReader& bytes) {
  Run run;
  KeptRun kept{run};
  bytes(kept);
  if (run.clock.method > RunClock::Method::unaligned) bytes.fail("holds a clock of no known kind");
  if (!can_be(run.clock_base) || !can_be(kept.totals.slices_time) || !can_be(kept.totals.extent) ||
      !can_be(kept.totals.event_extent)) {
    bytes.fail("holds a time that no profile has");
  }
  bool has_call_tree = false;
  std::vector<int32_t> used;
  uint64_t count = 0;
  bytes(has_call_tree, used, count);
  if (has_call_tree) run.call_tree.emplace();
  for (; count > 0; --count) {
    Device device;
    bytes(device.id, device.name, device.vendor);
    run.devices.push_back(std::move(device));
  }
  for (bytes(count); count > 0; --count) {
    Note note;
    bytes(note.code, note.count, note.text, note.damage);
    run.notes.add(note.code, note.count, note.text, note.damage);
  }
  kept.totals.used_devices = {used.begin(), used.end()};
  run.let_go = std::move(kept.totals);
  return run;
}

}  // namespace cgpu
