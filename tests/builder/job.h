// A training job of thousands of ranks, simulated: eight ranks a machine, collectives inside of each machine (tensor
// parallelism), between the four machines of a pod and between all machines (sharded data parallelism). On demand it is
// a pipeline, whose stages pass work on to each other. What is wrong with it is planted and known.
//
// Times are those of one true clock; the profile of a rank is on the clock of its machine, which has another zero and
// may run at another rate. Collectives carry their number in the group, as those of PyTorch do. O(ranks steps layers),
// 16 bytes a device op.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cgpu::builder {

struct JobOptions {
  int ranks = 10'000;
  int steps = 6;
  int layers = 4;
  uint64_t seed = 1;
  /// Nothing is planted but the clocks: the same noise, all ranks equal, each there once.
  bool healthy = false;
  /// Of what is planted, this is not: the rest of the job is the same.
  bool without_stragglers = false;
  bool without_slow_machine = false;
  bool without_slow_link = false;
  /// Ranks that follow each other and work on the same tensors.
  int tensor_ranks = 8;
  /// Of the pipeline, with equally many machines each. 1: there is none.
  int stages = 1;
  /// The profiles do not say what their groups are for.
  bool undescribed = false;
  /// Planted besides: a stage whose matrix products take 30 % longer, a tensor parallel group whose collectives take
  /// 0.6 ms longer a step.
  std::optional<int> slow_stage;
  std::optional<int> slow_tensor_group;
  /// Five machines are in a rack, which their names say, as those of HPE Cray EX do.
  bool racks = false;
  std::optional<int> slow_rack;  // planted besides: its ranks load their input 3 ms longer a step
  /// By how much the clock of a machine is faster or slower than that of rank 0, at most, in parts per million.
  int64_t drift_ppm = 0;
};

inline constexpr int kRanksOfMachine = 8;
inline constexpr int kMachinesOfPod = 4;
inline constexpr int kMachinesOfRack = 5;

class Job {
 public:
  explicit Job(const JobOptions& options);

  /// Ranks whose matrix products take 30 % longer.
  const std::vector<int>& stragglers() const { return stragglers_; }
  /// The machine whose ranks load their input 3 ms longer a step.
  std::optional<int> slow_machine() const { return slow_machine_; }
  /// The machine whose link to the others of its pod is slow: their collectives take 0.6 ms longer a step.
  std::optional<int> slow_link() const { return slow_link_; }
  /// Ranks without a profile, and those that have two.
  const std::vector<int>& missing() const { return missing_; }
  const std::vector<int>& duplicated() const { return duplicated_; }
  /// ns that the clock of a rank's machine is ahead of that of rank 0 when the job begins: up to 5 ms either way.
  int64_t clock_offset(int rank) const { return offsets_[machine_of(rank)]; }
  /// Parts per million by which it runs faster than that of rank 0.
  int64_t clock_rate(int rank) const { return rates_[machine_of(rank)]; }
  /// What comes to that up to the end of the job.
  int64_t clock_drift(int rank) const;
  /// The Kineto trace of a rank.
  std::string trace_of(int rank) const;

 private:
  struct Step {
    int64_t begin = 0;
    int64_t loaded = 0;  // the input is there: the host launches
  };
  struct Op {
    int64_t begin = 0;
    int64_t duration = 0;
  };
  /// Ranks that communicate: the first one and so on up to the end, `stride` apart.
  struct Group {
    int number = 0;
    const char* description = "";
    int first = 0;
    int end = 0;
    int stride = 1;
    int size() const { return (end - first + stride - 1) / stride; }
  };
  Group tensor_group(int rank) const;
  Group pod_group(int rank) const;
  Group all_group(int rank) const;
  Group pipeline_group(int rank) const;
  void simulate();
  static size_t machine_of(int rank) { return static_cast<size_t>(rank / kRanksOfMachine); }
  /// A true time as the clock of a rank's machine shows it.
  int64_t on_clock(int rank, int64_t time) const;
  void meet(const Group& group, int64_t takes);
  /// A rank and that of the next stage.
  void pass_on(int rank, int64_t takes);
  void run(int rank, int64_t takes);
  int ranks_of_stage() const { return options_.ranks / options_.stages; }
  bool receives(int rank) const { return rank >= ranks_of_stage(); }
  bool sends(int rank) const { return rank + ranks_of_stage() < options_.ranks; }
  size_t ops_a_step(int rank) const;
  std::string distributed_info(int rank) const;

  JobOptions options_;
  int machines_;
  std::vector<int> stragglers_;
  std::optional<int> slow_machine_;
  std::optional<int> slow_link_;
  std::vector<int> missing_;
  std::vector<int> duplicated_;
  std::vector<int64_t> offsets_;          // by machine
  std::vector<int64_t> rates_;            // by machine, in parts per million
  std::vector<std::vector<Step>> steps_;  // by rank
  std::vector<std::vector<Op>> ops_;  // by rank: what it receives; of each layer product, addition, collective; what it
                                      // sends; optimizer, collective of pod, of all
  std::vector<int64_t> now_;          // by rank, while it is simulated
};

}  // namespace cgpu::builder
