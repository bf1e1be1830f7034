#include "readers/ncu/report_code.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/to_size.h"
#include "readers/common/protobuf.h"
#include "readers/ncu/cubin.h"

namespace cgpu::ncu {

namespace {

/// Numbers of fields, see docs/formats/nsight-compute.md.
struct SourceField {
  enum : uint32_t { number = 1, object_file = 4, functions = 9, each_function = 1, function_name = 1, loaded_at = 2 };
};
struct LaunchField {
  enum : uint32_t { mangled = 5, metric = 13, source = 15, source_number = 1 };
};
struct CountField {
  enum : uint32_t { metric_name = 1, instance = 3, key = 1, value = 2, integer = 5 };
};

/// What codes of a kind of thing are in, which cannot be added up.
constexpr std::string_view kCoded = "_type";

struct Instance {
  uint64_t address = 0;
  uint64_t value = 0;
};

/// An instance whose key and value are whole numbers.
std::optional<Instance> instance_of(std::string_view message) {
  const auto key = protobuf_varint(protobuf_bytes(message, CountField::key), CountField::integer);
  const auto value = protobuf_varint(protobuf_bytes(message, CountField::value), CountField::integer);
  if (!key || !value || *value > uint64_t{std::numeric_limits<int64_t>::max()}) return std::nullopt;
  return Instance{*key, *value};
}

}  // namespace

void ReportCode::add_source(std::string_view message) {
  Source source;
  source.object_file = protobuf_bytes(message, SourceField::object_file);
  each_protobuf_bytes(protobuf_bytes(message, SourceField::functions), SourceField::each_function,
                      [&](std::string_view function) {
                        source.addresses[std::string(protobuf_bytes(function, SourceField::function_name))] =
                            protobuf_varint(function, SourceField::loaded_at).value_or(0);
                      });
  sources_[protobuf_varint(message, SourceField::number).value_or(0)] = std::move(source);
}

size_t ReportCode::code_of(uint64_t source, std::string_view function) {
  const auto found = sources_.find(source);
  if (found == sources_.end() || function.empty()) return 0;
  const auto [known, is_new] = known_codes_.emplace(std::pair(source, std::string(function)), 0);
  if (!is_new) return known->second;
  const auto address = found->second.addresses.find(known->first.second);
  DeviceCode code = read_function(found->second.object_file, function,
                                  address == found->second.addresses.end() ? 0 : address->second, measured_);
  if (code.instructions.empty()) return 0;
  measured_.codes.push_back(std::move(code));
  return known->second = measured_.codes.size();
}

void ReportCode::read_launch(std::string_view message, const std::vector<StringId>& strings, ProfiledLaunch& launch) {
  const auto source = protobuf_varint(protobuf_bytes(message, LaunchField::source), LaunchField::source_number);
  launch.code = source ? code_of(*source, protobuf_bytes(message, LaunchField::mangled)) : 0;
  if (launch.code == 0) return;
  const DeviceCode& code = measured_.codes[launch.code - 1];
  const uint64_t bytes = uint64_t{code.instruction_bytes} * code.instructions.size();
  each_protobuf_bytes(message, LaunchField::metric, [&](std::string_view metric) {
    const uint64_t name = protobuf_varint(metric, CountField::metric_name).value_or(0);
    if (name >= strings.size()) return;
    const StringId id = strings[to_size(name)];
    if (measured_.names[id].ends_with(kCoded)) return;
    std::vector<Instance> instances;
    bool is_inside = false;
    each_protobuf_bytes(metric, CountField::instance, [&](std::string_view each) {
      const auto instance = instance_of(each);
      if (!instance) return;
      is_inside = is_inside || (instance->address >= code.address && instance->address - code.address < bytes);
      if (instance->value != 0) instances.push_back(*instance);
    });
    if (!is_inside) return;  // of devices, of links, ...
    // Of several values of one name the last counts.
    std::erase_if(launch.instruction_counts, [&](const InstructionCount& count) { return count.metric == id; });
    std::ranges::sort(instances, {}, &Instance::address);
    for (const Instance& instance : instances) {
      launch.instruction_counts.push_back({instance.address, id, instance.value});
    }
  });
}

}  // namespace cgpu::ncu
