// What wants to see every run while it is open, and keeps something of it besides what tables keep
// (analysis/partial.h).
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

  /// By which a process that opens ranks for another one makes a collector of the same kind.
  virtual std::string name() const = 0;
  /// Takes out what is kept of a run that was looked at, as bytes.
  virtual std::string take_bytes(uint32_t number) = 0;
  /// Keeps that here, as if the run had been looked at. Throws Error for other bytes.
  virtual void put_bytes(uint32_t number, const std::string& bytes) = 0;
};

}  // namespace cgpu
