// Chrome traces that are no PyTorch traces, on hand-written files: slices in two pieces, asynchronous work, flows,
// stacks.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "base/error.h"
#include "base/test_file.h"
#include "readers/reader.h"
#include "readers/test_read.h"

namespace cgpu {
namespace {

using test::read_text;
using test::TestFile;

/// An event on thread 2 of process 1.
std::string event(const std::string& phase, const std::string& name, const std::string& ts,
                  const std::string& rest = "") {
  return R"j({"ph": ")j" + phase + R"j(", "name": ")j" + name + R"j(", "pid": 1, "tid": 2, "ts": )j" + ts + rest + "}";
}
std::string x(const std::string& name, const std::string& ts, const std::string& dur, const std::string& rest = "") {
  return event("X", name, ts, ", \"dur\": " + dur + rest);
}

std::string array(const std::vector<std::string>& events) {
  std::string text = "[";
  for (const std::string& one : events) text.append(text.size() > 1 ? ",\n" : "").append(one);
  return text + "]";
}

/// Name, start and duration in microseconds, of all slices in their order.
using Shown = std::vector<std::tuple<std::string, int64_t, int64_t>>;
Shown shown(const cgpu::Run& run) {
  Shown all;
  const Slices& s = run.timeline.slices;
  for (SliceIndex i = 0; i < s.size(); ++i) {
    all.emplace_back(run.timeline.name(i), s.start[i] / 1000, s.duration[i] / 1000);
  }
  return all;
}

std::string thread(const cgpu::Run& run, SliceIndex slice) {
  return run.timeline.tracks[run.timeline.slices.track[slice]].thread;
}

void expect_books(const cgpu::Run& run) {
  const EventCounts& e = run.events;
  EXPECT_EQ(e.read,
            e.slices + e.ends + e.instants + e.samples + e.memory + e.counters + e.flows + e.metadata + e.skipped);
  EXPECT_EQ(e.slices, static_cast<int64_t>(run.timeline.slices.size()));
}

TEST(ChromeReader, BeginsAndEndsPairOnTheirThread) {
  const std::string other = R"j({"ph": "E", "name": "a", "pid": 1, "tid": 3, "ts": 4})j";
  const cgpu::Run run = read_text(array({event("B", "a", "0"), event("B", "b", "1"), other, event("E", "", "3"),
                                         event("E", "a", "9.0005"), event("E", "a", "10")}));
  EXPECT_EQ(shown(run), (Shown{{"a", 0, 9}, {"b", 1, 2}}));
  EXPECT_EQ(run.timeline.slices.duration[0], 9000) << "9000.5 ns, half to even";
  EXPECT_EQ(run.notes.count("unmatched_end"), 2);
  EXPECT_EQ(run.events.ends, 2);
  EXPECT_EQ(run.events.skipped, 2);
  EXPECT_EQ(run.format, "chrome");
  expect_books(run);
}

TEST(ChromeReader, AnEmptyObjectIsNoEvent) {
  const cgpu::Run run = read_text(array({event("i", "mark", "1"), R"({"x": 1})", "{}"}));
  EXPECT_EQ(run.events.read, 2);
  EXPECT_EQ(run.notes.count("skipped_event"), 1) << "that which has a member";
  expect_books(run);
}

TEST(ChromeReader, EndsGoByNameAndTheRestLastsUntilTheEndOfTheTrace) {
  const cgpu::Run run =
      read_text(array({event("B", "a", "0"), event("B", "b", "1"), event("B", "b", "2"), event("E", "a", "3"),
                       event("E", "c", "4"), event("E", "b", "5"), event("i", "mark", "20")}));
  EXPECT_EQ(shown(run), (Shown{{"a", 0, 3}, {"b", 1, 19}, {"b", 2, 3}}));
  EXPECT_EQ(run.timeline.slices.flags, (std::vector<uint8_t>{0, kNeverEnded, 0}));
  EXPECT_EQ(run.notes.count("unmatched_begin"), 1);
  EXPECT_EQ(run.notes.count("unmatched_end"), 1);
  expect_books(run);
}

TEST(ChromeReader, PairsInOrderOfTimeWhateverTheOrderOfTheFile) {
  const cgpu::Run run =
      read_text(array({event("E", "b", "9"), event("E", "a", "10"), event("B", "b", "1"), event("B", "a", "0"),
                       event("E", "instant", "5"), event("B", "instant", "5")}));
  EXPECT_EQ(shown(run), (Shown{{"b", 1, 8}, {"a", 0, 10}, {"instant", 5, 0}}))
      << "slices stay in the order of the file";
  EXPECT_EQ(run.events.skipped, 0);
  expect_books(run);
}

TEST(ChromeReader, SlicesOfBothKindsStandInTheOrderOfTheFile) {
  const cgpu::Run run =
      read_text(array({event("B", "begin first", "0"), event("E", "begin first", "2"), x("inner", "0", "2"),
                       x("whole first", "10", "2"), event("B", "inner", "10"), event("E", "inner", "12")}));
  EXPECT_EQ(shown(run), (Shown{{"begin first", 0, 2}, {"inner", 0, 2}, {"whole first", 10, 2}, {"inner", 10, 2}}));
}

TEST(ChromeReader, WhatNamesASliceFollowsItWhenOthersAreInserted) {
  const std::string args = R"j(, "cat": "%", "args": {"correlation": 5, "External id": 6, "stream": 7, "device": 0}})j";
  const auto with = [&](const std::string& category) { return std::string(args).replace(args.find('%'), 1, category); };
  const std::string kernel = R"j({"ph": "X", "name": "k", "pid": 0, "tid": 7, "ts": 10, "dur": 2)j" + with("kernel");
  const std::string call =
      R"j({"ph": "X", "name": "cudaLaunchKernel", "pid": 1, "tid": 2, "ts": 1, "dur": 2)j" + with("cuda_runtime");
  const cgpu::Run run =
      read_text(array({event("B", "mine", "0"), call, event("B", "late", "5"), event("E", "late", "6"), kernel,
                       event("E", "mine", "30"), x("no end", "3", "null"), event("X", "open", "3")}));
  EXPECT_EQ(run.format, "kineto");
  ASSERT_EQ(run.timeline.device_ops.slice, (std::vector<SliceIndex>{3}));
  EXPECT_EQ(run.timeline.name(3), "k");
  ASSERT_EQ(run.timeline.hints.external.size(), 1u);
  EXPECT_EQ(run.timeline.name(run.timeline.hints.external[0].slice), "cudaLaunchKernel");
  EXPECT_EQ(run.notes.count("skipped_event"), 1) << "in a PyTorch trace, a slice without a duration is left out";
  expect_books(run);
}

TEST(ChromeReader, SlicesWithoutADuration) {
  const cgpu::Run run = read_text(array({event("X", "thread time", "0", R"j(, "tdur": 3)j"), event("X", "open", "2"),
                                         x("last", "5", "4"), event("E", "open", "6")}));
  EXPECT_EQ(shown(run), (Shown{{"thread time", 0, 3}, {"open", 2, 7}, {"last", 5, 4}}));
  EXPECT_EQ(run.notes.count("thread_duration"), 1);
  EXPECT_EQ(run.notes.count("unmatched_begin"), 1);
  EXPECT_EQ(run.notes.count("unmatched_end"), 1) << "an X takes no end";
  expect_books(run);
}

TEST(ChromeReader, AsynchronousWorkHasLanesOfItsOwn) {
  const auto async = [](const std::string& phase, const std::string& name, const std::string& ts,
                        const std::string& id) {
    return event(phase, name, ts, R"j(, "cat": "c", "id": ")j" + id + "\"");
  };
  const cgpu::Run run =
      read_text(array({async("b", "load", "0", "1"), async("b", "part", "1", "1"), async("n", "now", "2", "1"),
                       async("b", "load", "2", "2"), async("e", "part", "3", "1"), async("e", "load", "4", "2"),
                       async("e", "load", "5", "1"), async("b", "load", "5", "3"), async("e", "load", "6", "3"),
                       async("e", "load", "7", "4"), async("b", "never", "8", "5")}));
  EXPECT_EQ(shown(run), (Shown{{"load", 0, 5}, {"part", 1, 2}, {"load", 2, 2}, {"load", 5, 1}, {"never", 8, 0}}));
  EXPECT_EQ(thread(run, 0), "async load");
  EXPECT_EQ(thread(run, 1), "async load") << "what nests stays in the lane of its root";
  EXPECT_EQ(thread(run, 2), "async load #2");
  EXPECT_EQ(thread(run, 3), "async load") << "the lowest lane that is free";
  ASSERT_EQ(run.timeline.instants.size(), 1u);
  EXPECT_EQ(run.timeline.tracks[run.timeline.instants[0].track].thread, "async load");
  EXPECT_EQ(run.notes.count("unmatched_end"), 1);
  EXPECT_EQ(run.notes.count("unmatched_begin"), 1);
  expect_books(run);
}

TEST(ChromeReader, AsynchronousIdsAndTheOlderPhases) {
  const auto async = [](const std::string& phase, const std::string& process, const std::string& ts,
                        const std::string& id) {
    return R"j({"ph": ")j" + phase + R"j(", "name": "w", "cat": "c", "tid": 1, "pid": )j" + process + R"j(, "ts": )j" +
           ts + ", " + id + "}";
  };
  const std::string local = R"j("id2": {"local": "0x1"})j";
  const std::string global = R"j("id2": {"global": "0x1"})j";
  const std::string id = R"j("id": "0x1")j";
  const cgpu::Run run = read_text(array({
      async("b", "1", "0", local),
      async("b", "2", "1", local),
      async("e", "1", "2", local),
      async("e", "2", "4", local),
      async("b", "1", "10", global),
      async("e", "2", "13", id),  // ids of the whole trace, whoever ends them
      async("b", "1", "20", id + R"j(, "scope": "s")j"),
      async("e", "1", "21", id),
      async("S", "1", "30", id),
      async("T", "1", "31", id + R"j(, "args": {"step": "half"})j"),
      async("F", "1", "34", id),
  }));
  EXPECT_EQ(shown(run), (Shown{{"w", 0, 2}, {"w", 1, 3}, {"w", 10, 3}, {"w", 20, 14}, {"w", 30, 4}}));
  EXPECT_EQ(run.timeline.tracks[run.timeline.slices.track[1]].process, "2");
  ASSERT_EQ(run.timeline.instants.size(), 1u);
  EXPECT_EQ(run.timeline.names[run.timeline.instants[0].name], "half");
  EXPECT_EQ(run.notes.count("unmatched_end"), 1);
  expect_books(run);
}

TEST(ChromeReader, FlowsLinkTheSlicesTheyStandIn) {
  const auto flow = [](const std::string& phase, const std::string& ts, const std::string& rest = "") {
    return event(phase, "f", ts, R"j(, "cat": "c", "id": 9)j" + rest);
  };
  const cgpu::Run run =
      read_text(array({x("a", "0", "10"), x("inner", "2", "2"), flow("s", "3"), x("b", "20", "5"), flow("t", "21"),
                       x("around", "30", "20"), flow("f", "31"), x("next", "35", "1"),
                       flow("f", "40", R"j(, "bp": "e")j"), flow("s", "90"), event("f", "other", "1")}));
  std::vector<std::pair<std::string, std::string>> links;
  for (const Link& link : run.timeline.links) {
    EXPECT_EQ(link.kind, Link::Kind::flow);
    links.emplace_back(run.timeline.name(link.from), run.timeline.name(link.to));
  }
  EXPECT_EQ(links, (std::vector<std::pair<std::string, std::string>>{{"inner", "b"}, {"b", "next"}, {"b", "around"}}));
  EXPECT_EQ(run.notes.count("unmatched_flow"), 1);
  EXPECT_EQ(run.events.flows, 6);
  expect_books(run);
}

TEST(ChromeReader, SlicesCanNameTheirFlow) {
  const auto bound = [](const std::string& direction) { return R"j(, "bind_id": "0x7", )j" + direction; };
  const std::string out = R"j("flow_out": true)j";
  const std::string in = R"j("flow_in": true)j";
  const cgpu::Run run = read_text(
      array({x("from", "0", "1", bound(out)), x("child", "0", "1"), event("B", "through", "5", bound(in + ", " + out)),
             event("E", "through", "6"), x("to", "9", "1", bound(in))}));
  ASSERT_EQ(run.timeline.links.size(), 2u);
  EXPECT_EQ(run.timeline.name(run.timeline.links[0].from), "from");
  EXPECT_EQ(run.timeline.name(run.timeline.links[0].to), "through");
  EXPECT_EQ(run.timeline.name(run.timeline.links[1].to), "to");
  EXPECT_EQ(run.events.flows, 0) << "they are no events of their own";
  expect_books(run);
}

TEST(ChromeReader, CountersAndInstants) {
  const cgpu::Run run = read_text(
      array({event("C", "memory", "1", R"j(, "args": {"used": 3, "free": 4.5})j"),
             event("C", "load", "1", R"j(, "id": "0x2", "args": {"value": 7})j"), event("i", "here", "2"),
             event("I", "process", "2", R"j(, "s": "p")j"), event("R", "everywhere", "2", R"j(, "s": "g")j")}));
  const Counters& counters = run.timeline.counters;
  ASSERT_EQ(counters.tracks.size(), 3u);
  EXPECT_EQ(counters.tracks[0].name, "memory used");
  EXPECT_EQ(counters.tracks[1].name, "memory free");
  EXPECT_EQ(counters.tracks[2].name, "load[0x2]");
  EXPECT_EQ(counters.value, (std::vector<double>{3, 4.5, 7}));
  std::vector<InstantScope> scopes;
  for (const Instant& instant : run.timeline.instants) scopes.push_back(instant.scope);
  EXPECT_EQ(scopes, (std::vector<InstantScope>{InstantScope::thread, InstantScope::process, InstantScope::global}));
  expect_books(run);
}

TEST(ChromeReader, SampledStacksBecomeACallTree) {
  const std::string frames = R"j("stackFrames": {"1": {"name": "main", "category": "app"},
      "2": {"name": "work", "parent": "1"}, "3": {"name": "work", "parent": 1}, "4": {"name": "round", "parent": "5"},
      "5": {"name": "about", "parent": "4"}, "6": {"name": "orphan", "parent": "77"}})j";
  const std::string samples =
      R"j("samples": [{"tid": 1, "ts": "5", "sf": 2, "weight": "1"}, {"tid": 1, "ts": 6, "sf": "3"},
      {"ts": 7, "sf": 1}, {"ts": 8, "sf": 99}, {"ts": 9}, {"ts": 10, "sf": 4}, {"ts": 11, "sf": 6}])j";
  const cgpu::Run run =
      read_text("{\"traceEvents\": " + array({event("P", "sample", "1", R"j(, "sf": 2)j"), event("P", "bare", "1")}) +
                ", " + samples + ", " + frames + "}");
  ASSERT_TRUE(run.call_tree.has_value());
  const CallTree& tree = *run.call_tree;
  const auto value = [&](const std::string& name) {
    for (NodeIndex node = 0; node < tree.nodes.size(); ++node) {
      if (tree.name_of(node) == name) return inclusive_value(tree, 0, node);
    }
    return kNoValue;
  };
  EXPECT_EQ(value("<root>"), 6);
  EXPECT_EQ(value("main"), 4);
  EXPECT_EQ(value("work"), 3) << "equal frames of one caller are one place";
  EXPECT_EQ(value("round"), 1) << "callers in a circle end it";
  EXPECT_EQ(value("orphan"), 1);
  EXPECT_EQ(tree.nodes.size(), 6u);
  EXPECT_EQ(run.events.samples, 6);
  EXPECT_EQ(run.notes.count("unknown_frame"), 2);
  EXPECT_EQ(run.notes.count("skipped_event"), 1);
  expect_books(run);
}

TEST(ChromeReader, ProfilesOfJavaScriptComeInPieces) {
  const auto piece = [](const std::string& id, const std::string& data) {
    return event("P", "ProfileChunk", "1",
                 R"j(, "id": ")j" + id + R"j(", "args": {"data": {"cpuProfile": )j" + data + "}}");
  };
  const cgpu::Run run = read_text(array({
      event("P", "Profile", "0", R"j(, "id": "0x1", "args": {"data": {"startTime": 5}})j"),
      piece("0x1",
            R"j({"nodes": [{"id": 1, "callFrame": {"functionName": "(root)"}}, {"id": 2, "parent": 1, "callFrame":
          {"functionName": "", "url": "a.js", "lineNumber": 4}}], "samples": [2, 2, 1]})j"),
      piece("0x2", R"j({"nodes": [{"id": 1, "callFrame": {"functionName": "(root)"}, "children": [2]}, {"id": 2,
          "callFrame": {"functionName": "run", "url": "b.js", "lineNumber": 0}}], "samples": [2, 9]})j"),
      piece("0x1", R"j({"nodes": [{"id": 3, "parent": 2, "callFrame": {"functionName": "f", "url": "a.js",
          "lineNumber": 8}}], "samples": [3]})j"),
      piece("0x3", "7"),
  }));
  ASSERT_TRUE(run.call_tree.has_value());
  const CallTree& tree = *run.call_tree;
  ASSERT_EQ(tree.nodes.size(), 4u);
  EXPECT_EQ(tree.name_of(1), "(anonymous)");
  EXPECT_EQ(tree.nodes.line[1], 5u);
  EXPECT_EQ(inclusive_values(tree, 0), (std::vector<double>{5, 3, 1, 1}));
  EXPECT_EQ(tree.name_of(2), "run");
  EXPECT_EQ(tree.nodes.parent[3], 1u);
  EXPECT_EQ(run.notes.count("unknown_frame"), 1);
  EXPECT_EQ(run.events.samples, 5);
  expect_books(run);
}

TEST(ChromeReader, WhatIsNotReadIsCountedWithItsReason) {
  const cgpu::Run run =
      read_text(R"j({"systemTraceEvents": "# tracer: nop", "powerTraceAsString": "", "traceEvents": )j" +
                array({event("N", "o", "1"), event("O", "o", "2"), event("D", "o", "3"), event("v", "m", "4"),
                       event("c", "clock_sync", "5"), event("(", "c", "6"), event("Q", "?", "7"),
                       event("M", "process_sort_index", "0", R"j(, "args": {"sort_index": 3})j"),
                       event("B", "no time", "null"), event("E", "no time", "\"x\""), event("i", "an instant", "8")}) +
                "}");
  EXPECT_EQ(run.events.metadata, 1);
  EXPECT_EQ(run.events.skipped, 9);
  EXPECT_EQ(run.notes.count("skipped_section"), 1);
  std::vector<int64_t> counts;
  for (const Note& note : run.notes.all()) {
    if (note.code == "skipped_event") counts.push_back(note.count);
  }
  EXPECT_EQ(counts, (std::vector<int64_t>{3, 1, 2, 1}));
  EXPECT_EQ(run.notes.count("invalid_number"), 2);
  expect_books(run);
}

TEST(ChromeReader, CutOffAnywhereItIsReadAsFarAsItGoes) {
  const std::string text = array({event("B", "a", "0"), event("B", "b", "1"), event("E", "b", "2"),
                                  event("b", "async", "2", R"j(, "id": 1)j"), event("E", "a", "3"),
                                  event("s", "f", "0", R"j(, "id": 1)j"), event("P", "p", "0", R"j(, "sf": 1)j")});
  for (size_t size = 1; size < text.size(); ++size) {
    const std::string cut = text.substr(0, size);
    if (cut.find('}') == std::string::npos) {  // before the end of the first event
      EXPECT_THROW(read_text(cut), Error) << size;
      continue;
    }
    const cgpu::Run run = read_text(cut);
    expect_books(run);
    const bool whole_event = std::count(cut.begin(), cut.end(), '{') == std::count(cut.begin(), cut.end(), '}');
    EXPECT_EQ(run.notes.count("truncated_input"), whole_event ? 0 : 1) << size;
  }
  const cgpu::Run run = read_text(text.substr(0, text.size() - 1) + ",\n]\n");
  EXPECT_TRUE(run.notes.count("truncated_input") == 0 && run.events.read == 7);
}

TEST(ChromeReader, WindowsAndThreadsDoNotChangeTheAnswer) {
  std::vector<std::string> events;
  for (int i = 0; i < 20'000; ++i) {  // several windows of 1 MB
    const std::string id =
        R"j(, "cat": "async", "args": {"about": "something that takes up room"}, "id": )j" + std::to_string(i % 7);
    events.push_back(event("B", "outer " + std::to_string(i % 5), std::to_string(10 * i)));
    events.push_back(event("b", "work", std::to_string(10 * i + i % 3), id));
    events.push_back(event("e", "work", std::to_string(10 * i + 25), id));
    events.push_back(event("E", "", std::to_string(10 * i + 9)));
  }
  const std::string text = array(events);
  const cgpu::Run one = read_text(text, 1);
  const cgpu::Run four = read_text(text, 4);
  EXPECT_EQ(one.timeline.slices.size(), 40'000u);
  EXPECT_EQ(shown(one), shown(four));
  EXPECT_EQ(one.timeline.slices.track, four.timeline.slices.track);
  EXPECT_EQ(one.timeline.slices.source, four.timeline.slices.source);
  EXPECT_EQ(one.events.skipped, 0);
  expect_books(four);
}

TEST(ChromeReader, HostileNestingTakesNoLongerThanOther) {
  std::vector<std::string> events;
  constexpr int n = 50'000;
  for (int i = 0; i < n; ++i) events.push_back(event("B", "open", std::to_string(i)));
  for (int i = 0; i < n; ++i) events.push_back(event("E", "not open", std::to_string(n + i)));
  for (int i = 0; i < n; ++i) events.push_back(event("t", "f", std::to_string(n), R"j(, "id": 1)j"));
  for (int i = 0; i < n; ++i) events.push_back(event("b", std::to_string(i), "0", R"j(, "id": )j" + std::to_string(i)));
  const cgpu::Run run = read_text(array(events));
  EXPECT_EQ(run.notes.count("unmatched_begin"), 2 * n);
  EXPECT_EQ(run.notes.count("unmatched_end"), n);
  expect_books(run);
}

TEST(ChromeReader, TimesAtTheEdgesOfTheClock) {
  const cgpu::Run run =
      read_text(array({event("B", "a", "-3999999999999999.999"), event("B", "b", "3999999999999999.999"),
                       event("E", "b", "3999999999999999.999"), event("E", "a", "3999999999999999.999")}));
  ASSERT_EQ(run.timeline.slices.size(), 2u);
  EXPECT_EQ(run.timeline.slices.duration[0], 2 * kMostTime - 2);
  EXPECT_EQ(run.timeline.slices.duration[1], 0);
  expect_books(run);
}

TEST(ChromeReader, TimesBeyondTheClockAreLeftOutAndCounted) {
  const cgpu::Run run =
      read_text(array({x("x", "1", "1"), x("x", "4000000000000000", "1"), x("x", "3999999999999999", "1"),
                       x("x", "2e15", "2e15"), x("x", "-4e15", "1"), x("x", "1", "9223372036854775"),
                       event("i", "instant", "4000000000000000"), event("B", "open", "-4000000000000000")}));
  EXPECT_EQ(run.timeline.slices.size(), 1u);
  EXPECT_EQ(run.timeline.instants.size(), 0u);
  EXPECT_EQ(run.events.skipped, 7);
  EXPECT_EQ(run.notes.count("invalid_number"), 7);
  expect_books(run);
}

}  // namespace
}  // namespace cgpu
