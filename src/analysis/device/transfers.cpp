// Table `transfers`: copies and memsets by direction and memory kind. O(n) in the device ops.
#include <map>
#include <numeric>
#include <tuple>

#include "analysis/common/columns.h"
#include "analysis/device/device_ops.h"
#include "analysis/common/statistics.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

struct Transfers {
  int64_t count = 0;
  int64_t total_ns = 0;
  std::vector<int64_t> sizes;  // of the ops that say theirs
  int64_t sized_ns = 0;        // duration of these ops
};

Cell memory_cell(MemoryKind kind) {
  return kind == MemoryKind::none ? Cell() : cell(text_of(kind));
}

}  // namespace

Table transfers_table(const Session& session, const AnalysisOptions&) {
  Table table{"transfers",
              "copies and memsets by direction and kind of memory",
              {text_column("kind", "direction (H host, D device, A array, P peer) or Memset"),
               text_column("src_memory", "kind of memory it reads; absent for a memset"),
               text_column("dst_memory", "kind of memory it writes"), count_column("count", "copies or memsets"),
               bytes_column("bytes", "bytes moved or set by the ops that say; absent where none says"),
               time_column("total_ns", "sum of the durations"),
               real_column("mean_bytes", "bytes", "mean size over the ops that say"),
               real_column("median_bytes", "bytes", "median size over the ops that say"),
               real_column("bandwidth", "GB/s", "bytes over the duration of the ops that say their bytes")}};

  std::map<std::tuple<CopyKind, MemoryKind, MemoryKind>, Transfers> groups;
  for (const Run& run : session.runs) {
    const Timeline& timeline = run.timeline;
    const DeviceOps& ops = timeline.device_ops;
    for_each_device_op(timeline, [&](OpIndex op, SliceIndex slice) {
      const SliceKind kind = timeline.kind(slice);
      if (kind != SliceKind::memcpy && kind != SliceKind::memset) return;
      const int64_t duration = timeline.slices.duration[slice];
      Transfers& group = groups[{ops.copy[op], ops.source[op], ops.destination[op]}];
      ++group.count;
      group.total_ns += duration;
      if (ops.bytes[op] >= 0) {
        group.sizes.push_back(ops.bytes[op]);
        group.sized_ns += duration;
      }
    });
  }
  for (const auto& [key, group] : groups) {
    const auto& [kind, source, destination] = key;
    Row row = {cell(text_of(kind)), memory_cell(source), memory_cell(destination), group.count, {}, group.total_ns};
    row.resize(table.columns.size());
    if (!group.sizes.empty()) {
      const int64_t bytes = std::accumulate(group.sizes.begin(), group.sizes.end(), int64_t{0});
      row[4] = bytes;
      row[6] = mean(group.sizes);
      row[7] = median(group.sizes);
      // Bytes a nanosecond are GB/s.
      if (group.sized_ns > 0) row[8] = static_cast<double>(bytes) / static_cast<double>(group.sized_ns);
    }
    table.append(std::move(row));
  }
  sort_most_first(table, "total_ns");
  return table;
}

}  // namespace cgpu
