// A training job of thousands of ranks, simulated: eight ranks a machine, collectives inside of each machine (tensor
// parallelism) and between them (data parallelism). What is wrong with it is planted and known.
//
// Times are those of one true clock; the profile of a rank is on the clock of its machine. O(ranks steps layers), 16
// bytes a device op.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cgpu::builder {

struct JobOptions {
  int ranks = 10'000;
  int steps = 6;
  int layers = 4;
  uint64_t seed = 1;
};

inline constexpr int kRanksOfMachine = 8;

class Job {
 public:
  explicit Job(const JobOptions& options);

  /// Ranks whose matrix products take 30 % longer.
  const std::vector<int>& stragglers() const { return stragglers_; }
  /// The machine whose ranks load their input 3 ms longer a step.
  int slow_machine() const { return slow_machine_; }
  /// Ranks without a profile, and those that have two.
  const std::vector<int>& missing() const { return missing_; }
  const std::vector<int>& duplicated() const { return duplicated_; }
  /// ns that the clock of a rank's machine is ahead of that of rank 0: up to 5 ms either way.
  int64_t clock_offset(int rank) const { return offsets_[static_cast<size_t>(rank / kRanksOfMachine)]; }
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
  void simulate();
  void meet_machine(int machine, int64_t takes);
  void meet_all(int64_t takes);
  void run(int rank, int64_t takes);
  size_t ops_a_step() const { return static_cast<size_t>(3 * options_.layers + 2); }

  JobOptions options_;
  int machines_;
  std::vector<int> stragglers_;
  int slow_machine_ = 0;
  std::vector<int> missing_;
  std::vector<int> duplicated_;
  std::vector<int64_t> offsets_;          // by machine
  std::vector<std::vector<Step>> steps_;  // by rank
  std::vector<std::vector<Op>> ops_;      // by rank: of each layer product, addition, collective; optimizer, collective
  std::vector<int64_t> now_;              // by rank, while it is simulated
};

}  // namespace cgpu::builder
