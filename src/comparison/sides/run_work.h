// What a run made its devices do, iteration by iteration, as trees: annotations and framework ops of the host in which
// device work was launched, and below them the device ops, each in the order of the host.
//
// Device ops whose launch is not in the profile, in a run that shows which ops launched the others, are orphans: they
// are behind the others, in the order of their starts.
//
// Around device ops that a graph replayed is what is around the calls that were captured as them (Run::captured),
// once for each replay and in the order of the capture, below what is around the launch of the graph: a run that
// replays then has the ops of one that launches each kernel by itself. What no capture has is behind what ran
// before it.
//
// Where a run has several devices, their work can be kept apart: it then is one device behind the other.
//
// Of a host that is the device (host_work.h), the pieces of one op are one item. So that such work can be compared with
// that of a device, ops without any can be taken in too.
//
// O(n log n) in the device ops and O(n) in the slices; reads the arguments of the ops for their shapes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "comparison/alignment/labels.h"
#include "comparison/sides/compared_time.h"
#include "comparison/sides/host_work.h"
#include "comparison/sides/work_nature.h"
#include "kernels/kernel_class.h"
#include "model/plausible.h"

namespace cgpu {

enum class WorkKind : uint8_t {
  annotation,
  op,
  device_op,
  orphan,
  host_time  // of the op that it lies in, where the host is the device
};

/// Whether it takes time of a device, or of the host in its place; else it is what such work lies in.
inline bool is_device_work(WorkKind kind) {
  return kind != WorkKind::annotation && kind != WorkKind::op;
}

struct WorkItem {
  SliceIndex slice = kNone;
  uint32_t profile = 0;     // of the slice: 0 for the run itself, else which of Run::captured, counted from 1
  OpIndex op = kNone;       // of device work; of the host the first piece
  uint32_t parent = kNone;  // item around it
  uint32_t iteration = 0;
  uint32_t device = 0;  // where devices are kept apart: which one of the run, from 0, by their numbers
  Label label = 0;
  Label shapes = 0;  // of the inputs, 0 where not recorded
  WorkKind kind = WorkKind::op;
  KernelClass kernel_class = KernelClass::unknown;
  int64_t duration = 0;  // ns of device work
  WorkNature nature = WorkNature::computes;
  bool casts = false;  // of an op: whether it copies to a tensor of another type
};

class RunWork {
 public:
  struct Options {
    bool devices_apart = false;
    bool all_ops = false;            // also those of the host without device work
    std::optional<HostUnit> host{};  // where the host is the device, what its ops are
  };
  RunWork(const SessionFacts& facts, size_t run, const std::vector<Iteration>& iterations, const Options& options,
          Labels& labels);

  const WorkItem& item(uint32_t index) const { return items_[index]; }
  /// In order.
  std::span<const uint32_t> roots(uint32_t iteration) const { return part(iteration); }
  std::span<const uint32_t> children(uint32_t item) const { return part(iterations_ + item); }
  std::span<const WorkItem> items() const { return items_; }
  /// The item of a device op; kNone outside of the iterations.
  uint32_t item_of(OpIndex op) const { return item_of_op_[op]; }

 private:
  std::span<const uint32_t> part(size_t list) const {
    return std::span(order_).subspan(begin_[list], begin_[list + 1] - begin_[list]);
  }
  /// What is around calls on the host, in the run itself or where a graph was captured.
  struct HostLevels {
    const Run* run = nullptr;
    std::vector<bool> excluded;           // by slice: no part of one iteration
    std::vector<SliceIndex> above;        // the annotation or op around each slice
    std::vector<uint32_t> item_of_slice;  // of the run, or of one replay
  };
  /// When the host came to an item.
  struct Turn {
    int64_t time = 0;     // on the clock of the run
    int64_t in_call = 0;  // of what one call launched: when it ran, or was captured
  };

  void find_levels(const SessionFacts& facts, size_t run);
  void add_items(const Timeline& timeline, const std::vector<Iteration>& iterations);
  void set_devices(const Timeline& timeline);
  void set_inputs(const SessionFacts& facts, Labels& labels);
  void find_natures();
  void put_in_order();

  void add_device_work(const Timeline& timeline, const std::vector<Iteration>& iterations);
  void add_captured_levels(uint32_t profile, const CapturedWork& work, const Timeline& timeline);
  void order_uncaptured(const Timeline& timeline, const std::vector<bool>& captured);
  void add_other_ops(const Timeline& timeline, const std::vector<Iteration>& iterations);
  uint32_t add_levels(uint32_t item, uint32_t profile, SliceIndex innermost);
  const Timeline& timeline_of(const WorkItem& item) const { return levels_[item.profile].run->timeline; }

  Options options_;
  size_t iterations_ = 0;
  std::vector<WorkItem> items_;
  std::vector<uint32_t> item_of_op_;
  std::vector<HostLevels> levels_;  // by WorkItem::profile, while items are made
  std::vector<Turn> turn_;          // by item, likewise
  std::vector<uint32_t> order_;     // items by the list that they are in
  std::vector<uint32_t> begin_;     // of each list: the roots of an iteration, then the children of an item
};

}  // namespace cgpu
