#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <tuple>

#include "analysis/random_run.h"
#include "analysis/test_timeline.h"
#include "model/test_arguments.h"
#include "serve/endpoints/endpoints.h"
#include "serve/http/parameters.h"

namespace cgpu {
namespace {

using Place = std::tuple<int64_t, ViewTrackId, SliceIndex>;  // start, track, slice

std::vector<Place> matches_of(const std::string& answer) {
  std::vector<Place> places;
  const auto number = [&](size_t from, const std::string& key) {
    return std::stoll(answer.substr(answer.find("\"" + key + "\":", from) + key.size() + 3));
  };
  for (size_t at = answer.find("{\"track\""); at != std::string::npos; at = answer.find("{\"track\"", at + 1)) {
    places.emplace_back(number(at, "start"), static_cast<ViewTrackId>(number(at, "track")),
                        static_cast<SliceIndex>(number(at, "slice")));
  }
  return places;
}

std::string search(const Profile& profile, std::multimap<std::string, std::string> query) {
  return answer_search(profile, {"/api/p/0/search", std::move(query)}).body;
}

uint64_t total_of(const std::string& answer) {
  return std::stoull(answer.substr(answer.find("\"total\":") + 8));
}

/// Everything on every track that is called so (in lower case), found by looking at every lane.
std::vector<Place> slowly(const TimelineView& view, const std::string& part) {
  std::vector<Place> places;
  for (ViewTrackId track = 0; track < view.tracks().size(); ++track) {
    if (!view.has_slices(track) || view.tracks()[track].lane->kind == "critical_path") continue;
    const LaneIndex& lanes = view.lanes(track);
    for (uint32_t number = 0; number < lanes.lanes(); ++number) {
      const Lane lane = lanes.lane(number);
      for (size_t at = 0; at < lane.size(); ++at) {
        std::string name(view.names()[view.style(track, lane.slice(at)).name]);
        std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
        if (name.find(part) != std::string::npos) places.emplace_back(lane.start(at), track, lane.slice(at));
      }
    }
  }
  std::sort(places.begin(), places.end());
  return places;
}

Session searched_session(unsigned seed) {
  RandomRun run(seed,
                {{SliceKind::runtime_call, "cudaLaunchKernel"},
                 {SliceKind::annotation, "ProfilerStep#1"},
                 {SliceKind::annotation, "device range"},
                 {SliceKind::runtime_call, "cudaStreamSynchronize"},
                 {SliceKind::framework_op, "aten::mm"}},
                HostShape::nested);
  return session_of(std::move(run));
}

const std::vector<std::string> kParts = {"e", "device", "range", "step", "synchronization", "launch overhead", "aten"};

TEST(Search, FindsAllThatIsOnTheTracks) {
  std::set<std::string_view> kinds;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Profile profile(searched_session(seed));
    for (const std::string& part : kParts) {
      const std::string answer = search(profile, {{"q", part}, {"limit", "10000"}});
      std::vector<Place> found = matches_of(answer);
      EXPECT_TRUE(std::is_sorted(found.begin(), found.end(),
                                 [](const Place& a, const Place& b) { return std::get<0>(a) < std::get<0>(b); }));
      EXPECT_EQ(total_of(answer), found.size());
      std::sort(found.begin(), found.end());
      EXPECT_EQ(found, slowly(profile.view(), part)) << part << ", seed " << seed;
      for (const Place& place : found) kinds.insert(profile.view().tracks()[std::get<1>(place)].lane->kind);
    }
  }
  for (const std::string_view kind : {"idle", "exposed", "ranges", "steps"}) {
    EXPECT_TRUE(kinds.count(kind) > 0) << kind;
  }
}

TEST(Search, StepsFromOneToTheNextAndBack) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Profile profile(searched_session(seed));
    for (const std::string direction : {"next", "previous"}) {
      std::vector<Place> all = matches_of(search(profile, {{"q", "e"}, {"limit", "10000"}}));
      if (direction == "previous") std::reverse(all.begin(), all.end());
      std::vector<Place> walked = matches_of(search(profile, {{"q", "e"}, {"limit", "1"}, {"direction", direction}}));
      while (walked.size() <= all.size()) {
        const auto& [start, track, slice] = walked.back();
        const std::string past = std::to_string(track) + "," + std::to_string(slice);
        const auto next =
            matches_of(search(profile, {{"q", "e"}, {"limit", "1"}, {"direction", direction}, {"past", past}}));
        if (next.empty()) break;
        walked.push_back(next.front());
      }
      EXPECT_EQ(walked, all) << direction << ", seed " << seed;
    }
  }
}

TEST(Search, CausesAreFoundAsThePageWritesThem) {
  TestRun run;
  const SliceIndex call = run.host(SliceKind::runtime_call, "cudaLaunchKernel", 0, 1'000);
  run.kernel("first", 0, 100);
  run.kernel("second", 1'100, 100, {.launch = call});
  const Profile profile(session_of(std::move(run)));
  const std::string answer = search(profile, {{"q", "Launch overhead"}});
  EXPECT_EQ(total_of(answer), 1u);
  EXPECT_NE(answer.find(R"("name":"launch overhead","start":100,"duration":1000)"), std::string::npos) << answer;
  EXPECT_NE(answer.find("\"names\":1,"), std::string::npos) << answer;
  EXPECT_EQ(search(profile, {{"q", "launch_overhead"}}), answer);
  EXPECT_EQ(total_of(search(profile, {{"q", "launch_overhead"}, {"own", "1"}})), 0u);
  EXPECT_EQ(total_of(search(profile, {{"q", "first"}, {"own", "1"}})), 1u);
  EXPECT_THROW(search(profile, {{"q", "first"}, {"past", "99,0"}}), RequestError);
  EXPECT_THROW(search(profile, {{"q", "first"}, {"past", "1"}}), RequestError);
  EXPECT_THROW(search(profile, {{"q", "first"}, {"past", "-1,0"}}), RequestError);
}

/// Slice N has the argument "Input Dims": "[N, 8]" and, if N is even, "note": "even N".
class Dims : public test::MadeArguments {
  std::vector<Argument> of(uint64_t source) override {
    const std::string number = std::to_string(source);
    std::vector<Argument> arguments = {{"Input Dims", "[" + number + ", 8]", true}};
    if (source % 2 == 0) arguments.push_back({"note", "Even " + number, false});
    return arguments;
  }
};

TEST(Search, FindsArguments) {
  TestRun run;
  for (int64_t i = 0; i < 12; ++i) run.host(SliceKind::framework_op, "op", 100 * i, 10);
  run.kernel("kernel", 5'000, 10, {.stream = 7});
  auto& sources = run.run.timeline.slices.source;
  for (size_t i = 0; i < sources.size(); ++i) sources[i] = i;
  run.run.arguments = std::make_shared<Dims>();
  const Profile profile(session_of(std::move(run)));
  const auto total = [&](const std::string& key, const std::string& value, const std::string& equal) {
    return total_of(search(profile, {{"argument", key}, {"q", value}, {"equal", equal}}));
  };
  EXPECT_EQ(total("input dims", "[1, 8]", "1"), 1U);
  EXPECT_EQ(total("Input Dims", "[1", "0"), 4U) << "1, 10, 11, 12";
  EXPECT_EQ(total("note", "even", "0"), 7U);
  EXPECT_EQ(total("note", "even", "1"), 0U);
  EXPECT_EQ(total("note", "", "0"), 7U) << "all that have it";
  EXPECT_EQ(total("no such key", "", "0"), 0U);
  EXPECT_EQ(total("stream", "7", "1"), 1U) << "a column of the model";
  EXPECT_EQ(total_of(search(profile, {{"argument", "note"}, {"q", "^even 1?2$"}, {"regex", "1"}})), 2U);
  EXPECT_THROW(search(profile, {{"argument", "note"}, {"q", "("}, {"regex", "1"}}), RequestError);

  std::vector<Place> all = matches_of(search(profile, {{"argument", "note"}, {"q", "even"}}));
  ASSERT_EQ(all.size(), 7U);
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
  const std::string past = std::to_string(std::get<1>(all[2])) + "," + std::to_string(std::get<2>(all[2]));
  const std::string next = search(profile, {{"argument", "note"}, {"q", "even"}, {"past", past}, {"limit", "1"}});
  EXPECT_EQ(matches_of(next), std::vector<Place>{all[3]});
}

}  // namespace
}  // namespace cgpu
