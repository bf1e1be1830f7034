// Two runs compared: which work is on both sides, and what explains the change of the time, by its owners.
//
// Runs of several ranks are compared rank by rank where both sides have equally many, else all ranks of a side
// together. A side without device work is compared by what its host did, as if that were its device (host_work.h),
// where the other side has device work and both have framework ops, or has none either. All times are of the compared
// iterations (compared_time.h); what is given a device and iteration is shared out so that parts add up to their whole
// exactly (apportion.h).
//
// Costs what the parts cost: O(n log n) in the device ops of both sides.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/once.h"
#include "comparison/alignment/alignment.h"
#include "comparison/attribution/changed_layers.h"
#include "comparison/attribution/time_attribution.h"
#include "comparison/sides/device_activity.h"
#include "comparison/sides/host_work.h"
#include "comparison/sides/iteration_spread.h"
#include "comparison/sides/op_work.h"
#include "session/selection/number_list.h"
#include "table/table.h"

namespace cgpu {

enum class CauseKind : uint8_t {
  op,        // work of both sides
  removed,   // work that only A has
  added,     // work that only B has
  replaced,  // work of A and other work of B that are in the same place
  orphan,    // device ops that nothing assigns to an op
  waiting,   // of collectives for other ranks
  idle
};
const char* text_of(CauseKind kind);

/// Where on a side something took longest.
struct Place {
  size_t run = 0;
  Interval time;             // on the run's clock
  SliceIndex slice = kNone;  // the device op; kNone where nothing ran
  KernelClass kernel_class = KernelClass::unknown;
};

/// A part of the time of both sides that is explained by the same thing.
struct Cause {
  CauseKind kind = CauseKind::op;
  std::string key = {};
  std::string shown = {};                    // the same with long names cut in the middle, and without the nature
  WorkNature nature = WorkNature::computes;  // of work that one side alone has
  Label place = 0;                           // of device work in an op that both sides have, this op
  Label work = 0;                            // the op that it is of, or the device work outside of ops, by one name
  PerSide<Label> kernel = {};                // of an op, what the device work is on each side; 0 where it is several
  bool more_often = false;                   // of ops that one side alone has: the other has some of this name, too
  PerSide<int64_t> time = {};                // ns of all devices and iterations
  PerSide<int64_t> count = {};               // device ops, or ops of the host, of all iterations
  PerSide<int64_t> hidden = {};              // ns of these ops, without waiting, that ops beside them own
  PerSide<std::vector<int64_t>> by_iteration = {};            // ns, over all runs
  PerSide<std::vector<int64_t>> by_run = {};                  // ns
  PerSide<std::array<int64_t, kWorkNatures>> by_nature = {};  // ns of device work
  PerSide<std::optional<Place>> longest = {};
};

/// Of one side, over all of its runs.
struct SideTotals {
  int64_t iterations = 0;         // of all runs
  int64_t device_iterations = 0;  // iterations times devices
  int64_t time = 0;               // ns of all of these
  int64_t device_ops = 0;
  size_t warm_up = 0;  // iterations left out
  size_t cut_short = 0;
  size_t devices = 0;
  std::vector<std::vector<int64_t>> iteration_times;  // ns, by run

  /// What divides a sum so that it is that of one iteration on one device.
  int64_t divisor() const { return std::max<int64_t>(1, device_iterations); }
};

struct ComparisonOptions {
  std::optional<NumberRange> steps = {};  // only iterations of these numbers
  bool findings_ahead = false;            // those of both sides will be asked for: they are found meanwhile
};

class Comparison {
 public:
  /// Of two whole sessions, which must outlive this. Throws Error where a side has none of the steps.
  Comparison(const SessionFacts& a, const SessionFacts& b, const ComparisonOptions& options = {});

  /// The session that is compared: where the host counts as the device, with host work instead of device work.
  const SessionFacts& facts(Side side) const { return *facts_[side]; }
  /// The session as it was opened.
  const SessionFacts& original(Side side) const { return *original_[side]; }
  /// The work of a host that is compared as a device; null where a device did the work.
  const HostWork* host(Side side) const { return hosts_[side].get(); }
  /// The slice of a run as it was opened that a slice of facts(side) stands for.
  SliceIndex original_slice(Side side, size_t run, SliceIndex slice) const {
    return hosts_[side] ? hosts_[side]->original_slice(run, slice) : slice;
  }
  /// Whether the work of a host is compared with that of a device.
  bool is_host_vs_device() const { return (hosts_.a == nullptr) != (hosts_.b == nullptr); }
  /// Whether figures are of one iteration (else of the whole), of one device.
  bool per_iteration() const { return per_iteration_; }
  /// Whether the iterations are what repeats, since there are no marks (repeated_iterations.h).
  bool by_repetition() const { return by_repetition_; }
  const SideTotals& totals(Side side) const { return totals_[side]; }
  const ComparedTime& time(Side side, size_t run) const { return times_[side][run]; }

  /// When collectives of a run stopped waiting for other ranks (time_attribution.h).
  const EndsOfWaits& ends_of_waits(Side side, size_t run) const { return ends_of_waits_[side][run]; }

  /// The runs that are compared with each other, and their work.
  struct Group {
    PerSide<std::vector<size_t>> runs;
    PerSide<std::unique_ptr<MergedWork>> work;
    std::unique_ptr<Alignment> alignment;
  };
  const std::vector<Group>& groups() const { return groups_; }
  /// The node in the work of its group of each device op of a run; kNone outside of the compared time.
  const std::vector<uint32_t>& nodes_of_ops(Side side, size_t run) const { return nodes_of_ops_[side][run]; }
  /// Whether a device op counts as one: of the pieces of an op of a host only the first does.
  bool is_counted(Side side, size_t run, OpIndex op) const {
    return !hosts_[side] || hosts_[side]->is_first_piece(run, op);
  }

  /// All of the time of both sides: for each side the causes add up to it.
  const std::vector<Cause>& causes() const { return causes_; }
  /// The index of the cause that a device op of a run belongs to; absent outside of the compared time.
  std::optional<uint32_t> cause_of_op(Side side, size_t run, OpIndex op) const {
    const uint32_t cause = causes_of_ops_[side][run][op];
    return cause == kNone ? std::nullopt : std::optional(cause);
  }
  /// The tables `findings`, `memory` and `op_shapes` of a side, and what its devices did: each computed on first use,
  /// by whichever thread.
  const Table& findings(Side side) const { return table_of(original(side), "findings", findings_[side]); }
  const Table& memory(Side side) const { return table_of(original(side), "memory", memory_[side]); }
  const Table& op_shapes(Side side) const { return table_of(facts(side), "op_shapes", op_shapes_[side]); }
  const DeviceActivity& activity(Side side) const {
    return activity_[side].get([&] { return device_activity(*this, side); });
  }

  /// What Spread::chance of a cause may be at most so that its change is certain, computed on first use.
  double chance_of_certain_causes() const {
    return chance_of_certain_causes_.get([&] { return cgpu::chance_of_certain_causes(*this); });
  }
  /// In which layers of the model causes changed, computed on first use.
  const ChangedLayers& changed_layers() const {
    return changed_layers_.get([&] { return ChangedLayers(*this); });
  }
  /// FLOPs and bytes of the ops of a side, computed on first use; absent where that is not recorded.
  const std::optional<OpWork>& work_of_ops(Side side) const {
    return op_work_[side].get([&] { return op_work(*this, side); });
  }

  std::string_view text(Label label) const { return labels_.text(label); }
  /// The iteration (of time(side, run)) of each device op of a run, by OpIndex; of those outside any number.
  const std::vector<uint32_t>& iterations_of_ops(Side side, size_t run) const { return iterations_of_ops_[side][run]; }
  /// A time on a run's clock as tables show it: ns from the start of the session.
  int64_t shown_time(Side side, size_t run, int64_t time) const { return time - facts_[side]->zeros()[run]; }
  /// The label of each device op of a run, by OpIndex.
  const std::vector<Label>& labels_of_ops(Side side, size_t run) const { return labels_of_ops_[side][run]; }

 private:
  /// Starts to find the findings of both sides on other threads.
  void find_findings_ahead();
  void find_hosts();
  void find_times(std::optional<NumberRange> steps);
  /// Of runs that marked the same steps those that are compared of both: what one side leaves out, as a last step that
  /// was cut short, the other one leaves out, too.
  void keep_common_steps();
  void find_repetitions();
  void pair_runs();
  void align(Group& group);
  void add_owners(size_t group, Side side, size_t run);
  /// Whether a side has an op of this name with device work of this nature in it anywhere, or such work of this name.
  bool has(Side side, Label name, WorkNature nature);
  /// The cause that device work belongs to.
  uint32_t cause_of(size_t group, Side side, uint32_t node);
  /// How the names in a key are spelt.
  using Spelt = std::function<std::string(Label)>;
  using Spell = std::function<std::string(const Spelt&)>;
  /// The cause whose key `spell` makes of names. Of work that one side alone has also `nature` tells causes apart.
  uint32_t cause(CauseKind kind, Spell spell, WorkNature nature = WorkNature::computes);
  /// What a cause of device work is made of, so that the same one is found without spelling its key.
  struct WorkCause {
    CauseKind kind = CauseKind::op;
    WorkNature nature = WorkNature::computes;
    std::array<uint32_t, 4> names{};
    bool operator==(const WorkCause&) const = default;
  };
  struct HashOfWorkCause {
    size_t operator()(const WorkCause& cause) const {
      uint64_t hash = static_cast<uint64_t>(cause.kind) << 8 | static_cast<uint64_t>(cause.nature);
      for (const uint32_t name : cause.names) hash = ((hash ^ name) * 0x9e3779b97f4a7c15) ^ (hash >> 29);
      return static_cast<size_t>(hash);
    }
  };
  template <typename MakeText>
  uint32_t cause_of_work(const WorkCause& what, const MakeText& text);
  void name_causes();
  const Table& table_of(const SessionFacts& facts, const char* name, Once<Table>& table) const;

  PerSide<const SessionFacts*> original_;
  PerSide<std::unique_ptr<HostWork>> hosts_;
  PerSide<const SessionFacts*> facts_;
  bool per_iteration_ = false;
  bool by_repetition_ = false;
  Labels labels_;
  PerSide<std::vector<ComparedTime>> times_;
  PerSide<SideTotals> totals_;
  PerSide<std::vector<EndsOfWaits>> ends_of_waits_;  // by run
  std::vector<Group> groups_;
  PerSide<std::vector<std::vector<uint32_t>>> nodes_of_ops_;  // by run
  PerSide<std::vector<std::vector<uint32_t>>> iterations_of_ops_;
  PerSide<std::vector<std::vector<Label>>> labels_of_ops_;     // by run
  PerSide<std::vector<std::vector<uint32_t>>> causes_of_ops_;  // by run
  PerSide<std::unordered_set<uint64_t>> works_;                // names with natures; computed on first use
  std::vector<Cause> causes_;
  mutable PerSide<Once<Table>> findings_;
  mutable PerSide<Once<Table>> memory_;
  mutable PerSide<Once<Table>> op_shapes_;
  mutable PerSide<Once<DeviceActivity>> activity_;
  mutable PerSide<Once<std::optional<OpWork>>> op_work_;
  mutable Once<double> chance_of_certain_causes_;
  mutable Once<ChangedLayers> changed_layers_;
  std::vector<Spell> spellings_;  // of the causes
  std::unordered_map<std::string, uint32_t> cause_by_key_;
  std::unordered_map<WorkCause, uint32_t, HashOfWorkCause> causes_of_work_;
  PerSide<std::future<void>> findings_ahead_;  // last: they use the rest
};

}  // namespace cgpu
