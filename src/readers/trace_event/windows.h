// Cuts the text of a trace's events into windows of about 1 MB that hold whole events.
//
// A cut is made at `}` `,` `{` `"key"` `:` (white space between them free) where the key is one that begins an event.
// In valid JSON these bytes cannot be inside a string: the quote that opens the key would end it. They can be
// between two objects of an array inside an event's arguments; then the window before the cut does not parse, which
// the caller finds out, and it joins the two again (repairing_parser.h). Searching backwards from the end of a window
// costs a few hundred bytes a megabyte. Memory: one window a thread, plus one event.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_source.h"

namespace cgpu::trace_event {

inline constexpr size_t kWindowBytes = size_t{1} << 20;
/// A single event, or what follows the events, beyond this is not kept in memory.
inline constexpr size_t kMaxWindowBytes = size_t{64} << 20;

/// '[' + events + ']' + padding, as simdjson wants it.
struct Window {
  std::vector<char> buffer;
  size_t size = 0;      // bytes of text, without brackets
  uint64_t offset = 0;  // of the text in the input
  uint64_t number = 0;  // counts up from 0
  bool last = false;

  std::string_view text() const { return {buffer.data() + 1, size}; }
  std::string_view bracketed() const { return {buffer.data(), size + 2}; }
};

/// Position of the `{` of the last event that begins behind a `},` in `text`, or npos.
size_t last_event_boundary(std::string_view text);
/// Position of the `{` of the first event that begins behind a `},` at or after `from`, or npos.
size_t next_event_boundary(std::string_view text, size_t from);

/// Not thread-safe: callers take turns.
class WindowReader {
 public:
  /// `start`: text already read, beginning with the first event, at `offset` in the input.
  WindowReader(TextSource& source, std::string start, uint64_t offset)
      : source_(source), carry_(std::move(start)), offset_(offset) {}

  /// Fills `window`, reusing its buffer. False after the last one.
  bool next(Window& window);

 private:
  TextSource& source_;
  std::string carry_;  // read already, belongs to the next window
  uint64_t offset_;    // of the carry
  uint64_t number_ = 0;
  bool finished_ = false;
};

}  // namespace cgpu::trace_event
