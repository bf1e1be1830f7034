#include "readers/memory_timeline/memory_timeline.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "base/decimal.h"
#include "base/error.h"
#include "base/json_text.h"
#include "model/time_range.h"
#include "readers/common/input.h"
#include "readers/common/json_reader.h"

namespace cgpu::memory_timeline {

namespace {

using Token = JsonReader::Token;

constexpr int kCategories = 8;
constexpr std::array<const char*, kCategories> kCategoryNames = {
    "parameter", "optimizer state", "input", "temporary", "activation", "gradient", "autograd detail", "unknown"};
enum Action : int64_t { existed = 1, created = 2, changed = 3, destroyed = 4 };
constexpr int64_t kYear2001 = 1'000'000'000'000'000'000;

// ---------------------------------------------------------------- recognition

/// Reads integers of the head, as far as it goes.
class Head {
 public:
  explicit Head(std::string_view text) : text_(text) {}
  bool take(char c) {
    skip_space();
    if (text_.empty() || text_[0] != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool take(int64_t& number) {
    skip_space();
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
    if (error != std::errc()) return false;
    text_.remove_prefix(static_cast<size_t>(end - text_.data()));
    return true;
  }
  bool ended() {
    skip_space();
    return text_.empty();
  }

 private:
  void skip_space() {
    while (!text_.empty() && is_json_space(text_[0])) text_.remove_prefix(1);
  }
  std::string_view text_;
};

/// [time, action, bytes, category]
bool is_row(const std::vector<int64_t>& row) {
  return row.size() == 4 && row[1] >= existed && row[1] <= destroyed && row[3] >= 0 && row[3] < kCategories;
}

// ---------------------------------------------------------------- reading

class Reader {
 public:
  Reader(const Input& input, Run& run) : input_(input), json_(*input.source), run_(run) {
    for (const char* category : kCategoryNames) {
      run.timeline.counters.tracks.push_back({"memory", std::string("bytes of ") + category});
    }
  }

  void read() {
    if (json_.next() != Token::begin_array || json_.next() != Token::begin_array) fail();
    std::vector<int64_t> first = numbers();
    Token token = json_.next();
    bool summed = false;
    if (token == Token::begin_array) {
      token = json_.next();
      summed = token == Token::begin_array || (token == Token::end_array && !is_row(first));
    }
    if (summed) {
      run_.format_version = "timeline";
      read_sums(first, token);
    } else {
      run_.format_version = "raw timeline";
      add_row(first);
      if (token != Token::end_array && token != Token::end) add_row(numbers(token));
      json_.each_element([&](Token element) {
        if (element == Token::begin_array) {
          add_row(numbers());
        } else {
          json_.skip();
          skip_event();
        }
      });
    }
    finish();
  }

 private:
  [[noreturn]] void fail() const { throw Error(input_.path, "is not a memory timeline of the PyTorch profiler"); }

  /// The integers up to the end of the array, whose first token may have been read; what is none makes the row empty.
  std::vector<int64_t> numbers(std::optional<Token> before = {}) {
    std::vector<int64_t> row;
    bool sound = true;
    for (Token token = before ? *before : json_.next(); token != Token::end_array && token != Token::end;
         token = json_.next()) {
      std::optional<int64_t> value;
      if (token == Token::number) {
        const auto decimal = Decimal::parse(json_.text());
        if (decimal && decimal->exponent >= 0) value = decimal->scaled(0);
      } else {
        json_.skip();
      }
      sound = sound && value.has_value();
      row.push_back(value.value_or(0));
    }
    if (!sound) row.clear();
    return row;
  }

  void skip_event() {
    ++run_.events.read;
    ++run_.events.skipped;
    run_.notes.add("skipped_event", 1, "rows of the memory timeline that are not [time, action, bytes, category]");
  }

  void add_row(const std::vector<int64_t>& row) {
    if (!is_row(row) || row[0] >= kMostTime || row[0] < -1) {
      if (!json_.damage().empty()) return;  // the row at which the text ends
      return skip_event();
    }
    const int64_t time = row[0];
    const int64_t bytes = row[2];
    if (time >= 0) first_ = std::min(first_, time);
    ++run_.events.read;
    ++run_.events.memory;
    add_bytes(time, static_cast<size_t>(row[3]), bytes);
    if (row[1] == changed) return;  // from one category to another
    allocate(time, bytes);
  }

  void add_bytes(int64_t time, size_t category, int64_t bytes) {
    int64_t& level = levels_[category];
    if (__builtin_add_overflow(level, bytes, &level)) return overflow();
    sample(time, category, level);
  }
  void sample(int64_t time, size_t category, int64_t level) {
    Counters& counters = run_.timeline.counters;
    counters.track.push_back(static_cast<uint32_t>(category));
    counters.time.push_back(time);
    counters.value.push_back(static_cast<double>(level));
  }
  void allocate(int64_t time, int64_t bytes) {
    if (__builtin_add_overflow(total_, bytes, &total_)) return overflow();
    MemoryEvent event;
    event.time = time;
    event.bytes = bytes;
    event.total_allocated = total_;
    event.device = 0;
    run_.timeline.memory.push_back(event);
  }
  void overflow() { run_.notes.add("invalid_number", 1, "sizes whose sum does not fit into 64 bits"); }

  /// [[time in us, ...], [[0, bytes by category...], ...]]; the first token of the second array has been read.
  void read_sums(const std::vector<int64_t>& times, Token token) {
    size_t at = 0;
    for (; token == Token::begin_array; token = json_.next(), ++at) {
      const std::vector<int64_t> sizes = numbers();
      if (at >= times.size() || sizes.size() != kCategories + 1 || times[at] < 0 || times[at] > kMostTime / 1000) {
        if (json_.damage().empty()) skip_event();
        continue;
      }
      const int64_t time = times[at] * 1000;
      first_ = std::min(first_, time);
      ++run_.events.read;
      ++run_.events.memory;
      int64_t total = 0;
      bool fits = true;
      for (size_t category = 0; category < kCategories; ++category) {
        const int64_t bytes = sizes[category + 1];
        fits = fits && !__builtin_add_overflow(total, bytes, &total);
        if (bytes != levels_[category]) sample(time, category, bytes);
        levels_[category] = bytes;
      }
      int64_t change = 0;
      if (!fits || __builtin_sub_overflow(total, total_, &change)) {
        overflow();
      } else if (change != 0) {
        allocate(time, change);
      }
    }
    run_.notes.add("skipped_event", static_cast<int64_t>(times.size() > at ? times.size() - at : 0),
                   "times of the memory timeline without sizes", true);
    run_.notes.add("summed_allocations", 1,
                   "the memory timeline holds sums by microsecond: what was allocated and released within one is not "
                   "seen");
  }

  void finish() {
    Timeline& timeline = run_.timeline;
    // What was there before the recording is shown at its first moment.
    if (first_ == INT64_MAX) first_ = 0;
    for (MemoryEvent& event : timeline.memory) event.time = event.time < 0 ? first_ : event.time;
    for (int64_t& time : timeline.counters.time) time = time < 0 ? first_ : time;
    run_.clock_is_unix = first_ > kYear2001;
    run_.notes.add("unknown_device", timeline.memory.empty() ? 0 : 1,
                   "the memory timeline does not name its device: it is shown as device 0");
    const std::string damage = input_.source->damage().empty() ? json_.damage() : input_.source->damage();
    if (!damage.empty()) run_.notes.add("truncated_input", 1, damage, true);
    json_.note_trailing_data(run_.notes);
    run_.input_bytes = input_.source->stored_bytes();
    run_.text_bytes = input_.source->text_position();
  }

  const Input& input_;
  JsonReader json_;
  Run& run_;
  std::array<int64_t, kCategories> levels_{};
  int64_t total_ = 0;
  int64_t first_ = INT64_MAX;
};

}  // namespace

bool is_timeline(const Input& input) {
  if (!input.source) return false;
  Head head(input.head);
  if (!head.take('[') || !head.take('[')) return false;
  std::vector<int64_t> row;
  for (int64_t number = 0; head.take(number);) {
    row.push_back(number);
    if (!head.take(',')) break;
  }
  if (row.empty()) return false;
  if (head.ended()) return row.size() > 4;  // many times, and nothing but times
  if (!head.take(']')) return false;
  if (is_row(row) && (head.take(']') || head.ended())) return true;
  if (!head.take(',')) return is_row(row) && head.ended();
  if (!head.take('[')) return is_row(row) && head.ended();
  if (head.take('[')) {
    int64_t number = 0;
    return head.ended() || (head.take(number) && number == 0);
  }
  return is_row(row);
}

Run read_timeline(const Input& input, const ReadOptions&) {
  Run run = new_run(input.path, "torch-memory");
  Reader(input, run).read();
  return run;
}

}  // namespace cgpu::memory_timeline
