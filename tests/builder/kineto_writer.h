// Writes a Kineto trace (the Chrome JSON that PyTorch's profiler exports) event by event.
//
// Layout, key order and number format are those of Kineto's own writer. The text goes through one buffer of a
// megabyte, so that a trace of any size is written in constant memory. For malformed and unusual traces, event()
// takes any members in any order and raw() any text at all.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "random.h"
#include "sink.h"

namespace cgpu::builder {

/// Text of JSON members: `"a": 1, "b": "x"`.
class Members {
 public:
  Members& clear() { return text_.clear(), *this; }
  template <std::integral T>
  Members& add(std::string_view key, T value) {
    return integer(key, static_cast<int64_t>(value));
  }
  Members& add(std::string_view key, std::string_view text);  // written as a string, escaped
  Members& add(std::string_view key, const char* text) { return add(key, std::string_view(text)); }
  Members& raw(std::string_view key, std::string_view json);  // any JSON value, or something that is none
  Members& splice(std::string_view members);                  // members already in this form
  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }

 private:
  Members& integer(std::string_view key, int64_t value);
  std::string& member(std::string_view key);
  std::string text_;
};

void append_integer(std::string& text, int64_t value);
/// `text` as a JSON string with its quotes.
void append_string(std::string& text, std::string_view value);

/// The row an event belongs to, as JSON values: a number, or a string with its quotes.
struct Row {
  std::string pid;
  std::string tid;
};

enum class TimeStyle {
  decimals,            // microseconds with three decimals, from baseTimeNanoseconds (since 2024)
  whole_microseconds,  // integer microseconds since 1970 (before 2024)
};

struct EventCounts {
  int64_t slices = 0;
  int64_t instants = 0;
  int64_t memory = 0;
  int64_t counters = 0;
  int64_t flows = 0;
  int64_t metadata = 0;
  int64_t total() const { return slices + instants + memory + counters + flows + metadata; }
};

class KinetoWriter {
 public:
  explicit KinetoWriter(Sink& sink, TimeStyle style = TimeStyle::decimals) : sink_(sink), style_(style) {}

  /// From here on events leave in random order within a window of `events`.
  void shuffle(size_t events, uint64_t seed);

  /// Opens the document: `{ header..., "traceEvents": [`, or just `[`.
  void begin(const Members& header);
  void begin_array();

  // Times in ns on the file's clock.
  void slice(std::string_view category, std::string_view name, const Row& row, int64_t start, int64_t duration,
             const Members& args);
  void flow(bool start, int64_t id, std::string_view category, std::string_view name, const Row& row, int64_t time);
  /// `scope`: "t" thread, "g" global. `category` may be empty.
  void instant(std::string_view category, std::string_view name, const Row& row, int64_t time, std::string_view scope,
               const Members& args);
  /// An allocator event: an instant named "[memory]".
  void memory(std::string_view category, const Row& row, int64_t time, const Members& args);
  void counter(std::string_view name, const Row& row, int64_t time, const Members& values);
  void metadata(std::string_view name, const Row& row, int64_t time, const Members& args);

  using Member = std::pair<std::string_view, std::string_view>;  // key, JSON text
  /// An event of any members in any order. Not counted.
  void event(std::initializer_list<Member> members);
  /// Any text in the place of an event. Not counted.
  void raw(std::string_view text);

  /// Closes the document with the members that follow traceEvents.
  void end(const Members& footer = {});
  /// Closes a document that begin_array() opened.
  void end_array();
  /// Ends the text here: a truncated file.
  void stop();

  const EventCounts& counts() const { return counts_; }
  /// Start of the earliest slice so far, ns.
  int64_t first_slice() const { return first_slice_; }

 private:
  std::string& open();  // the text that the next event is appended to
  void close();         // that event is complete
  void time(std::string& text, int64_t ns) const;
  void row_and_time(std::string& text, const Row& row, int64_t start) const;
  void args(std::string& text, const Members& members) const;
  void separate();
  void spill(bool all);
  void drain();

  Sink& sink_;
  TimeStyle style_;
  EventCounts counts_;
  int64_t first_slice_ = INT64_MAX;
  std::string buffer_;
  bool first_ = true;

  size_t window_ = 0;
  Random order_{0};
  std::vector<std::string> waiting_;
  std::string pending_;
};

}  // namespace cgpu::builder
