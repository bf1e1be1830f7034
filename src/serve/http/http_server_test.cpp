// The server as a client sees it who does not keep to the rules.
#include "serve/http/http_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <isa-l/igzip_lib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "analysis/test_timeline.h"
#include "base/error.h"
#include "serve/test_json.h"

namespace cgpu {
namespace {

using Clock = std::chrono::steady_clock;

/// A connection that sends and receives bytes.
class Client {
 public:
  explicit Client(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval limit{20, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~Client() { ::close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool connected() const { return connected_; }
  void send(const std::string& bytes) { ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL); }
  /// Nothing more will be sent.
  void finish() { ::shutdown(socket_, SHUT_WR); }
  /// Everything up to the end of the connection.
  std::string rest() {
    std::string all;
    char buffer[4096];
    for (ssize_t got = 0; (got = ::recv(socket_, buffer, sizeof buffer, 0)) > 0;) {
      all.append(buffer, static_cast<size_t>(got));
    }
    return all;
  }

 private:
  int socket_;
  bool connected_ = false;
};

struct Reply {
  int status = 0;
  std::string head;
  std::string body;

  explicit Reply(const std::string& bytes) {
    const size_t end = bytes.find("\r\n\r\n");
    if (!bytes.starts_with("HTTP/1.1 ") || end == std::string::npos) return;
    status = std::stoi(bytes.substr(9, 3));
    head = bytes.substr(0, end + 2);
    body = bytes.substr(end + 4);
  }
  std::string header(const std::string& name) const {
    const size_t at = head.find("\r\n" + name + ": ");
    if (at == std::string::npos) return "";
    const size_t begin = at + name.size() + 4;
    return head.substr(begin, head.find("\r\n", begin) - begin);
  }
};

class Served : public ::testing::Test {
 protected:
  explicit Served(const std::string& token = "") : viewer("1.2.3"), server(viewer, {"127.0.0.1", 0, token}) {
    TestRun run;
    for (int i = 0; i < 3'000; ++i) run.kernel(fmt::format("kernel {}", i), 10 * i, 10);
    viewer.add({"trace.json"}).show(session_of(std::move(run)));
    server.start();
  }

  Reply ask(const std::string& text) {
    Client client(server.port());
    client.send(text);
    client.finish();
    return Reply(client.rest());
  }
  /// One request with these header lines, each ended by \r\n.
  Reply get(const std::string& target, const std::string& headers = "", const std::string& method = "GET") {
    return ask(fmt::format("{} {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n{}\r\n", method, target,
                           server.port(), headers));
  }

  Viewer viewer;
  HttpServer server;
};

TEST_F(Served, AnswersWithTheHeadersThatProtectThePage) {
  for (const char* path : {"/", "/api/status", "/api/p/0/session", "/nothing"}) {
    const Reply reply = get(path);
    EXPECT_EQ(reply.status, path == std::string("/nothing") ? 404 : 200);
    EXPECT_TRUE(reply.header("Content-Security-Policy").starts_with("default-src 'none'; script-src 'self';"));
    EXPECT_EQ(reply.header("X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(reply.header("Referrer-Policy"), "no-referrer");
    EXPECT_EQ(reply.header("X-Session"), path == std::string("/api/status") ? "" : viewer.identity().id);
    EXPECT_EQ(reply.header("Content-Length"), std::to_string(reply.body.size()));
  }
  EXPECT_EQ(get("/").header("Content-Type"), "text/html; charset=utf-8");
}

TEST_F(Served, OnlyGetAndHead) {
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "PATCH", "CONNECT", "TRACE"}) {
    const Reply reply = get("/api/p/0/session", "", method);
    EXPECT_EQ(reply.status, 405) << method;
    EXPECT_EQ(reply.header("Allow"), "GET, HEAD");
    EXPECT_TRUE(test::JsonCheck::is_valid(reply.body));
  }
  const Reply head = get("/api/p/0/session", "", "HEAD");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.body, "");
  EXPECT_EQ(head.header("Content-Length"), get("/api/p/0/session").header("Content-Length"));
}

TEST_F(Served, WhatChangesSomethingIsPosted) {
  for (const char* method : {"GET", "HEAD", "PUT", "DELETE"}) {
    const Reply reply = get("/api/p/0/open?rank=1", "", method);
    EXPECT_EQ(reply.status, 405) << method;
    EXPECT_EQ(reply.header("Allow"), "POST");
  }
  EXPECT_EQ(get("/api/p/0/open?rank=1", "", "POST").status, 404);  // this is no summary
  EXPECT_EQ(get("/api/p/0/open?rank=1", "Content-Length: 0\r\n", "POST").status, 404);
  EXPECT_EQ(get("/api/p/0/open?rank=1", "Origin: http://evil.example\r\n", "POST").status, 403);
  EXPECT_EQ(get("/api/p/0/open?rank=1", "Sec-Fetch-Site: cross-site\r\n", "POST").status, 403);
}

TEST_F(Served, TheContentOfARequestIsNoOtherRequest) {
  const std::string host = fmt::format("Host: localhost:{}\r\n", server.port());
  const std::string inner = "GET /api/status HTTP/1.1\r\n" + host + "\r\n";
  for (const std::string& about : {fmt::format("Content-Length: {}\r\n\r\n", inner.size()),
                                   fmt::format("Transfer-Encoding: chunked\r\n\r\n{:x}\r\n", inner.size())}) {
    for (const char* method : {"GET", "POST"}) {
      Client client(server.port());
      client.send(method + (" /api/p/0/session HTTP/1.1\r\n" + host) + about + inner);
      const std::string answers = client.rest();  // up to the end of the connection
      EXPECT_NE(answers.find("HTTP/1.1 "), std::string::npos);
      EXPECT_EQ(answers.find("HTTP/1.1 ", 1), std::string::npos) << answers.substr(answers.find("HTTP/1.1 ", 1));
    }
  }
}

TEST_F(Served, RefusesForeignNames) {
  const auto with_host = [&](const std::string& lines) {
    return ask("GET /api/p/0/session HTTP/1.1\r\n" + lines + "Connection: close\r\n\r\n").status;
  };
  const std::string good = fmt::format("Host: localhost:{}\r\n", server.port());
  EXPECT_EQ(with_host(good), 200);
  EXPECT_EQ(with_host("Host: evil.example\r\n"), 403);
  EXPECT_EQ(with_host(fmt::format("Host: evil.example:{}\r\n", server.port())), 403);
  EXPECT_EQ(with_host(""), 403);
  EXPECT_EQ(with_host(good + "Host: evil.example\r\n"), 403);
  EXPECT_EQ(with_host(good + "Origin: http://evil.example\r\n"), 403);
  EXPECT_EQ(with_host(good + "Origin: null\r\n"), 403);
  EXPECT_EQ(with_host(good + fmt::format("Origin: http://localhost:{}\r\n", server.port())), 200);
}

TEST_F(Served, RefusesOtherSites) {
  const std::string navigation = "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n";
  EXPECT_EQ(get("/api/status", "Sec-Fetch-Site: cross-site\r\n").status, 403);
  EXPECT_EQ(get("/app.js", "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n").status, 403);
  EXPECT_EQ(get("/api/p/0/export?to=json", "Sec-Fetch-Site: cross-site\r\n" + navigation).status, 403);
  EXPECT_EQ(get("/", "Sec-Fetch-Site: cross-site\r\n" + navigation).status, 200);
  EXPECT_EQ(get("/api/status", "Sec-Fetch-Site: same-origin\r\n").status, 200);
}

TEST_F(Served, NoPathLeadsToTheFileSystem) {
  for (const char* path : {"/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc/passwd", "/etc/passwd",
                           "/api/../../etc/passwd", "//etc/passwd", "/%00", "/api/p/0/table/%2e%2e%2fkernels",
                           "/index.html%00.js", "/./index.html", "/~root"}) {
    const Reply reply = get(path);
    EXPECT_TRUE(reply.status == 404 || reply.status == 400) << path << " " << reply.status;
    EXPECT_EQ(reply.body.find("root:"), std::string::npos);
  }
}

TEST_F(Served, WhatIsNoHttpIsRefused) {
  const std::string host = fmt::format("Host: localhost:{}\r\n", server.port());
  const std::vector<std::string> bad = {"nonsense\r\n\r\n",
                                        "GET\r\n\r\n",
                                        "GET / HTTP/9.9\r\n\r\n",
                                        "GET / HTTP/1.1\r\nno colon\r\n\r\n",
                                        std::string("\0\0\0\0\r\n\r\n", 8),
                                        "GET /" + std::string(20'000, 'a') + " HTTP/1.1\r\n\r\n",
                                        "GET / HTTP/1.1\r\n" + host + "X: " + std::string(200'000, 'a') + "\r\n\r\n"};
  for (const std::string& text : bad) {
    const Reply reply = ask(text);
    EXPECT_NE(reply.status, 200) << text.substr(0, 60);
  }
  EXPECT_EQ(get("/").status, 200);
}

TEST_F(Served, AHeadWithoutEndCostsLittle) {
  Client client(server.port());
  for (int i = 0; i < 100; ++i) client.send(std::string(10'000, 'x'));  // never a new line
  EXPECT_NE(Reply(client.rest()).status, 200);
}

TEST_F(Served, Tags) {
  const std::string target = "/api/p/0/tile?track=2&level=3&index=0";
  const Reply first = get(target);
  ASSERT_EQ(first.status, 200) << first.body;
  const std::string tag = first.header("ETag");
  ASSERT_NE(tag, "");
  const Reply again = get(target, "If-None-Match: " + tag + "\r\n");
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(again.body, "");
  EXPECT_EQ(get("/api/p/0/tile?track=2&level=4&index=0", "If-None-Match: " + tag + "\r\n").status, 200);
  EXPECT_NE(get("/").header("ETag"), "");
  EXPECT_EQ(get("/", "If-None-Match: " + get("/").header("ETag") + "\r\n").status, 304);
  EXPECT_EQ(get("/api/p/0/tile?track=99&level=3&index=0").header("ETag"), "");
}

TEST_F(Served, CompressesForThoseWhoTakeIt) {
  const Reply plain = get("/api/p/0/names/0");
  const Reply packed = get("/api/p/0/names/0", "Accept-Encoding: br, gzip\r\n");
  EXPECT_EQ(plain.header("Content-Encoding"), "");
  ASSERT_EQ(packed.header("Content-Encoding"), "gzip");
  EXPECT_LT(packed.body.size(), plain.body.size() / 2);
  std::string text(plain.body.size() + 1, '\0');
  inflate_state state;
  isal_inflate_init(&state);
  state.crc_flag = ISAL_GZIP;
  state.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(packed.body.data()));
  state.avail_in = static_cast<uint32_t>(packed.body.size());
  state.next_out = reinterpret_cast<uint8_t*>(text.data());
  state.avail_out = static_cast<uint32_t>(text.size());
  EXPECT_EQ(isal_inflate(&state), ISAL_DECOMP_OK);
  text.resize(text.size() - state.avail_out);
  EXPECT_EQ(text, plain.body);
  EXPECT_EQ(get("/api/p/0/names/0", "Accept-Encoding: br\r\n").header("Content-Encoding"), "");
}

TEST_F(Served, PartsAreNotRepeated) {
  std::string ranges = "Range: bytes=0-";
  for (int i = 0; i < 200; ++i) ranges += ",0-";
  const Reply reply = get("/api/p/0/names/0", ranges + "\r\n");
  EXPECT_LE(reply.body.size(), get("/api/p/0/names/0").body.size());
}

TEST_F(Served, SeveralRequestsOfOneConnection) {
  Client client(server.port());
  const std::string request = fmt::format("GET /api/status HTTP/1.1\r\nHost: localhost:{}\r\n", server.port());
  client.send(request + "\r\n" + request + "\r\n" + request + "Connection: close\r\n\r\n");
  const std::string all = client.rest();
  size_t answers = 0;
  for (size_t at = all.find("HTTP/1.1 200"); at != std::string::npos; at = all.find("HTTP/1.1 200", at + 1)) ++answers;
  EXPECT_EQ(answers, 3U);
}

// A browser that sends a request while the server closes its idle connection reports an error.
TEST_F(Served, AConnectionIsKeptForAsLongAsBrowsersKeepIt) {
  Client client(server.port());
  const std::string request = fmt::format("GET /api/status HTTP/1.1\r\nHost: localhost:{}\r\n", server.port());
  client.send(request + "\r\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(5500));  // longer than the library would keep it
  client.send(request + "Connection: close\r\n\r\n");
  const std::string both = client.rest();
  EXPECT_NE(both.find("Keep-Alive: timeout=300, max=1000"), std::string::npos);
  EXPECT_NE(both.find("HTTP/1.1 200", 1), std::string::npos) << "no second answer";
}

TEST_F(Served, IdleAndSlowClientsDoNotHoldUpOthers) {
  std::vector<std::unique_ptr<Client>> idle;
  for (int i = 0; i < 150; ++i) {
    idle.push_back(std::make_unique<Client>(server.port()));
    ASSERT_TRUE(idle.back()->connected());
    if (i % 2 == 0) idle.back()->send("GET /api/p/0/ses");  // and no more
  }
  const auto begin = Clock::now();
  EXPECT_EQ(get("/api/status").status, 200);
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(4));
}

TEST_F(Served, ManyClientsAtOnce) {
  std::atomic<int> good = 0;
  {
    std::vector<std::jthread> clients;
    for (int i = 0; i < 40; ++i) {
      clients.emplace_back([&] {
        for (int k = 0; k < 5; ++k)
          good += get(fmt::format("/api/p/0/tile?track=2&level={}&index=0", k)).status == 200 ? 1 : 0;
      });
    }
  }
  EXPECT_EQ(good, 200);
}

TEST_F(Served, ClientsThatVanishAreForgotten) {
  for (int i = 0; i < 100; ++i) {
    Client client(server.port());
    client.send(fmt::format("GET /api/p/0/names/0 HTTP/1.1\r\nHost: localhost:{}\r\n\r\n", server.port()));
  }
  EXPECT_EQ(get("/api/status").status, 200);
}

TEST_F(Served, StopsAtOnce) {
  Client idle(server.port());
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const auto begin = Clock::now();
  server.stop();
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(1));
  EXPECT_FALSE(Client(server.port()).connected());
}

TEST_F(Served, APortIsNotShared) {
  EXPECT_THROW(HttpServer(viewer, {"127.0.0.1", server.port(), ""}), Error);
  EXPECT_EQ(get("/").status, 200);
}

class WithToken : public Served {
 protected:
  WithToken() : Served("sesame-42") {}
};

TEST_F(WithToken, OpensWithTheTokenOnly) {
  EXPECT_EQ(get("/api/p/0/session").status, 401);
  EXPECT_EQ(get("/api/status").status, 401);
  EXPECT_EQ(get("/api/p/0/session", "Authorization: Bearer sesame-42\r\n").status, 200);
  EXPECT_EQ(get("/api/p/0/session", "Authorization: Bearer sesame-43\r\n").status, 401);
  EXPECT_EQ(get("/api/p/0/session?token=sesame-42").status, 401);
  EXPECT_EQ(get("/").status, 200);  // the page itself is no secret
  EXPECT_EQ(get("/?token=wrong").status, 401);
  const Reply login = get("/?token=sesame-42");
  EXPECT_EQ(login.status, 303);
  EXPECT_EQ(login.header("Location"), "/");
  const std::string cookie = login.header("Set-Cookie");
  EXPECT_NE(cookie.find("HttpOnly; SameSite=Strict"), std::string::npos);
  EXPECT_EQ(get("/api/p/0/session", "Cookie: " + cookie.substr(0, cookie.find(';')) + "\r\n").status, 200);
  EXPECT_EQ(server.url(), fmt::format("http://127.0.0.1:{}/?token=sesame-42", server.port()));
}

}  // namespace
}  // namespace cgpu
