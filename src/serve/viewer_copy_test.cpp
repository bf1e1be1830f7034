#include "serve/viewer_copy.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/error.h"
#include "base/test_file.h"
#include "serve/http/assets.h"
#include "session/profile_source.h"
#include "session/selection/selection.h"

namespace cgpu {
namespace {

constexpr const char* kEnginePage = "<!doctype html><!-- profile --><script>the engine</script>";

/// What an element of a copy holds: text of base64, decoded.
std::string held(const std::string& html, const std::string& id) {
  const std::string begin = "id=\"" + id + "\">";
  const size_t at = html.find(begin);
  if (at == std::string::npos) return "";
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (size_t i = at + begin.size(); kDigits.find(html[i]) != std::string_view::npos; ++i) {
    bits = (bits << 6) | static_cast<uint32_t>(kDigits.find(html[i]));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>((bits >> count) & 0xff);
  }
  return bytes;
}

/// A host thread with slices of 7 us, one each 10 us.
std::string slices(int count) {
  std::string events;
  for (int i = 0; i < count; ++i) {
    events += (i == 0 ? "" : ",\n") + std::string(R"({"ph": "X", "cat": "cpu_op", "name": "op)") + std::to_string(i) +
              R"(", "pid": 1, "tid": 1, "ts": )" + std::to_string(10 * i) + R"(, "dur": 7, "args": {"shape": [)" +
              std::to_string(i * 7919) + R"(], "token": "hf_abcdefghijklmnopqrstuvwxyz01234567"}})";
  }
  return R"({"schemaVersion": 1, "traceEvents": [)" + events + "]}";
}

class ViewerCopyTest : public testing::Test {
 protected:
  ViewerCopy copy(const std::string& input, size_t most_bytes = size_t{50} << 20, bool arguments = true) {
    InputOptions options;
    options.inputs = {input};
    const auto open = [&](const Selection& part) { return ProfileSource(options.open(), part).open(); };
    return make_viewer_copy(options, {most_bytes, arguments, page_.path(), open, nullptr});
  }
  /// The profile that a copy holds.
  static Session profile_in(const ViewerCopy& copy) {
    const test::TestFile trace(held(copy.html, "profile"), ".pftrace.gz");
    OpenOptions options;
    options.inputs = {trace.path()};
    return ProfileSource(options).open();
  }
  static size_t slices_in(const ViewerCopy& copy) {
    size_t count = 0;
    for (const auto& run : profile_in(copy).runs) count += run.timeline.slices.size();
    return count;
  }
  /// The arguments of the first slice.
  static std::string arguments_in(const ViewerCopy& copy) {
    const test::TestFile trace(held(copy.html, "profile"), ".pftrace.gz");
    OpenOptions options;
    options.inputs = {trace.path()};
    const Session session = ProfileSource(options).open();
    std::string text;
    for (const auto& argument : session.runs[0].arguments->arguments(session.runs[0].timeline.slices.source[0]))
      text += argument.key + "=" + argument.value + " ";
    return text;
  }

  test::TestFile page_{kEnginePage, ".html"};
};

TEST_F(ViewerCopyTest, HoldsTheProfileAndTheEngine) {
  const test::TestFile profile(slices(100), ".json");
  const ViewerCopy made = copy(profile.path());
  EXPECT_NE(made.html.find("the engine"), std::string::npos);
  EXPECT_NE(held(made.html, "about").find("\"made_by\":\"cgpu view cgpu-test-"), std::string::npos);
  EXPECT_EQ(slices_in(made), 100U);
  EXPECT_EQ(made.left_out, "");
}

TEST_F(ViewerCopyTest, WhatDoesNotFitIsCutAtTheEndOfTheTime) {
  const test::TestFile profile(slices(20000), ".json");
  const size_t whole = copy(profile.path()).html.size();
  const ViewerCopy part = copy(profile.path(), whole / 2);
  EXPECT_LE(part.html.size(), whole / 2);
  EXPECT_NE(part.left_out, "");
  const Session shown = profile_in(part);
  const Slices& kept = shown.runs[0].timeline.slices;
  EXPECT_GT(kept.size(), 4000U);
  EXPECT_LT(kept.size(), 20000U);
  EXPECT_EQ(shown.runs[0].timeline.names[kept.name[0]], "op0") << "the beginning is kept";
  EXPECT_THROW(copy(profile.path(), 500), Error);
}

TEST_F(ViewerCopyTest, HasNoArgumentsWhereTheyAreLeftOut) {
  const test::TestFile profile(slices(3), ".json");
  EXPECT_EQ(arguments_in(copy(profile.path())), "shape=[0] token=[hidden] ");
  EXPECT_EQ(arguments_in(copy(profile.path(), size_t{50} << 20, false)), "");
}

TEST_F(ViewerCopyTest, HasTheNotesOfItsProfile) {
  const std::string whole = slices(3);
  const test::TestFile cut(whole.substr(0, whole.size() - 60), ".json");
  const Session inside = profile_in(copy(cut.path()));
  EXPECT_EQ(inside.runs[0].notes.count("truncated_input"), 1);
}

TEST_F(ViewerCopyTest, AnswersAreRecordedOfWhatNoTraceHolds) {
  if (find_asset("/app.js") == nullptr) GTEST_SKIP() << "built without the page";
  const test::TestFile stacks("main;work 3\nmain;wait 1\n", ".folded");
  const ViewerCopy made = copy(stacks.path());
  EXPECT_EQ(held(made.html, "profile"), "");
  EXPECT_NE(made.html.find("id=\"copy\""), std::string::npos);
}

TEST_F(ViewerCopyTest, RefusesAnotherPage) {
  const test::TestFile profile(slices(3), ".json");
  const test::TestFile other("<html></html>", ".html");
  InputOptions options;
  options.inputs = {profile.path()};
  const auto open = [&](const Selection& part) { return ProfileSource(options.open(), part).open(); };
  EXPECT_THROW(make_viewer_copy(options, {size_t{50} << 20, true, other.path(), open, nullptr}), Error);
}

}  // namespace
}  // namespace cgpu
