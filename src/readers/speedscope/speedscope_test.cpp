#include "readers/speedscope/speedscope.h"

#include <gtest/gtest.h>

#include <tuple>

#include "base/error.h"
#include "base/test_file.h"
#include "readers/reader.h"
#include "readers/test_read.h"

namespace cgpu::speedscope {
namespace {

using Slice = std::tuple<std::string, int64_t, int64_t>;  // name, start, duration

Run read(const std::string& text) {
  const test::TestFile file(text);
  return std::move(open_inputs({file.path()}, {}).runs.front());
}

std::string document(const std::string& profiles, const std::string& frames = R"([{"name":"a"},{"name":"b"}])") {
  return R"({"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":)" + frames +
         R"(},"profiles":[)" + profiles + "]}";
}

std::string evented(const std::string& events, const std::string& unit = "microseconds") {
  return R"({"type":"evented","name":"p","unit":")" + unit + R"(","startValue":0,"endValue":100,"events":[)" + events +
         "]}";
}

std::vector<Slice> slices_of(const Run& run) {
  std::vector<Slice> slices;
  for (SliceIndex i = 0; i < run.timeline.slices.size(); ++i) {
    slices.emplace_back(run.timeline.name(i), run.timeline.slices.start[i], run.timeline.slices.duration[i]);
  }
  return slices;
}

TEST(Speedscope, EventsAreCallsThatNest) {
  const auto run = read(document(evented(R"({"type":"O","frame":0,"at":1.5},{"type":"O","frame":1,"at":2},
      {"type":"C","frame":1,"at":2.0005},{"type":"C","frame":0,"at":1e1})")));
  EXPECT_EQ(run.format, "speedscope");
  EXPECT_EQ(slices_of(run), (std::vector<Slice>{{"a", 1500, 8500}, {"b", 2000, 0}}));  // 2000.5 ns, half to even
  ASSERT_TRUE(run.call_tree);
  EXPECT_EQ(inclusive_value(*run.call_tree, 0, 1), 8500);
  EXPECT_EQ(run.call_tree->metrics[0].unit, "ns");
  EXPECT_EQ(run.call_tree->profiles.front().name, "p");
  EXPECT_EQ(run.events.read, test::accounted(run));
}

TEST(Speedscope, KeysMayComeInAnyOrder) {
  const auto run = read(R"({"profiles":[{"events":[{"at":0,"frame":0,"type":"O"},{"at":3,"frame":0,"type":"C"}],
      "unit":"milliseconds","name":"p","type":"evented"}],"name":"n","exporter":"speedscope@1.2.3",
      "shared":{"more":[{}],"frames":[{"file":"f.c","line":12,"name":"_Z1fv"}]}})");
  EXPECT_EQ(slices_of(run), (std::vector<Slice>{{"f()", 0, 3000000}}));
  EXPECT_EQ(run.call_tree->nodes.line[1], 12u);
  EXPECT_EQ(run.call_tree->names[run.call_tree->nodes.file[1]], "f.c");
}

TEST(Speedscope, SamplesInARowAreOneCall) {
  const auto run = read(document(R"({"type":"sampled","name":"p","unit":"seconds","startValue":10,"endValue":16,
      "samples":[[0,1],[0,1],[],[0],[0,1]],"weights":[1,1,1,2,1]})"));
  constexpr int64_t s = 1'000'000'000;
  EXPECT_EQ(slices_of(run),
            (std::vector<Slice>{{"a", 10 * s, 2 * s}, {"b", 10 * s, 2 * s}, {"a", 13 * s, 3 * s}, {"b", 15 * s, s}}));
  EXPECT_EQ(inclusive_values(*run.call_tree, 0), (std::vector<double>{6e9, 5e9, 3e9}));
}

TEST(Speedscope, WeightsThatAreNoTimesHaveNoTimeline) {
  const auto run = read(document(R"({"type":"sampled","name":"p","unit":"bytes","startValue":0,"endValue":9,
      "samples":[[0],[0,1]],"weights":[4.5,-2]})"));
  EXPECT_EQ(run.timeline.slices.size(), 0u);
  EXPECT_EQ(run.call_tree->metrics[0].unit, "B");
  EXPECT_EQ(inclusive_values(*run.call_tree, 0), (std::vector<double>{2.5, 2.5, -2}));
}

TEST(Speedscope, SeveralProfilesAreThreads) {
  const std::string one = R"({"type":"sampled","name":"x","unit":"nanoseconds","samples":[[0]],"weights":[1]})";
  const auto run = read(document(one + "," + one + "," + evented(R"({"type":"O","frame":1,"at":0})")));
  EXPECT_EQ(run.call_tree->profiles.size(), 3u);
  EXPECT_EQ(run.timeline.tracks.size(), 3u);
  EXPECT_EQ(run.call_tree->metrics.size(), 1u);
}

TEST(Speedscope, ProcessesAndThreadsOfPySpyAreNoFunctions) {
  const std::string frames = R"([{"name":"f"},{"name":"process 7:\"python a.py\"","file":"","line":0},
      {"name":"process 9:\"python -c \"a\"; b\"","file":"","line":0},{"name":"thread (91): load; er"},{"name":"g"}])";
  const std::string of_process = R"(","type":"sampled","unit":"seconds","startValue":0,"endValue":2)";
  const std::string profiles = R"({"name":"Process 7 Thread 71 \"MainThread\")" + of_process +
                               R"(,"samples":[[1,0],[1,0,4]],"weights":[1,1]},
      {"name":"Process 9 Thread 91 \"load; er\")" +
                               of_process + R"(,"samples":[[1,2,3,0,1],[1,2,3]],"weights":[1,1]},
      {"name":"Process 9 Thread 0x5C \"\")" +
                               of_process + R"(,"samples":[[1,2,0]],"weights":[1]},
      {"name":"Process of mine","type":"sampled","unit":"bytes","samples":[[1,0]],"weights":[5]})";
  const std::string text = document(profiles, frames);
  const std::string backwards = R"({"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[)" +
                                profiles + R"(],"shared":{"frames":)" + frames + "}}";
  for (const auto& run : {read(text), read(backwards)}) {
    std::vector<std::string> names;
    for (const CallProfile& profile : run.call_tree->profiles) names.push_back(profile.name);
    EXPECT_EQ(names, (std::vector<std::string>{"process 7 (python a.py) thread (71): MainThread",
                                               "process 9 (python -c \"a\"; b) thread (91): load; er",
                                               "process 9 (python -c \"a\"; b) thread (0x5C)", "Process of mine"}));
    constexpr int64_t s = 1'000'000'000;
    EXPECT_EQ(slices_of(run), (std::vector<Slice>{{"f", 0, 2 * s},
                                                  {"g", s, s},
                                                  {"f", 0, s},
                                                  {"process 7:\"python a.py\"", 0, s},  // called by a function
                                                  {"f", 0, s}}));
    EXPECT_EQ(inclusive_values(*run.call_tree, 0), (std::vector<double>{5e9, 4e9, 1e9, 1e9}));
    EXPECT_EQ(inclusive_values(*run.call_tree, 1)[1], 5) << "the same function where samples weigh bytes";
    ASSERT_EQ(run.timeline.tracks.size(), 3u);
    const Track& track = run.timeline.tracks[1];
    EXPECT_EQ(std::tie(track.process, track.process_name, track.thread, track.thread_name),
              std::make_tuple("9", "python -c \"a\"; b", "91", "load; er"));
    EXPECT_EQ(run.events.read, test::accounted(run));
    EXPECT_TRUE(run.notes.all().empty());
  }
}

TEST(Speedscope, BrokenRulesAreNoted) {
  // A return of what is not innermost, of what was not called, a call without a return, and a step back in time.
  const auto run = read(document(evented(R"({"type":"O","frame":0,"at":0},{"type":"O","frame":1,"at":1},
      {"type":"C","frame":0,"at":5},{"type":"C","frame":1,"at":6},{"type":"O","frame":1,"at":4})")));
  EXPECT_EQ(slices_of(run), (std::vector<Slice>{{"a", 0, 5000}, {"b", 1000, 4000}, {"b", 6000, 94000}}));
  EXPECT_EQ(run.notes.count("unmatched_end"), 3);
  EXPECT_EQ(run.notes.count("unsorted"), 1);
  EXPECT_EQ(run.events.skipped, 1);
  EXPECT_EQ(run.events.read, test::accounted(run));
}

TEST(Speedscope, NumbersAtTheirLimits) {
  for (const char* at : {"1e400", "-1e400", "99999999999999999999999999", "9223372036854775807", "1e-400", "-5",
                         "0.00000000000000000000000000000000000000000000001", "null", "\"7\""}) {
    for (const char* unit : {"none", "nanoseconds", "seconds", "bytes", "x"}) {
      const auto run = read(document(evented(
          std::string(R"({"type":"O","frame":0,"at":)") + at + R"(},{"type":"C","frame":4294967295,"at":1})", unit)));
      EXPECT_EQ(run.events.read, test::accounted(run));
    }
  }
  const auto run = read(document(R"({"type":"sampled","name":"p","unit":"seconds","samples":[[0,9,4294967295,-1,1.5]],
      "weights":[1]})"));
  EXPECT_EQ(run.notes.count("invalid_number"), 3);
  EXPECT_EQ(run.notes.count("damaged_input"), 1);  // frame 9
}

TEST(Speedscope, CutAnywhere) {
  const std::string whole = document(evented(R"({"type":"O","frame":0,"at":0},{"type":"O","frame":1,"at":1},
      {"type":"C","frame":1,"at":5},{"type":"C","frame":0,"at":6})") +
                                     R"(,{"type":"sampled","name":"q","unit":"seconds","samples":[[0,1],[0]],
      "weights":[1,2]})");
  int read_some = 0;
  for (size_t size = 0; size < whole.size(); ++size) {
    try {
      const auto run = read(whole.substr(0, size));
      EXPECT_GT(run.notes.count("truncated_input"), 0) << size;
      EXPECT_EQ(run.events.read, test::accounted(run));
      ++read_some;
    } catch (const Error&) {
    }
  }
  EXPECT_GT(read_some, 100);
}

TEST(Speedscope, OtherDocumentsAreNotTaken) {
  const auto is = [](const std::string& head) { return is_profile({"x", false, nullptr, head}); };
  EXPECT_TRUE(is(document("")));
  EXPECT_FALSE(is(R"({"traceEvents":[]})"));
  EXPECT_FALSE(is("speedscope.app/file-format-schema"));
  EXPECT_THROW(read(document("")), Error);
  EXPECT_THROW(read(document(R"({"type":"other"})")), Error);
}

}  // namespace
}  // namespace cgpu::speedscope
