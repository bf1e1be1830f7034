#include "session/opened_profile.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/test_file.h"

namespace cgpu {
namespace {

const test::TestFile& trace() {
  static const test::TestFile file(R"({"schemaVersion": 1, "traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": 10, "dur": 5, "args": {}},
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 20, "dur": 50, "args": {}},
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 80, "dur": 70, "args": {}}]})");
  return file;
}

OpenedProfile opened() {
  return OpenedProfile({.inputs = {trace().path()}});
}

TEST(OpenedProfile, BatchesTogetherAreTheTable) {
  const OpenedProfile profile = opened();
  const RowChoice choice = {.where = Filter::parse("name = aten::mm")};
  for (const char* name : {"ops", "slices"}) {
    const Table whole = profile.table(name, {}, choice);
    EXPECT_FALSE(whole.empty()) << name;
    const auto [declared, next] = profile.read(name, {}, choice);
    EXPECT_TRUE(declared.empty());
    Table together = declared;
    while (const std::optional<Table> batch = next()) together.append_all(*batch);
    EXPECT_EQ(together, whole) << name;
  }
}

TEST(OpenedProfile, WhatIsReadKeepsIt) {
  const BatchedTable slices = opened().read("slices");
  const std::optional<Table> batch = slices.next();
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->row_count(), 3U);
}

TEST(OpenedProfile, RefusesWhatThereIsNot) {
  const OpenedProfile profile = opened();
  EXPECT_THROW(profile.table("no_table"), Error);
  for (const char* name : {"ops", "slices"}) {
    EXPECT_THROW(profile.table(name, TableOptions().set("no_option", {""})), Error) << name;
    EXPECT_THROW(profile.read(name, TableOptions().set("no_option", {""})), Error) << name;
    EXPECT_THROW(profile.table(name, {}, {.sort = "no_column"}), Error) << name;
    EXPECT_THROW(profile.read(name, {}, {.sort = "no_column"}), Error) << name;
  }
}

}  // namespace
}  // namespace cgpu
