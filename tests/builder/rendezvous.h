// Where the ranks of a run meet: a collective ends when all of its ranks have begun it.
//
// Each rank is simulated on a thread of its own; the threads wait for each other here. The outcome does not depend on
// which comes first.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "options.h"

namespace cgpu::builder {

struct Communicator {
  std::string name;
  std::string description;
  std::vector<int> ranks;
};

/// The first holds all ranks; the others are for expert exchange.
std::vector<Communicator> communicators(const Options& options);

/// Another rank has given up.
struct GaveUp : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Rendezvous {
 public:
  explicit Rendezvous(std::vector<Communicator> groups) : groups_(std::move(groups)), meetings_(groups_.size()) {}

  const std::vector<Communicator>& groups() const { return groups_; }

  /// Waits for all ranks of the group; returns the latest of their starts. Throws GaveUp where another rank did.
  int64_t latest(size_t group, int64_t start);
  /// A rank has failed: nobody waits for it.
  void give_up();

 private:
  struct Meeting {
    size_t present = 0;
    uint64_t round = 0;
    int64_t latest = INT64_MIN;
    int64_t outcome = INT64_MIN;
  };

  std::vector<Communicator> groups_;
  std::vector<Meeting> meetings_;
  std::mutex mutex_;
  std::condition_variable all_here_;
  bool given_up_ = false;
};

}  // namespace cgpu::builder
