// What a run made its devices do, iteration by iteration, as trees: annotations and framework ops of the host in which
// device work was launched, and below them the device ops, each in the order of the host.
//
// Device ops whose launch is not in the profile, in a run that shows which ops launched the others, are orphans: they
// stand behind the others, in the order of their starts.
//
// Where a run has several devices, their work can be kept apart: it then stands one device behind the other.
//
// O(n log n) in the device ops and O(n) in the slices; reads the arguments of the ops for their shapes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "comparison/compared_time.h"
#include "comparison/labels.h"
#include "kernels/kernel_class.h"
#include "model/plausible.h"

namespace cgpu {

enum class WorkKind : uint8_t { annotation, op, device_op, orphan };

inline bool is_device_work(WorkKind kind) {
  return kind == WorkKind::device_op || kind == WorkKind::orphan;
}

struct WorkItem {
  SliceIndex slice = kNone;
  OpIndex op = kNone;       // of device work
  uint32_t parent = kNone;  // item around it
  uint32_t iteration = 0;
  uint32_t device = 0;  // where devices are kept apart: which one of the run, from 0, by their numbers
  Label label = 0;
  Label shapes = 0;  // of the inputs, 0 where not recorded
  WorkKind kind = WorkKind::op;
  KernelClass kernel_class = KernelClass::unknown;
};

class RunWork {
 public:
  RunWork(const SessionFacts& facts, size_t run, const std::vector<Iteration>& iterations, bool devices_apart,
          Labels& labels);

  const WorkItem& item(uint32_t index) const { return items_[index]; }
  /// In order.
  std::span<const uint32_t> roots(uint32_t iteration) const { return part(iteration); }
  std::span<const uint32_t> children(uint32_t item) const { return part(iterations_ + item); }
  std::span<const WorkItem> items() const { return items_; }

 private:
  std::span<const uint32_t> part(size_t list) const {
    return std::span(order_).subspan(begin_[list], begin_[list + 1] - begin_[list]);
  }
  void add_items(const SessionFacts& facts, size_t run, const std::vector<Iteration>& iterations);
  void set_devices(const Timeline& timeline);
  void read_shapes(const Run& run, Labels& labels);
  void put_in_order(const Slices& slices);

  size_t iterations_ = 0;
  std::vector<WorkItem> items_;
  std::vector<int64_t> turn_;    // by item: when the host came to it
  std::vector<uint32_t> order_;  // items by the list that they are in
  std::vector<uint32_t> begin_;  // of each list: the roots of an iteration, then the children of an item
};

}  // namespace cgpu
