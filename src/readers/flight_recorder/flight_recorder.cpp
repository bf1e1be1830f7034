#include "readers/flight_recorder/flight_recorder.h"

#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "base/contains.h"
#include "base/error.h"
#include "base/parse_number.h"
#include "readers/common/input.h"
#include "readers/common/json_reader.h"
#include "readers/common/pickle.h"
#include "readers/common/recorded_collectives.h"

namespace cgpu::flight_recorder {

namespace {

using Token = JsonReader::Token;

/// "[0, 1, 5]"; what is no list of numbers gives those before it.
std::vector<int64_t> ranks_of(std::string_view text) {
  std::vector<int64_t> ranks;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    int64_t rank = 0;
    const auto parsed = std::from_chars(at, end, rank);
    if (parsed.ec == std::errc()) ranks.push_back(rank);
    at = parsed.ptr == at ? at + 1 : parsed.ptr;
  }
  return ranks;
}

/// Texts and numbers of an entry, by their keys.
void set_text(RecordedCollective& entry, std::string_view key, std::string_view value) {
  if (key == "profiling_name") entry.name = value;
  if (key == "state") entry.state = value;
}

void set_number(RecordedCollective& entry, std::string_view key, int64_t value) {
  if (key == "collective_seq_id" || key == "seq_id") entry.sequence = value;
  if (key == "p2p_seq_id") entry.p2p_sequence = value;
  if (key == "pg_id" && entry.group.empty()) entry.group = std::to_string(value);
  if (key == "time_created_ns") entry.created = value;
  if (key == "time_discovered_started_ns") entry.started = value;
  if (key == "time_discovered_completed_ns") entry.completed = value;
}

/// Adds the elements of one tensor, by its sizes; -1 once they do not fit.
class Elements {
 public:
  void begin() { product_ = 1; }
  void size(int64_t value) {
    if (value < 0 || __builtin_mul_overflow(product_, value, &product_)) is_known_ = false;
  }
  void end() {
    if (__builtin_add_overflow(sum_, product_, &sum_)) is_known_ = false;
    any_ = true;
  }
  int64_t sum() const { return any_ && is_known_ ? sum_ : -1; }

 private:
  int64_t product_ = 1;
  int64_t sum_ = 0;
  bool is_known_ = true;
  bool any_ = false;
};

class JsonDump {
 public:
  JsonDump(TextSource& source, Run& run, RecordedCollectives& into) : json_(source), run_(run), into_(into) {}

  void read() {
    if (json_.next() != Token::begin_object) return;
    json_.each_member([&](std::string_view key) {
      const Token token = json_.next();
      if (key == "entries" && token == Token::begin_array) {
        json_.each_object([&] { read_entry(); });
      } else if (key == "pg_config" && token == Token::begin_object) {
        json_.each_member([&](std::string_view) { read_group(json_.next()); });
      } else if (key == "version" && token == Token::string) {
        run_.format_version = json_.text();
      } else {
        json_.skip();
      }
    });
    json_.note_end(run_.notes);
  }

 private:
  void read_group(Token token) {
    if (token != Token::begin_object) return json_.skip();
    ParallelGroup group;
    json_.each_member([&](std::string_view key) {
      if (json_.next() != Token::string) return json_.skip();
      if (key == "name") group.name = json_.text();
      if (key == "desc") group.description = json_.text();
      if (key == "ranks") group.ranks = ranks_of(json_.text());
    });
    group.size = group.ranks.empty() ? -1 : static_cast<int64_t>(group.ranks.size());
    into_.add_group(std::move(group));
  }

  void read_entry() {
    RecordedCollective entry;
    json_.each_member([&](std::string_view key) {
      const Token token = json_.next();
      if (key == "input_sizes" || key == "output_sizes") {
        (key == "input_sizes" ? entry.elements_in : entry.elements_out) = read_elements(token);
      } else if (token == Token::begin_array && (key == "process_group" || key == "input_dtypes")) {
        read_texts(key, entry);
      } else if (token == Token::string) {
        set_text(entry, key, json_.text());
      } else if (token == Token::number && key == "duration_ms") {
        entry.duration_ms = parse_number<double>(json_.text());
      } else if (token == Token::number) {
        if (const auto value = parse_number<int64_t>(json_.text())) set_number(entry, key, *value);
      } else if (token == Token::literal && key == "is_p2p") {
        entry.is_p2p = json_.text() == "true";
      } else {
        json_.skip();
      }
    });
    into_.add(std::move(entry));
  }

  /// ["0", "default_pg"], or the types of the inputs, of which the first counts.
  void read_texts(std::string_view key, RecordedCollective& entry) {
    const bool of_group = key == "process_group";
    size_t place = 0;
    json_.each_element([&](Token token) {
      if (token == Token::string) {
        if (place == 0) (of_group ? entry.group : entry.type) = json_.text();
        if (place == 1 && of_group) entry.purpose = json_.text();
      } else {
        json_.skip();
      }
      ++place;
    });
  }

  int64_t read_elements(Token token) {
    Elements elements;
    if (token != Token::begin_array) {
      json_.skip();
      return -1;
    }
    json_.each_element([&](Token tensor) {
      if (tensor != Token::begin_array) return json_.skip();
      elements.begin();
      json_.each_element([&](Token size) {
        const auto value = size == Token::number ? parse_number<int64_t>(json_.text()) : std::nullopt;
        if (size != Token::number) json_.skip();
        elements.size(value.value_or(-1));
      });
      elements.end();
    });
    return elements.sum();
  }

  JsonReader json_;
  Run& run_;
  RecordedCollectives& into_;
};

class PickledDump {
 public:
  PickledDump(const std::string& bytes, Run& run, RecordedCollectives& into) : pickle_(bytes), run_(run), into_(into) {}

  void read() {
    const PickleValue& root = pickle_.root();
    if (const PickleValue* version = pickle_.find(root, "version")) run_.format_version = pickle_.text(*version);
    if (const PickleValue* groups = pickle_.find(root, "pg_config")) read_groups(*groups);
    if (const PickleValue* entries = pickle_.find(root, "entries")) {
      for (const PickleValue& entry : pickle_.elements(*entries)) read_entry(entry);
    }
    run_.notes.add("refused_object", pickle_.refused(),
                   "objects of classes in the pickle were passed over: nothing in it is executed");
    if (!pickle_.damage().empty()) run_.notes.add("truncated_input", 1, pickle_.damage(), true);
    if (const auto place = pickle_.trailing()) note_trailing_data(run_.notes, *place);
  }

 private:
  std::string text(const PickleValue& record, std::string_view key) const {
    const PickleValue* value = pickle_.find(record, key);
    return value == nullptr ? "" : std::string(pickle_.text(*value));
  }

  void read_groups(const PickleValue& groups) {
    const std::vector<PickleValue>& elements = pickle_.elements(groups);
    for (size_t i = 1; i < elements.size(); i += 2) {  // keys and values in turn
      ParallelGroup group;
      group.name = text(elements[i], "name");
      group.description = text(elements[i], "desc");
      group.ranks = ranks_of(text(elements[i], "ranks"));
      group.size = group.ranks.empty() ? -1 : static_cast<int64_t>(group.ranks.size());
      into_.add_group(std::move(group));
    }
  }

  void read_entry(const PickleValue& record) {
    static constexpr std::array<std::string_view, 2> kTexts{"profiling_name", "state"};
    static constexpr std::array<std::string_view, 7> kNumbers{"pg_id",
                                                              "collective_seq_id",
                                                              "seq_id",
                                                              "p2p_seq_id",
                                                              "time_created_ns",
                                                              "time_discovered_started_ns",
                                                              "time_discovered_completed_ns"};
    RecordedCollective entry;
    for (const std::string_view key : kTexts) set_text(entry, key, text(record, key));
    if (const PickleValue* group = pickle_.find(record, "process_group")) {
      const std::vector<PickleValue>& names = pickle_.elements(*group);
      if (!names.empty()) entry.group = pickle_.text(names[0]);
      if (names.size() > 1) entry.purpose = pickle_.text(names[1]);
    }
    for (const std::string_view key : kNumbers) {
      const PickleValue* value = pickle_.find(record, key);
      const auto number = value == nullptr ? std::nullopt : pickle_.integer(*value);
      if (number) set_number(entry, key, *number);
    }
    const PickleValue* duration = pickle_.find(record, "duration_ms");
    if (duration != nullptr && duration->type == PickleValue::Type::real) entry.duration_ms = duration->real;
    const PickleValue* p2p = pickle_.find(record, "is_p2p");
    entry.is_p2p = p2p != nullptr && pickle_.integer(*p2p).value_or(0) != 0;
    const PickleValue* types = pickle_.find(record, "input_dtypes");
    if (types != nullptr && !pickle_.elements(*types).empty()) entry.type = pickle_.text(pickle_.elements(*types)[0]);
    entry.elements_in = elements_of(record, "input_sizes");
    entry.elements_out = elements_of(record, "output_sizes");
    into_.add(std::move(entry));
  }

  int64_t elements_of(const PickleValue& record, std::string_view key) const {
    const PickleValue* sizes = pickle_.find(record, key);
    Elements elements;
    if (sizes == nullptr) return -1;
    for (const PickleValue& tensor : pickle_.elements(*sizes)) {
      elements.begin();
      for (const PickleValue& size : pickle_.elements(tensor)) elements.size(pickle_.integer(size).value_or(-1));
      elements.end();
    }
    return elements.sum();
  }

  Pickle pickle_;
  Run& run_;
  RecordedCollectives& into_;
};

bool is_pickle(std::string_view head) {
  return head.size() > 2 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5;
}

}  // namespace

bool is_dump(const Input& input) {
  if (!input.source) return false;
  const std::string_view head = input.head;
  if (is_pickle(head)) return contains(head, "profiling_name") || contains(head, "pg_config");
  const size_t first = head.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || head[first] != '{') return false;
  const bool has_entries = contains(head, "\"entries\"") && contains(head, "\"profiling_name\"");
  return has_entries || (contains(head, "\"pg_config\"") && contains(head, "\"pg_status\""));
}

Run read_dump(const Input& input, const ReadOptions&) {
  Run run = new_run(input.path, "flight-recorder");
  run.clock_is_unix = true;
  RecordedCollectives collectives(run);
  if (is_pickle(input.head)) {
    PickledDump(read_pickle(*input.source, run.notes), run, collectives).read();
  } else {
    JsonDump(*input.source, run, collectives).read();
  }
  if (collectives.empty()) throw Error(input.path, "is no dump of PyTorch's flight recorder that holds entries");
  collectives.finish();
  add_source(*input.source, run);
  return run;
}

}  // namespace cgpu::flight_recorder
