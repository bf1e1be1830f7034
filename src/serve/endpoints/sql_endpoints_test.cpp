#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "analysis/test_timeline.h"
#include "base/test_sanitized.h"
#include "serve/endpoints/endpoints.h"
#include "serve/http/parameters.h"
#include "serve/test_json.h"
#include "serve/test_text.h"

namespace cgpu {
namespace {

using test::expect_has;
using Query = std::multimap<std::string, std::string>;

constexpr const char* kEndless =
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";

Session session_of_two_ranks() {
  TestRun first;
  first.host(SliceKind::framework_op, "aten::mm", 1'000, 500);
  first.host(SliceKind::framework_op, "aten::add", 2'000, 100);
  TestRun second;
  second.host(SliceKind::framework_op, "aten::relu", 3'000, 50);
  Session session = session_of(std::move(first));
  session.runs.push_back(std::move(second.run));
  session.runs.back().rank = 1;
  return session;
}

class Sql : public ::testing::Test {
 protected:
  std::string rows(const std::string& statement, Query query = {}) {
    query.emplace("statement", statement);
    const Answer answer = answer_sql(profile, {"/api/p/0/sql", std::move(query)});
    EXPECT_TRUE(test::JsonCheck::is_valid(answer.body)) << answer.body;
    return answer.body;
  }
  /// The line with which a request is refused.
  std::string refused(const std::string& statement, Query query = {}) {
    try {
      return "not refused: " + rows(statement, std::move(query));
    } catch (const RequestError& error) {
      EXPECT_EQ(error.status(), kBadRequest);
      return error.what();
    }
  }

  const Profile profile{session_of_two_ranks()};
};

TEST_F(Sql, GivesRowsWithTheColumnsOfTheTables) {
  const std::string answer = rows("SELECT name, duration_ns FROM slices WHERE rank = 1");
  expect_has(answer, R"(["aten::relu", 50])");
  expect_has(answer, R"({"name": "duration_ns", "type": "int", "unit": "ns")");
  expect_has(answer, R"("is_cut":false)");
  expect_has(rows("SELECT name FROM slices", {{"top", "2"}}), R"("is_cut":true)");
  expect_has(rows("SELECT name FROM slices", {{"top", "3"}}), R"("is_cut":false)");
  expect_has(rows("SELECT name FROM slices WHERE 0"), R"("rows": [)");
}

TEST_F(Sql, SaysWhatIsWrong) {
  EXPECT_EQ(refused("SELECT nam FROM slices"),
            "SQL: no such column: nam (line 1, column 8); did you mean name, rank or kind?");
  expect_has(refused("DELETE FROM slices"), "may not be modified");
  expect_has(refused("CREATE TABLE mine(x)"), "only reading is possible");
  expect_has(refused("ATTACH '/tmp/x' AS x"), "only reading is possible");
  expect_has(refused("SELECT 1; SELECT 2"), "one statement");
  expect_has(refused("-- nothing"), "no statement");
  expect_has(refused("SELECT 1", {{"top", "1000000"}}), "top");
  expect_has(refused("SELECT 1", {{"seconds", "31"}}), "seconds");
}

TEST_F(Sql, EndsWhatTakesTooLong) {
  expect_has(refused(kEndless, {{"seconds", "1"}}), "longer than the 1 s");
  expect_has(rows("SELECT 1 AS one"), "[1]");
}

TEST_F(Sql, EndsWhatIsStopped) {
  answer_sql_stop(profile, {"/api/p/0/sql_stop", {{"id", "early"}}});
  expect_has(refused(kEndless, {{"id", "early"}}), "interrupted");
  std::thread stops([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    answer_sql_stop(profile, {"/api/p/0/sql_stop", {{"id", "late"}}});
  });
  expect_has(refused(kEndless, {{"id", "late"}}), "interrupted");
  stops.join();
}

TEST_F(Sql, RefusesASecondStatementMeanwhile) {
  std::thread first([&] { expect_has(refused(kEndless, {{"id", "first"}}), "interrupted"); });
  std::string second;
  do second = refused("SELECT 1");
  while (second.starts_with("not refused"));  // the first has not begun
  expect_has(second, "another statement is running");
  answer_sql_stop(profile, {"/api/p/0/sql_stop", {{"id", "first"}}});
  first.join();
  expect_has(rows("SELECT 1 AS one"), "[1]");
}

TEST_F(Sql, BoundsTheAnswer) {
  // Each row has 1 MB of its own text.
  const std::string much = rows(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 10000) SELECT i || hex(zeroblob(500000)) "
      "FROM n");
  EXPECT_LT(much.size(), kMostSqlText + 2 * kLongestSqlText);
  expect_has(much.substr(much.size() - 100), R"("is_cut":true)");
  expect_has(refused("SELECT hex(zeroblob(5000000))"), "too big");
}

TEST_F(Sql, RefusesWhatNeedsTooMuchMemoryAndGivesItBack) {
  const auto resident = [] {
    std::ifstream file("/proc/self/statm");
    size_t all = 0;
    size_t pages = 0;
    file >> all >> pages;
    return pages * static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  };
  const size_t before = resident();
  expect_has(
      refused("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000) "
              "SELECT count(*) FROM (SELECT i, i || hex(zeroblob(500000)) AS text FROM n ORDER BY text LIMIT 2999)"),
      "needs more than 1 GiB of memory");
  if (!kSanitized) {
    EXPECT_LT(resident(), before + (size_t{100} << 20));
  }
  expect_has(rows("SELECT 1 AS one"), "[1]");
}

TEST_F(Sql, FindsTheSliceOfANumberOverAllRanks) {
  const auto place = [&](int64_t number) {
    return answer_place(profile, {"/api/p/0/place", {{"slice", std::to_string(number)}}}).body;
  };
  expect_has(place(0), R"("name":"aten::mm")");
  expect_has(place(1), R"("name":"aten::add")");
  expect_has(place(2), R"("name":"aten::relu")");
  EXPECT_THROW(place(3), RequestError);
  expect_has(rows("SELECT slice FROM slices WHERE name = 'aten::relu'"), "[2]");
}

TEST_F(Sql, EndsWithTheServer) {
  profile.sql().stop_all();
  expect_has(refused(kEndless), "interrupted");
}

}  // namespace
}  // namespace cgpu
