// Table `transfers`: copies and memsets by direction and memory kind. O(n) in the device ops.
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>

#include "analysis/common/columns.h"
#include "analysis/common/statistics.h"
#include "analysis/device/copy_metrics.h"
#include "analysis/device/device_models.h"
#include "analysis/device/device_ops.h"
#include "analysis/tables.h"
#include "hardware/host_links.h"

namespace cgpu {

namespace {

/// Direction, kind of memory that is read, kind of memory that is written: what a row stands for.
using Route = std::tuple<CopyKind, MemoryKind, MemoryKind>;

Cell memory_cell(MemoryKind kind) {
  return kind == MemoryKind::none ? Cell() : cell(text_of(kind));
}

Row key_cells(const Route& route) {
  const auto& [kind, source, destination] = route;
  return {cell(text_of(kind)), memory_cell(source), memory_cell(destination)};
}

/// Calls visit(op, slice, route) for every copy and memset that counts, in file order.
template <typename Visit>
void for_each_transfer(const Timeline& timeline, Visit visit) {
  const DeviceOps& ops = timeline.device_ops;
  for_each_device_op(timeline, [&](OpIndex op, SliceIndex slice) {
    const SliceKind kind = timeline.kind(slice);
    if (kind != SliceKind::memcpy && kind != SliceKind::memset) return;
    visit(op, slice, Route{ops.copy[op], ops.source[op], ops.destination[op]});
  });
}

/// What bounds the copies of a direction.
struct CopyPath {
  std::string name;
  double bandwidth = 0;  // B/s
};

std::optional<CopyPath> path_of(CopyKind kind, const DeviceModels& models) {
  switch (kind) {
    case CopyKind::HtoD:
    case CopyKind::DtoH:
    case CopyKind::HtoA:
    case CopyKind::AtoH:
    case CopyKind::uvm_HtoD:
    case CopyKind::uvm_DtoH:
      if (const auto link = find_host_link(models.only())) return CopyPath{link->name, link->bandwidth};
      break;
    case CopyKind::DtoD:
    case CopyKind::DtoA:
    case CopyKind::AtoD:
    case CopyKind::AtoA:
      if (const auto peaks = models.peaks(); peaks && peaks->memory_bandwidth) {
        return CopyPath{"device memory, read and written", *peaks->memory_bandwidth / 2};
      }
      break;
    case CopyKind::memset:
      if (const auto peaks = models.peaks(); peaks && peaks->memory_bandwidth) {
        return CopyPath{"device memory", *peaks->memory_bandwidth};
      }
      break;
    default:  // between devices: the link is not recorded
      break;
  }
  return std::nullopt;
}

struct TransfersOfRoute {
  int64_t count = 0;
  int64_t total_ns = 0;
  std::vector<int64_t> sizes;  // bytes, of the ops that record them
  int64_t sized_ns = 0;        // sum of the durations of these ops
  int64_t counted_bytes = 0;   // by the metrics of a call tree, where ops do not say

  void combine(TransfersOfRoute&& other) {
    counted_bytes += other.counted_bytes;
    count += other.count;
    total_ns += other.total_ns;
    sizes.insert(sizes.end(), other.sizes.begin(), other.sizes.end());
    sized_ns += other.sized_ns;
  }
  template <typename Archive>
  void members(Archive& archive) {
    archive(count, total_ns, sizes, sized_ns, counted_bytes);
  }
};

class Transfers {
 public:
  Transfers(const Analysis&, const TableOptions&) {}

  void update(const RunInSession& run) {
    models_.add(run.run());
    const Timeline& timeline = run.timeline();
    if (run.run().call_tree && !run.run().part_of) {
      for (const auto& [kind, bytes] : copied_bytes(*run.run().call_tree)) {
        routes_[Route{kind, MemoryKind::unknown, MemoryKind::unknown}].counted_bytes += bytes;
      }
    }
    for_each_transfer(timeline, [&](OpIndex op, SliceIndex slice, const Route& route) {
      const int64_t duration = timeline.slices.duration[slice];
      const int64_t bytes = timeline.device_ops.bytes[op];
      TransfersOfRoute& transfers = routes_[route];
      ++transfers.count;
      transfers.total_ns += duration;
      if (bytes >= 0) {
        transfers.sizes.push_back(bytes);
        transfers.sized_ns += duration;
      }
    });
  }
  void combine(Transfers&& other) {
    for (auto& [route, transfers] : other.routes_) routes_[route].combine(std::move(transfers));
    models_.combine(std::move(other.models_));
  }
  void append_rows(Table& table, const RunIndex&) {
    for (const auto& [route, transfers] : routes_) {
      Row row = key_cells(route);
      row.resize(table.columns.size());
      if (transfers.count > 0) {  // else bytes alone were counted
        row[3] = transfers.count;
        row[5] = transfers.total_ns;
      }
      if (transfers.sizes.empty() && transfers.counted_bytes > 0) {
        row[4] = transfers.counted_bytes;
        const auto bytes = static_cast<double>(transfers.counted_bytes);
        if (transfers.count > 0) row[6] = bytes / static_cast<double>(transfers.count);
        if (transfers.total_ns > 0) row[8] = bytes / static_cast<double>(transfers.total_ns);
      }
      if (!transfers.sizes.empty()) {
        const int64_t bytes = std::accumulate(transfers.sizes.begin(), transfers.sizes.end(), int64_t{0});
        row[4] = bytes;
        row[6] = mean(transfers.sizes);
        row[7] = median(transfers.sizes);
        // Bytes a nanosecond are GB/s.
        if (transfers.sized_ns > 0) row[8] = static_cast<double>(bytes) / static_cast<double>(transfers.sized_ns);
      }
      if (const auto path = path_of(std::get<CopyKind>(route), models_)) {
        row[9] = path->bandwidth / 1e9;
        if (const auto* reached = std::get_if<double>(&row[8])) row[10] = 100 * *reached / (path->bandwidth / 1e9);
        row[11] = path->name;
      }
      table.append(row);
    }
    sort_most_first(table, "total_ns");
  }
  template <typename Archive>
  void members(Archive& archive) {
    archive(routes_, models_);
  }

 private:
  std::map<Route, TransfersOfRoute> routes_;
  DeviceModels models_;
};

std::vector<Row> visit_transfers(const SessionFacts& facts, const TableOptions&, const RowSlices::Visit& visit) {
  std::map<Route, uint32_t> rows;
  std::vector<Row> keys;
  for (size_t run = 0; run < facts.session().runs.size(); ++run) {
    for_each_transfer(facts.run(run).timeline, [&](OpIndex, SliceIndex slice, const Route& route) {
      const auto [row, is_new] = rows.try_emplace(route, static_cast<uint32_t>(keys.size()));
      if (is_new) keys.push_back(key_cells(route));
      visit(run, slice, row->second);
    });
  }
  return keys;
}

}  // namespace

Analysis transfers_analysis() {
  return {
      .name = "transfers",
      .about = "copies and memsets by direction and kind of memory",
      .aliases = {"cuda_gpu_mem_time_sum", "gpumemtimesum", "cuda_gpu_mem_size_sum", "gpumemsizesum", "um_sum", "umsum",
                  "um_total_sum", "umtotalsum"},
      .columns = {key_column("kind", "direction (H host, D device, A array, P peer) or Memset"),
                  key_column("src_memory", "kind of memory it reads; absent for a memset"),
                  key_column("dst_memory", "kind of memory it writes"), count_column("count", "copies or memsets"),
                  bytes_column("bytes", "bytes moved or set by the ops that say; absent where none says"),
                  time_column("total_ns", "sum of the durations"),
                  real_column("mean_bytes", "bytes", "mean size over the ops that say"),
                  real_column("median_bytes", "bytes", "median size over the ops that say"),
                  real_column("bandwidth", "GB/s", "bytes over the duration of the ops that say their bytes"),
                  real_column("peak_bandwidth", "GB/s",
                              "of what they go over, one direction; absent where the device is not one known model"),
                  real_column("peak_pct", "%", "share of bandwidth in peak_bandwidth"),
                  text_column("path", "what they go over: the device's link to its host, or its memory")},
      .applies = [](const ProfileCounts& counts) { return counts.copies() + counts.copy_metrics > 0; },
      .row_slices = {{"kind", "src_memory", "dst_memory"}, visit_transfers},
      .fold = fold_of<Transfers>};
}

}  // namespace cgpu
