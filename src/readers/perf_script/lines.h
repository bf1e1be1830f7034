// The lines of `perf script`'s text.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace cgpu::perf_script {

/// The line a sample begins with: "comm 12/13 [002] 203265.377019: 1001001 cycles:u: ..." Process, processor, time and
/// period may be absent.
struct SampleLine {
  std::string_view comm;
  int64_t process = -1;  // -1 where absent
  int64_t thread = -1;
  int32_t cpu = -1;
  std::optional<int64_t> time;  // ns
  std::optional<int64_t> period;
  std::string_view event;   // "cycles:u"; empty where the line has none
  std::string_view branch;  // "call", "return", "tr strt", ...: a branch that the processor traced, instead of an event
  std::string_view rest;    // behind the event or the branch
};
std::optional<SampleLine> parse_sample_line(std::string_view line);

/// One entry of a stack: "\t  6f1 _Z5gammav+0x1c (/workdir/forks)".
struct FrameLine {
  std::string_view name;    // without the offset
  std::string_view module;  // "" where unknown
};
std::optional<FrameLine> parse_frame_line(std::string_view line);

/// A traced branch: its symbol, indented by 4 characters for each level of calls.
struct BranchSymbol {
  std::string_view name;
  size_t depth = 0;
};
std::optional<BranchSymbol> parse_branch_symbol(std::string_view rest);

}  // namespace cgpu::perf_script
