#include "readers/formats.h"

#include <array>
#include <utility>

#include "base/json_text.h"
#include "readers/ascend/ascend.h"
#include "readers/caliper/caliper.h"
#include "readers/chakra/execution_trace.h"
#include "readers/hpctoolkit/hpctoolkit.h"
#include "readers/hpctoolkit/xml/hpctoolkit_xml.h"
#include "readers/memory_timeline/memory_timeline.h"
#include "readers/ncu/ncu.h"
#include "readers/nsys/nsys.h"
#include "readers/perf_script/perf_script.h"
#include "readers/perfetto/perfetto.h"
#include "readers/rocprof/rocprof.h"
#include "readers/speedscope/speedscope.h"
#include "readers/torch_memory/torch_memory.h"
#include "readers/trace_event/trace_event.h"
#include "readers/xplane/xplane.h"

namespace cgpu {

namespace {

Run read_trace_event(const Input& input, const ReadOptions& options) {
  return trace_event::read_trace(input.source, input.path, options);
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

/// An object or a bare array; whether it is a trace shows when its keys are read.
bool looks_like_json_trace(const Input& input) {
  std::string_view head = input.head;
  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);
  while (!head.empty() && is_json_space(head.front())) head.remove_prefix(1);
  if (head.starts_with('{')) return true;
  if (!head.starts_with('[')) return false;
  head.remove_prefix(1);
  while (!head.empty() && is_json_space(head.front())) head.remove_prefix(1);
  return head.empty() || head.front() == '{' || head.front() == ']';
}

}  // namespace

const std::vector<Format>& all_formats() {
  static const std::vector<Format> formats{
      {"ncu-rep", is_ncu_report, read_ncu_report},
      {"ncu-csv", is_ncu_csv, read_ncu_csv},
      {"nsys-sqlite", nsys::is_export, nsys::read_export},
      {"nsys-rep", nsys::is_report, nsys::read_report},
      {"hpctoolkit-v4", hpctoolkit::is_database, hpctoolkit::read_database},
      {"hpctoolkit-xml", hpctoolkit_xml::is_database, hpctoolkit_xml::read_database},
      {"caliper", caliper::is_profile, caliper::read_profile},
      {"speedscope", speedscope::is_profile, speedscope::read_profile},
      {"perf-script", perf_script::is_script, perf_script::read_script},
      {"rocprof", rocprof::is_profile, rocprof::read_profile},
      {"xplane", xplane::is_profile, xplane::read_profile},
      {"torch-memory", torch_memory::is_snapshot, torch_memory::read_snapshot},
      {"ascend", ascend::is_profile, read_ascend},
      {"torch-memory-timeline", memory_timeline::is_timeline, memory_timeline::read_timeline},
      {"pytorch-et", chakra::is_pytorch_trace, chakra::read_pytorch_trace},
      {"chakra", chakra::is_chakra_trace, chakra::read_chakra_trace},
      {"perfetto", perfetto::is_trace, perfetto::read_trace},
      {"kineto", looks_like_json_trace, read_trace_event},
  };
  return formats;
}

std::string describe_unread_format(std::string_view head) {
  static constexpr std::string_view kAscendTable = "a table of an Ascend profile: name the folder it lies in";
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kMagics{{
      {std::string_view("SQLite format 3\0", 16),
       "an SQLite database without the tables of a profiler that cgpu knows"},
      {"Start (ns),", "a table that nsys stats printed: open the .sqlite or .nsys-rep that it was made from"},
      {"Step,Computing,", kAscendTable},
      {"Device_id,Step,Computing,", kAscendTable},
      {"Component,Timestamp(us),", kAscendTable},
      {"HPCTOOLKIT", "a part of an HPCToolkit database: name the folder it lies in"},
      {"HPCPROF-",
       "a part of an HPCToolkit database in an early format: make it again with hpcprof of 2022.10 or later"},
      {"<?xml", "an XML file that is no experiment.xml of HPCToolkit"},
      {"PK\x03\x04", "a zip archive: extract it first"},
      {"\x7f"
       "ELF",
       "a program, not a profile of one"},
      {"%PDF", "a PDF"},
  }};
  for (const auto& [magic, what] : kMagics) {
    if (head.starts_with(magic)) return std::string(what);
  }
  if (head.starts_with("anchor.xml") || head.starts_with("remapping.spec")) {
    return "a CUBE profile of Score-P, which cgpu does not read";
  }
  constexpr size_t kTarMagic = 257;
  if (head.size() > kTarMagic && head.substr(kTarMagic).starts_with("ustar")) return "a tar archive: extract it first";
  if (head.substr(0, 200).find("templated_functions") != std::string_view::npos) {
    return "a profile of TAU, which cgpu does not read";
  }
  constexpr char kPickleProtocol = '\x80';  // the operation with which pickles of protocols 2 to 5 begin
  if (head.size() > 2 && head[0] == kPickleProtocol && head[1] >= 2 && head[1] <= 5) {
    return "a Python pickle that is no memory snapshot of PyTorch";
  }
  return rocprof::describe_unread(head);
}

}  // namespace cgpu
