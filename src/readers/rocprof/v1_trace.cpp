#include "readers/rocprof/v1_trace.h"

#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "base/decimal.h"
#include "base/error.h"
#include "base/json_text.h"
#include "readers/common/json_reader.h"

namespace cgpu::rocprof {

namespace {

using Token = JsonReader::Token;

constexpr size_t kMostArguments = 100;

class TraceReader {
 public:
  TraceReader(JsonReader& json, Assembler& into) : json_(json), into_(into) {}

  void read_event() {
    event_.clear();
    arguments_.clear();
    json_.each_member([&](std::string_view key) {
      const Token token = json_.next();
      if (key == "args" && token == Token::begin_object) {
        json_.each_member([&](std::string_view argument) { take(arguments_, argument, json_.next()); });
      } else {
        take(event_, key, token);
      }
    });
    if (event_.empty()) return;  // the list begins with an empty one
    ++into_.run.events.read;
    const std::string_view phase = text_of(event_, "ph");
    if (phase == "M") {
      ++into_.run.events.metadata;
      if (text_of(event_, "name") == "process_name")
        labels_[std::string(text_of(event_, "pid"))] = text_of(arguments_, "name");
    } else if (phase == "X") {
      add_slice();
    } else if (phase == "s" || phase == "t") {
      ++into_.run.events.flows;
    } else {
      into_.skip("skipped_event", "events of an unknown kind were left out");
    }
  }

 private:
  using Fields = std::map<std::string, std::string, std::less<>>;

  void take(Fields& fields, std::string_view key, Token token) {
    if (token != Token::string && token != Token::number) return json_.skip();
    if (fields.size() < kMostArguments) fields.emplace(key, json_.text());
  }

  static std::string_view text_of(const Fields& fields, std::string_view key) {
    const auto found = fields.find(key);
    return found == fields.end() ? std::string_view() : found->second;
  }

  static std::optional<int64_t> number(const Fields& fields, std::string_view key, int shift = 0) {
    const auto decimal = Decimal::parse(text_of(fields, key));
    return decimal ? decimal->scaled(shift) : std::nullopt;
  }

  /// The exact time of an end of the event, else what the trace shows, which is in whole microseconds.
  std::optional<Event> times() const {
    const auto exact_start = number(arguments_, "BeginNs");
    const auto exact_end = number(arguments_, "EndNs");
    Event event;
    event.process = text_of(arguments_, "pid");
    if (exact_start && exact_end) {
      event.start = *exact_start;
      event.end = *exact_end;
      return event;
    }
    const auto start = number(event_, "ts", 3);
    const auto duration = number(event_, "dur", 3);
    if (!start || !duration || __builtin_add_overflow(*start, *duration, &event.end)) return std::nullopt;
    event.start = *start;
    return event;
  }

  void add_slice() {
    const std::string_view name = text_of(event_, "name");
    const std::string_view label = text_of(labels_, text_of(event_, "pid"));
    const auto event = times();
    if (!event) return into_.skip("skipped_event", "records without a start and an end were left out");
    const std::string thread(text_of(event_, "tid"));
    if (label.starts_with("GPU")) {
      Place place;
      const std::string_view device = label.substr(3);
      std::from_chars(device.data(), device.data() + device.size(), place.device);
      place.queue = number(arguments_, "queue-id").value_or(-1);
      place.stream = number(arguments_, "stream-id").value_or(-1);
      if (const std::string_view direction = direction_of(name); !direction.empty()) {
        return into_.add_copy(*event, direction, place.device, place.device, place.stream, -1);
      }
      return into_.add_kernel(*event, into_.name(kernel_name(name)), place);
    }
    if (label == "COPY") {
      const std::string_view direction = direction_of(name);
      return into_.add_copy(*event, direction.empty() ? name : direction, 0, 0, -1, -1);
    }
    const char* domain = label == "CPU HIP API" ? "HIP_API" : label == "Markers and Ranges" ? "MARKER_API" : "HSA_API";
    into_.add_call(*event, domain, into_.name(name), thread);
  }

  /// "HOST_TO_DEVICE" of "hcCommandCopyHostToDevice"; "" of what is no copy.
  static std::string_view direction_of(std::string_view name) {
    if (name.find("Copy") == std::string_view::npos) return "";
    for (const auto& [spelling, direction] :
         {std::pair("HostToDevice", "HOST_TO_DEVICE"), std::pair("DeviceToHost", "DEVICE_TO_HOST"),
          std::pair("DeviceToDevice", "DEVICE_TO_DEVICE"), std::pair("HostToHost", "HOST_TO_HOST")}) {
      if (name.find(spelling) != std::string_view::npos) return direction;
    }
    return "";
  }

  JsonReader& json_;
  Assembler& into_;
  Fields event_;
  Fields arguments_;
  Fields labels_;  // of the processes of the trace, by their numbers
};

}  // namespace

bool is_v1_trace(std::string_view head) {
  const auto begins_with = [&](std::string_view token) {
    head = trim_json(head);
    if (!head.starts_with(token)) return false;
    head.remove_prefix(token.size());
    return true;
  };
  for (const std::string_view token : {"{", "\"traceEvents\"", ":", "[", "{", "}"}) {
    if (!begins_with(token)) return false;
  }
  // rpd2tracing begins so, too; its threads are called "Hip 4711".
  return head.find("\"sort_index\"") != std::string_view::npos && head.find("\"Hip ") == std::string_view::npos;
}

void read_v1_trace(TextSource& source, const std::string& file, Assembler& assembler) {
  JsonReader json(source);
  TraceReader reader(json, assembler);
  if (json.next() == Token::begin_object) {
    json.each_member([&](std::string_view key) {
      if (json.next() != Token::begin_array || key != "traceEvents") return json.skip();
      json.each_object([&] { reader.read_event(); });
    });
  }
  Run& run = assembler.run;
  if (run.events.read == 0) throw Error(file, json.damage().empty() ? "holds no events" : json.damage());
  run.notes.add("unread_flow", run.events.flows, "arrows from calls to what they started are not read");
  json.note_end(run.notes);
  if (!source.damage().empty()) run.notes.add("truncated_input", 1, source.damage(), true);
}

}  // namespace cgpu::rocprof
