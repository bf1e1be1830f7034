#include "tiles/timeline_view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "analysis/critical_path/edge_parts.h"
#include "analysis/random_run.h"
#include "analysis/steps/layer_parts.h"
#include "analysis/steps/run_layers.h"
#include "analysis/test_tables.h"
#include "analysis/test_timeline.h"
#include "tiles/lanes/idle_lane.h"
#include "tiles/lanes/lane_sources.h"

namespace cgpu {
namespace {

const std::vector<NamedKind> kWithoutSteps = {{SliceKind::framework_op, "aten::mm"},
                                              {SliceKind::annotation, "range"},
                                              {SliceKind::runtime_call, "cudaLaunchKernel"},
                                              {SliceKind::runtime_call, "cudaDeviceSynchronize"}};

RandomRun random_timeline(unsigned seed) {
  return RandomRun(seed, kWithoutSteps, seed % 2 == 0 ? HostShape::nested : HostShape::overlapping);
}

std::vector<ViewTrackId> of_kind(const TimelineView& view, std::string_view kind) {
  std::vector<ViewTrackId> found;
  for (ViewTrackId id = 0; id < view.tracks().size(); ++id) {
    if (view.tracks()[id].lane->kind == kind) found.push_back(id);
  }
  return found;
}

TEST(TimelineView, EverySliceStandsOnOneTrack) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Session session = session_of(random_timeline(seed), random_timeline(seed + 1000));
    const SessionFacts facts(session);
    const TimelineView view(facts, 1 + seed % 2);
    for (size_t run = 0; run < 2; ++run) {
      const Timeline& timeline = session.runs[run].timeline;
      for (SliceIndex slice = 0; slice < timeline.slices.size(); ++slice) {
        const SlicePosition placed = view.place(run, slice);
        EXPECT_EQ(placed.slice, slice);
        EXPECT_EQ(placed.start, timeline.slices.start[slice] - view.zero(run));
        EXPECT_EQ(placed.duration, timeline.slices.duration[slice]);
        EXPECT_EQ(view.names()[placed.name], timeline.name(slice));
        EXPECT_EQ(view.tracks()[placed.track].run, run);
        const SliceIndex parent = timeline.slices.parent[slice];
        if (parent != kNone) {
          EXPECT_GT(placed.lane, view.place(run, parent).lane);
        }
      }
    }
    uint64_t slices = 0;
    for (ViewTrackId id = 0; id < view.tracks().size(); ++id) {
      const ViewTrack& track = view.tracks()[id];
      if (!view.has_slices(id)) continue;
      const LaneIndex& lanes = view.lanes(id);
      if (track.lane->kind == "layers") {
        EXPECT_EQ(track.lanes, 2U);  // before it is known whether there are any
      } else {
        EXPECT_EQ(track.lanes.value_or(lanes.lanes()),
                  std::max<uint32_t>(lanes.lanes(), track.source == kNone ? 1 : 0));
      }
      EXPECT_EQ(track.slices.value_or(lanes.slices()), lanes.slices());
      if (track.source != kNone) slices += lanes.slices();
    }
    EXPECT_EQ(slices, session.runs[0].timeline.slices.size() + session.runs[1].timeline.slices.size());
  }
}

TEST(TimelineView, IdleTracksAddUpToTheTable) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    const Session session = session_of(random_timeline(seed));
    const SessionFacts facts(session);
    const TimelineView view(facts);
    const Table table = idle_table(session, {});
    std::map<std::pair<int64_t, std::string>, std::pair<int64_t, int64_t>> expected;  // count and total
    for (size_t row = 0; row < table.row_count(); ++row) {
      expected[{integer_at(table, row, "device"), text_at(table, row, "cause")}] = {integer_at(table, row, "count"),
                                                                                    integer_at(table, row, "total_ns")};
    }
    std::map<std::pair<int64_t, std::string>, std::pair<int64_t, int64_t>> found;
    for (const ViewTrackId id : of_kind(view, "idle")) {
      const IdleSlices& idle = view.derived_as<IdleSlices>(id);
      for (SliceIndex gap = 0; gap < idle.slices.size(); ++gap) {
        int64_t length = 0;
        for (uint32_t part = idle.part_begin[gap]; part < idle.part_begin[gap + 1]; ++part) {
          auto& [count, total] = found[{*view.tracks()[id].device, std::string(text_of(idle.part_cause[part]))}];
          ++count;
          total += idle.part_ns[part];
          length += idle.part_ns[part];
        }
        EXPECT_EQ(length, idle.slices.duration[gap]);
      }
    }
    EXPECT_EQ(found, expected) << "seed " << seed;
  }
}

TEST(TimelineView, TheCriticalPathIsThatOfTheTable) {
  int64_t checked = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Session session = session_of(random_timeline(seed), random_timeline(seed + 1000));
    const SessionFacts facts(session);
    const TimelineView view(facts);
    const Table table = make_table(find_analysis("critical_path_trace"), facts);
    std::map<std::tuple<int64_t, std::string, std::string>, int64_t>
        expected;  // by rank, what bounds and what name: ns
    for (size_t row = 0; row < table.row_count(); ++row) {
      expected[{integer_at(table, row, "rank"), text_at(table, row, "bound_by"),
                absent_at(table, row, "name") ? "" : text_at(table, row, "name")}] +=
          integer_at(table, row, "duration_ns");
    }
    std::map<std::tuple<int64_t, std::string, std::string>, int64_t> found;
    for (const ViewTrackId id : of_kind(view, "critical_path")) {
      const size_t run = view.tracks()[id].run;
      const DerivedSlices& parts = *view.derived(id);
      for (SliceIndex part = 0; part < parts.size(); ++part) {
        const SliceIndex about = parts.origin[part];
        const std::string name = about == kNone ? "" : std::string(session.runs[run].timeline.name(about));
        const std::string bound_by(BoundBy::name_of(parts.name[part]));
        found[{session.runs[run].rank, bound_by, name}] += parts.duration[part];
        const SliceStyle style = view.style(id, part);
        std::string words = bound_by;
        std::replace(words.begin(), words.end(), '_', ' ');
        EXPECT_EQ(view.names()[style.name], about == kNone ? words : name);
        const std::string_view kind = slice_kinds()[style.colour >> 8].name;
        EXPECT_EQ(kind == "idle", BoundBy::cause_of(parts.name[part]).has_value()) << kind;
        ++checked;
      }
    }
    EXPECT_EQ(found, expected) << "seed " << seed;
  }
  EXPECT_GT(checked, 200);
}

/// The name of the slice of a lane that is there at a moment, "" where there is none.
std::string name_at(const TimelineView& view, ViewTrackId track, uint32_t number, int64_t time) {
  if (number >= view.lanes(track).lanes()) return "";
  const Lane lane = view.lanes(track).lane(number);
  for (size_t position = 0; position < lane.size(); ++position) {
    if (lane.start(position) <= time && time < lane.end(position)) {
      return std::string(view.names()[view.style(track, lane.slice(position)).name]);
    }
  }
  return "";
}

TEST(TimelineView, AtTheStartOfEachOpStandItsLayerAndItsPart) {
  // By their kernels: two steps of an embedding and five layers, on two devices.
  TestRun run;
  for (const int32_t device : {0, 1}) {
    int64_t time = 10 * device;
    const auto add = [&](const char* name, KernelClass kernel_class) {
      const SliceIndex call = run.host(SliceKind::runtime_call, "launch", time, 1);
      run.kernel(name, time, 30, {device, 7, OpKind::compute, kernel_class, call});
      time += 100;
    };
    for (int step = 0; step < 2; ++step) {
      add("embed", KernelClass::embedding);
      for (int layer = 0; layer < 5; ++layer) {
        add("norm_1", KernelClass::normalization);
        add("flash_attention", KernelClass::attention);
        add("gemm_out", KernelClass::gemm);
        add("norm_2", KernelClass::normalization);
        add("gemm_up", KernelClass::gemm);
        add("silu", KernelClass::activation);
      }
    }
  }
  const Session session = session_of(std::move(run));
  const SessionFacts facts(session);
  const TimelineView view(facts);
  const RunLayers layers = find_layers({facts, 0, 0});
  const std::vector<ViewTrackId> tracks = of_kind(view, "layers");
  ASSERT_EQ(tracks.size(), 2u);
  int64_t in_layers = 0;
  for (const PlacedOp& op : layers.ops) {
    const ViewTrackId track = tracks[static_cast<size_t>(op.device)];
    EXPECT_EQ(view.tracks()[track].device, static_cast<int32_t>(op.device));
    const int64_t start = session.runs[0].timeline.slices.start[op.slice] - view.zero(0);
    const bool is_in_layer = op.layer != kNoLayer;
    EXPECT_EQ(name_at(view, track, 0, start), is_in_layer ? "layer " + std::to_string(op.layer) : "");
    EXPECT_EQ(name_at(view, track, 1, start), is_in_layer || op.part != kOtherPart ? op.part : "");
    in_layers += is_in_layer ? 1 : 0;
  }
  EXPECT_EQ(in_layers, 2 * 2 * 5 * 6);
  // A layer lasts until its last op has ended, or the next one begins.
  const Lane lane = view.lanes(tracks[0]).lane(0);
  ASSERT_EQ(lane.size(), 10u);
  EXPECT_EQ(lane.start(0), 100);
  EXPECT_EQ(lane.duration(0), 530);
}

TEST(TimelineView, ADeviceThatMultipliesNoMatricesHasNoTrackOfLayers) {
  TestRun run;
  run.kernel("copy", 0, 10, {0, 7, OpKind::compute, KernelClass::elementwise, kNone});
  const Session session = session_of(std::move(run));
  const SessionFacts facts(session);
  EXPECT_TRUE(of_kind(TimelineView(facts), "layers").empty());
}

TEST(TimelineView, ActivityAndExposedCommunicationAddUpToTheTable) {
  int64_t exposed_ns = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    const Session session = session_of(random_timeline(seed));
    const SessionFacts facts(session);
    const TimelineView view(facts);
    const Table table = gpu_time_table(session, {});
    for (const ViewTrackId id : of_kind(view, "busy")) {
      size_t row = 0;
      while (integer_at(table, row, "device") != *view.tracks()[id].device) ++row;
      const std::string tile = view.activity_tile(id, {0, 0});  // the runs are shorter than 1,024 ns
      ASSERT_EQ(tile.size(), 16 + 3 * 4 * 1024U);
      for (const auto& [kind, column] :
           {std::pair(0, "compute_ns"), {1, "exposed_comm_ns"}, {2, "exposed_memory_ns"}}) {
        double sum = 0;
        for (int bucket = 0; bucket < kTileBuckets; ++bucket) {
          float share = 0;
          std::memcpy(&share, tile.data() + 16 + 4 * (1024 * kind + bucket), 4);
          sum += static_cast<double>(share);
        }
        EXPECT_EQ(static_cast<int64_t>(sum), integer_at(table, row, column)) << "seed " << seed;
      }
    }
    for (const ViewTrackId id : of_kind(view, "exposed")) {
      size_t row = 0;
      while (integer_at(table, row, "device") != *view.tracks()[id].device) ++row;
      int64_t total = 0;
      for (const int64_t duration : view.derived(id)->duration) total += duration;
      EXPECT_EQ(total, integer_at(table, row, "exposed_comm_ns"));
      exposed_ns += total;
    }
  }
  EXPECT_GT(exposed_ns, 0);
}

TEST(TimelineView, ProjectsRangesOntoTheDevice) {
  TestRun run;
  const SliceIndex range = run.host(SliceKind::annotation, "forward", 100, 50);
  const SliceIndex first = run.host(SliceKind::runtime_call, "cudaLaunchKernel", 110, 5, range);
  const SliceIndex second = run.host(SliceKind::runtime_call, "cudaLaunchKernel", 120, 5, range);
  run.kernel("a", 200, 10, {.launch = first});
  run.kernel("b", 300, 10, {.launch = second});
  run.kernel("c", 400, 10);
  const Session session = session_of(std::move(run));
  const SessionFacts facts(session);
  const TimelineView view(facts);
  const std::vector<ViewTrackId> tracks = of_kind(view, "ranges");
  ASSERT_EQ(tracks.size(), 1U);
  const DerivedSlices& ranges = *view.derived(tracks[0]);
  ASSERT_EQ(ranges.size(), 1U);
  EXPECT_EQ(ranges.start[0], 200);
  EXPECT_EQ(ranges.duration[0], 110);
  EXPECT_EQ(ranges.origin[0], range);
  EXPECT_EQ(view.names()[view.style(tracks[0], 0).name], "forward");
}

TEST(TimelineView, TracksCanBeToldApart) {
  TestRun test;
  test.host(SliceKind::framework_op, "op", 100, 10);
  for (const int64_t stream : {7, 8, 9}) test.kernel("k", 200 + stream, 1, {.stream = stream});
  Timeline& timeline = test.run.timeline;
  for (Track& track : timeline.tracks) {
    if (track.kind == TrackKind::device_stream)
      track.thread = track.thread == "9" ? "stream 9" : track.thread == "8" ? "-1" : "stream 4294967295";
    if (track.kind == TrackKind::host_thread) track.process_name = "python";
  }
  timeline.counters.tracks = {{"1", "load"}, {"", "load"}, {"elsewhere", "load"}, {"1", "load"}};
  const Session session = session_of(std::move(test));
  const SessionFacts facts(session);
  const TimelineView view(facts);
  std::vector<std::string> streams;
  std::vector<std::string> counters;
  for (const ViewTrack& track : view.tracks()) {
    if (track.lane->kind == "stream") streams.push_back(track.name);
    if (track.lane->kind == "counter") counters.push_back(track.group.back() + ": " + track.name);
  }
  EXPECT_EQ(streams, (std::vector<std::string>{"no stream", "stream 9", "no stream (2)"}));
  for (const ViewTrack& track : view.tracks()) EXPECT_NE(track.name, "-1");
  EXPECT_EQ(counters, (std::vector<std::string>{"python (1): load", "Counters: load", "elsewhere: load",
                                                "python (1): load (2)"}));
}

TEST(TimelineView, TracksStandInOrder) {
  const auto run_in = [](const std::string& file) {
    TestRun test;
    for (const char* thread : {"12", "9", "1", "30"}) {
      for (int64_t i = 0; i < std::stoi(thread); ++i) {
        test.host(SliceKind::framework_op, "op", 100 * i, 10, kNone, thread);
      }
    }
    test.run.timeline.counters.tracks = {{"1", "core 10"}, {"1", "core 9"}};
    test.run.file = "folder/" + file;
    return test;
  };
  TestRun named = run_in("other.json");
  named.run.timeline.tracks[1].thread_name = "MainThread";
  for (Track& track : named.run.timeline.tracks) track.process = "8";
  const Session session = session_of(run_in("this.json"), std::move(named));
  const SessionFacts facts(session);
  const TimelineView view(facts);
  std::vector<std::string> names;
  for (const ViewTrack& track : view.tracks()) names.push_back(track.group.front() + ": " + track.name);
  EXPECT_EQ(names, (std::vector<std::string>{"rank 0 (this.json): thread 1", "rank 0 (this.json): thread 9",
                                             "rank 0 (this.json): thread 12", "rank 0 (this.json): thread 30",
                                             "rank 0 (this.json): core 9", "rank 0 (this.json): core 10",
                                             "rank 0 (other.json): MainThread (9)", "rank 0 (other.json): thread 1",
                                             "rank 0 (other.json): thread 12", "rank 0 (other.json): thread 30",
                                             "rank 0 (other.json): core 9", "rank 0 (other.json): core 10"}));
}

TEST(TimelineView, ManyThreadsAtOnce) {
  const Session session = session_of(random_timeline(2), random_timeline(4));
  const SessionFacts facts(session);
  const TimelineView view(facts);
  std::vector<std::vector<std::string>> answers(8);
  {
    std::vector<std::jthread> threads;
    for (std::vector<std::string>& mine : answers) {
      threads.emplace_back([&] {
        for (ViewTrackId id = 0; id < view.tracks().size(); ++id) {
          if (view.has_slices(id)) mine.push_back(view.tile(id, {0, 0}));
          if (view.tracks()[id].lane->kind == "busy") mine.push_back(view.activity_tile(id, {0, 0}));
        }
      });
    }
  }
  for (const std::vector<std::string>& mine : answers) EXPECT_EQ(mine, answers.front());
}

/// All that there is to see.
std::vector<std::string> picture_of(const TimelineView& view) {
  std::vector<std::string> picture = {std::to_string(view.span())};
  for (size_t run = 0; run < view.session().runs.size(); ++run) {
    picture.push_back(std::to_string(view.zero(run)));
  }
  for (ViewTrackId id = 0; id < view.tracks().size(); ++id) {
    const ViewTrack& track = view.tracks()[id];
    picture.push_back(track.name + " " + std::to_string(track.slices.value_or(0)) + " " +
                      std::to_string(track.lanes.value_or(0)));
    if (view.has_slices(id)) picture.push_back(view.tile(id, {0, 0}));
    if (track.lane->kind == "busy") picture.push_back(view.activity_tile(id, {0, 0}));
  }
  return picture;
}

TEST(TimelineView, DoesNotDependOnTheNumberOfThreads) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Session session = session_of(random_timeline(seed), random_timeline(seed + 100), random_timeline(seed + 200));
    const std::vector<std::string> alone = picture_of(TimelineView(SessionFacts(session), 1));
    for (const unsigned threads : {2U, 5U}) EXPECT_EQ(picture_of(TimelineView(SessionFacts(session), threads)), alone);
  }
}

TEST(TimelineView, SpansWhatIsNoSliceToo) {
  for (const bool slices : {false, true}) {
    Session session = session_of(random_timeline(2));
    Timeline& timeline = session.runs[0].timeline;
    const int64_t first = slices ? timeline.slices.start[0] : 5000;
    if (!slices) timeline = Timeline();
    timeline.memory = {{first, 64, 64, 128, 0}, {first + 700'000, -64, 0, 128, 0}};
    timeline.counters.tracks = {{"process", "clock"}};
    timeline.counters.track = {0};
    timeline.counters.time = {first + 800'000};
    timeline.counters.value = {1};
    timeline.instants = {{first + 900'000, 0, kNone, InstantScope::global}};
    const SessionFacts facts(session);
    const TimelineView view(facts);
    if (!slices) {
      EXPECT_EQ(view.zero(0), first) << "a run without slices begins with its first event";
    }
    EXPECT_EQ(view.span(), first + 900'000 - view.zero(0));
  }
}

TEST(TimelineView, SaysHowFarItIs) {
  const Session session = session_of(random_timeline(1), random_timeline(2));
  for (const unsigned threads : {1U, 4U}) {
    std::vector<double> shares;
    const SessionFacts facts(session);
    const TimelineView view(facts, threads, [&](double share) { shares.push_back(share); });
    EXPECT_EQ(shares.size(), view.tracks().size());
    EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
    EXPECT_EQ(shares.back(), 1);
  }
}

TEST(TimelineView, EmptySession) {
  Session session;
  session.runs.emplace_back();
  const SessionFacts facts(session);
  const TimelineView view(facts);
  EXPECT_TRUE(view.tracks().empty());
  EXPECT_FALSE(view.find(0, 0).has_value());
  EXPECT_EQ(view.span(), 1);
}

}  // namespace
}  // namespace cgpu
