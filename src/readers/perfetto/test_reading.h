// For tests: reads built traces and says in a line what every slice became.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "readers/perfetto/perfetto.h"
#include "readers/perfetto/test_trace.h"

namespace cgpu::perfetto::test {

using Names = std::vector<std::string>;

inline Input input_of(const std::string& path) {
  Input input{path, false, open_text(path), std::string(65536, '\0')};
  input.head.resize(input.source->read_at(0, input.head.data(), input.head.size()));
  return input;
}

inline void check_laws(const Run& run) {
  EXPECT_EQ(run.events.slices, static_cast<int64_t>(run.timeline.slices.size()));
  const Slices& s = run.timeline.slices;
  for (size_t i = 0; i < s.size(); ++i) {
    ASSERT_GE(s.duration[i], 0);
    ASSERT_LT(s.track[i], run.timeline.tracks.size());
    ASSERT_LT(s.category[i], run.timeline.categories.size());
    ASSERT_LT(s.name[i], run.timeline.names.size());
  }
}

inline cgpu::Run read_bytes(std::string_view bytes) {
  const cgpu::test::TestFile file(bytes, ".pftrace");
  cgpu::Run run = read_trace(input_of(file.path()), {});
  check_laws(run);
  return run;
}
inline cgpu::Run read(const TraceWriter& trace) {
  cgpu::Run run = read_bytes(trace.bytes());
  // The reader adds up what it has counted; that none was lost, only the writer knows. Flows and more values of an
  // event count besides.
  EXPECT_GE(run.events.read, trace.events());
  return run;
}

/// "name start+duration process/thread kind" of every slice.
inline Names slices_of(const Run& run) {
  Names lines;
  const Timeline& t = run.timeline;
  for (SliceIndex i = 0; i < t.slices.size(); ++i) {
    const Track& track = t.tracks[t.slices.track[i]];
    lines.push_back(std::string(t.name(i)) + " " + std::to_string(t.slices.start[i]) + "+" +
                    std::to_string(t.slices.duration[i]) + " " + track.process + "/" + track.thread + " " +
                    text_of(t.kind(i)));
  }
  return lines;
}

inline std::map<std::string, std::string> arguments_of(const Run& run, SliceIndex slice) {
  std::map<std::string, std::string> found;
  for (const Argument& one : run.arguments->arguments(run.timeline.slices.source[slice])) {
    found[one.key] = (one.json ? "json " : "") + one.value;
  }
  return found;
}

inline TraceWriter with_thread() {
  TraceWriter trace;
  trace.track(process_track(1, 100, "python")).track(thread_track(2, 100, 101, "main"));
  return trace;
}

}  // namespace cgpu::perfetto::test
