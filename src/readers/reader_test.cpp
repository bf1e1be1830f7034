// The reader of Kineto traces on hand-written files: every era, every key order, and what profilers are known to break.
#include "readers/reader.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.h"
#include "base/test_file.h"
#include "base/test_sanitized.h"
#include "readers/test_read.h"

namespace cgpu {
namespace {

using test::accounted;
using test::read_text;
using test::TestFile;

/// A trace with these events and header keys before them.
std::string trace(const std::string& events, const std::string& header = R"j("schemaVersion": 1)j") {
  return "{" + header + ", \"traceEvents\": [" + events + "]}";
}

std::string slice(const std::string& name, const std::string& ts, const std::string& dur,
                  const std::string& category = "cpu_op", const std::string& rest = "") {
  return R"j({"ph": "X", "cat": ")j" + category + R"j(", "name": ")j" + name + R"j(", "pid": 1, "tid": 2, "ts": )j" +
         ts + R"j(, "dur": )j" + dur + rest + "}";
}

std::vector<std::string> names(const cgpu::Run& run) {
  std::vector<std::string> all;
  for (SliceIndex i = 0; i < run.timeline.slices.size(); ++i) all.emplace_back(run.timeline.name(i));
  return all;
}

TEST(KinetoReader, TimesAreExactNanosecondsHoweverTheyAreWritten) {
  const cgpu::Run run = read_text(trace(slice("a", "1712195495519689.001", "0.999") + "," + slice("b", "100", "5") +
                                        "," + slice("c", "\"100.5\"", "\"2\"") + "," + slice("d", "1e2", "25e-1") +
                                        "," + slice("e", "-3.5", "1") + "," + slice("f", "0.0015", "0.0010") + "," +
                                        slice("g", "3999999999999993.0005", "0.0005")));
  const Slices& s = run.timeline.slices;
  ASSERT_EQ(s.size(), 7u);
  EXPECT_EQ(s.start,
            (std::vector<int64_t>{1712195495519689001, 100000, 100500, 100000, -3500, 2, 3999999999999993000}));
  EXPECT_EQ(s.duration, (std::vector<int64_t>{999, 5000, 2000, 2500, 1000, 0, 1}))
      << "end = round(start + duration), duration = end - start";
}

TEST(KinetoReader, WhatIsNoTimeIsCountedAndLeftOut) {
  const cgpu::Run run =
      read_text(trace(slice("ok", "1", "1") + "," + slice("x", "NaN", "1") + "," + slice("x", "1", "inf") + "," +
                      slice("x", "\"N/A\"", "1") + "," + slice("x", "99999999999999999999999", "1") + "," +
                      R"j({"ph":"X","name":"no ts","dur":1},{"ph":"X","name":"no dur","ts":1})j" + "," +
                      slice("negative", "5", "-2") + R"j(,{"ph":"?","ts":1})j"));
  EXPECT_EQ(names(run), (std::vector<std::string>{"ok", "negative"}));
  EXPECT_EQ(run.timeline.slices.duration[1], 0);
  EXPECT_EQ(run.events.read, 9);
  EXPECT_EQ(accounted(run), 9);
  EXPECT_EQ(run.notes.count("invalid_number"), 4);
  EXPECT_EQ(run.notes.count("negative_duration"), 1);
  EXPECT_EQ(run.notes.count("skipped_event"), 3);
}

TEST(KinetoReader, IdsThatDoNotFitLeaveTheirEventAlone) {
  const cgpu::Run run = read_text(trace(slice(
      "k", "1", "1", "kernel", R"j(, "args": {"correlation": 99999999999999999999, "stream": 7, "device": 3})j")));
  ASSERT_EQ(run.timeline.device_ops.size(), 1u);
  EXPECT_EQ(run.timeline.slices.correlation[0], kNoCorrelation);
  EXPECT_EQ(run.timeline.device_ops.stream[0], 7);
  EXPECT_EQ(run.timeline.device_ops.device[0], 3);
  EXPECT_EQ(run.notes.count("invalid_number"), 1);
}

TEST(KinetoReader, KeysInAnyOrderGiveTheSameRun) {
  const cgpu::Run usual = read_text(trace(
      R"j({"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":10,"dur":5,"args":{"stream":7,"device":0,"correlation":42}})j"));
  const cgpu::Run mixed = read_text(
      R"j({"traceEvents":[{"args":{"correlation":42,"device":0,"stream":7},"dur":5,"tid":7,"ts":10,"pid":0,"name":"gemm","cat":"kernel","ph":"X"}],)j"
      R"j("distributedInfo":{"rank":5,"world_size":8,"pg_config":[{"pg_name":"0","pg_size":8,"ranks":"[0, 5]"}]},"schemaVersion":1})j");
  for (const cgpu::Run* run : {&usual, &mixed}) {
    ASSERT_EQ(run->timeline.device_ops.size(), 1u);
    EXPECT_EQ(run->timeline.slices.correlation[0], 42);
    EXPECT_EQ(run->timeline.device_ops.stream[0], 7);
    EXPECT_EQ(run->format, "kineto");
  }
  EXPECT_EQ(mixed.rank, 5);
  EXPECT_EQ(mixed.world_size, 8);
  ASSERT_EQ(mixed.groups.size(), 1u);
  EXPECT_EQ(mixed.groups[0].ranks, (std::vector<int64_t>{0, 5}));
}

TEST(KinetoReader, CountersWithTheirPhaseBehindTheArguments) {
  const cgpu::Run run = read_text(trace(R"j({"args":{"GPU 0":1.5},"name":"power","ts":1,"pid":"c","ph":"C"},)j"
                                        R"j({"ph":"C","name":"u","pid":"c","ts":2,"args":{"a":"3","b":4}})j"));
  const Counters& counters = run.timeline.counters;
  EXPECT_EQ(run.events.counters, 2);
  ASSERT_EQ(counters.value, (std::vector<double>{1.5, 3, 4}));
  EXPECT_EQ(counters.tracks[0].name, "power");
  EXPECT_EQ(counters.tracks[1].name, "u a");
}

TEST(KinetoReader, BareArrayAndEraOf2021) {
  const cgpu::Run run = read_text(
      R"j([{"ph":"X","cat":"Operator","name":"aten::mm","pid":9,"tid":"9","ts":1,"dur":10},)j"
      R"j({"ph":"X","cat":"Operator","name":"enumerate(DataLoader)#_Next","pid":9,"tid":9,"ts":20,"dur":5},)j"
      R"j({"ph":"X","cat":"Operator","name":"Optimizer.step#SGD","pid":9,"tid":9,"ts":30,"dur":5},)j"
      R"j({"ph":"X","cat":"Kernel","name":"k","pid":0,"tid":"stream 7","ts":2,"dur":3,"args":{"external id":1,"correlation":4}},)j"
      R"j({"ph":"X","cat":"Memcpy","name":"Memcpy HtoD (Pageable -> Device)","pid":0,"tid":"stream 7","ts":6,"dur":1,"args":{"bytes":64}},)j"
      R"j({"ph":"X","cat":"Runtime","name":"cudaLaunchKernel","pid":9,"tid":"9","ts":1,"dur":1,"args":{"correlation":4}}])j");
  EXPECT_EQ(run.format, "kineto");
  EXPECT_EQ(run.timeline.kind(0), SliceKind::framework_op);
  EXPECT_EQ(run.timeline.kind(1), SliceKind::annotation);
  EXPECT_EQ(run.timeline.kind(2), SliceKind::annotation);
  ASSERT_EQ(run.timeline.device_ops.size(), 2u);
  EXPECT_EQ(run.timeline.device_ops.stream[0], 7) << "from the thread's name";
  EXPECT_EQ(run.timeline.device_ops.device[0], 0) << "from the process id";
  EXPECT_EQ(run.timeline.device_ops.copy[1], CopyKind::HtoD);
  EXPECT_EQ(run.timeline.device_ops.source[1], MemoryKind::pageable);
  EXPECT_EQ(run.timeline.device_ops.bytes[1], 64);
  EXPECT_EQ(run.timeline.slices.track[0], run.timeline.slices.track[5]) << "thread \"9\" is thread 9";
}

TEST(KinetoReader, DeviceOpsOfOtherVendors) {
  const cgpu::Run run = read_text(trace(
      slice("dma_request", "1", "1", "mtia_ccp_events") + "," + slice("fc-dtype_Float", "2", "1", "mtia_ccp_events") +
      "," + slice("Memcpy HtoD (Host -> Device)", "3", "1", "gpu_memcpy") + "," +
      slice("<gpu sync>", "4", "1", "kernel") + "," + slice("Context Sync", "5", "1", "cuda_sync")));
  ASSERT_EQ(run.timeline.device_ops.size(), 3u);
  EXPECT_EQ(run.timeline.kind(0), SliceKind::memcpy);
  EXPECT_EQ(run.timeline.kind(1), SliceKind::kernel);
  EXPECT_EQ(run.timeline.device_ops.source[2], MemoryKind::host);
}

TEST(KinetoReader, RepairsBrokenTextAndSaysSo) {
  const std::string good = slice("good", "1", "1");
  const cgpu::Run run = read_text(
      trace(good + ",\n" + slice("a \"quoted\" name", "2", "1") + ",\n" + slice("control \x01 byte", "3", "1") + ",\n" +
            slice("bad \xff utf-8", "4", "1") + ",\n" + slice("C:\\Users", "5", "1") + ",\n" + good));
  EXPECT_EQ(names(run), (std::vector<std::string>{"good", "a \"quoted\" name", "control   byte",
                                                  "bad \xef\xbf\xbd utf-8", "C:\\Users", "good"}));
  EXPECT_EQ(run.notes.count("invalid_text"), 3) << "a backslash that is no escape needs no repair";
  EXPECT_EQ(accounted(run), run.events.read);
}

TEST(KinetoReader, BrokenEventsDoNotTakeTheirNeighboursAlong) {
  const std::string good = slice("good", "1", "1");
  const cgpu::Run run =
      read_text(trace(good + ",\n{\"ph\": \"X\", \"name\" \"no colon\"},\n" + good + ",\n{\"ph\": },\n" + good));
  EXPECT_EQ(names(run), (std::vector<std::string>{"good", "good", "good"}));
  EXPECT_EQ(run.notes.count("damaged_input"), 2);
  EXPECT_EQ(run.events.read, 5);
}

TEST(KinetoReader, TokensThatAreNoJsonInArgumentsAreSteppedOver) {
  const cgpu::Run run =
      read_text(trace(slice("k", "1", "1", "kernel", R"j(, "args": {"blocks per SM": inf, "x": N/A, "stream": 5})j")));
  ASSERT_EQ(run.timeline.device_ops.size(), 1u);
  EXPECT_EQ(run.timeline.device_ops.stream[0], 5);
}

TEST(KinetoReader, TruncatedAnywhereGivesAPrefix) {
  std::string events;
  for (int i = 0; i < 20; ++i) {
    events += (i ? ",\n  " : "") + slice("op \\\"" + std::to_string(i), std::to_string(i * 10), "5", "cpu_op",
                                         R"j(, "args": {"x": [{"name": 1}, {"name": "}, {\"ph\":"}]})j");
  }
  const std::string whole = trace(events, R"j("schemaVersion": 1, "deviceProperties": [{"id": 0}])j");
  const cgpu::Run complete = read_text(whole);
  ASSERT_EQ(complete.events.slices, 20);
  ASSERT_EQ(complete.notes.all().size(), 1U);
  EXPECT_EQ(complete.notes.all()[0].code, "no_device_work");
  int64_t before = 0;
  for (size_t size = 1; size < whole.size(); ++size) {
    try {
      const cgpu::Run run = read_text(whole.substr(0, size));
      EXPECT_GE(run.events.slices, before) << size;
      EXPECT_LE(run.events.slices - before, 1) << size;
      EXPECT_EQ(accounted(run), run.events.read) << size;
      EXPECT_EQ(run.notes.count("truncated_input"), 1) << size;
      before = run.events.slices;
    } catch (const Error&) {
      EXPECT_EQ(before, 0) << size;
    }
  }
  EXPECT_EQ(before, 20);
}

/// Megabytes of events, some with arguments that look like events, so that windows are cut wrongly.
std::string large_trace(int count) {
  std::string events;
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    const std::string args =
        i % 7 == 0
            ? R"j(, "args": {"list": [{"name": "inner"}, {"name": "x"},{"ph":"X"}], "External id": )j" + number + "}"
            : R"j(, "args": {"External id": )j" + number + "}";
    events +=
        (i ? ",\n  " : "") + slice("op " + std::to_string(i % 1000), number, "3", i % 5 ? "cpu_op" : "kernel", args);
  }
  return trace(events);
}

TEST(KinetoReader, WindowsThreadsAndCompressionDoNotChangeTheAnswer) {
  constexpr int kEvents = kSanitized ? 10'000 : 40'000;
  const std::string text = large_trace(kEvents);
  const cgpu::Run reference = read_text(text, 1);
  EXPECT_EQ(reference.events.slices, kEvents);
  EXPECT_TRUE(reference.notes.all().empty());
  const std::string broken_quotes = [&] {
    std::string copy = text;
    const size_t at = copy.find("op 500\"", copy.size() / 2);
    copy.replace(at, 3, "o\"p");
    return copy;
  }();
  for (const std::string& content : {text, test::gzip(text), test::zstd(text), broken_quotes}) {
    for (const unsigned threads : {1u, 2u, 5u}) {
      const cgpu::Run run = read_text(content, threads);
      const Slices& a = reference.timeline.slices;
      const Slices& b = run.timeline.slices;
      ASSERT_EQ(b.size(), a.size());
      EXPECT_EQ(b.start, a.start);
      EXPECT_EQ(b.track, a.track);
      EXPECT_EQ(b.source, a.source);
      if (content != broken_quotes) {
        EXPECT_EQ(b.name, a.name);
      }
    }
  }
}

TEST(KinetoReader, ArgumentsAreReadAgainFromPlainAndCompressedFiles) {
  const std::string text = large_trace(20000);
  for (const std::string& content : {text, test::gzip(text), test::zstd(text)}) {
    const TestFile file(content);
    const Session session = open_inputs({file.path()}, {2, "", {}});
    const cgpu::Run& run = session.runs.front();
    for (const SliceIndex i : {0u, 1u, 7u, 9999u, 19999u}) {
      const auto args = run.arguments->arguments(run.timeline.slices.source[i]);
      ASSERT_FALSE(args.empty()) << i;
      EXPECT_EQ(args.back().key, "External id");
      EXPECT_EQ(args.back().value, std::to_string(i));
    }
  }
}

TEST(KinetoReader, ArgumentsOfAFileThatChangedAreAnError) {
  const TestFile file(
      trace(slice("a", "1", "1", "cpu_op", R"j(, "args": {"token": "x", "k": "hf_abcdefghijklmnopqrstuvwx"})j")));
  const Session session = open_inputs({file.path()}, {1, "", {}});
  const cgpu::Run& run = session.runs.front();
  for (const Argument& argument : run.arguments->arguments(run.timeline.slices.source[0])) {
    EXPECT_EQ(argument.value, "[hidden]") << argument.key;
  }
  std::ofstream(file.path()) << "something else that is long enough to be read at the old position of the event";
  EXPECT_THROW(run.arguments->arguments(run.timeline.slices.source[0]), Error);
}

TEST(KinetoReader, CredentialsInTheHeaderAreCountedAndKeptOut) {
  const cgpu::Run run = read_text(
      trace(slice("a", "1", "1"),
            R"j("schemaVersion": 1, "metadata": {"job": {"hf_token": "abc", "env": {"A": "B"}}}, "host_name": "h",
                                "note": "hf_abcdefghijklmnopqrstuvwx", "PT_PROFILER_JOB_NAME": "mine", "with_stack": 1)j"));
  EXPECT_EQ(run.notes.count("credentials_present"), 3);
  for (const auto& [key, value] : run.metadata) EXPECT_EQ(key, "with_stack") << value;
  EXPECT_EQ(run.host, "h");
}

TEST(KinetoReader, WhatFollowsTheDocumentIsNotedWithItsPlace) {
  const std::string document = trace(slice("a", "1", "1"));
  const std::string list = "[" + slice("a", "1", "1") + "]";
  for (const std::string& whole : {document, document + "\n \n", list, list + "\n"}) {
    EXPECT_EQ(read_text(whole).notes.count("trailing_data"), 0) << whole;
  }
  for (const std::string& first : {document, list}) {
    for (const std::string& second : {document, list, std::string("]"), std::string("x")}) {
      const cgpu::Run run = read_text(first + " \n" + second);
      ASSERT_EQ(run.notes.count("trailing_data"), 1) << first << second;
      EXPECT_EQ(run.timeline.slices.size(), 1U);
      const auto note = std::find_if(run.notes.all().begin(), run.notes.all().end(),
                                     [](const Note& one) { return one.code == "trailing_data"; });
      const std::string& text = note->text;
      EXPECT_NE(text.find("byte " + std::to_string(first.size() + 2) + ":"), std::string::npos) << text;
    }
  }
}

TEST(KinetoReader, HeaderFacts) {
  const cgpu::Run run =
      read_text(trace(slice("a", "5", "1"),
                      R"j("schemaVersion": 1, "baseTimeNanoseconds": 1711964646000000000, "cuda_runtime_version": 12040,
         "deviceProperties": [{"id": 1, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 84942979072, "numSms": 132, "computeMajor": 9, "computeMinor": 0},
                              {"id": 0, "name": "AMD Instinct MI300X", "numSms": 304, "warpSize": 64, "totalGlobalMem": 1}])j"));
  ASSERT_EQ(run.devices.size(), 2u);
  EXPECT_EQ(run.devices[0].vendor, "NVIDIA");
  EXPECT_EQ(run.devices[0].compute_capability, "9.0");
  EXPECT_EQ(run.devices[0].sm_count, 132);
  EXPECT_EQ(run.devices[1].vendor, "AMD");
  EXPECT_FALSE(run.devices[1].compute_capability == "9.0");
  EXPECT_TRUE(run.clock_is_unix);
  EXPECT_EQ(run.clock_base + run.timeline.slices.start[0], 1711964646000005000);
}

TEST(KinetoReader, TrackNamesCollectivesAndMemory) {
  const cgpu::Run run = read_text(trace(
      R"j({"ph":"M","name":"process_name","pid":0,"args":{"name":"GPU 0"}},{"ph":"M","name":"thread_name","pid":0,"tid":7,"args":{"name":"stream 7"}},)j"
      R"j({"ph":"X","cat":"kernel","name":"ncclDevKernel","pid":0,"tid":7,"ts":1,"dur":2,"args":{"Collective name":"allreduce","Process Group Name":"dp","In msg nelems":8,"Out msg nelems":8,"dtype":"Float","Group size":4}},)j"
      R"j({"ph":"i","name":"[memory]","pid":1,"tid":1,"ts":3,"args":{"Bytes":-512,"Device Type":1,"Device Id":0,"Total Allocated":100,"Total Reserved":200}},)j"
      R"j({"ph":"i","name":"[memory]","pid":1,"tid":1,"ts":4,"args":{"Bytes":64,"Device Type":0,"Device Id":-1}},)j"
      R"j({"ph":"i","name":"Record Window End","pid":"","tid":"","ts":9})j"));
  EXPECT_EQ(run.timeline.tracks[0].process_name, "GPU 0");
  EXPECT_EQ(run.timeline.tracks[0].thread_name, "stream 7");
  EXPECT_EQ(run.timeline.tracks[0].kind, TrackKind::device_stream);
  ASSERT_EQ(run.timeline.collectives.size(), 1u);
  const Collective& collective = run.timeline.collectives[0];
  EXPECT_EQ(run.timeline.names[collective.name], "allreduce");
  EXPECT_EQ(run.timeline.names[collective.group], "dp");
  EXPECT_EQ(collective.group_size, 4);
  ASSERT_EQ(run.timeline.memory.size(), 2u);
  EXPECT_EQ(run.timeline.memory[0].bytes, -512);
  EXPECT_EQ(run.timeline.memory[0].total_reserved, 200);
  EXPECT_EQ(run.timeline.memory[1].device, -1);
  EXPECT_EQ(run.timeline.memory[1].total_reserved, -1) << "absent is not zero";
  EXPECT_EQ(run.events.instants, 1);
}

TEST(KinetoReader, WhatIsSaidOfWaits) {
  const auto wait = [](const std::string& name, const std::string& more) {
    return R"({"ph":"X","cat":"cuda_sync","name":")" + name +
           R"(","pid":0,"tid":7,"ts":1,"dur":2,"args":{"device":1,)" + more + R"("correlation":5}})";
  };
  using Kind = Synchronization::Kind;
  const cgpu::Run run = read_text(
      "[" + wait("Stream Sync", R"("stream":7,)") + "," + wait("Context Sync", R"("stream":4294967295,)") + "," +
      wait("Event Sync", R"("stream":-1,"wait_on_stream":9,"wait_on_cuda_event_record_corr_id":33,)") + "," +
      wait("Stream Wait Event", R"("stream":7,"wait_on_stream":-1,"wait_on_cuda_event_record_corr_id":-1,)") + "," +
      wait("Something Else", "") + "]");
  const std::vector<Synchronization>& said = run.timeline.synchronizations;
  ASSERT_EQ(said.size(), 4u);
  const std::vector<Kind> kinds{Kind::host_stream, Kind::host_device, Kind::host_event, Kind::stream_order};
  const std::vector<int64_t> streams{7, -1, 9, -1};
  for (uint32_t i = 0; i < said.size(); ++i) {
    EXPECT_EQ(said[i].slice, i);
    EXPECT_EQ(said[i].kind, kinds[i]);
    EXPECT_EQ(said[i].device, 1);
    EXPECT_EQ(said[i].stream, streams[i]);
  }
  ASSERT_EQ(run.timeline.hints.records.size(), 1u);
  EXPECT_EQ(run.timeline.hints.records[0].synchronization, 2u);
  EXPECT_EQ(run.timeline.hints.records[0].correlation, 33);
}

TEST(KinetoReader, WhatIsNoTraceIsOneClearLine) {
  EXPECT_THROW(read_text(R"j({"a": 1})j"), Error);
  EXPECT_THROW(read_text("hello"), Error);
  EXPECT_THROW(read_text("[1, 2"), Error);
  EXPECT_THROW(read_text(std::string("SQLite format 3\0 and more", 25)), Error);
  EXPECT_THROW(read_text("{]"), Error);
  EXPECT_THROW(read_text("[]"), Error);
  EXPECT_THROW(read_text(R"j({"traceEvents": []})j"), Error);
  EXPECT_THROW(read_text(R"j([{"loss": 1}, {"loss": 2}])j"), Error);
}

TEST(KinetoReader, DeepNestingIsNoProblem) {
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  const cgpu::Run run = read_text(trace(slice("a", "1", "1") + "," +
                                        slice("deep", "2", "1", "cpu_op", R"j(, "args": {"x": )j" + deep + "}") + "," +
                                        slice("b", "3", "1")));
  EXPECT_GE(run.events.slices, 2);
  EXPECT_EQ(accounted(run), run.events.read);
}

class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("cgpu-folder-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  void add(const std::string& name, const std::string& content) { std::ofstream(path_ / name) << content; }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST(Inputs, AFolderOfRanksIsOneSessionInOrder) {
  Folder folder;
  const auto with_rank = [](int rank) {
    return trace(slice("a", "1", "1"),
                 R"j("schemaVersion":1,"distributedInfo":{"rank":)j" + std::to_string(rank) + "}");
  };
  folder.add("x.json", with_rank(2));
  folder.add("y.json", with_rank(0));
  folder.add("trace_rank-7.json", trace(slice("a", "1", "1")));
  folder.add("z.json", with_rank(2));
  folder.add("README.txt", "no profile");
  const Session session = open_inputs({folder.path()}, {});
  std::vector<int64_t> ranks;
  Notes notes;
  for (const cgpu::Run& run : session.runs) {
    ranks.push_back(run.rank);
    notes.merge(run.notes);
  }
  EXPECT_EQ(ranks, (std::vector<int64_t>{0, 1, 2, 7})) << "the second rank 2 gets the next free number";
  EXPECT_EQ(notes.count("duplicate_rank"), 1);
  EXPECT_EQ(notes.count("skipped_file"), 1);
  EXPECT_EQ(open_inputs({folder.path() + "/*.json"}, {}).runs.size(), 4u);
}

TEST(Inputs, DifferentRunsAreNotRanksOfOne) {
  const auto refusal = [](const std::string& first, const std::string& second) -> std::string {
    Folder folder;
    folder.add("a.json", trace(slice("a", "1", "1"), first));
    folder.add("b.json", trace(slice("a", "1", "1"), second));
    try {
      open_inputs({folder.path() + "/a.json", folder.path() + "/b.json"}, {});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const auto at = [](int64_t second, const std::string& more = "") {
    return R"j("schemaVersion":1,"baseTimeNanoseconds":)j" + std::to_string(1700000000000000000 + second * 1000000000) +
           more;
  };
  EXPECT_EQ(refusal(at(0), at(0)), "");
  EXPECT_EQ(refusal(at(0), at(30)), "") << "clocks of machines differ";
  const std::string late = refusal(at(0), at(90));
  EXPECT_NE(late.find("a.json and "), std::string::npos) << late;
  EXPECT_NE(late.find("b.json cannot be ranks of one run: the second begins 89 seconds after the first has ended"),
            std::string::npos)
      << late;
  EXPECT_NE(late.find("Open one at a time (cgpu report "), std::string::npos) << late;
  EXPECT_NE(late.find("or compare them: cgpu compare "), std::string::npos) << late;

  const auto rank = [](int number, int of) {
    return R"j(,"distributedInfo":{"rank":)j" + std::to_string(number) + R"j(,"world_size":)j" + std::to_string(of) +
           "}";
  };
  EXPECT_EQ(refusal(at(0, rank(0, 2)), at(90, rank(1, 2))), "") << "they say that they are ranks of one job";
  EXPECT_NE(refusal(at(0, rank(0, 2)), at(3 * 86400, rank(1, 2))).find("2 days"), std::string::npos);
  EXPECT_NE(refusal(at(0, rank(0, 2)), at(0, rank(1, 4))).find("one is of 2 ranks, the other of 4"), std::string::npos);

  const auto device = [](const std::string& name) {
    return R"j(,"deviceProperties":[{"id":0,"name":")j" + name + R"j("}],"distributedInfo":{"rank":3})j";
  };
  EXPECT_EQ(refusal(at(0, device("NVIDIA H100")), at(0, device("NVIDIA H100"))), "");
  EXPECT_NE(refusal(at(0, device("NVIDIA H100")), at(0, device("AMD MI300X")))
                .find("both are rank 3, but one ran on NVIDIA H100, the other on AMD MI300X"),
            std::string::npos);
}

/// A Caliper profile of these regions, and what else it says.
std::string caliper(const std::vector<std::string>& regions, const std::string& facts = "") {
  std::string rows;
  std::string nodes;
  for (size_t i = 0; i < regions.size(); ++i) {
    rows += (i == 0 ? "[1," : ",[1,") + std::to_string(i) + "]";
    nodes += std::string(i == 0 ? "" : ",") + R"j({"column":"path","label":")j" + regions[i] + "\"}";
  }
  return R"j({"columns":["time","path"],"column_metadata":[{"is_value":true},{"is_value":false}],"data":[)j" + rows +
         R"j(],"nodes":[)j" + nodes + "]" + facts + "}";
}

TEST(Inputs, CallTreesOfDifferentProgramsJobsOrTimesAreNotRanksOfOne) {
  const auto refusal = [](const std::string& first, const std::string& second) -> std::string {
    Folder folder;
    folder.add("a.json", first);
    folder.add("b.json", second);
    try {
      open_inputs({folder.path() + "/a.json", folder.path() + "/b.json"}, {});
    } catch (const Error& error) {
      const std::string text = error.what();
      const size_t why = text.find("ranks of one run: ");
      EXPECT_NE(text.find("cgpu compare "), std::string::npos) << text;
      return text.substr(std::min(why, text.size()));
    }
    return "";
  };
  const auto says = [](const std::string& facts) { return caliper({"main", "solve", "exchange", "io"}, facts); };
  EXPECT_EQ(refusal(says(""), says("")), "");
  EXPECT_EQ(refusal(says(""), says(R"j(,"executable":"lulesh")j")), "") << "what one does not say is no reason";
  EXPECT_EQ(refusal(says(R"j(,"executablepath":"/a/lulesh")j"), says(R"j(,"executablepath":"/b/lulesh")j")), "");
  EXPECT_NE(refusal(says(R"j(,"executable":"lulesh")j"), says(R"j(,"executablepath":"/b/amg")j"))
                .find("one is of the program lulesh, the other of the program amg"),
            std::string::npos);
  EXPECT_NE(refusal(says(R"j(,"SLURM_JOB_ID":"71")j"), says(R"j(,"jobid":"72")j"))
                .find("one is of the job 71, the other of the job 72"),
            std::string::npos);

  const auto launched = [&](int second) {
    return says(R"j(,"cluster":"quartz","elapsed_time":"20.5","launchdate":)j" + std::to_string(1700000000 + second));
  };
  EXPECT_EQ(refusal(launched(0), launched(0)), "");
  EXPECT_EQ(refusal(launched(0), launched(25)), "") << "a job's ranks are launched one after another";
  EXPECT_NE(refusal(launched(0), launched(60)).find("begins 30 seconds after the first has ended"), std::string::npos);
  EXPECT_NE(refusal(says(R"j(,"mpi.world.size":1)j"), says(R"j(,"mpi.world.size":1)j")).find("job of one rank"),
            std::string::npos);

  EXPECT_EQ(refusal(says(""), caliper({"main", "wait", "poll", "sleep"})), "") << "a rank may do other things";
  EXPECT_EQ(refusal(says(""), caliper({"wait"})), "");
  EXPECT_NE(refusal(says(""), caliper({"begin", "advance", "swap", "write"})).find("no function or region is in both"),
            std::string::npos);
}

TEST(Inputs, AFileThatIsNamedTwiceIsReadOnceWithANote) {
  const TestFile file(trace(slice("a", "1", "1")));
  const Session session = open_inputs({file.path(), file.path()}, {});
  ASSERT_EQ(session.runs.size(), 1u);
  EXPECT_EQ(session.runs[0].notes.count("repeated_input"), 1);
}

TEST(Inputs, EmptyFoldersPatternsAndFormatsAreErrors) {
  Folder folder;
  EXPECT_THROW(open_inputs({folder.path()}, {}), Error);
  EXPECT_THROW(open_inputs({folder.path() + "/*.json"}, {}), Error);
  const TestFile file(trace(""));
  EXPECT_THROW(open_inputs({file.path()}, {1, "no such format", {}}), Error);
}

/// Why an input is refused; "" where it is not.
std::string refusal(const std::string& input) {
  try {
    open_inputs({input}, {});
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}
std::string refusal_of(const std::string& content) {
  return refusal(TestFile(content).path());
}

std::string tar_of(const std::string& name, const std::string& content) {
  std::string header = name;
  header.resize(257, '\0');
  header += "ustar";
  header.resize(512, '\0');
  return header + content;
}

TEST(Refusals, SayWhatTheFileIsAndWhatToDo) {
  using namespace std::string_literals;
  const std::string experiment = "<?xml version=\"1.0\"?><HPCToolkitExperiment version=\"2.1\">";
  std::string utf16 = "\xff\xfe";
  for (const char c : trace("")) utf16 += {c, '\0'};
  const std::vector<std::pair<std::string, std::string>> refused{
      {"\xfd\x37zXZ\0\0\4"s, "xz -dk"},
      {"BZh91AY&SY", "bzip2 -dk"},
      {"\x04\x22\x4d\x18\x64\x40"s, "lz4 -dk"},
      {"PK\x03\x04\x14\0"s, "unzip"},
      {test::gzip(test::gzip(trace(""))), "compressed twice"},
      {tar_of("x/experiment.xml", experiment), "tar -xf"},
      {test::gzip(tar_of("trace.json", trace(""))), "tar -xf"},
      {utf16, "iconv -f UTF-16"},
      {utf16.substr(2), "iconv -f UTF-16"},
      {"{\0\n\0\"\0"s, "iconv -f UTF-16"},
      {"HPCRUN-profile____04.00b", "hpcprof -o"},
      {"HPCTOOLKITtrce", "without its meta.db"},
      {R"({"step50": {"p2p": {}, "collective": {"hcom_allReduce__271_0_1@1": {}}}})", "name the folder"},
      {R"({"config": {"common_config": {"activities": []}, "experimental_config": {}}})", "name the folder"},
      {"OP Type,Core Type,Count,Total Time(us)\n", "name the folder"},
  };
  for (const auto& [content, expected] : refused) {
    const std::string why = refusal_of(content);
    EXPECT_NE(why.find(expected), std::string::npos) << why;
    EXPECT_EQ(why.find("damaged"), std::string::npos) << why;
  }
  EXPECT_NE(refusal("no\x1b\nfile").find("no? file: no such file"), std::string::npos);
}

TEST(Refusals, OfFoldersSayWhatIsInThem) {
  Folder folder;
  folder.add("a.txt", "nothing");
  EXPECT_NE(refusal(folder.path()).find("without a profile"), std::string::npos);
  folder.add("b.bz2", "BZh91AY&SY");
  EXPECT_NE(refusal(folder.path()).find("b.bz2 is compressed with bzip2"), std::string::npos);
  folder.add("program-000000-000-11ac-5560-0.hpcrun", "HPCRUN-profile____04.00b");
  EXPECT_NE(refusal(folder.path()).find("a measurement folder of HPCToolkit"), std::string::npos);
  folder.add("trace.db", "HPCTOOLKITtrce");
  EXPECT_NE(refusal(folder.path()).find("without its meta.db"), std::string::npos);
}

}  // namespace
}  // namespace cgpu
