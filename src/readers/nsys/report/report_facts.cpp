#include "readers/nsys/report/report_facts.h"

#include <map>
#include <utility>

#include "base/parse_number.h"
#include "base/rule_lines.h"
#include "readers/common/protobuf.h"

namespace cgpu {

extern const std::string_view builtin_nsys_options;  // options.txt

namespace nsys {

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

constexpr uint32_t kProcess = 26;  // also of its command, arguments and environment
constexpr std::pair<uint32_t, const char*> kTextsOfProcess[] = {{10, "COMMAND"}, {11, "ARGUMENT"}};
constexpr uint32_t kEnvironmentOfProcess = 30;

/// The value of an option as an export writes it. `how`: "number", "truth", or the text of the number that follows it.
std::optional<std::string> text_of(std::optional<uint64_t> value, std::string_view how) {
  const std::string_view text = take_word(how);
  if (text == "number") return std::to_string(value.value_or(0));
  if (text == "truth" && value) return *value != 0 ? "true" : "false";
  if (text == "truth" || value != parse_number<uint64_t>(how)) return std::nullopt;
  return std::string(text);
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
  each_rule_line(builtin_nsys_options, [&](std::string_view line, int) {
    const auto take_field = [&] { return parse_number<uint32_t>(take_word(line)).value_or(0); };
    const uint32_t group = take_field(), field = take_field(), inner = take_field();
    const std::string name(take_word(line));
    each_protobuf_bytes(options, group, [&](std::string_view message) {
      const auto value =
          inner == 0 ? protobuf_varint(message, field) : protobuf_varint(protobuf_bytes(message, field), inner);
      if (const auto text = text_of(value, line)) rows.push_back({name, *text});
    });
  });
  each_protobuf_bytes(options, kProcess, [&](std::string_view process) {
    for (const auto& [field, name] : kTextsOfProcess) {
      each_protobuf_bytes(process, field, [&, name = name](std::string_view text) {
        rows.push_back({name, std::string(text)});
      });
    }
    each_protobuf_bytes(process, kEnvironmentOfProcess, [&](std::string_view) {
      rows.push_back({"ENVIRONMENT_VARIABLE", ""});
    });
  });
  return rows;
}

}  // namespace nsys
}  // namespace cgpu
