#include "serve/http/guard.h"

#include <gtest/gtest.h>

namespace cgpu {
namespace {

TEST(Guard, KnowsItsOwnNames) {
  const Guard guard("127.0.0.1", 7788, "");
  for (const char* host : {"127.0.0.1:7788", "localhost:7788", "LocalHost:7788", "[::1]:7788"}) {
    EXPECT_TRUE(guard.allows_host(host)) << host;
  }
  for (const char* host : {"", "evil.example", "evil.example:7788", "127.0.0.1", "127.0.0.1:7789", "localhost:77888",
                           "127.0.0.1:7788.evil.example", "127.0.0.1:7788,evil.example"}) {
    EXPECT_FALSE(guard.allows_host(host)) << host;
  }
  EXPECT_TRUE(guard.allows_token("", ""));
}

TEST(Guard, RefusesForeignOrigins) {
  const Guard guard("127.0.0.1", 7788, "");
  EXPECT_TRUE(guard.allows_origin("", "localhost:7788"));
  EXPECT_TRUE(guard.allows_origin("http://localhost:7788", "localhost:7788"));
  for (const char* origin : {"http://evil.example", "https://localhost:7788", "null", "http://localhost:7789",
                             "http://localhost:7788.evil.example", "http://"}) {
    EXPECT_FALSE(guard.allows_origin(origin, "localhost:7788")) << origin;
  }
}

TEST(Guard, RefusesWhatOtherSitesMakeABrowserAsk) {
  for (const char* own : {"", "same-origin", "none"}) EXPECT_TRUE(Guard::allows_site(own, "cors", "empty", false));
  for (const char* other : {"cross-site", "same-site"}) {
    EXPECT_FALSE(Guard::allows_site(other, "no-cors", "image", false));
    EXPECT_FALSE(Guard::allows_site(other, "no-cors", "script", true));
    EXPECT_FALSE(Guard::allows_site(other, "navigate", "document", false)) << "a download";
    EXPECT_FALSE(Guard::allows_site(other, "navigate", "iframe", true));
    EXPECT_TRUE(Guard::allows_site(other, "navigate", "document", true)) << "a link to the page";
  }
}

TEST(Guard, AsksForTheToken) {
  const Guard guard("0.0.0.0", 80, "correct-horse");
  EXPECT_TRUE(guard.needs_token());
  EXPECT_TRUE(guard.allows_token("Bearer correct-horse", ""));
  EXPECT_TRUE(guard.allows_token("", "a=b; cgpu_80=correct-horse; c=d"));
  for (const char* authorization : {"", "Bearer ", "Bearer correct-hors", "Bearer correct-horse ", "correct-horse",
                                    "Basic correct-horse", "Bearer correct-horsf"}) {
    EXPECT_FALSE(guard.allows_token(authorization, "")) << authorization;
  }
  for (const char* cookie : {"cgpu_80=", "cgpu_8=correct-horse", "cgpu_80x=correct-horse", "xcgpu_80=correct-horse",
                             "cgpu_80=correct-horsey", ";;;", "="}) {
    EXPECT_FALSE(guard.allows_token("", cookie)) << cookie;
  }
  EXPECT_EQ(guard.cookie(), "cgpu_80=correct-horse; HttpOnly; SameSite=Strict; Path=/");
}

TEST(Guard, KnowsWhatOthersCanReach) {
  for (const char* address : {"127.0.0.1", "127.3.4.5", "::1", "localhost"}) EXPECT_TRUE(is_loopback(address));
  for (const char* address : {"0.0.0.0", "::", "10.0.0.1", "128.0.0.1", "example.org", ""}) {
    EXPECT_FALSE(is_loopback(address)) << address;
  }
}

}  // namespace
}  // namespace cgpu
