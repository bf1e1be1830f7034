#include "serve/static_copy.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "base/test_file.h"
#include "serve/http/assets.h"
#include "session/profile_source.h"

namespace cgpu {
namespace {

/// A viewer of a host thread with nested slices and a counter.
class StaticCopyTest : public testing::Test {
 protected:
  void SetUp() override {
    if (find_asset("/app.js") == nullptr) GTEST_SKIP() << "built without the page";
    std::string events;
    for (int i = 0; i < 5000; ++i) {
      events += R"({"ph": "X", "cat": "cpu_op", "name": "op)" + std::to_string(i) + R"(", "pid": 1, "tid": 1, "ts": )" +
                std::to_string(10 * i) + R"(, "dur": 7, "args": {"shape": [)" + std::to_string(i * 7919) + "]}},\n";
    }
    const test::TestFile file(R"({"schemaVersion": 1, "traceEvents": [)" + events +
                                  R"({"ph": "C", "name": "load", "pid": 1, "ts": 5, "args": {"value": 2}}]})",
                              ".json");
    OpenOptions options;
    options.inputs = {file.path()};
    viewed_.show(ProfileSource(options).open());
  }

  StaticCopy copy(size_t most_bytes) const {
    return make_static_copy(viewer_, *viewed_.profile(), {most_bytes, "cgpu view x.json", nullptr});
  }

  Viewer viewer_{"test"};
  ViewedProfile& viewed_ = viewer_.add({"x.json"});
};

TEST_F(StaticCopyTest, HoldsEverySliceWhereThereIsRoom) {
  const StaticCopy all = copy(size_t{50} << 20);
  EXPECT_TRUE(all.whole_timeline);
  EXPECT_EQ(all.slices, 5000U);
  EXPECT_EQ(all.details, 5000U);
  EXPECT_NE(all.html.find("id=\"copy\""), std::string::npos);
  EXPECT_EQ(all.html.find("href=\"app.css\""), std::string::npos) << "nothing is fetched";
}

TEST_F(StaticCopyTest, StaysWithinItsSize) {
  const size_t whole = copy(size_t{50} << 20).html.size();
  for (const size_t most : {whole * 9 / 10, whole * 19 / 20, whole}) {
    const StaticCopy part = copy(most);
    EXPECT_LE(part.html.size(), most);
    EXPECT_LT(part.details, 5000U);
  }
}

TEST_F(StaticCopyTest, RefusesASizeThatHoldsNothing) {
  EXPECT_THROW(copy(1000), Error);
}

}  // namespace
}  // namespace cgpu
