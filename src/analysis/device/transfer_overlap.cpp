// Table `transfer_overlap`: copies, fills and kernels that move keys and values of a cache, by stream and by what they
// are for where a name says it, with how much of their time the device computes or communicates beside them.
//
// O(n log n) in the device ops, and a pass over the slices for the names around the launches. The test compares the
// times with counting every microsecond.
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/common/nesting.h"
#include "analysis/device/device_ops.h"
#include "analysis/rows_by_run.h"
#include "analysis/tables.h"
#include "base/ascii.h"
#include "base/contains.h"
#include "kernels/kernel_class.h"

namespace cgpu {

namespace {

/// In lower case, of ops and ranges that move keys and values of a cache: vLLM's swap_blocks, copy_blocks and the
/// ranges of its connectors, SGLang's transfer_kv_per_layer, LMCache's annotated functions (LMCacheEngine.store,
/// VLLMPagedMemGPUConnectorV2.to_gpu), NIXL, Mooncake.
constexpr std::array<std::string_view, 13> kKvNames = {
    "swap_blocks",         "copy_blocks", "transfer_kv", "kv_transfer", "kv_cache", "kvcache",
    "kv_offload",          "load_kv",     "save_kv",     "lmcache",     "nixl",     "mooncake",
    "pagedmemgpuconnector"};

/// Smaller copies to the host and back are results and parameters of single ops.
constexpr int64_t kLeastReturned = int64_t{1} << 20;

bool names_kv_cache(std::string_view name) {
  const std::string lower = lower_case(name);
  return std::any_of(kKvNames.begin(), kKvNames.end(), [&](std::string_view part) { return contains(lower, part); });
}

struct TransferKey {
  int32_t device;
  int64_t stream;
  std::string kind;     // direction, Memset or kernel
  std::string said_by;  // the name that says that it is for a cache of keys and values; empty where none does
  auto operator<=>(const TransferKey&) const = default;
};

class TransfersByStream {
 public:
  explicit TransfersByStream(const RunInSession& run) : timeline_(run.timeline()) {
    std::vector<OpIndex> ops;
    for_each_device_op(timeline_, [&](OpIndex op, SliceIndex) { ops.push_back(op); });
    const OpsInFullRun full_run = ops_in_full_run(run.session(), run.index, ops);
    const Timeline& whole = full_run.timeline;
    std::vector<bool> is_kv_name;
    for (StringId name = 0; name < whole.names.size(); ++name) is_kv_name.push_back(names_kv_cache(whole.names[name]));
    const std::vector<SliceIndex> around = nearest_above(whole.slices, [&](SliceIndex slice) {
      const SliceKind kind = whole.kind(slice);
      return (kind == SliceKind::framework_op || kind == SliceKind::annotation) && is_kv_name[whole.slices.name[slice]];
    });
    for (size_t i = 0; i < ops.size(); ++i) {
      const OpIndex op = ops[i];
      const bool moves = timeline_.device_ops.kind[op] == OpKind::memory;
      const bool is_kv_kernel = class_of(timeline_, op) == KernelClass::kv_cache;
      if (!moves && !is_kv_kernel) {
        work_[timeline_.device_ops.device[op]].push_back(op);
        continue;
      }
      const SliceIndex launch = launch_of(whole, whole.device_ops.slice[full_run.ops[i]]);
      const SliceIndex named = launch == kNone ? kNone : around[launch];
      std::string said_by;
      if (named != kNone) {
        said_by = whole.name(named);
      } else if (is_kv_kernel) {
        said_by = timeline_.name(timeline_.device_ops.slice[op]);
      }
      rows_[{timeline_.device_ops.device[op], timeline_.device_ops.stream[op], kind_of(op), std::move(said_by)}]
          .push_back(op);
    }
    find_returned();
  }

  void append_rows(Table& table) const {
    std::map<int32_t, IntervalSet> work;
    for (const auto& [device, ops] : work_) work.emplace(device, busy_time(timeline_, ops));
    for (const auto& [key, ops] : rows_) {
      int64_t total_ns = 0;
      int64_t bytes = 0;
      int64_t sized_ns = 0;
      int64_t sized = 0;
      int64_t returned = 0;
      for (const OpIndex op : ops) {
        const int64_t duration = timeline_.slices.duration[timeline_.device_ops.slice[op]];
        total_ns += duration;
        if (timeline_.device_ops.bytes[op] < 0) continue;
        ++sized;
        bytes += timeline_.device_ops.bytes[op];
        sized_ns += duration;
        if (returned_.at(op)) returned += timeline_.device_ops.bytes[op];
      }
      const IntervalSet busy = busy_time(timeline_, ops);
      const auto beside = work.find(key.device);
      const int64_t hidden_ns = beside == work.end() ? 0 : busy.intersect(beside->second).length();
      const int64_t busy_ns = busy.length();
      const bool is_kv = !key.said_by.empty();
      table.append({int64_t{0}, int64_t{key.device}, key.stream, key.kind, is_kv ? cell("KV cache") : Cell(),
                    is_kv ? Cell(key.said_by) : Cell(), static_cast<int64_t>(ops.size()),
                    sized > 0 ? Cell(bytes) : Cell(), total_ns,
                    // Bytes a nanosecond are GB/s.
                    sized_ns > 0 ? Cell(static_cast<double>(bytes) / static_cast<double>(sized_ns)) : Cell(), busy_ns,
                    hidden_ns, busy_ns - hidden_ns, percent_of(hidden_ns, busy_ns),
                    sized > 0 ? Cell(returned) : Cell()});
    }
  }

 private:
  std::string kind_of(OpIndex op) const {
    const SliceKind kind = timeline_.kind(timeline_.device_ops.slice[op]);
    const bool is_copy = kind == SliceKind::memcpy || kind == SliceKind::memset;
    return is_copy ? text_of(timeline_.device_ops.copy[op]) : "kernel";
  }

  /// Copies to the host after which one of as many bytes comes back on the same stream, and these.
  void find_returned() {
    struct Copy {
      int64_t start;
      int64_t end;
      OpIndex op;
      bool is_back;
    };
    std::map<std::tuple<int32_t, int64_t, int64_t>, std::vector<Copy>> copies;  // by device, stream and bytes
    for (const auto& [key, ops] : rows_) {
      for (const OpIndex op : ops) {
        returned_[op] = false;
        const CopyKind kind = timeline_.device_ops.copy[op];
        const int64_t bytes = timeline_.device_ops.bytes[op];
        if ((kind != CopyKind::DtoH && kind != CopyKind::HtoD) || bytes < kLeastReturned) continue;
        const SliceIndex slice = timeline_.device_ops.slice[op];
        copies[{key.device, key.stream, bytes}].push_back(
            {timeline_.slices.start[slice], timeline_.slices.end(slice), op, kind == CopyKind::HtoD});
      }
    }
    for (auto& [key, alike] : copies) {
      std::sort(alike.begin(), alike.end(),
                [](const Copy& a, const Copy& b) { return std::pair(a.start, a.op) < std::pair(b.start, b.op); });
      std::vector<Copy> out;
      size_t back = 0;  // of `out`
      for (const Copy& copy : alike) {
        if (!copy.is_back) {
          out.push_back(copy);
        } else if (back < out.size() && out[back].end <= copy.start) {
          returned_[copy.op] = returned_[out[back++].op] = true;
        }
      }
    }
  }

  const Timeline& timeline_;
  std::map<TransferKey, std::vector<OpIndex>> rows_;
  std::map<int32_t, std::vector<OpIndex>> work_;  // by device: what transfers can be hidden behind
  std::unordered_map<OpIndex, bool> returned_;
};

void append_transfer_overlap(const RunInSession& run, Table& table) {
  TransfersByStream(run).append_rows(table);
}

void order_transfer_overlap(Table& table) {
  sort_most_first(table, "busy_ns");
}

}  // namespace

Analysis transfer_overlap_analysis() {
  return {.name = "transfer_overlap",
          .about =
              "copies, fills and kernels that move keys and values of a cache, by stream and purpose, and how much of "
              "their time the device computes or communicates beside them",
          .columns = {rank_column(), device_column(), stream_column(),
                      key_column("kind", "direction (H host, D device, A array, P peer), Memset, or kernel"),
                      key_column("purpose", "KV cache, where a name says it; absent else"),
                      key_column("said_by", "the range, op or kernel whose name says it"),
                      count_column("count", "device ops"),
                      bytes_column("bytes", "moved or set by those that say; absent where none says"),
                      time_column("total_ns", "sum of the durations"),
                      real_column("bandwidth", "GB/s", "bytes over the duration of those that say their bytes"),
                      time_column("busy_ns", "in which any of them runs: hidden_ns and exposed_ns"),
                      time_column("hidden_ns", "in which other kernels or communication of the device run too"),
                      time_column("exposed_ns", "in which none does"),
                      real_column("hidden_pct", "%", "share of hidden_ns in busy_ns"),
                      bytes_column("returned_bytes",
                                   "of the bytes, those that went to the host and came back later on the stream, as "
                                   "offloading does, in copies of 1 MiB and more")},
          .applies = [](const ProfileCounts& counts) { return counts.device_ops > 0; },
          .fold = fold_of<RowsByRun<append_transfer_overlap, order_transfer_overlap>>};
}

}  // namespace cgpu
