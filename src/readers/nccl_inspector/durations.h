// What logs of NCCL's Inspector say of collectives without their times: a tree of communicators, collectives and sizes,
// with the time, the number and the bytes of each, by rank. O(1) a collective; memory by different ones.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "readers/common/call_tree_builder.h"

namespace cgpu::nccl_inspector {

/// A collective that took some time at an unknown one.
struct Duration {
  std::string group;    // id of the communicator
  std::string purpose;  // of the communicator, may be empty
  std::string name;
  int64_t rank = -1;          // in the communicator
  int64_t ranks = -1;         // of the communicator
  int64_t bytes = -1;         // as the plugin counts them
  double time_us = 0;         // > 0
  double bus_bandwidth = -1;  // GB/s
};

class Durations {
 public:
  Durations();

  void add(const Duration& of);
  int64_t size() const { return count_; }
  CallTree finish();

 private:
  uint32_t profile(int64_t rank);

  CallTreeBuilder tree_;
  MetricIndex time_ = 0;
  MetricIndex calls_ = 0;
  MetricIndex bytes_ = 0;
  MetricIndex bus_bytes_ = 0;
  std::map<int64_t, uint32_t> profiles_;  // by rank
  int64_t count_ = 0;
};

}  // namespace cgpu::nccl_inspector
