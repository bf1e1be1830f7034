// Traces that `cgpu export` wrote, which say what the PyTorch profiler's dialect has no place for
// (model/export_marks.h): they are read back as the profile that they were made of, one run at a time.
//
// An event begins each run, and tells of it; where these events are is written at the end of the file, so that a
// plain file is read from there on. A compressed one is decompressed up to the run. What is between two such events
// goes the way of all trace events (event_parser.h), which reads a few members more then.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_source.h"
#include "readers/common/input.h"
#include "readers/trace_event/top_level.h"

namespace cgpu::trace_event {

/// The runs in an export; 0 for a trace that is none. Only the beginning is looked at.
size_t runs_of_export(const Input& input);
size_t runs_of_export(const TopLevel& top);

/// What the event that begins a run tells.
struct RunMark {
  uint64_t number = 0;
  std::string description;                                     // for read_run_description
  std::vector<std::vector<std::string>> tracks;                // the keys (batch.h) of the threads of each
  std::vector<std::string> counters;                           // the key of each
  std::map<std::string, std::string, std::less<>> categories;  // the profile's own, by the category that is written
};

/// The events of one run as a text of their own, up to the event that begins the next run.
class RunText final : public TextSource {
 public:
  /// `start` has been read of the source from the first event on, which is at `offset`.
  RunText(TextSource& source, std::string start, uint64_t offset, size_t number);

  /// None where the file has no such run, or ends within what tells of it.
  const std::optional<RunMark>& mark() const { return mark_; }
  /// Where in the source the mark is, and the next byte.
  uint64_t mark_position() const { return first_; }
  uint64_t position() const { return begin_ + at_; }
  /// Whether the event that begins the next run has been reached.
  bool is_followed() const { return ended_; }

  size_t read_at(uint64_t position, char* to, size_t size) override { return source_.read_at(position, to, size); }
  uint64_t stored_bytes() const override { return quick_ ? expected_end_ - first_ : source_.stored_bytes(); }
  uint64_t stored_position() const override { return quick_ ? position() - first_ : source_.stored_position(); }

 private:
  size_t read_next(char* to, size_t size) override;
  /// Reads the mark at the position that the file names for it, if it is there.
  bool jump(size_t number);
  /// Reads the mark that is next in the text.
  bool take_mark();
  /// Reads more of the text and forgets what has been given out. False at the end of the source.
  bool extend();
  /// Finds out how far the text is known to be of this run. False where nothing is left.
  bool advance();

  TextSource& source_;
  const bool quick_;
  std::string text_;     // from begin_ on
  uint64_t begin_ = 0;   // in the source
  size_t at_ = 0;        // what has been given out
  size_t safe_ = 0;      // what can be given out
  size_t searched_ = 0;  // where the search for the next mark goes on
  bool ended_ = false;   // the next mark has been found
  bool at_end_ = false;  // the source has ended
  uint64_t first_ = 0;   // of the mark
  uint64_t expected_end_ = 0;
  std::optional<RunMark> mark_;
};

}  // namespace cgpu::trace_event
