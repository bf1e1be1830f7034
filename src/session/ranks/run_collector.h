// Interface of code that needs every run while it is open and keeps data of it besides the partial results of the
// tables (analysis/partial.h).
#pragma once

#include <cstdint>
#include <string>

#include "analysis/partial.h"

namespace cgpu {

class RunCollector {
 public:
  virtual ~RunCollector() = default;
  /// Runs come in any order and from several threads, one call at a time.
  virtual void collect(const RunInSession& run) = 0;

  /// Identifies the kind of collector to a process that opens ranks for this one.
  virtual std::string name() const = 0;
  /// Removes and returns the data that was collected of a run, as bytes.
  virtual std::string take_bytes(uint32_t number) = 0;
  /// Adds such bytes, as if the run had been collected here. Throws Error for other bytes.
  virtual void put_bytes(uint32_t number, const std::string& bytes) = 0;
};

}  // namespace cgpu
