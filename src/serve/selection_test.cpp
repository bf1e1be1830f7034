#include "serve/selection.h"

#include <gtest/gtest.h>

#include "analysis/random_run.h"
#include "analysis/tables.h"
#include "links/window.h"
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

std::vector<std::string> all_names(const Timeline& timeline) {
  std::vector<std::string> names;
  for (SliceIndex i = 0; i < timeline.slices.size(); ++i) names.emplace_back(timeline.name(i));
  for (const Instant& instant : timeline.instants) names.emplace_back(timeline.names[instant.name]);
  for (const Collective& collective : timeline.collectives) names.emplace_back(timeline.names[collective.name]);
  return names;
}

std::vector<SliceIndex> all_links(const Timeline& timeline) {
  std::vector<SliceIndex> ends;
  for (const Link& link : timeline.links) ends.insert(ends.end(), {link.from, link.to});
  for (const Collective& collective : timeline.collectives) ends.push_back(collective.slice);
  return ends;
}

void expect_equal(const Run& a, const Run& b) {
  const Slices& x = a.timeline.slices;
  const Slices& y = b.timeline.slices;
  EXPECT_EQ(x.start, y.start);
  EXPECT_EQ(x.duration, y.duration);
  EXPECT_EQ(x.track, y.track);
  EXPECT_EQ(x.category, y.category);
  EXPECT_EQ(x.flags, y.flags);
  EXPECT_EQ(x.correlation, y.correlation);
  EXPECT_EQ(x.source, y.source);
  EXPECT_EQ(x.parent, y.parent);
  EXPECT_EQ(x.launch, y.launch);
  EXPECT_EQ(a.timeline.device_ops.slice, b.timeline.device_ops.slice);
  EXPECT_EQ(a.timeline.device_ops.stream, b.timeline.device_ops.stream);
  EXPECT_EQ(a.timeline.device_ops.kind, b.timeline.device_ops.kind);
  EXPECT_EQ(a.timeline.device_ops.kernel_class, b.timeline.device_ops.kernel_class);
  EXPECT_EQ(a.timeline.counters.time, b.timeline.counters.time);
  EXPECT_EQ(a.timeline.memory.size(), b.timeline.memory.size());
  EXPECT_EQ(all_names(a.timeline), all_names(b.timeline));
  EXPECT_EQ(all_links(a.timeline), all_links(b.timeline));
  ASSERT_EQ(a.notes.all().size(), b.notes.all().size());
  for (size_t i = 0; i < a.notes.all().size(); ++i) EXPECT_EQ(a.notes.all()[i].count, b.notes.all()[i].count);
}

TEST(CopyWindow, EqualsSelectWindow) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    RandomRun whole = random_run(seed);
    RandomRun cut = random_run(seed);
    const int64_t begin = seed % 5 == 0 ? INT64_MIN : whole.up_to(300);
    const int64_t end = seed % 7 == 0 ? INT64_MAX : std::max<int64_t>(begin, 0) + whole.up_to(200);
    select_window(cut.run, begin, end);
    expect_equal(copy_window(whole.run, begin, end), cut.run);
  }
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
    Selection selection;
    selection.tracks = {id};
    const SelectedSession selected(profile, selection);
    const size_t found = selected.session().runs[tracks[id].run].timeline.slices.size();
    EXPECT_EQ(found, tracks[id].slices);
    slices += found;
  }
  EXPECT_EQ(slices,
            profile.session().runs[0].timeline.slices.size() + profile.session().runs[1].timeline.slices.size());

  Selection one_rank;
  one_rank.rank = 1;
  const SelectedSession selected(profile, one_rank);
  ASSERT_EQ(selected.session().runs.size(), 1U);
  EXPECT_EQ(selected.session().runs[0].rank, 1);

  EXPECT_EQ(&SelectedSession(profile, {}).session(), &profile.session());
  Selection nobody;
  nobody.rank = 7;
  EXPECT_THROW(SelectedSession(profile, nobody), RequestError);
  Selection never;
  never.steps = {4, 5};
  EXPECT_THROW(SelectedSession(profile, never), RequestError);
}

TEST(SelectedSession, StepsAreThoseOfTheTable) {
  const Profile profile(session_of(random_run(11)));
  const Table steps = steps_table(profile.session(), {});
  ASSERT_FALSE(steps.rows.empty());
  Selection selection;
  selection.steps = {3, 3};
  int64_t begin = INT64_MAX;
  int64_t end = INT64_MIN;
  for (size_t row = 0; row < steps.rows.size(); ++row) {
    begin = std::min(begin, integer_at(steps, row, "start_ns"));
    end = std::max(end, integer_at(steps, row, "start_ns") + integer_at(steps, row, "duration_ns"));
  }
  const int64_t zero = profile.view().zero(0);
  const SelectedSession selected(profile, selection);
  expect_equal(selected.session().runs[0], copy_window(profile.session().runs[0], zero + begin, zero + end));
}

}  // namespace
}  // namespace cgpu
