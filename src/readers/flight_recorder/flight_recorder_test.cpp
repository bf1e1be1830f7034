#include "readers/flight_recorder/flight_recorder.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/test_file.h"
#include "readers/common/test_pickle.h"
#include "readers/test_read.h"

namespace cgpu::flight_recorder {
namespace {

constexpr int64_t kEpoch = 1'700'000'000'000'000'000;

std::string at(int64_t ns) {
  return std::to_string(kEpoch + ns);
}
std::string json_entry(int64_t sequence, const std::string& state, const std::string& times,
                       const std::string& group = R"(["0", "default_pg"])") {
  return R"({"record_id": 7, "pg_id": 0, "process_group": )" + group + R"(, "collective_seq_id": )" +
         std::to_string(sequence) +
         R"(, "p2p_seq_id": 0, "profiling_name": "nccl:all_reduce", "input_sizes": [[4, 8], [2]], )"
         R"("input_dtypes": ["Float"], "output_sizes": [[4, 8], [2]], "is_p2p": false, "state": ")" +
         state + R"(", "frames": [{"name": "main", "line": 3}], )" + times + "}";
}
std::string json_dump(const std::string& entries) {
  return R"({"version": "2.10", "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 3, 5]"}}, )"
         R"("pg_status": {"0": {"last_completed_collective": 1}}, "entries": [)" +
         entries + "]}";
}

std::string json_example() {
  return json_dump(json_entry(1, "completed",
                              R"("time_created_ns": )" + at(0) + R"(, "time_discovered_started_ns": )" + at(100) +
                                  R"(, "time_discovered_completed_ns": )" + at(5'000'000) + R"(, "duration_ms": 0.5)") +
                   "," +
                   json_entry(2, "started",
                              R"("time_created_ns": )" + at(6'000'000) + R"(, "time_discovered_started_ns": )" +
                                  at(6'000'100) + R"(, "time_discovered_completed_ns": null, "duration_ms": null)") +
                   "," + json_entry(1, "scheduled", R"("time_created_ns": )" + at(9'000'000), R"(["3", "tp"])"));
}

std::string pickled_example() {
  using test::dictionary;
  using test::list;
  using test::number;
  using test::text;
  const auto entry = [](int64_t sequence, const std::string& state, const std::string& group,
                        const std::string& purpose, const std::string& times) {
    const std::string sizes = list(list(number(4) + number(8)) + list(number(2)));
    return dictionary(text("process_group") + list(text(group) + text(purpose)) + text("collective_seq_id") +
                      number(sequence) + text("profiling_name") + text("nccl:all_reduce") + text("input_sizes") +
                      sizes + text("output_sizes") + sizes + text("input_dtypes") + list(text("Float")) +
                      text("state") + text(state) + times);
  };
  const auto time = [](const char* key, int64_t ns) { return text(key) + number(kEpoch + ns); };
  const std::string first = time("time_created_ns", 0) + time("time_discovered_started_ns", 100) +
                            time("time_discovered_completed_ns", 5'000'000) + text("duration_ms") + "G\x3f\xe0" +
                            std::string(6, '\0');  // 0.5
  const std::string second = time("time_created_ns", 6'000'000) + time("time_discovered_started_ns", 6'000'100);
  return test::pickled(
      dictionary(text("version") + text("2.10") + text("pg_config") +
                 dictionary(text("0") + dictionary(text("name") + text("0") + text("desc") + text("default_pg") +
                                                   text("ranks") + text("[0, 3, 5]"))) +
                 text("entries") +
                 list(entry(1, "completed", "0", "default_pg", first) + entry(2, "started", "0", "default_pg", second) +
                      entry(1, "scheduled", "3", "tp", time("time_created_ns", 9'000'000)))));
}

TEST(FlightRecorder, JsonAndPickleGiveTheSameOps) {
  for (const std::string& bytes : {json_example(), pickled_example(), test::gzip(json_example())}) {
    const test::TestFile file(bytes, ".dump");
    const cgpu::Run run = test::read_file(file.path());
    EXPECT_EQ(run.format, "flight-recorder");
    EXPECT_EQ(run.format_version, "2.10");
    ASSERT_EQ(run.groups.size(), 1U);
    EXPECT_EQ(run.groups[0].ranks, (std::vector<int64_t>{0, 3, 5}));
    const Timeline& t = run.timeline;
    ASSERT_EQ(t.slices.size(), 3U);
    // The first ends when it was seen ended, and lasts as long as its events say.
    EXPECT_EQ(t.slices.start[0], kEpoch + 4'500'000);
    EXPECT_EQ(t.slices.duration[0], 500'000);
    EXPECT_EQ(t.slices.start[1], kEpoch + 6'000'100);
    EXPECT_EQ(t.slices.end(1), kEpoch + 9'000'000);  // the last time of the dump
    EXPECT_EQ(t.slices.duration[2], 0);
    EXPECT_EQ(t.slices.flags, (std::vector<uint8_t>{0, kNeverEnded, kNeverEnded}));
    EXPECT_EQ(t.tracks[t.slices.track[2]].thread_name, "group 3 (tp)");
    ASSERT_EQ(t.collectives.size(), 3U);
    EXPECT_EQ(t.names[t.collectives[1].name], "all_reduce");
    EXPECT_EQ(t.collectives[1].sequence, 2);
    EXPECT_EQ(t.collectives[1].elements_in, 34);
    EXPECT_EQ(t.names[t.collectives[1].type], "Float");
    EXPECT_EQ(t.kind(0), SliceKind::device_collective);
    EXPECT_EQ(run.notes.count("unfinished_collective"), 2);
    EXPECT_EQ(run.events.read, 3);
  }
}

TEST(FlightRecorder, DamageAndWhatIsMissing) {
  const std::string whole = json_example();
  const cgpu::Run cut = test::read_text(whole.substr(0, whole.size() - 200));
  EXPECT_GE(cut.timeline.slices.size(), 1U);
  EXPECT_EQ(cut.notes.count("truncated_input"), 1);
  const cgpu::Run timeless = test::read_text(json_dump(json_entry(1, "scheduled", R"("time_created_ns": null)") + "," +
                                                       json_entry(2, "scheduled", R"("time_created_ns": )" + at(1))));
  EXPECT_EQ(timeless.timeline.slices.size(), 1U);
  EXPECT_EQ(timeless.notes.count("skipped_event"), 1);
  EXPECT_THROW(test::read_text(json_dump("")), Error);
}

}  // namespace
}  // namespace cgpu::flight_recorder
