#include "readers/torch_memory/torch_memory.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/test_file.h"
#include "readers/common/pickle.h"
#include "readers/common/sqlite/test_database.h"
#include "readers/common/test_pickle.h"
#include "readers/reader.h"
#include "readers/test_read.h"

namespace cgpu::torch_memory {
namespace {

using test::dictionary;
using test::list;
using test::number;
using test::pickled;
using test::text;

std::string frame(const std::string& name, int64_t line) {
  return dictionary(text("name") + text(name) + text("filename") + text("a.py") + text("line") + number(line));
}
std::string event(const std::string& action, int64_t address, int64_t size, const std::string& more = "") {
  return dictionary(text("action") + text(action) + text("addr") + number(address) + text("size") + number(size) +
                    text("frames") + list(frame("inner", 3) + frame("outer", 9)) + more);
}
std::string segment(int64_t device, int64_t total, int64_t allocated) {
  return dictionary(text("device") + number(device) + text("total_size") + number(total) + text("allocated_size") +
                    number(allocated));
}
std::string snapshot(const std::string& segments, const std::string& traces) {
  return pickled(dictionary(text("segments") + list(segments) + text("device_traces") + list(traces)));
}

/// 100 bytes are there at first, 600 at the peak, 400 in the end.
std::string example() {
  return snapshot(segment(0, 4096, 400),
                  list(event("segment_alloc", 0, 2048) + event("alloc", 1, 200) + event("alloc", 2, 300) +
                       event("free_requested", 1, 200) + event("free_completed", 1, 200) + event("oom", 0, 9)));
}

Run read(const std::string& bytes) {
  const test::TestFile file(bytes, ".pickle");
  return std::move(open_inputs({file.path()}, {}).runs.front());
}
TEST(TorchMemory, LevelsLeadToWhatTheSegmentsHold) {
  const auto run = read(example());
  EXPECT_EQ(run.format, "torch-memory");
  std::vector<std::array<int64_t, 4>> events;
  for (const MemoryEvent& e : run.timeline.memory) {
    events.push_back({e.time, e.bytes, e.total_allocated, e.total_reserved});
  }
  EXPECT_EQ(events, (std::vector<std::array<int64_t, 4>>{
                        {0, 0, 100, 4096}, {1000, 200, 300, 4096}, {2000, 300, 600, 4096}, {3000, -200, 400, 4096}}));
  EXPECT_EQ(run.timeline.instants.size(), 1u);
  EXPECT_EQ(run.notes.count("no_times"), 1);
  EXPECT_EQ(run.event_step, 1000);
  EXPECT_EQ(run.events.read, test::accounted(run));
}

TEST(TorchMemory, TheCallTreeSaysWhoHoldsThePeak) {
  const auto run = read(example());
  ASSERT_TRUE(run.call_tree);
  const CallTree& tree = *run.call_tree;
  const auto at = [&](const char* name, NodeIndex node) {
    return inclusive_value(tree, *tree.find_metric(name), node);
  };
  EXPECT_EQ(at("allocated", 0), 500);
  EXPECT_EQ(at("allocations", 0), 2);
  EXPECT_EQ(at("at_peak", 0), 600);
  EXPECT_EQ(at("at_end", 0), 400);
  ASSERT_EQ(tree.nodes.size(), 5u);  // outer, its line 9, inner, its line 3
  EXPECT_EQ(tree.name_of(1), "outer");
  EXPECT_EQ(tree.name_of(3), "inner");
  EXPECT_EQ(tree.nodes.line[4], 3u);
  EXPECT_EQ(at("at_peak", 4), 500);
  EXPECT_EQ(at("at_end", 4), 300);
}

TEST(TorchMemory, TimesWhereThereAreAny) {
  const auto run = read(snapshot(
      segment(1, 10, 5), list("") + list(event("alloc", 1, 5, text("time_us") + number(1'700'000'000'000'001)))));
  EXPECT_TRUE(run.clock_is_unix);
  EXPECT_EQ(run.timeline.memory.front().time, 1'700'000'000'000'001'000);
  EXPECT_EQ(run.timeline.memory.front().device, 1);
}

TEST(TorchMemory, NothingIsExecuted) {
  const Pickle call(std::string("\x80\x04") + "cos\nsystem\n" + text("true") + "\x85R.");
  EXPECT_EQ(call.refused(), 2);  // the function, and what calling it gives
  EXPECT_EQ(call.root().type, PickleValue::Type::object);
  const auto run = read(pickled("ccollections\nOrderedDict\n)R(" + text("segments") + list(segment(0, 8, 4)) +
                                text("device_traces") + list("") + "u"));
  EXPECT_EQ(run.notes.count("refused_object"), 2);
  EXPECT_EQ(run.timeline.memory.front().total_allocated, 4);
}

TEST(TorchMemory, NumbersOfAnyLength) {
  const auto value = [](const std::string& code) {
    const Pickle pickle(pickled(code));
    return pickle.integer(pickle.root());
  };
  EXPECT_EQ(value(std::string("\x8a\x00", 2)), 0);
  EXPECT_EQ(value("\x8a\x01\xff"), -1);
  EXPECT_EQ(value(std::string("\x8a\x02\xff\x00", 4)), 255);
  EXPECT_EQ(value("\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f"), INT64_MAX);
  EXPECT_EQ(value(std::string("\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\x00", 11)), std::nullopt);
  EXPECT_EQ(value("J\xfe\xff\xff\xff"), -2);
  EXPECT_EQ(value("I-12\n"), -12);
  EXPECT_EQ(value("L34L\n"), 34);
}

TEST(TorchMemory, CutAnywhere) {
  const std::string whole = example();
  int read_some = 0;
  for (size_t size = 3; size < whole.size(); ++size) {
    try {
      const auto run = read(whole.substr(0, size));
      EXPECT_GT(run.notes.count("truncated_input"), 0) << size;
      EXPECT_EQ(run.events.read, test::accounted(run));
      ++read_some;
    } catch (const Error&) {
    }
  }
  EXPECT_GT(read_some, 500);
}

TEST(TorchMemory, EveryByteAtItsLimits) {
  const std::string whole = example();
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const char byte : {'\xff', '(', 'R'}) {
      std::string damaged = whole;
      damaged[at] = byte;
      try {
        const auto run = read(damaged);
        EXPECT_EQ(run.events.read, test::accounted(run));
      } catch (const Error&) {
      }
    }
  }
}

TEST(TorchMemory, ListsThatHoldThemselves) {
  const std::string none = pickled("}\x94" + text("segments") + "]\x94h\x01" + "as" + text("device_traces") + "h\x01s");
  EXPECT_THROW(read(none), Error);
}

TEST(TorchMemory, ARecordingThatLostItsBeginningSaysSo) {
  const std::string entries = text("segments") + list(segment(0, 4096, 400)) + text("device_traces") +
                              list(list(event("alloc", 1, 200))) + text("trace_alloc_max_entries") + list(number(1));
  const cgpu::Run full = read(pickled(dictionary(entries + text("trace_alloc_overflowed") + list("\x88"))));
  EXPECT_EQ(full.notes.count("missing_beginning"), 1);
  const cgpu::Run whole = read(pickled(dictionary(entries + text("trace_alloc_overflowed") + list("\x89"))));
  EXPECT_EQ(whole.notes.count("missing_beginning"), 0);
}

TEST(TorchMemory, ADatabaseSaysWhatAPickleSays) {
  test::TestDatabase database;
  const std::string frames =
      R"([{"filename":"a.py","line":3,"name":"inner"},{"filename":"a.py","line":9,"name":"outer"}])";
  database.sql(
      "CREATE TABLE segments(id INTEGER PRIMARY KEY, device INTEGER, total_size INTEGER);"
      "CREATE TABLE blocks(id INTEGER PRIMARY KEY, segment_id INTEGER, size INTEGER, state TEXT);"
      "CREATE TABLE device_traces(id INTEGER PRIMARY KEY, device INTEGER, action TEXT, addr INTEGER, size "
      "INTEGER, time_us INTEGER, frames TEXT);"
      "INSERT INTO segments VALUES (1, 0, 4096);"
      "INSERT INTO blocks VALUES (1, 1, 300, 'active_allocated'), (2, 1, 100, 'active_allocated'),"
      "(3, 1, 50, 'inactive');"
      "INSERT INTO device_traces VALUES (1, 0, 'alloc', 1, 200, 10, '" +
      frames + "'), (2, 0, 'alloc', 2, 300, 20, '" + frames +
      "'), (3, 0, 'free_requested', 1, 200, 30, '[]'), (4, 0, 'odd', 1, 200, 30, '[]')");
  database.close();
  const cgpu::Run run = test::read_file(database.path());
  EXPECT_EQ(run.format_version, "snapshot database");
  ASSERT_EQ(run.timeline.memory.size(), 3U);
  EXPECT_EQ(run.timeline.memory[1].total_allocated, 600) << "100 bytes were there at first";
  EXPECT_EQ(run.timeline.memory[2].total_allocated, 400);
  EXPECT_EQ(run.timeline.memory[1].time, 20000);
  EXPECT_EQ(run.call_tree->nodes.size(), 5U);
  EXPECT_EQ(run.events.read, test::accounted(run));
}

TEST(TorchMemory, OtherPicklesAreNotTaken) {
  EXPECT_THROW(read(pickled(dictionary(text("a") + number(1)))), Error);
  EXPECT_THROW(read(pickled(text("segments"))), Error);
}

TEST(TorchMemory, WhatFollowsThePickleIsNoted) {
  EXPECT_EQ(read(example()).notes.count("trailing_data"), 0);
  const cgpu::Run run = read(example() + example());
  EXPECT_EQ(run.notes.count("trailing_data"), 1);
  EXPECT_NE(run.notes.all().back().text.find("byte " + std::to_string(example().size()) + ":"), std::string::npos);
}

}  // namespace
}  // namespace cgpu::torch_memory
