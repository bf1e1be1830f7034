#include "watch/verdict_line.h"

#include <gtest/gtest.h>

namespace cgpu {
namespace {

TEST(VerdictLine, IsReadAsItWasWritten) {
  VerdictLine line{.profile = "a \"run\"\n.json", .version = {5, INT64_C(1795890689421686404)}};
  line.summary = "a.cgpu";
  line.outcome = WatchOutcome::not_comparable;
  line.headline = "they differ";
  line.warnings = {"cut off"};
  line.step_ns = 1.5;
  line.peak_bytes = 7;
  line.waiting = 3;
  line.took_ns = 11;
  line.judged_unix_ns = 12;
  const std::string text = verdict_to_json(line);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const std::optional<VerdictLine> read = verdict_from_json(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->profile, line.profile);
  EXPECT_EQ(read->version, line.version);
  EXPECT_EQ(read->summary, line.summary);
  EXPECT_EQ(read->outcome, line.outcome);
  EXPECT_EQ(read->headline, line.headline);
  EXPECT_EQ(read->error, std::nullopt);
  EXPECT_EQ(read->step_ns, line.step_ns);
  EXPECT_EQ(read->peak_bytes, line.peak_bytes);
  EXPECT_EQ(read->waiting, line.waiting);
  EXPECT_EQ(read->took_ns, line.took_ns);
  EXPECT_EQ(read->judged_unix_ns, line.judged_unix_ns);
}

TEST(VerdictLine, EveryOutcomeIsReadAgain) {
  for (size_t i = 0; i < kWatchOutcomes; ++i) {
    const VerdictLine line{.profile = "a", .outcome = static_cast<WatchOutcome>(i)};
    const std::optional<VerdictLine> read = verdict_from_json(verdict_to_json(line));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->outcome, line.outcome);
  }
}

TEST(VerdictLine, OtherMembersArePassedOverAndWhatIsNoLineIsNothing) {
  const std::string needed = R"("profile":"a","size_bytes":1,"modified_unix_ns":2,"outcome":"pass")";
  EXPECT_TRUE(verdict_from_json("{" + needed + "}"));
  EXPECT_TRUE(verdict_from_json(R"({"new":{"a":[1,{}]},"other":null,)" + needed + "}"));
  EXPECT_FALSE(verdict_from_json("{" + needed));
  EXPECT_FALSE(verdict_from_json(R"({"profile":"a","size_bytes":1,"modified_unix_ns":2,"outcome":"fine"})"));
  EXPECT_FALSE(verdict_from_json(R"({"profile":"a","size_bytes":1,"outcome":"pass"})"));
  EXPECT_FALSE(verdict_from_json(R"({"profile":"a","size_bytes":-1,"modified_unix_ns":2,"outcome":"pass"})"));
  EXPECT_FALSE(verdict_from_json("[]"));
  EXPECT_FALSE(verdict_from_json(""));
}

}  // namespace
}  // namespace cgpu
