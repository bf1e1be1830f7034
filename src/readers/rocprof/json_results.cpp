#include "readers/rocprof/json_results.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json_text.h"
#include "readers/common/json_reader.h"

namespace cgpu::rocprof {

namespace {

using Token = JsonReader::Token;

constexpr size_t kMostFields = 1000;
constexpr int kDeepest = 8;

/// An object with the objects in it, flat: "dispatch_info.agent_id.handle" is a key.
class Record {
 public:
  void clear() { fields_.clear(); }
  void add(std::string key, std::string value) {
    if (fields_.size() < kMostFields) fields_.emplace_back(std::move(key), std::move(value));
  }
  std::string_view text(std::string_view key) const {
    const auto found =
        std::find_if(fields_.begin(), fields_.end(), [&](const auto& field) { return field.first == key; });
    return found == fields_.end() ? std::string_view() : std::string_view(found->second);
  }
  /// Of a handle that does not fit into 64 bits with a sign, its bits.
  std::optional<int64_t> integer(std::string_view key) const {
    const std::string_view digits = text(key);
    int64_t value = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec == std::errc()) return value;
    uint64_t bits = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), bits).ec == std::errc()) {
      return static_cast<int64_t>(bits);
    }
    return std::nullopt;
  }
  double number(std::string_view key) const {
    const std::string_view digits = text(key);
    double value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
  }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

/// Names that may come behind what they name: until then, a stand-in.
class LateNames {
 public:
  explicit LateNames(StringPool& pool) : pool_(pool) {}

  void define(uint64_t key, std::string_view name) { names_[key] = pool_.intern(valid_utf8(name)); }
  StringId use(uint64_t key, const std::string& stand_in) {
    const auto known = names_.find(key);
    if (known != names_.end()) return known->second;
    const StringId id = pool_.intern(stand_in);
    waiting_.emplace(id, key);
    return id;
  }
  bool has(uint64_t key) const { return names_.count(key) != 0; }
  /// The stand-ins that have a name by now.
  std::unordered_map<StringId, StringId> replacements() const {
    std::unordered_map<StringId, StringId> found;
    for (const auto& [id, key] : waiting_) {
      const auto known = names_.find(key);
      if (known != names_.end()) found.emplace(id, known->second);
    }
    return found;
  }

 private:
  StringPool& pool_;
  std::unordered_map<uint64_t, StringId> names_;
  std::unordered_map<StringId, uint64_t> waiting_;
};

/// What one process recorded.
class ProcessReader {
 public:
  ProcessReader(JsonReader& json, Assembler& into, int64_t number)
      : json_(json),
        into_(into),
        run_(into.run),
        process_("process " + std::to_string(number)),
        kernels_(run_.timeline.names),
        functions_(run_.timeline.names),
        marks_(run_.timeline.names) {}

  void read() {
    const SliceIndex first = static_cast<SliceIndex>(run_.timeline.slices.size());
    json_.each_member([&](std::string_view key) {
      const Token token = json_.next();
      if (key == "metadata" && token == Token::begin_object) {
        read_facts();
      } else if (key == "agents" && token == Token::begin_array) {
        each_record([&] { add_agent(); });
      } else if (key == "counters" && token == Token::begin_array) {
        each_record([&] { counters_[record_.integer("id.handle").value_or(0)] = record_.text("name"); });
      } else if (key == "strings" && token == Token::begin_object) {
        read_strings();
      } else if (key == "kernel_symbols" && token == Token::begin_array) {
        each_record([&] { add_symbol(); });
      } else if (key == "callback_records" && token == Token::begin_object) {
        read_counted();
      } else if (key == "buffer_records" && token == Token::begin_object) {
        read_records();
      } else {
        json_.skip();
      }
    });
    rename(first);
  }

 private:
  // ---- records

  void read_record(const std::string& prefix, int depth) {
    json_.each_member([&](std::string_view key) {
      const std::string name = prefix + std::string(key);
      const Token token = json_.next();
      if (token == Token::begin_object && depth < kDeepest) {
        read_record(name + ".", depth + 1);
      } else if (token == Token::begin_array && name == "records") {
        read_values();
      } else if (token == Token::number || token == Token::string) {
        record_.add(name, std::string(json_.text()));
      } else {
        json_.skip();
      }
    });
  }
  /// The values of the counters of a launch.
  void read_values() {
    json_.each_object([&] {
      const Record outer = std::exchange(record_, {});
      read_record("", 1);
      values_.emplace_back(record_.integer("counter_id.handle").value_or(0), record_.number("value"));
      record_ = outer;
    });
  }
  /// The record at which the text ends is none.
  template <typename Use>
  void each_record(Use use) {
    json_.each_object([&] {
      record_.clear();
      values_.clear();
      read_record("", 0);
      if (json_.damage().empty()) use();
    });
  }

  // ---- what is said once

  void read_facts() {
    record_.clear();
    read_record("", 0);
    if (run_.host.empty()) run_.host = valid_utf8(record_.text("node.hostname"));
    const auto pid = record_.integer("pid");
    if (pid) process_ = std::to_string(*pid);
  }

  void add_agent() {
    constexpr int64_t kGpu = 2;
    const auto handle = record_.integer("id.handle");
    if (!handle || record_.integer("type") != kGpu || devices_.size() >= kMostDevices) return;
    const auto number = record_.integer("logical_node_type_id");
    Device device;
    device.id = number && *number >= 0 && *number < INT32_MAX ? static_cast<int32_t>(*number)
                                                              : static_cast<int32_t>(devices_.size());
    devices_[*handle] = device.id;
    device.name = valid_utf8(record_.text("product_name"));
    if (device.name.empty()) device.name = valid_utf8(record_.text("name"));
    device.vendor = valid_utf8(record_.text("vendor_name"));
    device.sm_count = record_.integer("cu_count");
    device.warp_size = record_.integer("wave_front_size");
    const bool known = std::any_of(run_.devices.begin(), run_.devices.end(),
                                   [&](const Device& other) { return other.id == device.id; });
    if (!known) run_.devices.push_back(std::move(device));
  }
  int32_t device_of(std::string_view key) {
    const auto handle = record_.integer(key);
    if (!handle) return 0;
    const auto [at, added] = devices_.try_emplace(*handle, static_cast<int32_t>(devices_.size() % kMostDevices));
    return at->second;
  }

  void add_symbol() {
    const auto id = record_.integer("kernel_id");
    std::string_view name = record_.text("formatted_kernel_name");
    if (name.empty()) name = record_.text("kernel_name");
    if (id && !name.empty()) kernels_.define(static_cast<uint64_t>(*id), kernel_name(name));
  }

  void read_strings() {
    json_.each_member([&](std::string_view key) {
      const Token token = json_.next();
      if (key == "buffer_records" && token == Token::begin_array) {
        read_operations();
      } else if (key == "marker_api" && token == Token::begin_array) {
        each_record([&] {
          const auto id = record_.integer("key");
          if (id) marks_.define(static_cast<uint64_t>(*id), record_.text("value"));
        });
      } else {
        json_.skip();
      }
    });
  }
  /// The names of the operations, by their kinds: places in two lists.
  void read_operations() {
    uint64_t kind = 0;
    json_.each_object([&] {
      json_.each_member([&](std::string_view key) {
        const bool operations = json_.next() == Token::begin_array && key == "operations";
        if (!operations) return json_.skip();
        uint64_t operation = 0;
        json_.each_element([&](Token name) {
          if (name == Token::string) functions_.define(kind << 32 | operation, json_.text());
          if (name != Token::string) json_.skip();
          ++operation;
        });
      });
      ++kind;
    });
  }

  // ---- events

  bool event(Event& event, const std::string& prefix = "") {
    ++run_.events.read;
    const auto start = record_.integer(prefix + "start_timestamp");
    const auto end = record_.integer(prefix + "end_timestamp");
    if (!start || !end) {
      into_.skip("skipped_event", "records without a start and an end were left out");
      return false;
    }
    event.start = *start;
    event.end = *end;
    event.process = process_;
    event.correlation = record_.integer(prefix + "correlation_id.internal").value_or(0);
    return true;
  }

  StringId name_of_kernel(std::string_view key) {
    const int64_t id = record_.integer(key).value_or(-1);
    return kernels_.use(static_cast<uint64_t>(id), "kernel " + std::to_string(id));
  }

  void read_records() {
    static constexpr std::pair<std::string_view, std::string_view> kCalls[] = {{"hip_api", "HIP_API"},
                                                                               {"hsa_api", "HSA_API"},
                                                                               {"marker_api", "MARKER_API"},
                                                                               {"rccl_api", "RCCL_API"},
                                                                               {"rocdecode_api", "ROCDECODE_API"},
                                                                               {"rocjpeg_api", "ROCJPEG_API"}};
    json_.each_member([&](std::string_view key) {
      const Token token = json_.next();
      if (token != Token::begin_array) return json_.skip();
      if (key == "kernel_dispatch") return each_record([&] { add_kernel(); });
      if (key == "memory_copy") return each_record([&] { add_copy(); });
      const auto calls =
          std::find_if(std::begin(kCalls), std::end(kCalls), [&](const auto& c) { return c.first == key; });
      if (calls != std::end(kCalls)) return each_record([&] { add_call(calls->second); });
      each_record([&, what = std::string(key)] {
        ++run_.events.read;
        into_.skip("skipped_event", valid_utf8(what).substr(0, 100) + " records are not read");
      });
    });
  }

  void add_kernel() {
    Event kernel;
    if (!event(kernel)) return;
    into_.add_kernel(
        kernel, name_of_kernel("dispatch_info.kernel_id"),
        {device_of("dispatch_info.agent_id.handle"), record_.integer("dispatch_info.queue_id.handle").value_or(-1),
         record_.integer("stream_id.handle").value_or(-1)},
        sizes_in("dispatch_info."));
  }

  /// Of a launch that `info` describes.
  std::optional<LaunchSizes> sizes_in(const std::string& info) {
    const auto sizes = [&](const std::string& of) {
      const auto size = [&](const char* axis) { return record_.integer(info + of + axis).value_or(0); };
      return std::array<int64_t, 3>{size(".x"), size(".y"), size(".z")};
    };
    return sizes_of_items(sizes("grid_size"), sizes("workgroup_size"));
  }

  void add_copy() {
    static constexpr std::array<std::string_view, 5> kDirections = {"NONE", "HOST_TO_HOST", "HOST_TO_DEVICE",
                                                                    "DEVICE_TO_HOST", "DEVICE_TO_DEVICE"};
    Event copy;
    if (!event(copy)) return;
    const auto operation = record_.integer("operation").value_or(0);
    const bool known = operation > 0 && operation < static_cast<int64_t>(kDirections.size());
    into_.add_copy(copy, kDirections[known ? static_cast<size_t>(operation) : 0], device_of("src_agent_id.handle"),
                   device_of("dst_agent_id.handle"), record_.integer("stream_id.handle").value_or(-1),
                   record_.integer("bytes").value_or(-1));
  }

  void add_call(std::string_view domain) {
    Event call;
    if (!event(call)) return;
    const auto kind = record_.integer("kind").value_or(0);
    const auto operation = record_.integer("operation").value_or(0);
    const uint64_t key = static_cast<uint64_t>(kind) << 32 | static_cast<uint32_t>(operation);
    const auto mark = static_cast<uint64_t>(call.correlation);
    const StringId name = domain == "MARKER_API" && marks_.has(mark)
                              ? marks_.use(mark, "")
                              : functions_.use(key, std::string(domain) + " " + std::to_string(operation));
    into_.add_call(call, domain, name, std::string(record_.text("thread_id")));
  }

  void read_counted() {
    json_.each_member([&](std::string_view key) {
      if (json_.next() != Token::begin_array || key != "counter_collection") return json_.skip();
      each_record([&] { add_counted(); });
    });
  }

  void add_counted() {
    Event when;
    if (!event(when, "dispatch_data.")) return;
    ++run_.events.counters;
    const std::string info = "dispatch_data.dispatch_info.";
    CountedLaunch description;
    description.process = process_;
    description.dispatch = record_.integer(info + "dispatch_id").value_or(-1);
    description.kernel = run_.timeline.names[name_of_kernel(info + "kernel_id")];
    description.device = device_of(info + "agent_id.handle");
    description.queue = record_.integer(info + "queue_id.handle");
    description.registers = record_.integer("arch_vgpr_count");
    description.shared_bytes = record_.integer("lds_block_size_v");
    description.set_duration(when.start, when.end);
    description.sizes = sizes_in(info);
    ProfiledLaunch& launch = into_.launch(description);
    for (const auto& [counter, value] : values_) {
      const auto name = counters_.find(counter);
      into_.add_counter(launch, "counters",
                        name == counters_.end() ? "counter " + std::to_string(counter) : name->second, value);
    }
  }

  /// Gives what came before its name the name.
  void rename(SliceIndex first) {
    std::unordered_map<StringId, StringId> found = kernels_.replacements();
    found.merge(functions_.replacements());
    if (found.empty()) return;
    auto& names = run_.timeline.slices.name;
    for (size_t i = first; i < names.size(); ++i) {
      const auto at = found.find(names[i]);
      if (at != found.end()) names[i] = at->second;
    }
  }

  JsonReader& json_;
  Assembler& into_;
  Run& run_;
  std::string process_;
  Record record_;
  std::vector<std::pair<int64_t, double>> values_;  // of counters, of the record
  LateNames kernels_;                               // by kernel id
  LateNames functions_;                             // by kind and operation
  LateNames marks_;                                 // by correlation id
  std::unordered_map<int64_t, std::string> counters_;
  std::unordered_map<int64_t, int32_t> devices_;  // by the agent's handle
};

}  // namespace

bool is_json_results(std::string_view head) {
  head = trim_json(head);
  if (!head.starts_with('{')) return false;
  head = trim_json(head.substr(1));
  return head.starts_with("\"rocprofiler-sdk-tool\"");
}

void read_json_results(TextSource& source, const std::string& file, Assembler& assembler) {
  JsonReader json(source);
  int64_t processes = 0;
  if (json.next() == Token::begin_object) {
    json.each_member([&](std::string_view key) {
      if (json.next() != Token::begin_array || key != "rocprofiler-sdk-tool") return json.skip();
      json.each_object([&] { ProcessReader(json, assembler, ++processes).read(); });
    });
  }
  if (processes == 0) {
    throw Error(file, json.damage().empty() ? "holds no results of rocprofv3" : json.damage());
  }
  json.note_end(assembler.run.notes);
  if (!source.damage().empty()) assembler.run.notes.add("truncated_input", 1, source.damage(), true);
}

}  // namespace cgpu::rocprof
