#include "readers/formats.h"

#include <algorithm>

#include "base/error.h"
#include "base/json_text.h"
#include "readers/ascend/ascend.h"
#include "readers/caliper/caliper.h"
#include "readers/chakra/execution_trace.h"
#include "readers/flight_recorder/flight_recorder.h"
#include "readers/folded/folded.h"
#include "readers/hpctoolkit/hpctoolkit.h"
#include "readers/hpctoolkit/xml/hpctoolkit_xml.h"
#include "readers/memory_timeline/memory_timeline.h"
#include "readers/nccl_inspector/nccl_inspector.h"
#include "readers/nccl_profiler/nccl_profiler.h"
#include "readers/ncu/ncu.h"
#include "readers/nsys/nsys.h"
#include "readers/nvprof/nvprof.h"
#include "readers/perf_script/perf_script.h"
#include "readers/perfetto/own_export.h"
#include "readers/perfetto/perfetto.h"
#include "readers/proton/proton.h"
#include "readers/rocprof/rocprof.h"
#include "readers/rocprof_compute/rocprof_compute.h"
#include "readers/rpd/rpd.h"
#include "readers/speedscope/speedscope.h"
#include "readers/tensorrt/tensorrt.h"
#include "readers/torch_memory/torch_memory.h"
#include "readers/trace_event/own_export.h"
#include "readers/trace_event/trace_event.h"
#include "readers/unread_formats.h"
#include "readers/xplane/xplane.h"

namespace cgpu {

namespace {

Run read_trace_event(const Input& input, const ReadOptions& options) {
  if (const std::string what = describe_foreign_json(input.head); !what.empty()) throw Error(input.path, "is " + what);
  try {
    return trace_event::read_trace(input.source, input.path, options);
  } catch (const Error&) {
    const std::string what = describe_unread_file(input.path, input.head);
    if (what.empty()) throw;
    throw Error(input.path, "is " + what);
  }
}

Run read_ascend(const Input& input, const ReadOptions& options) {
  return ascend::read_profile(input, options, trace_event::read_trace);
}

bool is_ncu_report(const Input& input) {
  return ncu::is_report(input.head);
}
Run read_ncu_report(const Input& input, const ReadOptions&) {
  return ncu::read_report(*input.source, input.path);
}
bool is_ncu_csv(const Input& input) {
  return ncu::is_csv(input.head);
}
Run read_ncu_csv(const Input& input, const ReadOptions&) {
  return ncu::read_csv(*input.source, input.path);
}

bool is_ncu_text(const Input& input) {
  return ncu::is_text(input.head);
}
Run read_ncu_text(const Input& input, const ReadOptions&) {
  return ncu::read_text(*input.source, input.path);
}

/// An object or a bare array; whether it is a trace shows when its keys are read.
bool looks_like_json_trace(const Input& input) {
  std::string_view head = input.head;
  while (!head.empty() && is_json_space(head.front())) head.remove_prefix(1);
  if (head.starts_with('{')) return true;
  if (!head.starts_with('[')) return false;
  head.remove_prefix(1);
  while (!head.empty() && is_json_space(head.front())) head.remove_prefix(1);
  return head.empty() || head.front() == '{' || head.front() == ']';
}

}  // namespace

size_t runs_of_file(const Input& input) {
  const size_t runs = perfetto::is_trace(input) ? perfetto::runs_of_export(input) : trace_event::runs_of_export(input);
  return std::max<size_t>(runs, 1);
}

const std::vector<Format>& all_formats() {
  static const std::vector<Format> formats{
      {"ncu-rep", is_ncu_report, read_ncu_report},
      {"ncu-csv", is_ncu_csv, read_ncu_csv},
      {"ncu-text", is_ncu_text, read_ncu_text},
      {"nsys-sqlite", nsys::is_export, nsys::read_export},
      {"nsys-rep", nsys::is_report, nsys::read_report},
      {"nvprof", nvprof::is_database, nvprof::read_database},
      {"hpctoolkit-v4", hpctoolkit::is_database, hpctoolkit::read_database},
      {"hpctoolkit-xml", hpctoolkit_xml::is_database, hpctoolkit_xml::read_database},
      {"caliper", caliper::is_profile, caliper::read_profile},
      {"speedscope", speedscope::is_profile, speedscope::read_profile},
      {"proton", proton::is_profile, proton::read_profile},
      {"perf-script", perf_script::is_script, perf_script::read_script},
      {"perf-data", perf_script::is_recording, perf_script::read_recording},
      {"rpd", rpd::is_database, rpd::read_database},
      {"rocprof", rocprof::is_profile, rocprof::read_profile},
      {"tensorrt", tensorrt::is_profile, tensorrt::read_profile},
      {"rocprof-compute", rocprof_compute::is_database, rocprof_compute::read_database},
      {"xplane", xplane::is_profile, xplane::read_profile},
      {"flight-recorder", flight_recorder::is_dump, flight_recorder::read_dump},
      {"nccl-inspector", nccl_inspector::is_log, nccl_inspector::read_log},
      {"nccl-profiler", nccl_profiler::is_log, nccl_profiler::read_log},
      {"torch-memory", torch_memory::is_snapshot, torch_memory::read_snapshot},
      {"ascend", ascend::is_profile, read_ascend},
      {"torch-memory-timeline", memory_timeline::is_timeline, memory_timeline::read_timeline},
      {"pytorch-et", chakra::is_pytorch_trace, chakra::read_pytorch_trace},
      {"chakra", chakra::is_chakra_trace, chakra::read_chakra_trace},
      {"perfetto", perfetto::is_trace, perfetto::read_trace},
      {"folded", folded::is_folded, folded::read_folded},
      {"kineto", looks_like_json_trace, read_trace_event},
  };
  return formats;
}

}  // namespace cgpu
