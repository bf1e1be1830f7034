// What `cgpu record` is asked for: the options of the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cgpu {

enum class RecordSet : uint8_t { quick, normal, full };

struct RecordRequest {
  std::string tool = "auto";  // name of a collector
  std::string folder;         // "" for a new one, named after the program
  RecordSet set = RecordSet::quick;
  std::optional<int64_t> skip;      // steps, or kernel launches for Nsight Compute, before the recording
  std::optional<int64_t> steps;     // that are recorded
  std::optional<int64_t> delay;     // ns before the recording
  std::optional<int64_t> duration;  // ns of the recording
  std::string ranges;               // name of the range that is recorded
  std::string kernels;              // regular expression of the names of kernels that are measured
  std::vector<int64_t> ranks;       // that record; none: all
  std::vector<std::pair<std::string, std::string>> environment;  // variables that the program gets besides its own
  std::vector<std::string> command;
  std::optional<int64_t> attach;  // number of a running process, whose command line is `command` then
  std::string server;             // URL of a server that is asked to profile itself; `command` may be its load
};

}  // namespace cgpu
