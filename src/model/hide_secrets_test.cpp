#include "model/hide_secrets.h"

#include <gtest/gtest.h>

#include <utility>

namespace cgpu {
namespace {

TEST(HideSecrets, NamesThatBecomeEqualAreOneName) {
  cgpu::Run run;
  Timeline& timeline = run.timeline;
  timeline.categories.push_back({"cpu_op", SliceKind::framework_op});
  Slice slice;
  for (const char* name : {"login --password=a", "aten::mm", "login --password=b", "login --password=[hidden]"}) {
    slice.name = timeline.names.intern(name);
    run.add_slice(slice);
  }
  timeline.instants.push_back({0, timeline.names.find("login --password=a"), kNone, InstantScope::thread});
  run.metadata = {{"token", "abc"}, {"version", "1"}, {"note", "use --token=abcdefgh"}};
  run.notes.add("x", 1, "cannot use password=abc here: say another");
  hide_secrets(run);

  const auto& names = std::as_const(timeline.slices.name);
  EXPECT_EQ(timeline.names[names[0]], "login --password=[hidden]");
  EXPECT_EQ(names[0], names[2]);
  EXPECT_EQ(names[0], names[3]);
  EXPECT_EQ(timeline.instants[0].name, names[0]);
  EXPECT_EQ(timeline.names[names[1]], "aten::mm");
  EXPECT_EQ(timeline.names.find("login --password=a"), StringPool::absent);
  for (StringId id = 0; id < timeline.names.size(); ++id) {
    EXPECT_EQ(timeline.names[id].find("password=a"), std::string_view::npos);
  }
  EXPECT_EQ(run.metadata[0].second, "[hidden]");
  EXPECT_EQ(run.metadata[1].second, "1");
  EXPECT_EQ(run.metadata[2].second, "use --token=[hidden]");
  EXPECT_EQ(run.notes.all()[0].text, "cannot use password=[hidden] here: say another");
  EXPECT_EQ(run.notes.count("credentials_present"), 4);
}

TEST(HideSecrets, WhatHasNoneStaysAsItIs) {
  cgpu::Run run;
  const StringId name = run.timeline.names.intern("token=4");
  run.timeline.categories.push_back({"cpu_op", SliceKind::framework_op});
  hide_secrets(run);
  EXPECT_EQ(run.timeline.names.find("token=4"), name);
  EXPECT_TRUE(run.notes.all().empty());
}

}  // namespace
}  // namespace cgpu
