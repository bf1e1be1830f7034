#include "serve/http/perfetto_trace_server.h"

#include <gtest/gtest.h>
#include <httplib.h>

#include <string>

#include "base/error.h"

namespace cgpu {
namespace {

TEST(PerfettoTraceServer, GivesTheTraceToPerfettosPageAndEnds) {
  const std::string trace(3'000'000, 'x');
  PerfettoTraceServer server(trace, 0);
  EXPECT_NE(server.url().find("https://ui.perfetto.dev/#!/?url=http://127.0.0.1:"), std::string::npos);
  httplib::Client client("127.0.0.1", server.port());
  const auto asked = client.Options("/trace.pftrace");
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->get_header_value("Access-Control-Allow-Private-Network"), "true");
  const auto got = client.Get("/trace.pftrace", {{"Origin", "https://ui.perfetto.dev"}});
  ASSERT_TRUE(got);
  EXPECT_EQ(got->get_header_value("Access-Control-Allow-Origin"), "https://ui.perfetto.dev");
  EXPECT_TRUE(got->body == trace);
  server.wait_until_fetched();
}

TEST(PerfettoTraceServer, ServesNobodyElseAndNothingElse) {
  PerfettoTraceServer server("trace", 0);
  httplib::Client client("127.0.0.1", server.port());
  EXPECT_EQ(client.Get("/trace.pftrace", {{"Origin", "https://example.org"}})->status, 403);
  EXPECT_EQ(client.Get("/etc/passwd")->status, 404);
  EXPECT_EQ(client.Get("/")->status, 404);
}

// Else a page whose name leads here (DNS rebinding) could read the trace.
TEST(PerfettoTraceServer, AnswersUnderItsOwnNamesOnly) {
  PerfettoTraceServer server("trace", 0);
  httplib::Client client("127.0.0.1", server.port());
  const std::string port = ":" + std::to_string(server.port());
  for (const std::string& foreign : {"attacker.example" + port, std::string("attacker.example")}) {
    EXPECT_EQ(client.Get("/trace.pftrace", {{"Host", foreign}})->status, 403) << foreign;
    EXPECT_EQ(client.Options("/trace.pftrace", {{"Host", foreign}})->status, 403) << foreign;
  }
  EXPECT_EQ(client.Get("/trace.pftrace", {{"Host", "127.0.0.1:1"}})->status, 403);
  EXPECT_EQ(client.Options("/trace.pftrace", {{"Host", "localhost" + port}})->status, 204);
  EXPECT_EQ(client.Get("/trace.pftrace", {{"Host", "127.0.0.1" + port}})->status, 200);
}

TEST(PerfettoTraceServer, ATakenPortIsAnError) {
  PerfettoTraceServer server("trace", 0);
  EXPECT_THROW(PerfettoTraceServer("trace", server.port()), Error);
}

}  // namespace
}  // namespace cgpu
