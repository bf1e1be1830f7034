// A hand-built run for the tests of the analyses, with the columns that links/ would fill set directly.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernels/kernel_class.h"
#include "model/run.h"
#include "table/table.h"

namespace cgpu {

constexpr SliceKind kOp = SliceKind::framework_op;
constexpr int64_t kMicrosecond = 1'000;
constexpr int64_t kMillisecond = 1'000'000;

constexpr SliceKind kCall = SliceKind::runtime_call;
constexpr SliceKind kFrame = SliceKind::python_function;

struct TestOp {
  int32_t device = 0;
  int64_t stream = 7;
  OpKind kind = OpKind::compute;
  KernelClass kernel_class = KernelClass::unknown;
  SliceIndex launch = kNone;
};

/// A matrix product that this call launched.
inline TestOp launched_by(SliceIndex call) {
  return {0, 7, OpKind::compute, KernelClass::gemm, call};
}

struct TestCopy {
  CopyKind copy = CopyKind::HtoD;
  MemoryKind source = MemoryKind::pinned;
  MemoryKind destination = MemoryKind::device;
  int64_t bytes = -1;
};

class TestRun {
 public:
  explicit TestRun(int64_t rank = 0) { run.rank = rank; }

  /// A slice on a host thread; its parent is given by the test.
  SliceIndex host(SliceKind kind, const std::string& name, int64_t start, int64_t duration, SliceIndex parent = kNone,
                  const std::string& thread = "1") {
    const SliceIndex slice = add(kind, name, start, duration, track(TrackKind::host_thread, "1", thread));
    run.timeline.slices.parent[slice] = parent;
    return slice;
  }

  /// A kernel, memcpy, memset or device collective.
  SliceIndex device_op(SliceKind kind, const std::string& name, int64_t start, int64_t duration, TestOp op = {},
                       TestCopy copy = {CopyKind::none, MemoryKind::none, MemoryKind::none, -1}) {
    const SliceIndex slice = add(kind, name, start, duration,
                                 track(TrackKind::device_stream, std::to_string(op.device), std::to_string(op.stream)));
    run.timeline.slices.launch[slice] = op.launch;
    DeviceOps& ops = run.timeline.device_ops;
    ops.append({.slice = slice,
                .device = op.device,
                .stream = op.stream,
                .bytes = copy.bytes,
                .copy = copy.copy,
                .source = copy.source,
                .destination = copy.destination});
    ops.kind.push_back(op.kind);
    ops.kernel_class.push_back(static_cast<uint8_t>(op.kernel_class));
    return slice;
  }
  SliceIndex kernel(const std::string& name, int64_t start, int64_t duration, TestOp op = {}) {
    return device_op(SliceKind::kernel, name, start, duration, op);
  }
  SliceIndex memcpy(const std::string& name, int64_t start, int64_t duration, TestCopy copy, TestOp op = {}) {
    op.kind = OpKind::memory;
    op.kernel_class = KernelClass::copy;
    return device_op(SliceKind::memcpy, name, start, duration, op, copy);
  }
  SliceIndex memset(const std::string& name, int64_t start, int64_t duration, int64_t bytes, TestOp op = {}) {
    op.kind = OpKind::memory;
    op.kernel_class = KernelClass::set;
    return device_op(SliceKind::memset, name, start, duration, op,
                     {CopyKind::memset, MemoryKind::none, MemoryKind::device, bytes});
  }

  /// A slice of any kind on any track.
  SliceIndex add(SliceKind kind, const std::string& name, int64_t start, int64_t duration, TrackIndex on) {
    Slices& slices = run.timeline.slices;
    slices.append({.start = start,
                   .duration = duration,
                   .source = slices.size() + 1,
                   .name = run.timeline.names.intern(name),
                   .track = on,
                   .category = category(kind)});
    slices.parent.push_back(kNone);
    slices.launch.push_back(kNone);
    return static_cast<SliceIndex>(slices.size() - 1);
  }
  void implausible(SliceIndex slice) { run.timeline.slices.flags[slice] |= kImplausibleTime; }

  TrackIndex track(TrackKind kind, const std::string& process, const std::string& thread) {
    std::vector<Track>& tracks = run.timeline.tracks;
    for (TrackIndex i = 0; i < tracks.size(); ++i) {
      if (tracks[i].kind == kind && tracks[i].process == process && tracks[i].thread == thread) return i;
    }
    tracks.push_back({kind, process, thread, "", ""});
    return static_cast<TrackIndex>(tracks.size() - 1);
  }

  Run run;

 private:
  /// One category a kind, named by its number.
  uint16_t category(SliceKind kind) {
    std::vector<Category>& categories = run.timeline.categories;
    for (uint16_t i = 0; i < categories.size(); ++i) {
      if (categories[i].kind == kind) return i;
    }
    categories.push_back({"category " + std::to_string(static_cast<int>(kind)), kind});
    return static_cast<uint16_t>(categories.size() - 1);
  }
};

/// A session of these runs, in this order.
template <typename... Runs>
Session session_of(Runs&&... runs) {
  Session session;
  (session.runs.push_back(std::move(runs.run)), ...);
  return session;
}

/// Cells of one row by column name, for readable expectations.
inline Cell at(const Table& table, size_t row, const std::string& column) {
  return table.cell(row, table.column(column));
}
inline int64_t integer_at(const Table& table, size_t row, const std::string& column) {
  return std::get<int64_t>(at(table, row, column));
}
inline double real_at(const Table& table, size_t row, const std::string& column) {
  return std::get<double>(at(table, row, column));
}
inline std::string text_at(const Table& table, size_t row, const std::string& column) {
  return std::get<std::string>(at(table, row, column));
}
inline bool absent_at(const Table& table, size_t row, const std::string& column) {
  return std::holds_alternative<std::monostate>(at(table, row, column));
}
/// The row whose column holds this text; fails the test where there is none.
inline size_t row_of(const Table& table, const std::string& column, const std::string& text) {
  const size_t index = table.column(column);
  for (size_t row = 0; row < table.row_count(); ++row) {
    if (table.cell(row, index) == Cell(text)) return row;
  }
  ADD_FAILURE() << table.name << " has no row with " << column << " = " << text;
  return table.row_count();
}
/// Every row has a cell of the declared type (or none) for every column.
inline void expect_well_formed(const Table& table) {
  for (const RowView row : table.rows()) {
    ASSERT_EQ(row.size(), table.columns.size()) << table.name;
    for (size_t i = 0; i < row.size(); ++i) {
      if (std::holds_alternative<std::monostate>(row[i])) continue;
      const size_t expected = table.columns[i].type == ColumnType::integer ? 1
                              : table.columns[i].type == ColumnType::real  ? 2
                                                                           : 3;
      EXPECT_EQ(row[i].index(), expected) << table.name << "." << table.columns[i].name;
    }
  }
}

}  // namespace cgpu
