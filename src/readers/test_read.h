// For tests of readers: one built input, read as the program reads it.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/test_file.h"
#include "readers/reader.h"

namespace cgpu::test {

inline Run read_file(const std::string& path, unsigned threads = 1) {
  return std::move(open_inputs({path}, {threads, "", {}}).runs.front());
}

/// Of a file with this content, which is JSON unless its name ends otherwise.
inline Run read_text(std::string_view content, unsigned threads = 2, const std::string& ending = ".json") {
  const TestFile file(content, ending);
  return read_file(file.path(), threads);
}

/// How many events are said to have become something, or to have been skipped: as many as were read.
inline int64_t accounted(const Run& run) {
  const EventCounts& e = run.events;
  return e.slices + e.ends + e.instants + e.samples + e.memory + e.counters + e.flows + e.metadata + e.skipped;
}

}  // namespace cgpu::test
