#include "readers/nsys/report/report_facts.h"

#include <map>
#include <utility>

#include "base/parse_number.h"
#include "readers/common/protobuf.h"

namespace cgpu::nsys {

namespace {

namespace head {
constexpr uint32_t kTarget = 1, kClocks = 16, kSessionStart = 17;
}
namespace clocks {
// Up to 2025: offsets between numbered clocks.
constexpr uint32_t kOffset = 1, kFrom = 1, kTo = 2, kText = 5;
constexpr uint64_t kUtc = 9;
// From 2026 on: clocks by identifier, and edges between them.
constexpr uint32_t kClocks = 1, kClock = 1, kId = 1, kKind = 2;
constexpr uint32_t kEdges = 2, kEdge = 1, kEdgeFrom = 1, kEdgeTo = 2, kFit = 3, kPoint = 1, kFromTime = 1, kToTime = 2;
constexpr uint64_t kSystemKind = 7, kUtcKind = 11;
}  // namespace clocks
namespace target {
constexpr uint32_t kEnvironment = 2, kEntry = 1, kKey = 1, kValue = 2;
constexpr uint64_t kHostName = 619;
}  // namespace target

/// A decimal number modulo 2^64, negative or not.
std::optional<uint64_t> number_of(std::string_view text) {
  const bool negative = text.starts_with('-');
  const auto value = parse_number<uint64_t>(text.substr(negative ? 1 : 0));
  return value && negative ? std::optional<uint64_t>(-*value) : value;
}

std::optional<int64_t> start_by_offsets(std::string_view clocks_message) {
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> offsets;
  each_protobuf_bytes(clocks_message, clocks::kOffset, [&](std::string_view offset) {
    const auto value = number_of(protobuf_bytes(offset, clocks::kText));
    if (!value) return;
    offsets.try_emplace(
        {protobuf_varint(offset, clocks::kFrom).value_or(0), protobuf_varint(offset, clocks::kTo).value_or(0)}, *value);
  });
  uint64_t sum = 0;
  for (const auto& [from, to] : {std::pair<uint64_t, uint64_t>(3, clocks::kUtc), {1, 3}, {7, 1}}) {
    const auto found = offsets.find({from, to});
    if (found == offsets.end()) return std::nullopt;
    sum += found->second;
  }
  return static_cast<int64_t>(-sum);
}

std::optional<int64_t> start_by_edges(std::string_view conversion, uint64_t start) {
  std::string_view utc;
  std::string_view system;
  each_protobuf_bytes(protobuf_bytes(conversion, clocks::kClocks), clocks::kClock, [&](std::string_view clock) {
    const uint64_t kind = protobuf_varint(clock, clocks::kKind).value_or(0);
    if (kind == clocks::kUtcKind) utc = protobuf_bytes(clock, clocks::kId);
    if (kind == clocks::kSystemKind) system = protobuf_bytes(clock, clocks::kId);
  });
  std::optional<int64_t> result;
  each_protobuf_bytes(protobuf_bytes(conversion, clocks::kEdges), clocks::kEdge, [&](std::string_view edge) {
    if (utc.empty() || system.empty() || protobuf_bytes(edge, clocks::kEdgeFrom) != utc ||
        protobuf_bytes(edge, clocks::kEdgeTo) != system) {
      return;
    }
    const std::string_view point = protobuf_bytes(protobuf_bytes(edge, clocks::kFit), clocks::kPoint);
    const auto from = protobuf_varint(point, clocks::kFromTime);
    const auto to = protobuf_varint(point, clocks::kToTime);
    if (from && to) result = static_cast<int64_t>(*from + (start - *to));
  });
  return result;
}

/// An option: the fields that lead to it, its name in META_DATA_CAPTURE, and how its number is written there.
struct RecordedOption {
  uint32_t group;  // field of the options
  uint32_t field;  // in it
  uint32_t inner;  // in that; 0 for none
  const char* name;
  std::string_view text;  // kNumber, kTruth, or the text of the number `labelled`; those of other numbers are not known
  uint64_t labelled = 0;
};
constexpr std::string_view kNumber = "number", kTruth = "truth";
// Those of a process (26) until 2025, of the recording from 2026 on.
constexpr RecordedOption kRecordedOptions[] = {
    {12, 1, 0, "OS_RUNTIME_OPTIONS:DURATION_THRESHOLD_NS", kNumber},
    {92, 9, 1, "CUDA_GRAPH_TRACE_OPTIONS:MODE", "Graph"},
    {92, 3, 0, "CUDA_SKIP_SOME_API_CALLS", kTruth},
    {92, 4, 0, "COLLECT_GPU_MEMORY_USAGE", kTruth},
    {26, 42, 0, "PROCESS:CUDA_SKIP_SOME_API_CALLS", kTruth},
    {26, 43, 0, "PROCESS:COLLECT_GPU_MEMORY_USAGE", kTruth},
    {26, 49, 1, "PROCESS:CUDA_GRAPH_TRACE_OPTIONS:MODE", "Graph"},
    {69, 2, 0, "LINUX_PERF_OPTIONS:SAMPLING_PERIOD", kNumber},
    {69, 5, 0, "LINUX_PERF_OPTIONS:COLLECTION_MODE", "ProcessTree", 1},
};
namespace process {
constexpr uint32_t kOptions = 26, kCommand = 10, kArgument = 11, kEnvironment = 30;
}

std::optional<std::string> text_of(const RecordedOption& option, std::string_view group) {
  const auto value = option.inner == 0 ? protobuf_varint(group, option.field)
                                       : protobuf_varint(protobuf_bytes(group, option.field), option.inner);
  if (option.text == kNumber) return std::to_string(value.value_or(0));
  if (option.text == kTruth && value) return *value != 0 ? "true" : "false";
  if (option.text == kTruth || value != option.labelled) return std::nullopt;
  return std::string(option.text);
}

}  // namespace

std::optional<int64_t> session_start(std::string_view head, std::string_view conversion) {
  if (const std::string_view clocks = protobuf_bytes(head, head::kClocks); !clocks.empty()) {
    return start_by_offsets(clocks);
  }
  return start_by_edges(conversion, protobuf_varint(head, head::kSessionStart).value_or(0));
}

std::string host_name(std::string_view head) {
  std::string name;
  each_protobuf_bytes(protobuf_bytes(protobuf_bytes(head, head::kTarget), target::kEnvironment), target::kEntry,
                      [&](std::string_view entry) {
                        if (protobuf_varint(entry, target::kKey) != target::kHostName) return;
                        name = protobuf_bytes(entry, target::kValue);
                      });
  return name;
}

std::vector<Facts> capture_options(std::string_view options) {
  std::vector<Facts> rows;
  for (const RecordedOption& option : kRecordedOptions) {
    each_protobuf_bytes(options, option.group, [&](std::string_view group) {
      if (const auto text = text_of(option, group)) rows.push_back({option.name, *text});
    });
  }
  each_protobuf_bytes(options, process::kOptions, [&](std::string_view process) {
    each_protobuf_bytes(process, process::kCommand, [&](std::string_view text) {
      rows.push_back({"COMMAND", std::string(text)});
    });
    each_protobuf_bytes(process, process::kArgument, [&](std::string_view text) {
      rows.push_back({"ARGUMENT", std::string(text)});
    });
    each_protobuf_bytes(process, process::kEnvironment, [&](std::string_view) {
      rows.push_back({"ENVIRONMENT_VARIABLE", ""});
    });
  });
  return rows;
}

}  // namespace cgpu::nsys
