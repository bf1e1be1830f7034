// AMD's rocprofv3, into its database (rocpd). Options: "rocprofv3 command-line options" of ROCprofiler-SDK.
#include <fmt/format.h>

#include <filesystem>

#include "record/collector.h"

namespace cgpu {

namespace collect_rocprof {

namespace {

constexpr KnownFailure kFailures[]{
    {"invalid choice: 'rocpd'", "this version of rocprofv3 writes no rocpd database: ROCm 7.0 or later is needed"},
};

std::string why_not(const RecordContext& context) {
  if (!context.machine.has("rocprofv3")) return "rocprofv3 is not on PATH: install ROCprofiler-SDK";
  return "";
}

std::vector<std::string> begin_of_command(const RecordContext& context) {
  const RecordSet set = context.request.set;
  std::vector<std::string> words{"rocprofv3",          set == RecordSet::quick ? "--runtime-trace" : "--sys-trace",
                                 "--output-format",    "rocpd",
                                 "--output-directory", context.folder,
                                 "--output-file",      std::filesystem::path(context.base).filename().string()};
  if (set == RecordSet::full) append(words, {"--pmc", "SQ_WAVES", "GRBM_GUI_ACTIVE"});
  return words;
}

RecordPlan plan(const RecordContext& context) {
  const RecordRequest& request = context.request;
  RecordPlan plan;
  plan.command = begin_of_command(context);
  if (request.delay || request.duration) {
    constexpr int64_t kUntilTheEnd = 1'000'000'000'000'000;  // ns: longer than programs last
    append(plan.command, {"--collection-period",
                          fmt::format("{}:{}:1", request.delay ? whole_units(*request.delay, kMillisecond) : "0",
                                      whole_units(request.duration.value_or(kUntilTheEnd), kMillisecond)),
                          "--collection-period-unit", "msec"});
  }
  plan.command.emplace_back("--");
  append(plan.command, request.command);
  plan.profile = context.base + "_results.db";
  return plan;
}

/// The process must have been started with ROCP_TOOL_ATTACH=1.
RecordPlan attach(const RecordContext& context) {
  const RecordRequest& request = context.request;
  RecordPlan plan;
  plan.command = begin_of_command(context);
  append(plan.command, {"--attach", std::to_string(*request.attach)});
  if (request.duration) append(plan.command, {"--attach-duration-msec", whole_units(*request.duration, kMillisecond)});
  plan.has_separate_output = true;
  plan.profile = context.base + "_results.db";
  return plan;
}

}  // namespace

}  // namespace collect_rocprof

const Collector kRocprofCollector{
    "rocprof",
    "rocprofv3: the timeline of AMD devices",
    "the database holds the environment and the command line of the program, as rocprofv3 "
    "writes them",
    collect_rocprof::why_not,
    collect_rocprof::plan,
    collect_rocprof::kFailures,
    collect_rocprof::attach};

}  // namespace cgpu
