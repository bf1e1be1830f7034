#include "serve/rank_timelines.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <numeric>
#include <thread>

#include "base/error.h"
#include "serve/http/answer.h"
#include "serve/test_text.h"
#include "serve/viewer.h"
#include "session/ranks/test_ranks.h"

namespace cgpu {
namespace {

using test::expect_has;

constexpr int kRanks = 8;

RunRecord record_of(int64_t rank, const std::string& file) {
  RunRecord record;
  record.run.file = file;
  record.run.rank = rank;
  record.run.rank_known = true;
  record.run.released_totals.emplace();
  record.run.released_totals->extent = Interval{0, 1'000};
  return record;
}

InputOptions options_of(const std::vector<std::string>& inputs) {
  InputOptions options;
  options.inputs = inputs;
  options.threads = 1;
  return options;
}

/// A summary of eight ranks, with the traces of all but the last beside it; what lies there for rank 6 is of rank 2.
class OfRanks : public ::testing::Test {
 protected:
  OfRanks() {
    std::vector<RunRecord> records;
    for (int rank = 0; rank < kRanks; ++rank) {
      const std::string file = "trace" + std::to_string(rank) + ".json";
      records.push_back(record_of(rank, file));
      if (rank + 1 < kRanks) folder.add(file, test::trace_of_rank(rank == 6 ? 2 : rank, kRanks, 0));
    }
    folder.add("job.cgpu", summary_to_bytes(records, {}));
    summary.emplace(read_summary(job()), options_of({job()}).open());
  }
  std::string job() const { return folder.path() + "/job.cgpu"; }

  /// Waits until a timeline is open, or is not going to be.
  std::shared_ptr<const RankTimelines::Timeline> opened(size_t number) {
    auto timeline = timelines.find(number);
    while (!timeline->profile.is_ready() && !timeline->profile.has_failed()) std::this_thread::yield();
    return timeline;
  }
  size_t open(const std::vector<int64_t>& ranks) { return timelines.open(*summary, ranks); }
  /// The status with which something is refused, and why.
  template <typename Do>
  static std::string refusal(Do what) {
    try {
      what();
    } catch (const RequestError& error) {
      return std::to_string(error.status()) + ": " + error.what();
    }
    return "no refusal";
  }

  test::TraceFolder folder;
  std::optional<SummarySession> summary;
  std::mutex mutex;
  std::string said;
  RankTimelines timelines{options_of({job()}), {}, [this](const std::string& line) {
                            const std::lock_guard lock(mutex);
                            said += line + "\n";
                          }};
};

TEST_F(OfRanks, AreOpenedTogetherAndOnce) {
  const size_t number = open({3, 1, 3});
  EXPECT_EQ(open({1, 3}), number);
  const auto timeline = opened(number);
  ASSERT_TRUE(timeline->profile.is_ready());
  EXPECT_EQ(open({3, 1}), number);
  EXPECT_NE(open({1}), number);
  EXPECT_EQ(timeline->ranks, (std::vector<int64_t>{1, 3}));
  const Session& session = timeline->profile.profile()->session();
  ASSERT_EQ(session.runs.size(), 2U);
  EXPECT_EQ(session.runs[0].rank, 1);
  EXPECT_EQ(session.runs[1].rank, 3);
  EXPECT_NE(session.runs[1].clock.method, RunClock::Method::alone);
}

TEST_F(OfRanks, WhatIsNotThereIsSaidAtOnce) {
  const auto files = timelines.files(*summary, {7, 0});
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].path, std::filesystem::canonical(folder.path() + "/trace0.json"));
  EXPECT_EQ(files[0].error, "");
  EXPECT_EQ(files[1].path, "");
  expect_has(files[1].error, "trace7.json: is not in " + folder.path());
  expect_has(refusal([&] { open({0, 7}); }), "404: rank 7: trace7.json: is not in ");
  expect_has(refusal([&] { open({8}); }), "404: the summary has no rank 8");
  expect_has(refusal([&] { open({}); }), "400: ");
  expect_has(refusal([&] { open(std::vector<int64_t>(33, 0)); }), "400: rank: 1 to 32 ranks were expected");
  EXPECT_FALSE(timelines.is_opening());
}

TEST_F(OfRanks, NoNameInASummaryLeadsOutOfItsFolder) {
  const test::TraceFolder beside;
  beside.add("secret.json", test::trace_of_rank(0, 1, 0));
  const std::string outside = beside.path() + "/secret.json";
  std::vector<RunRecord> records;
  records.push_back(record_of(0, outside));
  records.push_back(record_of(1, "../" + outside));
  const SummarySession hostile(summary_from_bytes(summary_to_bytes(records, {}), job()), options_of({job()}).open());
  for (const int64_t rank : {0, 1}) {
    expect_has(refusal([&] { timelines.open(hostile, {rank}); }), "that is no name of a profile");
  }
  expect_has(timelines.files(hostile, {0}).front().error, job() + ": has a rank that it says was made");
}

TEST_F(OfRanks, AnotherRankThereIsNotShownAsThisOne) {
  const size_t number = open({6});
  ASSERT_TRUE(opened(number)->profile.has_failed());
  expect_has(said, "trace6.json: is of rank 2, where job.cgpu says that the profile of that name is of rank 6: ");
  folder.add("trace6.json", test::trace_of_rank(6, kRanks, 0));
  const size_t again = open({6});  // what failed is tried again
  EXPECT_NE(again, number);
  EXPECT_TRUE(opened(again)->profile.is_ready());
  expect_has(refusal([&] { timelines.find(number); }), "410: ");
}

TEST_F(OfRanks, TheOneAskedAboutLeastRecentlyIsLetGo) {
  std::vector<size_t> numbers;
  for (const int64_t rank : {0, 1, 2, 3}) {
    numbers.push_back(open({rank}));
    opened(numbers.back());
  }
  std::weak_ptr<const RankTimelines::Timeline> closed = timelines.find(numbers[1]);
  timelines.find(numbers[0]);
  timelines.find(numbers[2]);
  timelines.find(numbers[3]);
  const size_t fifth = open({4});
  EXPECT_TRUE(closed.expired());
  expect_has(refusal([&] { timelines.find(numbers[1]); }), "410: this timeline has been let go");
  expect_has(refusal([&] { timelines.find(fifth + 1); }), "404: ");
  EXPECT_EQ(timelines.all().size(), RankTimelines::kMostOpen);
  EXPECT_EQ(open({0}), numbers[0]);
  EXPECT_GT(open({1}), fifth);
}

TEST_F(OfRanks, ManyRanksLeaveRoomForFewTimelines) {
  std::vector<RunRecord> records;
  for (int64_t rank = 0; rank < 40; ++rank) records.push_back(record_of(rank, "both.json"));
  folder.add("both.json", test::trace_of_rank(0, 1, 0));
  const SummarySession job_of_many(summary_from_bytes(summary_to_bytes(records, {}), job()),
                                   options_of({job()}).open());
  std::vector<int64_t> many(31);
  std::iota(many.begin(), many.end(), 0);
  const size_t single = open({0});
  opened(single);
  const size_t other = open({1});
  opened(other);
  const size_t first = timelines.open(job_of_many, many);  // with these, one single rank is as many as may be
  opened(first);
  expect_has(refusal([&] { timelines.find(single); }), "410: ");
  timelines.find(other);
  many.push_back(31);
  timelines.open(job_of_many, many);
  expect_has(refusal([&] { timelines.find(first); }), "410: ");
  expect_has(refusal([&] { timelines.find(other); }), "410: ");
}

TEST_F(OfRanks, NoMoreAreOnTheWayThanStayOpen) {
  size_t refused = 0;
  for (int64_t rank = 0; rank < 6; ++rank) {
    refused += refusal([&] { open({rank, (rank + 1) % 6}); }).starts_with("503: ") ? 1 : 0;
    EXPECT_LE(timelines.all().size(), RankTimelines::kMostOpen);
  }
  EXPECT_LE(refused, 2U);
}

TEST_F(OfRanks, AnAnswerKeepsWhatItReads) {
  Viewer viewer("1.2.3");
  viewer.add({job()}).show_summary(OpenedProfile(options_of({job()})));
  viewer.offer_ranks(options_of({job()}), {}, [](const std::string&) {});
  const auto ready = [&](const std::string& rank) {
    const std::string answer = viewer.answer({"/api/p/0/open", {{"rank", rank}}}).body;
    const std::string number = answer.substr(answer.find(':') + 1, answer.find('}') - answer.find(':') - 1);
    const std::string path = "/api/p/" + number;
    while (viewer.answer({path + "/status", {}}).body.find("\"opening\"") != std::string::npos) {
      std::this_thread::yield();
    }
    return path;
  };
  const std::string path = ready("0");
  EXPECT_EQ(path, "/api/p/1");
  EXPECT_TRUE(viewer.is_fixed(path + "/session"));
  EXPECT_FALSE(viewer.is_fixed(path + "/status"));
  EXPECT_FALSE(viewer.is_fixed("/api/p/0/traces"));
  const auto text_of = [](const Answer& answer) {
    std::string text;
    answer.stream([&](std::string_view piece) { text += piece; });
    return text;
  };
  const Request request{path + "/export", {{"to", "json"}}};
  const std::string text = text_of(viewer.answer(request));
  const Answer begun = viewer.answer(request);
  for (const char* rank : {"1", "2", "3", "4"}) ready(rank);
  EXPECT_EQ(viewer.answer(request).status, 410);
  EXPECT_FALSE(viewer.is_fixed(path + "/session"));
  EXPECT_EQ(text_of(begun), text);
}

TEST_F(OfRanks, AreAskedForByManyThreadsAtOnce) {
  std::vector<std::jthread> threads;
  std::atomic<int> answered = 0;
  for (int64_t seed = 0; seed < 4; ++seed) {
    threads.emplace_back([&, seed] {
      for (int64_t i = 0; i < 8; ++i) {
        try {
          const auto timeline = opened(open({(seed + i) % 6}));
          if (timeline->profile.is_ready()) answered += timeline->profile.profile()->view().tracks().empty() ? 0 : 1;
        } catch (const RequestError& error) {
          EXPECT_TRUE(error.status() == 503 || error.status() == 410) << error.what();
        }
      }
    });
  }
  threads.clear();
  EXPECT_GT(answered, 0);
}

TEST(ViewerOfProfiles, HasNoRanksToOpen) {
  Viewer viewer("1.2.3");
  viewer.add({"a.json"});
  EXPECT_EQ(viewer.answer({"/api/p/0/open", {{"rank", "0"}}}).status, 404);
  EXPECT_EQ(viewer.answer({"/api/p/0/traces", {{"rank", "0"}}}).status, 404);
  EXPECT_EQ(viewer.answer({"/api/p/1/status", {}}).status, 404);
  EXPECT_TRUE(Viewer::changes("/api/p/0/open"));
  EXPECT_FALSE(Viewer::changes("/api/p/0/session"));
  EXPECT_FALSE(Viewer::changes("/open"));
}

}  // namespace
}  // namespace cgpu
