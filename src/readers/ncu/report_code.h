// The machine code in a report, and what was counted at its instructions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "model/launch_metrics.h"

namespace cgpu::ncu {

class ReportCode {
 public:
  explicit ReportCode(LaunchMetrics& measured) : measured_(measured) {}

  /// Keeps the machine code of a module.
  void add_source(std::string_view message);
  /// Sets the code of a launch and what was counted at its instructions, from the message of the launch, whose metrics
  /// have names by `strings`.
  void read_launch(std::string_view message, const std::vector<StringId>& strings, ProfiledLaunch& launch);

 private:
  struct Source {
    std::string object_file;
    std::unordered_map<std::string, uint64_t> addresses;  // by function
  };
  size_t code_of(uint64_t source, std::string_view function);

  LaunchMetrics& measured_;
  std::unordered_map<uint64_t, Source> sources_;                    // by number
  std::map<std::pair<uint64_t, std::string>, size_t> known_codes_;  // by source and function, as ProfiledLaunch::code
};

}  // namespace cgpu::ncu
