// Table `occupancy`: how well the launches of a kernel fill the device, estimated from their grids. O(n) in the device
// ops; reads the arguments of every kernel from the profile again.
//
// The method is that of the PyTorch profiler and its TensorBoard plugin (blocks a multiprocessor, estimated SM
// efficiency and achieved occupancy, weighted with durations), but the resident blocks are computed here: the profiler
// writes 0 for kernels that use more shared memory than a block gets without asking.
#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/common/columns.h"
#include "analysis/common/groups_by_name.h"
#include "analysis/common/slices_by_name.h"
#include "analysis/device/device_ops.h"
#include "analysis/measured_launches/launch_shape.h"
#include "analysis/tables.h"
#include "base/parse_number.h"
#include "hardware/multiprocessors.h"

namespace cgpu {

namespace {

/// What keeps more warps from being resident.
constexpr std::array<std::string_view, 5> kLimits = {"grid", "blocks", "warps", "registers", "shared memory"};

/// A mean that is weighted with durations, and the time that it is over.
struct WeightedMean {
  double sum = 0;
  int64_t time = 0;

  void add(double value, int64_t duration) {
    sum += value * static_cast<double>(duration);
    time += duration;
  }
  void combine(const WeightedMean& other) {
    sum += other.sum;
    time += other.time;
  }
  Cell mean() const { return time == 0 ? Cell() : Cell(sum / static_cast<double>(time)); }
  template <typename Archive>
  void members(Archive& archive) {
    archive(sum, time);
  }
};

struct KernelOccupancy {
  int64_t count = 0;
  int64_t total_ns = 0;
  int64_t known = 0;
  WeightedMean blocks;      // a multiprocessor
  WeightedMean efficiency;  // share of the multiprocessors that get a block
  WeightedMean occupancy;
  WeightedMean theoretical;
  std::optional<int64_t> registers;  // largest
  std::optional<int64_t> shared_bytes;
  std::array<int64_t, kLimits.size()> limit_ns{};

  void combine(KernelOccupancy&& other) {
    count += other.count;
    total_ns += other.total_ns;
    known += other.known;
    blocks.combine(other.blocks);
    efficiency.combine(other.efficiency);
    occupancy.combine(other.occupancy);
    theoretical.combine(other.theoretical);
    registers = std::max(registers, other.registers);
    shared_bytes = std::max(shared_bytes, other.shared_bytes);
    for (size_t i = 0; i < limit_ns.size(); ++i) limit_ns[i] += other.limit_ns[i];
  }
  template <typename Archive>
  void members(Archive& archive) {
    archive(count, total_ns, known, blocks, efficiency, occupancy, theoretical, registers, shared_bytes, limit_ns);
  }
};

std::vector<std::string> wanted_arguments() {
  std::vector<std::string> keys = launch_shape_keys();
  for (const char* key :
       {"registers per thread", "registersPerThread", "shared memory", "staticSharedMemory", "dynamicSharedMemory"}) {
    keys.emplace_back(key);
  }
  return keys;
}

struct DeviceLimits {
  int64_t multiprocessors = 0;
  std::optional<MultiprocessorLimits> of_one;
};

std::map<int32_t, DeviceLimits> limits_of(const Run& run) {
  std::map<int32_t, DeviceLimits> limits;
  for (const Device& device : run.devices) {
    if (device.sm_count.value_or(0) <= 0) continue;
    limits[device.id] = {*device.sm_count, multiprocessor_limits(device.compute_capability)};
  }
  return limits;
}

/// The first of these arguments that is there.
std::optional<int64_t> number_argument(std::span<const ArgumentView> arguments,
                                       std::initializer_list<std::string_view> keys) {
  for (const ArgumentView& argument : arguments) {
    if (std::find(keys.begin(), keys.end(), argument.key) != keys.end()) return parse_number(argument.value);
  }
  return std::nullopt;
}

/// Static and dynamic, of a block.
std::optional<int64_t> shared_bytes_of(std::span<const ArgumentView> arguments) {
  const auto both = number_argument(arguments, {"shared memory"});
  if (both) return both;
  const auto fixed = number_argument(arguments, {"staticSharedMemory"});
  const auto dynamic = number_argument(arguments, {"dynamicSharedMemory"});
  return fixed && dynamic ? std::optional(*fixed + *dynamic) : std::nullopt;
}

double product_of(const std::array<uint32_t, 3>& size) {
  return static_cast<double>(size[0]) * static_cast<double>(size[1]) * static_cast<double>(size[2]);
}

void add_occupancy(KernelOccupancy& kernel, std::span<const ArgumentView> arguments, const LaunchShape& shape,
                   const MultiprocessorLimits& limits, double blocks, int64_t duration) {
  const auto registers = number_argument(arguments, {"registers per thread", "registersPerThread"});
  const auto shared = shared_bytes_of(arguments);
  constexpr double kMostThreads = 1024;  // of a block, on every device there is
  constexpr int64_t kMostOfAThread = 1024;
  constexpr int64_t kMostOfABlock = int64_t{1} << 30;
  const double threads = product_of(shape.block);
  const bool sound = registers && shared && threads >= 1 && threads <= kMostThreads && *registers >= 0 &&
                     *registers <= kMostOfAThread && *shared >= 0 && *shared <= kMostOfABlock;
  if (!sound) return;
  kernel.registers = std::max(kernel.registers, registers);
  kernel.shared_bytes = std::max(kernel.shared_bytes, shared);
  const ResidentBlocks resident = resident_blocks(limits, {static_cast<int64_t>(threads), *registers, *shared});
  if (resident.blocks == 0) return;  // it ran: the limits are not those of this device
  const double most_threads = static_cast<double>(limits.warps * kThreadsOfWarp);
  const double theoretical = static_cast<double>(resident.blocks) * threads / most_threads;
  const double occupancy = std::min(blocks, static_cast<double>(resident.blocks)) * threads / most_threads;
  kernel.theoretical.add(100 * theoretical, duration);
  kernel.occupancy.add(100 * occupancy, duration);
  const std::string_view limit = blocks < static_cast<double>(resident.blocks) ? kLimits[0] : resident.limited_by;
  kernel.limit_ns[static_cast<size_t>(std::find(kLimits.begin(), kLimits.end(), limit) - kLimits.begin())] +=
      duration + 1;  // kernels without length count too
}

class Occupancies {
 public:
  Occupancies(const Analysis&, const TableOptions&) {}

  void update(const RunInSession& run) {
    const Timeline& timeline = run.timeline();
    const std::map<int32_t, DeviceLimits> limits = limits_of(run.run());
    kernels_.enter(timeline.names);
    std::vector<OpIndex> ops;
    std::vector<uint64_t> sources;
    for_each_device_op(timeline, [&](OpIndex op, SliceIndex slice) {
      if (timeline.kind(slice) != SliceKind::kernel) return;
      ops.push_back(op);
      sources.push_back(timeline.slices.source[slice]);
    });
    ArgumentReader reader(run.run().arguments.get(), 0, wanted_arguments());
    reader.for_each(sources, [&](size_t i, std::span<const ArgumentView> arguments) {
      const SliceIndex slice = timeline.device_ops.slice[ops[i]];
      const int64_t duration = timeline.slices.duration[slice];
      KernelOccupancy& kernel = kernels_.of(timeline.slices.name[slice]);
      ++kernel.count;
      kernel.total_ns += duration;
      const auto device = limits.find(timeline.device_ops.device[ops[i]]);
      const auto shape = launch_shape(arguments);
      if (device == limits.end() || !shape || product_of(shape->grid) == 0) return;
      ++kernel.known;
      const double blocks = product_of(shape->grid) / static_cast<double>(device->second.multiprocessors);
      kernel.blocks.add(blocks, duration);
      kernel.efficiency.add(100 * std::min(1.0, blocks), duration);
      if (device->second.of_one) {
        add_occupancy(kernel, arguments, *shape, *device->second.of_one, blocks, duration);
      }
    });
  }
  void combine(Occupancies&& other) { kernels_.combine(std::move(other.kernels_)); }
  void append_rows(Table& table, const RunIndex&) {
    kernels_.for_each([&](std::string_view name, const KernelOccupancy& kernel) {
      if (kernel.known == 0) return;
      const auto most = std::max_element(kernel.limit_ns.begin(), kernel.limit_ns.end());
      table.append({cell(name), kernel.count, kernel.total_ns, kernel.blocks.mean(), kernel.efficiency.mean(),
                    kernel.occupancy.mean(), kernel.theoretical.mean(),
                    *most == 0 ? Cell() : cell(kLimits[static_cast<size_t>(most - kernel.limit_ns.begin())]),
                    cell(kernel.registers), cell(kernel.shared_bytes), kernel.known});
    });
    sort_most_first(table, "total_ns");
  }
  template <typename Archive>
  void members(Archive& archive) {
    archive(kernels_);
  }

 private:
  GroupsByName<KernelOccupancy> kernels_;
};

}  // namespace

Analysis occupancy_analysis() {
  return {
      .name = "occupancy",
      .about =
          "how well launches of kernels fill the multiprocessors, estimated from grids, registers and shared memory; "
          "without rows where launch shapes or the number of multiprocessors are not known",
      .columns = {key_column("name", "full demangled name"), count_column("count", "kernels of this name"),
                  time_column("total_ns", "sum of the durations"),
                  real_column("blocks_per_sm", "", "estimate: blocks of the grid over multiprocessors, mean over time"),
                  real_column("sm_efficiency_pct", "%",
                              "estimate: share of the multiprocessors that get a block of the grid, mean over time"),
                  real_column("occupancy_pct", "%",
                              "estimate: warps that are resident, of those a multiprocessor holds, mean over time"),
                  real_column("theoretical_occupancy_pct", "%",
                              "estimate: the same if the grid had blocks enough, of those a multiprocessor holds"),
                  text_column("limited_by",
                              "what keeps more warps from being resident for most of the time: grid (too small), "
                              "blocks, warps, registers or shared memory"),
                  count_column("registers", "of a thread, the most of any launch"),
                  bytes_column("shared_bytes", "static and dynamic shared memory of a block, the most of any launch"),
                  count_column("known", "kernels whose launch shape and device are known")},
      .applies = [](const ProfileCounts& counts) { return counts.of({SliceKind::kernel}) > 0 && counts.devices > 0; },
      .row_slices = {{"name"},
                     [](const SessionFacts& facts, const TableOptions&, const auto& visit) {
                       return visit_slices_by_name(facts.session(), is_kernel, nullptr, visit);
                     }},
      .fold = fold_of<Occupancies>};
}

}  // namespace cgpu
