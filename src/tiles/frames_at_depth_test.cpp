#include "tiles/frames_at_depth.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "tiles/test_call_paths.h"
#include "tiles/timeline_view.h"

namespace cgpu {
namespace {

/// Start, end, box.
using Piece = std::tuple<int64_t, int64_t, SliceIndex>;

/// Of each sample the innermost box above the depth that it lies in; neighbours in the same one are joined.
std::vector<Piece> slow_pieces(const CallPaths& paths, const std::vector<PathSample>& samples, uint32_t depth) {
  std::vector<Piece> pieces;
  for (const PathSample& sample : samples) {
    SliceIndex innermost = kNone;
    for (SliceIndex box = 0; box < paths.slices.size(); ++box) {
      const int64_t start = paths.slices.start[box];
      if (paths.lane[box] >= depth || start > sample.time.begin || sample.time.end > start + paths.slices.duration[box])
        continue;
      if (innermost == kNone || paths.lane[box] > paths.lane[innermost]) innermost = box;
    }
    if (innermost == kNone || sample.time.begin == sample.time.end) continue;
    if (!pieces.empty() && std::get<2>(pieces.back()) == innermost && std::get<1>(pieces.back()) == sample.time.begin) {
      std::get<1>(pieces.back()) = sample.time.end;
    } else {
      pieces.emplace_back(sample.time.begin, sample.time.end, innermost);
    }
  }
  return pieces;
}

struct SampledTrack {
  explicit SampledTrack(unsigned seed)
      : test(test::sampled_run(seed, 2 + seed % 60, 1 + seed % 4, 1 + static_cast<int>(seed % 90))),
        frames(*test.run.call_tree) {
    std::vector<SliceIndex> slices(test.run.timeline.slices.size());
    std::iota(slices.begin(), slices.end(), SliceIndex{0});
    samples = path_samples(test.run.timeline, *test.run.call_tree, slices);
    extent = path_extent(frames, samples);
    paths = call_paths(frames, samples, extent);
  }

  TestRun test;
  Frames frames;
  std::vector<PathSample> samples;
  PathExtent extent;
  CallPaths paths;
};

int64_t sum(const std::vector<int64_t>& durations) {
  return std::accumulate(durations.begin(), durations.end(), int64_t{0});
}

TEST(FramesAtDepth, AreThoseOfEverySampleJoinedWhereTheyAreInOneBox) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const SampledTrack track(seed);
    for (uint32_t depth = 1; depth <= track.extent.lanes + 1; ++depth) {
      const DepthPieces pieces = pieces_at_depth(track.paths, depth);
      std::vector<Piece> found;
      for (size_t i = 0; i < pieces.box.size(); ++i) {
        found.emplace_back(pieces.start[i], pieces.start[i] + pieces.duration[i], pieces.box[i]);
      }
      EXPECT_EQ(found, slow_pieces(track.paths, track.samples, depth)) << "seed " << seed << ", depth " << depth;
    }
  }
}

TEST(FramesAtDepth, LastAsLongAtEveryDepthAsTheOutermostFrames) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const SampledTrack track(seed);
    int64_t whole = 0;
    for (const PathSample& sample : track.samples) {
      if (track.frames.of(sample.node) != kNoNode) whole += sample.time.end - sample.time.begin;
    }
    for (uint32_t depth = 1; depth <= track.extent.lanes + 1; ++depth) {
      EXPECT_EQ(sum(pieces_at_depth(track.paths, depth).duration), whole) << "seed " << seed << ", depth " << depth;
    }
  }
}

TEST(FramesAtDepth, OfAPartOfTheTimeAreCutAtItsBorders) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    const SampledTrack track(seed);
    const FramesAtDepth row(track.paths, 1 + seed % 5, 7);
    for (const auto& [from, to] : {std::pair<int64_t, int64_t>{0, 40}, {25, 26}, {33, 400}, {-10, 5}}) {
      std::vector<std::pair<SliceIndex, int64_t>> found;
      std::vector<std::pair<SliceIndex, int64_t>> wanted;
      row.for_each_in(from, to, [&](SliceIndex box, int64_t time) { found.emplace_back(box, time); });
      for (size_t i = 0; i < row.pieces().box.size(); ++i) {
        const int64_t start = row.pieces().start[i] - 7;
        const int64_t time = std::min(start + row.pieces().duration[i], to) - std::max(start, from);
        if (time > 0) wanted.emplace_back(row.pieces().box[i], time);
      }
      EXPECT_EQ(found, wanted) << "seed " << seed;
    }
  }
}

TEST(FramesAtDepth, OfAViewIsTheRowOfTheDepthThatWasAskedFor) {
  const Session session = session_of(test::sampled_run(5, 40, 2, 60));
  const SessionFacts facts(session);
  const TimelineView view(facts);
  ASSERT_EQ(view.at_depth(0, 1), nullptr);
  const auto first = view.at_depth(1, 1);
  EXPECT_EQ(view.at_depth(1, 1), first);
  EXPECT_EQ(view.at_depth(1, 2)->depth(), 2U);
  const uint32_t deepest = *view.tracks()[1].lanes;
  EXPECT_EQ(view.at_depth(1, kMostPathLanes)->depth(), deepest);
  EXPECT_EQ(first->depth(), 1U);
  const TilePlace place{2, 0};
  EXPECT_EQ(view.tile_at_depth(0, 1, place), view.tile(0, place));
  EXPECT_NE(view.tile_at_depth(1, 1, place), view.tile(1, place));
}

}  // namespace
}  // namespace cgpu
