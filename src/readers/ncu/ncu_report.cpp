// The report file: "NVR\0", a file header, then blocks. A block is a header, which may carry facts about the session
// and a part of the string table, and a payload of sources (device code) and results (launches).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/credentials.h"
#include "base/error.h"
#include "base/json_text.h"
#include "base/to_size.h"
#include "readers/common/input.h"
#include "readers/common/protobuf.h"
#include "readers/ncu/figures.h"
#include "readers/ncu/ncu.h"
#include "readers/ncu/report_code.h"
#include "readers/ncu/report_sections.h"

namespace cgpu::ncu {

namespace {

constexpr std::string_view kMagic("NVR\0", 4);
constexpr uint64_t kKnownVersion = 7;
constexpr uint64_t kLargestMessage = uint64_t{1} << 30;  // memory that a file may claim at once

// Numbers of fields. Found on files, see ncu.h.
enum : uint32_t { kFileVersion = 1 };                                                          // file header
enum : uint32_t { kSources = 1, kResults = 2, kSession = 3, kStrings = 4, kPayloadSize = 5 };  // header of a block
enum : uint32_t { kMachine = 3, kMachineAgain = 4, kDevice = 6, kTool = 8 };                   // session
enum : uint32_t { kHostName = 5 };                                                             // machine
enum : uint32_t { kDeviceIndex = 1, kDeviceName = 2, kAttribute = 3 };                         // device
enum : uint32_t { kToolName = 1, kToolVersion = 2 };                                           // tool
enum : uint32_t { kMangled = 5, kFunction = 6, kDemangled = 7, kGrid = 10, kBlock = 11 };      // result
enum : uint32_t { kMetric = 13, kSection = 17, kRule = 19 };                                   // result, too
enum : uint32_t { kName = 1, kValue = 2 };                                                     // metric, attribute
enum : uint32_t { kRuleName = 1, kRuleBody = 3, kRuleSection = 4 };                            // rule
enum : uint32_t { kFinding = 1, kMessage = 1, kText = 1, kSeverity = 2 };                      // body of a rule
enum : uint32_t { kSpeedup = 10, kSpeedupScope = 1, kSpeedupPercent = 2 };                     // finding, too
constexpr uint64_t kWholeKernel = 2;                                                           // scope of a speedup
enum : uint64_t { kWarning = 2, kError = 3, kOptimization = 4 };                               // severity of a finding

/// The parts of a file one after the other, with bounded memory whatever lengths it claims.
class Parts {
 public:
  explicit Parts(TextSource& source) : source_(source) {}

  bool at_end() {
    char byte = 0;
    if (ahead_.empty() && source_.read(&byte, 1) == 1) ahead_.push_back(byte);
    return ahead_.empty();
  }
  /// The next `size` bytes; false where the file ends before.
  bool read(std::string& to, uint64_t size) {
    to.clear();
    if (size > 0) to.swap(ahead_);
    while (to.size() < size) {
      const size_t held = to.size();
      const size_t step = to_size(std::min<uint64_t>(size - held, kStep));
      to.resize(held + step);
      to.resize(held + source_.read(to.data() + held, step));
      if (to.size() < held + step) return false;
    }
    return true;
  }
  bool skip(uint64_t size) {
    std::string dropped;
    for (; size > 0; size -= dropped.size()) {
      if (!read(dropped, std::min<uint64_t>(size, kStep))) return false;
    }
    return true;
  }
  /// A length; absent where the file ends before it.
  std::optional<uint32_t> length() {
    std::string bytes;
    uint32_t value = 0;
    if (!read(bytes, sizeof value)) return std::nullopt;
    for (size_t i = sizeof value; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
  }

 private:
  static constexpr uint64_t kStep = uint64_t{1} << 20;
  TextSource& source_;
  std::string ahead_;  // a byte that was read to see whether there is one
};

const char* severity_text(uint64_t type) {
  switch (type) {
    case kWarning:
      return "warning";
    case kError:
      return "error";
    case kOptimization:
      return "optimization";
    default:
      return "information";
  }
}

class ReportReader {
 public:
  ReportReader(TextSource& source, const std::string& path)
      : source_(source),
        parts_(source),
        path_(path),
        run_(new_run(path, "ncu-rep")),
        code_(run_.launch_metrics.emplace()) {}

  Run read() {
    read_file_header();
    while (!parts_.at_end() && read_block()) {
    }
    add_source(source_, run_, "damaged_input");
    std::vector<ProfiledLaunch>& launches = metrics().launches;
    if (launches.empty()) {
      throw Error(path_, "is an Nsight Compute report without a readable launch" +
                             (run_.notes.all().empty() ? std::string() : " (" + run_.notes.all().front().text + ")"));
    }
    for (ProfiledLaunch& launch : launches) fill_figures(metrics().names, launch);
    check_figures(run_);
    return std::move(run_);
  }

 private:
  LaunchMetrics& metrics() { return *run_.launch_metrics; }

  bool lost(const std::string& what) {
    run_.notes.add("truncated_input", 1, fmt::format("the report ends {}, at byte {}", what, source_.text_position()),
                   true);
    return false;
  }
  void damaged(const std::string& what) { run_.notes.add("damaged_input", 1, what, true); }

  void read_file_header() {
    std::string header;
    if (!parts_.read(header, kMagic.size()) || header != kMagic) throw Error(path_, "is no Nsight Compute report");
    const auto size = parts_.length();
    if (!size || *size > kLargestMessage || !parts_.read(header, *size)) {
      throw Error(path_, "is an Nsight Compute report that ends in its header");
    }
    const uint64_t version = protobuf_varint(header, kFileVersion).value_or(0);
    if (version != kKnownVersion) {
      throw Error(path_, fmt::format("is an Nsight Compute report of file version {}, and cgpu knows version {} only; "
                                     "`ncu --import FILE --page raw --csv > report.csv` gives a file that cgpu reads",
                                     version, kKnownVersion));
    }
    run_.format_version = std::to_string(version);
  }

  bool read_block() {
    const auto size = parts_.length();
    if (!size) return lost("in the length of a block");
    if (*size > kLargestMessage) {
      damaged(fmt::format("a block claims a header of {} bytes; what follows was not read", *size));
      return false;
    }
    std::string header;
    if (!parts_.read(header, *size)) return lost("in the header of a block");

    uint64_t sources = 0;
    uint64_t results = 0;
    uint64_t payload = 0;
    ProtobufMessage fields(header);
    for (ProtobufField field; fields.next(field);) {
      if (field.number == kSources && field.is_varint()) sources = field.integer;
      if (field.number == kResults && field.is_varint()) results = field.integer;
      if (field.number == kPayloadSize && field.is_varint()) payload = field.integer;
      if (field.number == kSession && field.is_bytes()) read_session(field.bytes);
      if (field.number == kStrings && field.is_bytes()) read_strings(field.bytes);
    }
    if (fields.damaged()) damaged("the header of a block is damaged; the rest of it was not read");
    return read_payload(payload, sources, results);
  }

  /// Sources (device code) come first, then results.
  bool read_payload(uint64_t payload, uint64_t sources, uint64_t results) {
    std::string message;
    for (uint64_t i = 0; payload > 0; ++i) {
      const auto size = payload < 4 ? std::nullopt : parts_.length();
      if (payload >= 4 && !size) return lost("in a block");
      if (!size || *size > payload - 4 || *size > kLargestMessage) {
        damaged("a message is longer than its block; the rest of the block was not read");
        return parts_.skip(payload - (size ? 4 : 0)) || lost("in a block");
      }
      payload -= 4 + uint64_t{*size};
      if (i >= sources && i - sources >= results) {
        if (!parts_.skip(*size)) return lost("in a message that is no launch");
        continue;
      }
      const bool is_source = i < sources;
      if (!parts_.read(message, *size)) {
        return lost(is_source ? "in the code of a device" : "in a launch, which was left out");
      }
      if (is_source) {
        code_.add_source(message);
      } else {
        read_result(message);
      }
    }
    return true;
  }

  void read_strings(std::string_view table) {
    ProtobufMessage fields(table);
    for (ProtobufField field; fields.next(field);) {
      if (!field.is_bytes()) continue;
      strings_.push_back(metrics().names.intern(valid_utf8(field.bytes)));
      metric_names_.insert(strings_.back());
    }
    if (fields.damaged()) damaged("the table of metric names is damaged");
  }

  void read_session(std::string_view session) {
    ProtobufMessage fields(session);
    for (ProtobufField field; fields.next(field);) {
      if (!field.is_bytes()) continue;
      if ((field.number == kMachine || field.number == kMachineAgain) && run_.host.empty()) {
        run_.host = valid_utf8(protobuf_bytes(field.bytes, kHostName));
      }
      if (field.number == kDevice) read_device(field.bytes);
      if (field.number == kTool) read_tool(field.bytes);
    }
  }

  void read_device(std::string_view message) {
    Device device;
    device.vendor = "NVIDIA";
    std::optional<uint64_t> major;
    std::optional<uint64_t> minor;
    ProtobufMessage fields(message);
    for (ProtobufField field; fields.next(field);) {
      if (field.number == kDeviceIndex && field.is_varint()) device.id = static_cast<int32_t>(field.integer);
      if (field.number == kDeviceName && field.is_bytes()) device.name = valid_utf8(field.bytes);
      if (field.number != kAttribute || !field.is_bytes()) continue;
      const std::string_view name = protobuf_bytes(field.bytes, kName);
      const std::optional<uint64_t> value = varint_value(protobuf_bytes(field.bytes, kValue));
      if (!value) continue;
      const auto number = static_cast<int64_t>(*value);
      if (name == "device__attribute_multiprocessor_count") device.sm_count = number;
      if (name == "device__attribute_total_memory") device.memory_bytes = number;
      if (name == "device__attribute_warp_size") device.warp_size = number;
      if (name == "device__attribute_compute_capability_major") major = value;
      if (name == "device__attribute_compute_capability_minor") minor = value;
    }
    if (major && minor) device.compute_capability = fmt::format("{}.{}", *major, *minor);
    const auto same = [&](const Device& other) { return other.id == device.id; };
    if (std::none_of(run_.devices.begin(), run_.devices.end(), same)) run_.devices.push_back(std::move(device));
  }

  /// "Nsight Compute Target", "2025.3.1.0": as nsight_compute_target_version.
  void read_tool(std::string_view message) {
    std::string key = valid_utf8(protobuf_bytes(message, kToolName));
    std::string value = valid_utf8(protobuf_bytes(message, kToolVersion));
    if (key.empty() || is_secret_key(key) || is_secret_value(value)) return;
    std::transform(key.begin(), key.end(), key.begin(),
                   [](unsigned char c) { return c == ' ' ? '_' : static_cast<char>(std::tolower(c)); });
    if (!key.ends_with("_version")) key += "_version";
    const auto known = [&](const auto& fact) { return fact.first == key; };
    if (std::none_of(run_.metadata.begin(), run_.metadata.end(), known)) {
      run_.metadata.emplace_back(std::move(key), std::move(value));
    }
  }

  static std::optional<uint64_t> varint_value(std::string_view message) {
    ProtobufMessage fields(message);
    for (ProtobufField field; fields.next(field);) {
      if (field.is_varint()) return field.integer;
    }
    return std::nullopt;
  }

  void read_result(std::string_view message) {
    ProfiledLaunch launch;
    launch.id = static_cast<int64_t>(metrics().launches.size());
    std::string_view mangled;
    std::string_view function;
    std::string_view demangled;
    ProtobufMessage fields(message);
    for (ProtobufField field; fields.next(field);) {
      if (!field.is_bytes()) continue;
      if (field.number == kMangled) mangled = field.bytes;
      if (field.number == kFunction) function = field.bytes;
      if (field.number == kDemangled) demangled = field.bytes;
      if (field.number == kGrid) launch.grid = extent(field.bytes);
      if (field.number == kBlock) launch.block = extent(field.bytes);
      if (field.number == kMetric) read_metric(field.bytes, launch);
      if (field.number == kSection) {
        launch.sections.push_back(read_section(field.bytes, metric_names_, metrics().names));
      }
      if (field.number == kRule) read_rule(field.bytes, launch);
    }
    if (fields.damaged()) damaged("a launch is damaged; it lacks what comes behind the damage");
    if (demangled.empty() && function.empty() && mangled.empty()) {
      return damaged("results without the name of a kernel were left out");
    }
    launch.kernel = valid_utf8(!demangled.empty() ? demangled : !function.empty() ? function : mangled);
    code_.read_launch(message, strings_, launch);
    std::unordered_map<StringId, StringId> section_of;
    for (const LaunchSection& section : launch.sections) {
      for (const SectionMetric& shown : section.metrics) {
        if (shown.chart == 0) section_of.emplace(shown.metric, section.title);
      }
    }
    for (MetricValue& metric : launch.metrics) {
      const auto section = section_of.find(metric.name);
      if (section != section_of.end()) metric.section = section->second;
    }
    metrics().launches.push_back(std::move(launch));
  }

  static std::array<int64_t, 3> extent(std::string_view message) {
    std::array<int64_t, 3> extent{};
    for (uint32_t i = 0; i < 3; ++i) extent[i] = static_cast<int64_t>(protobuf_varint(message, i + 1).value_or(0));
    return extent;
  }

  void read_metric(std::string_view message, ProfiledLaunch& launch) {
    const uint64_t name = protobuf_varint(message, kName).value_or(0);
    if (name >= strings_.size()) {
      damaged("metrics have no name in the report and were left out");
      return;
    }
    MetricValue metric;
    metric.name = strings_[to_size(name)];
    ProtobufMessage fields(protobuf_bytes(message, kValue));
    ProtobufField value;
    if (!fields.next(value)) return;  // known to the report, but not measured
    if (value.is_bytes()) {
      metric.text = metrics().names.intern(valid_utf8(value.bytes));
    } else {
      metric.number = value.number_value();
      if (!std::isfinite(*metric.number)) return;
    }
    metric.unit = metrics().names.intern(unit_of_metric(metrics().names[metric.name]));
    launch.metrics.push_back(metric);
  }

  void read_rule(std::string_view message, ProfiledLaunch& launch) {
    const std::string name = valid_utf8(protobuf_bytes(message, kRuleName));
    const std::string section = valid_utf8(protobuf_bytes(message, kRuleSection));
    ProtobufMessage fields(protobuf_bytes(message, kRuleBody));
    for (ProtobufField field; fields.next(field);) {
      if (field.number != kFinding || !field.is_bytes()) continue;
      const std::string_view text = protobuf_bytes(field.bytes, kMessage);
      if (text.empty()) continue;
      RuleResult result;
      result.rule = name;
      result.section = section;
      result.severity = severity_text(protobuf_varint(text, kSeverity).value_or(0));
      result.message = valid_utf8(without_links(protobuf_bytes(text, kText)));
      read_speedup(protobuf_bytes(field.bytes, kSpeedup), result);
      launch.rules.push_back(std::move(result));
    }
  }

  static void read_speedup(std::string_view message, RuleResult& result) {
    ProtobufMessage fields(message);
    for (ProtobufField field; fields.next(field);) {
      if (field.number == kSpeedupScope && field.is_varint())
        result.speedup_scope = field.integer == kWholeKernel ? "kernel" : "unit";
      if (field.number == kSpeedupPercent && !field.is_bytes() && std::isfinite(field.number_value())) {
        result.speedup_pct = field.number_value();
      }
    }
  }

  TextSource& source_;
  Parts parts_;
  const std::string& path_;
  Run run_;
  ReportCode code_;
  std::vector<StringId> strings_;
  std::unordered_set<StringId> metric_names_;
};

}  // namespace

bool is_report(std::string_view head) {
  return head.starts_with(kMagic);
}

Run read_report(TextSource& source, const std::string& path) {
  return ReportReader(source, path).read();
}

}  // namespace cgpu::ncu
