// The reader of Perfetto traces on traces of our own: packets, tracks, names, clocks, flows, and every kind of damage.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "base/error.h"
#include "readers/perfetto/packets.h"
#include "readers/perfetto/test_reading.h"

namespace cgpu::perfetto {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using cgpu::test::TestFile;

TEST(PerfettoTrace, IsRecognisedByItsPackets) {
  EXPECT_TRUE(looks_like_trace(with_thread().bytes()));
  EXPECT_TRUE(looks_like_trace(TraceWriter().at(5, begin(2, "a", "b")).bytes().substr(0, 12))) << "a cut packet";
  const std::string block(200000, 'x');
  EXPECT_TRUE(
      looks_like_trace(TraceWriter().packet(Message().text(packet::kCompressed, block)).bytes().substr(0, 65536)));
  EXPECT_FALSE(looks_like_trace(""));
  EXPECT_FALSE(looks_like_trace("\n"));
  EXPECT_FALSE(looks_like_trace("\n\n\n\n"));
  EXPECT_FALSE(looks_like_trace("{\"traceEvents\":[]}"));
  // Other messages of messages: planes (id, name, lines), samples (type, unit).
  EXPECT_FALSE(looks_like_trace(
      Message().add(1, Message().varint(1, 3).text(2, "/device:GPU:0").add(3, Message().varint(1, 7))).bytes()));
  EXPECT_FALSE(looks_like_trace(Message().add(1, Message().varint(1, 1).varint(2, 2)).bytes()));
}

TEST(PerfettoTrace, PairsBeginningsAndEndsOfEachTrack) {
  TraceWriter trace = with_thread();
  trace.at(10, begin(2, "outer", "app")).at(12, begin(2, "inner", "app")).at(15, end(2)).at(20, end(2));
  trace.track(named_track(3, 1, "a lane")).slice(3, 5, 7, "elsewhere", "app");
  const cgpu::Run run = read(trace);
  EXPECT_EQ(slices_of(run), (Names{"outer 10+10 100/101 annotation", "inner 12+3 100/101 annotation",
                                   "elsewhere 5+2 100/a lane annotation"}));
  EXPECT_EQ(run.timeline.tracks[0].process_name, "python");
  EXPECT_EQ(run.timeline.tracks[0].thread_name, "main");
  EXPECT_EQ(run.events.ends, 3);
  EXPECT_EQ(run.events.metadata, 3);
  EXPECT_EQ(run.format, "perfetto");
  EXPECT_TRUE(run.notes.all().empty());
}

TEST(PerfettoTrace, TakesEventsInOrderOfTime) {
  TraceWriter trace = with_thread();
  trace.slice(2, 10, 90, "outer", "").slice(2, 50, 60, "second", "").slice(2, 20, 30, "first", "");
  trace.at(95, end(2)).at(92, begin(2, "late", ""));
  EXPECT_EQ(slices_of(read(trace)), (Names{"outer 10+80 100/101 annotation", "second 50+10 100/101 annotation",
                                           "first 20+10 100/101 annotation", "late 92+3 100/101 annotation"}));
}

TEST(PerfettoTrace, KeepsWhatIsUnbalanced) {
  TraceWriter trace = with_thread();
  trace.at(3, end(2)).at(10, begin(2, "open", "")).at(12, begin(2, "closed", "")).at(14, end(2));
  trace.slice(2, 16, 30, "last", "");
  const cgpu::Run run = read(trace);
  EXPECT_EQ(slices_of(run), (Names{"open 10+20 100/101 annotation", "closed 12+2 100/101 annotation",
                                   "last 16+14 100/101 annotation"}));
  EXPECT_EQ(run.timeline.slices.flags[0], kNeverEnded);
  EXPECT_EQ(run.timeline.slices.flags[1], 0);
  EXPECT_EQ(run.notes.count("unmatched_begin"), 1);
  EXPECT_EQ(run.notes.count("unmatched_end"), 1);
  EXPECT_EQ(run.events.skipped, 1);
}

TEST(PerfettoTrace, NamesTracksThatAreDescribedLate) {
  TraceWriter trace;
  trace.slice(7, 1, 2, "a", "").slice(8, 1, 2, "b", "").slice(9, 3, 4, "c", "");
  trace.track(thread_track(7, 5, 6, "worker")).track(named_track(8, 10, "lane")).track(named_track(10, 0, "root"));
  trace.track(named_track(11, 11, "its own parent")).slice(11, 5, 6, "d", "");
  EXPECT_EQ(slices_of(read(trace)),
            (Names{"a 1+1 5/6 annotation", "b 1+1 root/lane annotation", "c 3+1 /track 9 annotation",
                   "d 5+1 its own parent/its own parent annotation"}));
}

TEST(PerfettoTrace, KnowsWhatTracksAreNestedIn) {
  TraceWriter trace = with_thread();
  trace.track(named_track(10, 0, "root")).track(named_track(11, 10, "a")).track(named_track(12, 11, "b"));
  trace.track(named_track(13, 12, "c")).track(named_track(20, 1, "of the process")).track(named_track(21, 20, "in it"));
  trace.track(named_track(30, 31, "ring")).track(named_track(31, 30, "other half"));
  for (const uint64_t uuid : {10, 11, 12, 13, 20, 21, 30}) trace.slice(uuid, 1, 2, "s", "");
  const cgpu::Run run = read(trace);
  std::map<std::string, Names> above;
  for (const Track& track : run.timeline.tracks) above[track.thread] = track.above;
  EXPECT_EQ(above["root"], Names{});
  EXPECT_EQ(above["a"], Names{});
  EXPECT_EQ(above["b"], Names{"a"});
  EXPECT_EQ(above["c"], (Names{"a", "b"}));
  EXPECT_EQ(above["of the process"], Names{});
  EXPECT_EQ(above["in it"], Names{"of the process"});
  EXPECT_EQ(above["ring"].size(), 8U);
  EXPECT_EQ(above["101"], Names{});
}

TEST(PerfettoTrace, MakesOneRowOfTracksOfOneName) {
  TraceWriter trace = with_thread();
  trace.track(named_track(3, 1, "lane")).track(named_track(4, 1, "lane")).track(named_track(5, 0, "lane"));
  trace.track(named_track(6, 1, "lane").varint(track::kSiblingMerge, 2));
  for (const uint64_t uuid : {3, 4, 5, 6}) trace.at(uuid, begin(uuid, "a", ""));  // they overlap
  for (const uint64_t uuid : {3, 4, 5, 6}) trace.at(uuid + 2, end(uuid));
  const cgpu::Run run = read(trace);
  EXPECT_EQ(run.timeline.slices.track, (std::vector<TrackIndex>{0, 0, 1, 2}));
  EXPECT_EQ(run.timeline.slices.duration, (std::vector<int64_t>{2, 2, 2, 2}));
}

TEST(PerfettoTrace, InternsBySequenceUntilItIsCleared) {
  TraceWriter trace = with_thread();
  const auto by_number = [](uint64_t iid) {
    return event_of(event::kSliceBegin, 2).varint(event::kNameIid, iid).varint(event::kCategoryIids, 1);
  };
  trace.clear().intern(interned::kEventNames, named(5, "five")).intern(interned::kEventCategories, named(1, "cpu_op"));
  trace.sequence(2).clear().intern(interned::kEventNames, named(5, "cinco"));
  trace.sequence(1).at(1, by_number(5)).at(2, end(2));
  trace.sequence(2).at(3, by_number(5)).at(4, end(2));
  trace.sequence(1).clear().at(5, by_number(5)).at(6, end(2));
  trace.intern(interned::kEventNames, named(1U << 30, "far")).at(7, by_number(1U << 30)).at(8, end(2));
  EXPECT_EQ(slices_of(read(trace)), (Names{"five 1+1 100/101 framework_op", "cinco 3+1 100/101 other",
                                           "name 5 5+1 100/101 other", "far 7+1 100/101 other"}));
}

TEST(PerfettoTrace, LeavesOutWhatLostItsNames) {
  TraceWriter trace = with_thread();
  const Message needs = Message().varint(packet::kSequenceFlags, 2).varint(packet::kTimestamp, 1);
  trace.packet(Message(needs).add(packet::kTrackEvent, begin(2, "before", "")));
  trace.clear().packet(Message(needs).add(packet::kTrackEvent, begin(2, "kept", ""))).at(2, end(2));
  trace.packet(Message(needs).varint(packet::kPreviousPacketDropped, 1).add(packet::kTrackEvent, begin(2, "lost", "")));
  const cgpu::Run run = read(trace);
  EXPECT_EQ(slices_of(run), (Names{"kept 1+1 100/101 annotation"}));
  EXPECT_EQ(run.notes.count("skipped_event"), 2);
  EXPECT_EQ(run.notes.count("lost_events"), 1);
}

TEST(PerfettoTrace, BringsClocksTogether) {
  const auto clock = [](uint64_t id, uint64_t time) { return Message().varint(1, id).varint(2, time); };
  TraceWriter trace = with_thread();
  trace.payload(packet::kClockSnapshot,
                Message().add(1, clock(6, 1000)).add(1, clock(1, 1'700'000'000'000'000'500)).add(1, clock(3, 400)));
  trace.payload(packet::kClockSnapshot, Message().add(1, clock(6, 3000)).add(1, clock(3, 2300)));
  const auto on = [&](uint64_t id, uint64_t time, const Message& event) {
    trace.packet(
        Message().varint(packet::kTimestamp, time).varint(packet::kTimestampClock, id).add(packet::kTrackEvent, event));
  };
  on(3, 500, begin(2, "monotonic", ""));  // 600 later at first, 700 after the second snapshot
  on(3, 2310, end(2));
  on(1, 1'700'000'000'000'002'500, begin(2, "real", ""));
  on(6, 3020, end(2));
  on(42, 1, begin(2, "of an unknown clock", ""));
  cgpu::Run run = read(trace);
  EXPECT_EQ(slices_of(run), (Names{"monotonic 1100+1920 100/101 annotation", "real 3000+10 100/101 annotation"}));
  EXPECT_TRUE(run.clock_is_unix);
  EXPECT_EQ(run.clock_base, 1'700'000'000'000'000'500 - 1000);
  EXPECT_EQ(run.notes.count("skipped_event"), 1);
}

TEST(PerfettoTrace, CountsIncrementalClocksOn) {
  TraceWriter trace;
  trace.clear();
  trace.payload(packet::kClockSnapshot, Message()
                                            .add(1, Message().varint(1, 6).varint(2, 50'000))
                                            .add(1, Message().varint(1, 64).varint(2, 7).varint(3, 1).varint(4, 1000)));
  trace.payload(
      packet::kDefaults,
      Message().varint(packet::kTimestampClock, 64).add(packet::kTrackEvent, Message().varint(event::kTrack, 9)));
  const auto later = [&](uint64_t us, uint64_t type) {
    trace.packet(
        Message().varint(packet::kTimestamp, us).add(packet::kTrackEvent, Message().varint(event::kType, type)));
  };
  later(1, event::kSliceBegin);
  later(0, event::kSliceBegin);
  later(4, event::kSliceEnd);
  later(2, event::kSliceEnd);
  EXPECT_EQ(slices_of(read(trace)), (Names{" 51000+6000 /track 9 annotation", " 51000+4000 /track 9 annotation"}));
}

TEST(PerfettoTrace, LinksTheStepsOfFlows) {
  TraceWriter trace = with_thread();
  const auto step = [](const char* name, uint64_t id, bool last) {
    return begin(2, name, "").raw(fixed64(last ? event::kTerminatingFlows : event::kFlows, id).bytes());
  };
  trace.at(5, step("b", 1, false)).at(6, end(2)).at(1, step("a", 1, false)).at(2, end(2));
  trace.at(7, step("c", 1, true)).at(8, end(2));
  trace.at(9, step("d", 1, false)).at(10, end(2));  // the number is used again
  trace.at(11, begin(2, "e", "")).at(12, end(2).raw(fixed64(event::kFlows, 1).bytes()));
  const cgpu::Run run = read(trace);
  std::vector<std::pair<std::string, std::string>> links;
  for (const Link& link : run.timeline.links) {
    EXPECT_EQ(link.kind, Link::Kind::flow);
    links.emplace_back(run.timeline.name(link.from), run.timeline.name(link.to));
  }
  EXPECT_EQ(links, (std::vector<std::pair<std::string, std::string>>{{"a", "b"}, {"b", "c"}, {"d", "e"}}));
  EXPECT_EQ(run.events.flows, 5);
  EXPECT_EQ(run.notes.count("unmatched_flow"), 0);
}

TEST(PerfettoTrace, ReadsCounters) {
  const auto counter = [](uint64_t uuid, const char* name, const Message& about) {
    return Message()
        .varint(track::kUuid, uuid)
        .varint(track::kParent, 1)
        .text(track::kName, name)
        .add(track::kCounter, about);
  };
  TraceWriter trace = with_thread();
  trace.track(counter(30, "load", Message())).track(counter(31, "KB", Message().varint(4, 1024)));
  trace.track(counter(32, "sum", Message().varint(5, 1)));
  trace.at(1, event_of(event::kCounter, 30).raw(fixed64(event::kDoubleCounterValue, 0x3FE0000000000000).bytes()));
  trace.at(2, event_of(event::kCounter, 31).varint(event::kCounterValue, 3));
  for (const uint64_t time : {3, 4}) trace.at(time, event_of(event::kCounter, 32).varint(event::kCounterValue, 5));
  trace.at(5, begin(2, "a", "").varint(event::kExtraCounterTracks, 31).varint(event::kExtraCounters, 2)).at(6, end(2));
  trace.at(7, event_of(event::kCounter, 30));
  const cgpu::Run run = read(trace);
  const Counters& counters = run.timeline.counters;
  ASSERT_EQ(counters.tracks.size(), 3u);
  EXPECT_EQ(counters.tracks[0].name, "load");
  EXPECT_EQ(counters.tracks[0].process, "100");
  EXPECT_EQ(counters.value, (std::vector<double>{0.5, 3072, 5, 10, 2048}));
  EXPECT_EQ(counters.time, (std::vector<int64_t>{1, 2, 3, 4, 5}));
  EXPECT_EQ(counters.track, (std::vector<uint32_t>{0, 1, 2, 2, 1}));
  EXPECT_EQ(run.notes.count("skipped_event"), 1);
}

/// Annotations of every type; interned ones too.
Message everything_annotated() {
  return begin(2, "a", "", {number("int", -3), text("text", "say \"hi\""), text("api_token", "abc")})
      .add(event::kAnnotations, Message().text(annotation::kName, "yes").varint(annotation::kBool, 1))
      .add(event::kAnnotations, Message().text(annotation::kName, "uint").varint(annotation::kUint, UINT64_MAX))
      .add(event::kAnnotations, Message().text(annotation::kName, "real").real(annotation::kDouble, 0.25))
      .add(event::kAnnotations, Message().text(annotation::kName, "at").varint(annotation::kPointer, 0xbeef))
      .add(event::kAnnotations, Message().varint(annotation::kNameIid, 3).varint(annotation::kStringIid, 4))
      .add(event::kAnnotations, Message()
                                    .text(annotation::kName, "dict")
                                    .add(annotation::kDictionary, number("x", 1))
                                    .add(annotation::kDictionary, text("y", "\n")))
      .add(event::kAnnotations,
           Message()
               .text(annotation::kName, "list")
               .add(annotation::kArray, Message().varint(annotation::kInt, 1))
               .add(annotation::kArray, Message().add(annotation::kArray, Message().varint(annotation::kInt, 2))))
      .add(event::kAnnotations,
           Message()
               .text(annotation::kName, "nested")
               .add(annotation::kNested,
                    Message().varint(1, 1).text(2, "k").add(3, Message().varint(1, 2).add(4, Message().varint(5, 8)))));
}

void expect_everything(const std::map<std::string, std::string>& found) {
  const std::map<std::string, std::string> wanted{{"int", "json -3"},
                                                  {"text", "say \"hi\""},
                                                  {"api_token", "[hidden]"},
                                                  {"yes", "json true"},
                                                  {"uint", "json 18446744073709551615"},
                                                  {"real", "json 0.25"},
                                                  {"at", "0xbeef"},
                                                  {"name three", "string four"},
                                                  {"dict", R"(json {"x": 1, "y": "\u000a"})"},
                                                  {"list", "json [1, [2]]"},
                                                  {"nested", R"(json {"k": [8]})"}};
  EXPECT_EQ(found, wanted);
}

TEST(PerfettoTrace, ReadsArgumentsAgain) {
  TraceWriter trace = with_thread();
  trace.clear().intern(interned::kAnnotationNames, named(3, "name three"));
  trace.intern(interned::kStrings, named(4, "string four"));
  trace.at(1, everything_annotated()).at(2, end(2));
  trace.clear().intern(interned::kAnnotationNames, named(3, "another")).intern(interned::kStrings, named(4, "other"));
  const Message again = Message().varint(annotation::kNameIid, 3).varint(annotation::kStringIid, 4);
  trace.at(3, begin(2, "b", "", {again})).at(4, end(2).add(event::kAnnotations, number("at the end", 1)));
  trace.slice(2, 5, 6, "c", "");
  const TestFile file(trace.bytes(), ".pftrace");
  const cgpu::Run run = read_trace(input_of(file.path()), {});
  expect_everything(arguments_of(run, 0));
  EXPECT_EQ(arguments_of(run, 1), (std::map<std::string, std::string>{{"another", "other"}, {"at the end", "json 1"}}));
  EXPECT_TRUE(arguments_of(run, 2).empty());
  const TestFile shorter(std::string_view(trace.bytes()).substr(0, 10), ".pftrace");
  EXPECT_THROW(
      {
        cgpu::Run gone = read_trace(input_of(file.path()), {});
        gone.arguments->arguments(trace.bytes().size() + 5);
      },
      Error);
}

TEST(PerfettoTrace, ReadsCompressedPackets) {
  TraceWriter inner = with_thread();
  inner.clear().intern(interned::kAnnotationNames, named(3, "name three"));
  inner.intern(interned::kStrings, named(4, "string four"));
  inner.at(1, everything_annotated()).at(2, end(2));
  TraceWriter more;
  more.slice(2, 3, 4, "b", "", {number("n", 5)});
  TraceWriter trace;
  trace.packet(Message().text(packet::kCompressed, zlib(inner.bytes())));
  trace.packet(Message().text(packet::kZstdCompressed, cgpu::test::zstd(more.bytes())));
  trace.slice(2, 5, 6, "c", "", {number("m", 6)});
  trace.packet(Message().text(packet::kCompressed, zlib(inner.bytes()).substr(0, 30)));
  for (const bool gzipped : {false, true}) {
    const TestFile file(gzipped ? cgpu::test::gzip(trace.bytes()) : trace.bytes(), ".pftrace");
    const cgpu::Run run = read_trace(input_of(file.path()), {});
    check_laws(run);
    EXPECT_EQ(slices_of(run),
              (Names{"a 1+1 100/101 annotation", "b 3+1 100/101 annotation", "c 5+1 100/101 annotation"}));
    expect_everything(arguments_of(run, 0));
    EXPECT_EQ(arguments_of(run, 1), (std::map<std::string, std::string>{{"n", "json 5"}}));
    EXPECT_EQ(arguments_of(run, 2), (std::map<std::string, std::string>{{"m", "json 6"}}));
    EXPECT_EQ(run.notes.count("damaged_input"), 1);
    EXPECT_EQ(run.text_bytes, trace.bytes().size());
  }
}

TEST(PerfettoTrace, StepsOverWhatItDoesNotKnow) {
  TraceWriter trace = with_thread();
  trace.raw(Message().varint(9, 5).text(7, "a newer field").bytes());
  trace.raw(fixed64(8, 1).bytes());
  const std::string group = "\x1b\x08\x05\x1c";  // a group: field 3, with one number in it
  trace.packet(Message()
                   .raw(group)
                   .varint(packet::kTimestamp, 1)
                   .add(packet::kTrackEvent, begin(2, "a", "").raw(group).text(4000, "unknown")));
  trace.at(2, end(2)).payload(999, Message().varint(1, 1)).payload(37, Message().varint(1, 1));
  const cgpu::Run run = read(trace);
  EXPECT_EQ(slices_of(run), (Names{"a 1+1 100/101 annotation"}));
  EXPECT_EQ(run.notes.count("skipped_event"), 2);
}

/// A trace with one of everything.
std::string everything() {
  TraceWriter trace = with_thread();
  trace.clear().intern(interned::kAnnotationNames, named(3, "name three"));
  trace.intern(interned::kStrings, named(4, "string four")).intern(interned::kGpuSpecifications, named(1, "Stream 7"));
  trace.payload(packet::kClockSnapshot,
                Message().add(1, Message().varint(1, 6).varint(2, 1)).add(1, Message().varint(1, 1).varint(2, 2)));
  trace.at(1, everything_annotated()).at(9, end(2).raw(fixed64(event::kFlows, 5).bytes()));
  trace.slice(2, 2, 3, "cudaLaunchKernel", "cuda_runtime", {number("correlation", 1)});
  trace.packet(Message()
                   .varint(packet::kTimestamp, 4)
                   .add(packet::kGpuRenderStageEvent,
                        Message().varint(stage::kEventId, 1).varint(stage::kDuration, 5).varint(stage::kQueueIid, 1)));
  trace.packet(Message().text(packet::kCompressed, zlib(TraceWriter().slice(2, 20, 21, "c", "").bytes())));
  trace.payload(packet::kFtraceEvents,
                Message().varint(1, 2).add(2, Message().varint(1, 30).add(4, Message().text(5, "t").varint(6, 1))));
  trace.at(30, event_of(event::kCounter, 5).varint(event::kCounterValue, 3));
  return trace.bytes();
}

/// Reads whatever it is, and what it holds again.
void survive(const std::string& bytes) {
  const TestFile file(bytes.empty() ? "\n" : bytes, ".pftrace");
  const Input input = input_of(file.path());
  is_trace(input);
  try {
    const cgpu::Run run = read_trace(input, {});
    check_laws(run);
    for (const uint64_t source : run.timeline.slices.source) {
      try {
        run.arguments->arguments(source);
      } catch (const Error&) {
        // a damaged packet may be found once and not again
      }
    }
  } catch (const Error&) {
    // refused with a line
  }
}

TEST(PerfettoTrace, SurvivesTruncation) {
  const std::string whole = everything();
  for (size_t part = 0; part <= 64; ++part) survive(whole.substr(0, whole.size() * part / 64));
  for (size_t size = 0; size < whole.size(); size += 3) survive(whole.substr(0, size));
  const cgpu::Run run = read_bytes(whole.substr(0, whole.size() - 5));
  EXPECT_EQ(run.notes.count("truncated_input"), 1);
  const std::string compressed = cgpu::test::gzip(whole);
  for (size_t part = 1; part <= 64; ++part) survive(compressed.substr(0, compressed.size() * part / 64));
}

TEST(PerfettoTrace, SurvivesAnyByte) {
  const std::string whole = everything();
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const char value : {'\0', '\x7f', '\xff'}) {
      std::string changed = whole;
      changed[at] = value;
      survive(changed);
    }
  }
  std::mt19937 random(7);
  for (int i = 0; i < 300; ++i) {
    std::string changed = whole;
    for (int k = 0; k < 8; ++k) changed[random() % changed.size()] = static_cast<char>(random());
    survive(changed);
  }
}

TEST(PerfettoTrace, RefusesLengthsThatCannotBe) {
  TraceWriter trace = with_thread();
  trace.slice(2, 1, 2, "a", "").raw("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f");
  const cgpu::Run run = read(trace);
  EXPECT_EQ(slices_of(run).size(), 1u);
  EXPECT_EQ(run.notes.count("truncated_input"), 1);
  EXPECT_THROW(read_bytes("\x0a\xff\xff\xff\xff\x0f"), Error);
  EXPECT_THROW(read_bytes("no trace at all"), Error);
}

TEST(PerfettoTrace, KeepsTimesWithinBounds) {
  TraceWriter trace = with_thread();
  trace.slice(2, UINT64_MAX, UINT64_MAX, "never", "").slice(2, INT64_MAX, INT64_MAX, "too late", "");
  trace.slice(2, 1, 2, "a", "");
  const cgpu::Run run = read(trace);
  EXPECT_EQ(slices_of(run), (Names{"a 1+1 100/101 annotation"}));
  EXPECT_EQ(run.notes.count("skipped_event"), 4);
}

}  // namespace
}  // namespace cgpu::perfetto
