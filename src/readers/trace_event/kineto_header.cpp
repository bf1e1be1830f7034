#include "readers/trace_event/kineto_header.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/credentials.h"
#include "base/decimal.h"
#include "base/json_text.h"
#include "model/time_range.h"

namespace cgpu::trace_event {

namespace {

namespace dom = simdjson::dom;

// Header keys that are shown as they are. Everything else (job descriptions, user names, environments) stays in the
// file.
constexpr std::array<std::string_view, 13> kShownKeys{
    "cupti_version",     "cuda_runtime_version", "cuda_driver_version", "hip_runtime_version", "hip_driver_version",
    "roctracer_version", "nccl_version",         "record_shapes",       "profile_memory",      "with_stack",
    "with_flops",        "with_modules",         "displayTimeUnit"};

std::optional<int64_t> integer(dom::object object, std::string_view key) {
  dom::element element;
  if (object[key].get(element)) return std::nullopt;
  int64_t value = 0;
  if (!element.get(value)) return value;
  double real = 0;  // "warpSize": 32.0
  if (!element.get(real) && real >= -9e18 && real <= 9e18) return static_cast<int64_t>(real);
  return std::nullopt;
}

std::string text(dom::object object, std::string_view key) {
  std::string_view value;
  return object[key].get(value) ? std::string() : std::string(value);
}

std::string vendor_of(const std::string& name, bool rocm) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string::npos; };
  if (has("NVIDIA") || has("Tesla") || has("GeForce") || has("Quadro")) return "NVIDIA";
  if (has("AMD") || has("Instinct") || has("Radeon")) return "AMD";
  if (has("Intel")) return "Intel";
  if (has("Ascend")) return "Huawei";
  return rocm ? "AMD" : "";
}

void apply_devices(dom::array devices, bool rocm, Run& run) {
  for (dom::element element : devices) {
    dom::object object;
    if (element.get(object)) continue;
    Device device;
    device.id = static_cast<int32_t>(integer(object, "id").value_or(static_cast<int64_t>(run.devices.size())));
    device.name = text(object, "name");
    device.vendor = text(object, "vendor");
    device.sm_count = integer(object, "numSms");
    if (!device.sm_count) device.sm_count = integer(object, "maxComputeUnits");
    device.memory_bytes = integer(object, "totalGlobalMem");
    device.warp_size = integer(object, "warpSize");
    if (device.vendor.empty()) device.vendor = vendor_of(device.name, rocm);
    const auto major = integer(object, "computeMajor");
    const auto minor = integer(object, "computeMinor");
    if (major && minor && device.vendor != "AMD") {
      device.compute_capability = std::to_string(*major) + "." + std::to_string(*minor);
    }
    run.devices.push_back(std::move(device));
  }
}

/// `ranks` is an array, or a string "[0, 1]" in traces that were taken on demand.
std::vector<int64_t> ranks_of(dom::element element) {
  std::vector<int64_t> ranks;
  std::string_view written;
  dom::parser parser;
  dom::array array;
  if (!element.get(written)) {
    if (parser.parse(written.data(), written.size()).get(array)) return ranks;
  } else if (element.get(array)) {
    return ranks;
  }
  for (dom::element rank : array) {
    int64_t value = 0;
    if (!rank.get(value)) ranks.push_back(value);
  }
  return ranks;
}

void apply_distributed(dom::object info, Run& run) {
  if (const auto rank = integer(info, "rank")) {
    run.rank = *rank;
    run.rank_known = true;
  }
  run.world_size = integer(info, "world_size");
  const std::string nccl = text(info, "nccl_version");
  if (!nccl.empty()) run.metadata.emplace_back("nccl_version", nccl);
  dom::array groups;
  if (info["pg_config"].get(groups)) return;
  for (dom::element element : groups) {
    dom::object object;
    if (element.get(object)) continue;
    ParallelGroup group;
    group.name = text(object, "pg_name");
    group.description = text(object, "pg_desc");
    group.backend = text(object, "backend_config");
    group.size = integer(object, "pg_size").value_or(-1);
    dom::element ranks;
    if (!object["ranks"].get(ranks)) group.ranks = ranks_of(ranks);
    run.groups.push_back(std::move(group));
  }
}

int64_t count_credentials(std::string_view key, dom::element element) {
  if (is_secret_key(key) && !element.is_null()) return 1;
  int64_t count = 0;
  dom::object object;
  dom::array array;
  std::string_view value;
  if (!element.get(object)) {
    for (const dom::key_value_pair& field : object) count += count_credentials(field.key, field.value);
  } else if (!element.get(array)) {
    for (dom::element item : array) count += count_credentials("", item);
  } else if (!element.get(value)) {
    count = is_secret_value(value);
  }
  return count;
}

/// What other tracers put beside the events, as one string each.
constexpr std::array<std::string_view, 4> kForeignSections{"systemTraceEvents", "powerTraceAsString",
                                                           "controllerTraceDataKey", "battorLogAsString"};

void note_sections(const TopLevel& top, Run& run) {
  const auto note = [&](const std::string& key, const char* why) {
    run.notes.add("skipped_section", 1, "\"" + key + "\" beside the events " + why);
  };
  for (const auto& [key, json] : top.values) {
    const bool empty = json == "\"\"" || json == "[]" || json == "{}" || json == "null";
    const bool foreign = std::find(kForeignSections.begin(), kForeignSections.end(), key) != kForeignSections.end();
    if (foreign && !empty) note(key, "is another tracer's and was not read");
  }
  for (const std::string& key : top.left_out) note(key, "is longer than 8 MB and was not read");
}

}  // namespace

void apply_header(const TopLevel& top, Run& run) {
  int64_t credentials = 0;
  note_sections(top, run);
  const bool rocm = std::any_of(top.values.begin(), top.values.end(),
                                [](const TopLevelValue& value) { return value.first.starts_with("hip_"); });
  dom::parser parser;
  for (const auto& [key, json] : top.values) {
    dom::element element;
    if (parser.parse(json).get(element)) {  // not JSON (old traces write inf and N/A): look at the text as it is
      credentials += is_secret_key(key) || is_secret_value(json);
      continue;
    }
    credentials += count_credentials(key, element);
    dom::array array;
    dom::object object;
    std::string_view string;
    if (key == "deviceProperties" && !element.get(array)) {
      apply_devices(array, rocm, run);
    } else if (key == "distributedInfo" && !element.get(object)) {
      apply_distributed(object, run);
    } else if (key == "schemaVersion") {
      run.format_version = std::string(unquote_json(json));
    } else if (key == "host_name" && !element.get(string)) {
      run.host = std::string(string);
    } else if (key == "baseTimeNanoseconds") {
      const auto base = Decimal::parse(unquote_json(trim_json(json)));
      const auto ns = base ? base->scaled(0) : std::nullopt;
      if (ns && is_time(*ns)) {
        run.clock_base = *ns;
      } else {
        run.notes.add("invalid_number", 1, "baseTimeNanoseconds is no time in ns: times are relative");
      }
    } else if (std::find(kShownKeys.begin(), kShownKeys.end(), key) != kShownKeys.end()) {
      run.metadata.emplace_back(key, std::string(unquote_json(json)));
    }
  }
  run.notes.add(
      "credentials_present", credentials,
      "values that look like credentials or environments are in the file's metadata; they are not shown here, "
      "but anybody with the file can read them");
}

}  // namespace cgpu::trace_event
