// Table `collectives`: communication by collective and group, with the ranks of a session laid side by side.
//
// The k-th op of a name and group on one rank belongs to the same instance as the k-th on the others (by start time, as
// collectives of a group run in one order everywhere). The bus bandwidth factors are those of the NCCL tests.
// O(n log n) in the communication ops, O(n) in the device ops.
#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <unordered_map>

#include "analysis/columns.h"
#include "analysis/device_ops.h"
#include "analysis/merged_names.h"
#include "analysis/session_clock.h"
#include "analysis/tables.h"
#include "kernels/names.h"

namespace cgpu {

namespace {

struct CommunicationOp {
  int64_t start = 0;  // comparable over ranks where the session has a common clock
  int64_t duration = 0;
  std::optional<int64_t> bytes;
  std::optional<int64_t> group_size;
};

struct CollectiveKey {
  std::string name;
  std::optional<std::string> group;
  auto operator<=>(const CollectiveKey&) const = default;
};

/// The ops of one name and group, one list a rank that has any, each in order of start.
using RankOps = std::vector<std::vector<CommunicationOp>>;

/// Bytes of an element of this type, as PyTorch and the collective libraries write it.
std::optional<int64_t> element_size(std::string_view type) {
  static const std::unordered_map<std::string, int64_t> sizes = {
      {"double", 8}, {"float64", 8}, {"fp64", 8},        {"long", 8},         {"int64", 8},         {"uint64", 8},
      {"float", 4},  {"float32", 4}, {"fp32", 4},        {"int", 4},          {"int32", 4},         {"uint32", 4},
      {"half", 2},   {"float16", 2}, {"fp16", 2},        {"bfloat16", 2},     {"bf16", 2},          {"bfp16", 2},
      {"short", 2},  {"int16", 2},   {"uint16", 2},      {"char", 1},         {"byte", 1},          {"bool", 1},
      {"int8", 1},   {"uint8", 1},   {"complexhalf", 4}, {"complexfloat", 8}, {"complexdouble", 16}};
  std::string lower(type);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  if (lower.compare(0, 7, "float8_") == 0) return 1;
  const auto found = sizes.find(lower);
  if (found == sizes.end()) return {};
  return found->second;
}

/// What a kernel's name says of the collective, else its base name.
std::string collective_of_kernel(std::string_view kernel) {
  static constexpr std::pair<std::string_view, std::string_view> kSpellings[] = {
      {"AllReduce", "allreduce"}, {"AllGather", "allgather"}, {"ReduceScatter", "reduce_scatter"},
      {"AllToAll", "alltoall"},   {"SendRecv", "send_recv"},  {"Broadcast", "broadcast"},
      {"Reduce", "reduce"}};
  std::string base = base_kernel_name(kernel);
  for (const auto& [spelling, name] : kSpellings) {
    if (base.find(spelling) != std::string::npos) return std::string(name);
  }
  return base;
}

/// Bytes that cross a link for each byte of a collective over n ranks.
double bus_factor(const std::string& name, int64_t n) {
  std::string letters;
  std::copy_if(name.begin(), name.end(), std::back_inserter(letters), [](char c) { return c != '_'; });
  const auto is = [&](std::string_view collective) { return letters.find(collective) != std::string::npos; };
  const double others = static_cast<double>(n - 1) / static_cast<double>(n);
  if (is("allreduce")) return 2 * others;
  if (is("allgather") || is("reducescatter") || is("alltoall")) return others;
  return 1;
}

CommunicationOp op_of(const Run& run, SliceIndex slice, const Collective* recorded) {
  const Timeline& timeline = run.timeline;
  CommunicationOp op{timeline.slices.start[slice] + run.clock_base, timeline.slices.duration[slice], {}, {}};
  if (recorded == nullptr) return op;
  const int64_t elements = std::max(recorded->elements_in, recorded->elements_out);
  const std::optional<int64_t> size = element_size(timeline.names[recorded->type]);
  if (elements >= 0 && size) op.bytes = elements * *size;
  if (recorded->group_size > 0) op.group_size = recorded->group_size;
  return op;
}

std::map<CollectiveKey, RankOps> collect(const Session& session) {
  std::map<CollectiveKey, RankOps> collectives;
  for (const Run& run : session.runs) {
    const Timeline& timeline = run.timeline;
    std::unordered_map<SliceIndex, const Collective*> recorded;
    for (const Collective& collective : timeline.collectives) recorded.emplace(collective.slice, &collective);

    MergedNames kernel_names(collective_of_kernel);
    kernel_names.enter(timeline.names);
    std::map<CollectiveKey, std::vector<CommunicationOp>> mine;
    for_each_device_op(timeline, [&](OpIndex index, SliceIndex slice) {
      if (timeline.device_ops.kind[index] != OpKind::communication) return;
      const auto found = recorded.find(slice);
      const Collective* record = found == recorded.end() ? nullptr : found->second;
      CollectiveKey key;
      key.name = record != nullptr && record->name != 0
                     ? timeline.names[record->name]
                     : kernel_names.text(kernel_names.number(timeline.slices.name[slice]));
      if (record != nullptr && record->group != 0) key.group = timeline.names[record->group];
      mine[std::move(key)].push_back(op_of(run, slice, record));
    });
    for (auto& [key, ops] : mine) {
      std::stable_sort(ops.begin(), ops.end(),
                       [](const CommunicationOp& a, const CommunicationOp& b) { return a.start < b.start; });
      collectives[key].push_back(std::move(ops));
    }
  }
  return collectives;
}

/// Sums over the instances of one name and group.
struct Sums {
  int64_t count = 0;
  int64_t total_ns = 0;
  int64_t wait_ns = 0;
  std::optional<int64_t> bytes;       // of the instances that say
  int64_t shortest_ns = 0;            // of these, the sum of the shortest durations over ranks
  std::optional<int64_t> group_size;  // where all that say agree
  bool mixed_sizes = false;
};

Sums sum_up(const RankOps& ranks) {
  Sums sums;
  for (const auto& ops : ranks) sums.count = std::max(sums.count, static_cast<int64_t>(ops.size()));
  for (size_t k = 0; k < static_cast<size_t>(sums.count); ++k) {
    int64_t latest_start = INT64_MIN;
    int64_t shortest = INT64_MAX;
    std::optional<int64_t> bytes;
    for (const auto& ops : ranks) {
      if (k >= ops.size()) continue;
      latest_start = std::max(latest_start, ops[k].start);
      shortest = std::min(shortest, ops[k].duration);
      if (!bytes) bytes = ops[k].bytes;
      if (!ops[k].group_size) continue;
      if (!sums.group_size) sums.group_size = ops[k].group_size;
      if (sums.group_size != ops[k].group_size) sums.mixed_sizes = true;
    }
    for (const auto& ops : ranks) {
      if (k >= ops.size()) continue;
      sums.total_ns += ops[k].duration;
      sums.wait_ns += latest_start - ops[k].start;
    }
    if (bytes) {
      sums.bytes = sums.bytes.value_or(0) + *bytes;
      sums.shortest_ns += shortest;
    }
  }
  return sums;
}

}  // namespace

Table collectives_table(const Session& session, const AnalysisOptions&) {
  Table table{
      "collectives",
      "communication by collective and group of ranks",
      {text_column("name", "collective, as recorded or as the kernel's name says"),
       text_column("group", "group of ranks; absent where not recorded"),
       count_column("ranks", "ranks on which it was seen"),
       count_column("count", "instances, each counted once over all ranks"),
       bytes_column("bytes", "larger of input and output on one rank, over the instances that say"),
       time_column("total_ns", "sum of the durations on all ranks"),
       real_column("algo_bandwidth", "GB/s", "bytes over the shortest duration of each instance that says them"),
       real_column("bus_bandwidth", "GB/s",
                   "algo_bandwidth as traffic on a link of each rank; absent where the "
                   "size of the group is unknown"),
       time_column("wait_ns", "time that ranks spent until the last one began; absent for one rank")},
      {}};

  const bool comparable = has_common_clock(session);
  for (const auto& [key, ranks] : collect(session)) {
    const Sums sums = sum_up(ranks);
    Row row = {key.name,
               cell(key.group),
               static_cast<int64_t>(ranks.size()),
               sums.count,
               cell(sums.bytes),
               sums.total_ns,
               {},
               {},
               {}};
    if (sums.bytes && sums.shortest_ns > 0) {
      // Bytes a nanosecond are GB/s.
      const double bandwidth = static_cast<double>(*sums.bytes) / static_cast<double>(sums.shortest_ns);
      row[6] = bandwidth;
      if (sums.group_size && !sums.mixed_sizes) row[7] = bandwidth * bus_factor(key.name, *sums.group_size);
    }
    if (ranks.size() > 1 && comparable) row[8] = sums.wait_ns;
    table.rows.push_back(std::move(row));
  }
  sort_most_first(table, "total_ns");
  return table;
}

}  // namespace cgpu
