#include "record/collector.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "readers/common/outside_program.h"
#include "record/child.h"

namespace cgpu {

namespace {

constexpr std::array<const Collector*, 8> kCollectors{&kTorchCollector,   &kNsysCollector,   &kNcuCollector,
                                                      &kRocprofCollector, &kMsprofCollector, &kHpctoolkitCollector,
                                                      &kPerfCollector,    &kPySpyCollector};

/// Those that come into question for a program, the best first, each with why.
std::vector<std::pair<const Collector*, std::string>> candidates(const RecordContext& context) {
  const Program& program = context.program;
  const Machine& machine = context.machine;
  std::vector<std::pair<const Collector*, std::string>> found;
  if (!context.request.kernels.empty()) found.emplace_back(&kNcuCollector, "--kernels names kernels");
  // PyTorch's profiler does not see the devices of torch_npu, which has another.
  if (machine.ascend) found.emplace_back(&kMsprofCollector, "there is an Ascend device");
  if (program.imports_torch) found.emplace_back(&kTorchCollector, program.torch_reason);
  if (machine.nvidia) found.emplace_back(&kNsysCollector, "there is an NVIDIA device");
  if (machine.amd) found.emplace_back(&kRocprofCollector, "there is an AMD device");
  const std::string native = program.name + " is a native program";
  const std::string python = program.name + " is a Python program";
  if (!program.is_python) found.emplace_back(&kHpctoolkitCollector, native);
  if (program.is_python) found.emplace_back(&kPySpyCollector, python);  // perf sees the interpreter's functions
  found.emplace_back(&kPerfCollector, program.is_python ? python : native);
  return found;
}

}  // namespace

std::string why_not(const Collector& collector, const RecordContext& context) {
  if (context.request.attach && collector.attach == nullptr) {
    return "it records programs that it starts, and none that runs already: --with perf, py-spy or rocprof";
  }
  const RecordRequest& request = context.request;
  if ((request.skip || request.steps) && !collector.counts_steps)
    return "it counts no steps: leave out --skip and --steps, or record with --with torch";
  if (!request.ranges.empty() && !collector.takes_ranges)
    return "it does not know ranges: leave out --ranges, or record with --with torch, nsys or ncu";
  if (!request.kernels.empty() && !collector.takes_kernels)
    return "it does not choose kernels by their names: leave out --kernels, or record with --with ncu";
  return collector.why_not(context);
}

std::span<const Collector* const> all_collectors() {
  return kCollectors;
}

const Collector* find_collector(std::string_view name) {
  const auto found = std::ranges::find_if(kCollectors, [&](const Collector* one) { return one->name == name; });
  return found == kCollectors.end() ? nullptr : *found;
}

ChosenCollector choose_collector(const RecordContext& context) {
  ChosenCollector chosen;
  for (auto& [collector, reason] : candidates(context)) {
    const std::string hindrance = why_not(*collector, context);
    if (hindrance.empty()) {
      chosen.collector = collector;
      chosen.reason = std::move(reason);
      return chosen;
    }
    chosen.missing.push_back(fmt::format("{}: {}", collector->name, hindrance));
  }
  return chosen;
}

void append_program_with_own_output(RecordPlan& plan, const RecordContext& context) {
  const char* folder = std::getenv("TMPDIR");
  const std::string script =
      fmt::format("echo $$ >\"$0\"; {}; exec \"$@\" >&{} 2>&{} {}>&- {}>&-",
                  folder == nullptr ? "unset TMPDIR" : "TMPDIR=" + shell_word(folder) + "; export TMPDIR",
                  kProgramOutput, kProgramErrors, kProgramOutput, kProgramErrors);
  plan.process_file = context.work_base + ".pid";
  plan.has_separate_output = true;
  append(plan.command, {"sh", "-c", script, plan.process_file});
  append(plan.command, context.request.command);
}

void append(std::vector<std::string>& words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
}

std::string seconds_text(int64_t ns) {
  return fmt::format("{}", static_cast<double>(ns) / 1e9);
}

std::string whole_units(int64_t ns, int64_t unit) {
  return fmt::format("{}", std::max<int64_t>((ns + unit / 2) / unit, 1));
}

}  // namespace cgpu
