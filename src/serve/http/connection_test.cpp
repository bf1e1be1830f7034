#include "serve/http/connection.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

namespace cgpu {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

class ConnectionTest : public ::testing::Test {
 protected:
  ConnectionTest() {
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.data()), 0);
    const int small = 4096;
    ::setsockopt(sockets[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
  }
  ~ConnectionTest() override {
    for (const int socket : sockets) ::close(socket);
  }

  std::array<int, 2> sockets{};  // ours, the client's
  std::atomic<int> crowded = 1;
};

TEST_F(ConnectionTest, TheMoreWaitTheLessTimeForSilence) {
  const auto shortest_silence = [&](int waiting) {  // of several: the machine may stall, but not each time
    crowded = waiting;
    Clock::duration shortest = Clock::duration::max();
    for (int i = 0; i < 5; ++i) {
      Connection connection(sockets[0], crowded);
      const auto begin = Clock::now();
      EXPECT_FALSE(connection.wait_for_request());
      shortest = std::min<Clock::duration>(shortest, Clock::now() - begin);
    }
    return shortest;
  };
  EXPECT_LT(shortest_silence(1), 600ms);
  EXPECT_LT(shortest_silence(2'000), 100ms);
  crowded = 2'000;
  EXPECT_EQ(::send(sockets[1], "GET /", 5, 0), 5);
  Connection connection(sockets[0], crowded);
  EXPECT_TRUE(connection.wait_for_request()) << "who has asked is heard";
}

TEST_F(ConnectionTest, AnAnswerIsNotTakenDropByDrop) {
  const std::string answer(1 << 20, 'x');
  const auto write_all = [&](std::chrono::milliseconds pause, size_t bytes) {
    std::atomic<bool> ended = false;
    std::thread client([&] {
      std::string taken(bytes, 0);
      while (!ended && ::recv(sockets[1], taken.data(), taken.size(), 0) > 0) std::this_thread::sleep_for(pause);
    });
    Connection connection(sockets[0], crowded);
    size_t sent = 0;
    while (sent < answer.size()) {
      const ssize_t more = connection.write(answer.data() + sent, answer.size() - sent);
      if (more < 0) break;
      sent += static_cast<size_t>(more);
    }
    ended = true;
    ::shutdown(sockets[0], SHUT_RDWR);
    client.join();
    return sent;
  };
  const auto begin = Clock::now();
  EXPECT_LT(write_all(50ms, 64), answer.size());
  EXPECT_LT(Clock::now() - begin, 10s);
  for (const int socket : sockets) ::close(socket);
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.data()), 0);
  EXPECT_EQ(write_all(1ms, 65536), answer.size()) << "slow, but not that slow";
}

}  // namespace
}  // namespace cgpu
