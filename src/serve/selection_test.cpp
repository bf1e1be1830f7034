#include "serve/selection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "analysis/random_run.h"
#include "analysis/test_tables.h"
#include "table/json.h"

namespace cgpu {
namespace {

const std::vector<NamedKind> kVocabulary = {{SliceKind::framework_op, "aten::mm"},
                                            {SliceKind::annotation, "ProfilerStep#3"},
                                            {SliceKind::annotation, "range"},
                                            {SliceKind::runtime_call, "cudaLaunchKernel"},
                                            {SliceKind::runtime_call, "cudaDeviceSynchronize"}};

RandomRun random_run(unsigned seed) {
  RandomRun run(seed, kVocabulary, HostShape::nested);
  Timeline& timeline = run.run.timeline;
  for (int i = 0; i < 5; ++i) {
    timeline.memory.push_back({run.up_to(300), 100, 100, 200, 0});
    timeline.instants.push_back({run.up_to(300), timeline.names.intern("instant"), 0});
    timeline.counters.track.push_back(0);
    timeline.counters.time.push_back(run.up_to(300));
    timeline.counters.value.push_back(i);
  }
  timeline.counters.tracks.push_back({"1", "counter"});
  for (int i = 0; i < 5; ++i) {
    const auto slice = [&] {
      return static_cast<SliceIndex>(run.up_to(static_cast<int64_t>(timeline.slices.size()) - 1));
    };
    timeline.links.push_back({Link::Kind::forward_backward, slice(), slice()});
    timeline.collectives.push_back({.slice = slice(), .name = timeline.names.intern("allreduce")});
  }
  return run;
}

TEST(SelectedSession, ChoosesTracksStepsAndRanks) {
  Session session = session_of(random_run(3), random_run(4));
  session.runs[0].rank = 0;
  session.runs[1].rank = 1;
  const Profile profile(std::move(session));
  const std::vector<ViewTrack>& tracks = profile.view().tracks();
  uint64_t slices = 0;
  for (ViewTrackId id = 0; id < tracks.size(); ++id) {
    if (tracks[id].source == kNone) continue;
    ViewSelection selection;
    selection.tracks = {id};
    const SelectedSession selected(profile, selection);
    const size_t found = selected.session().runs[tracks[id].run].timeline.slices.size();
    EXPECT_EQ(found, tracks[id].slices);
    slices += found;
  }
  EXPECT_EQ(slices,
            profile.session().runs[0].timeline.slices.size() + profile.session().runs[1].timeline.slices.size());

  ViewSelection one_rank;
  one_rank.ranks = NumberList(1);
  const SelectedSession selected(profile, one_rank);
  ASSERT_EQ(selected.session().runs.size(), 1U);
  EXPECT_EQ(selected.session().runs[0].rank, 1);

  EXPECT_EQ(&SelectedSession(profile, {}).session(), &profile.session());
  EXPECT_EQ(&SelectedSession(profile, {}).facts(), &profile.facts());
  EXPECT_NE(&selected.facts(), &profile.facts());
  ViewSelection nobody;
  nobody.ranks = NumberList(7);
  EXPECT_THROW(SelectedSession(profile, nobody), RequestError);
  ViewSelection never;
  never.steps = {4, 5};
  EXPECT_THROW(SelectedSession(profile, never), RequestError);
}

TEST(SelectedSession, StepsAreThoseOfTheTable) {
  const Profile profile(session_of(random_run(11)));
  const Table steps = steps_table(profile.session(), {});
  ASSERT_FALSE(steps.empty());
  ViewSelection selection;
  selection.steps = {3, 3};
  int64_t begin = INT64_MAX;
  int64_t end = INT64_MIN;
  for (size_t row = 0; row < steps.row_count(); ++row) {
    begin = std::min(begin, integer_at(steps, row, "start_ns"));
    end = std::max(end, integer_at(steps, row, "start_ns") + integer_at(steps, row, "duration_ns"));
  }
  const int64_t zero = profile.view().zero(0);
  const SelectedSession selected(profile, selection);
  int64_t sum = 0;
  const Slices& all = profile.session().runs[0].timeline.slices;
  for (SliceIndex slice = 0; slice < all.size(); ++slice) {
    sum += std::max<int64_t>(0, std::min(all.end(slice), zero + end) - std::max(all.start[slice], zero + begin));
  }
  const std::vector<int64_t>& kept = selected.session().runs[0].timeline.slices.duration;
  EXPECT_EQ(std::accumulate(kept.begin(), kept.end(), int64_t{0}), sum);
}

}  // namespace
}  // namespace cgpu
