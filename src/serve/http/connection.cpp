#include "serve/http/connection.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace cgpu {

namespace {
using namespace std::chrono_literals;
constexpr auto kClosing = 60000ms;      // after the time that answers state, so that no client asks during the close
constexpr auto kHead = 5000ms;          // for the whole of a request
constexpr auto kStalled = 10000ms;      // while the client does not take what it asked for
constexpr auto kLeastTime = 20ms;       // whatever the crowd
constexpr auto kCrowdedShare = 20;      // of all these, where others wait
constexpr int kCrowd = 64;              // of more that wait, those that send nothing have still less time
constexpr size_t kLeastTaken = 65536;   // bytes that a client takes in kStalled, where it could have more
constexpr size_t kLongestHead = 65536;  // bytes
}  // namespace

Connection::Connection(int socket, const std::atomic<int>& crowded) : socket_(socket), crowded_(crowded) {
  const int on = 1;  // an answer is two writes; the second must not wait until the first is acknowledged
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

std::chrono::milliseconds Connection::limit(short event, std::chrono::milliseconds patience) const {
  const int waiting = crowded_;
  if (waiting <= 0) return patience;
  if (event == POLLIN) patience = std::min(patience, kHead);  // idle clients, too
  patience /= kCrowdedShare;
  if (event == POLLIN && waiting > kCrowd) patience = patience * kCrowd / waiting;
  return std::max<std::chrono::milliseconds>(patience, kLeastTime);
}

bool Connection::wait(short event, Clock::time_point begin, std::chrono::milliseconds patience) const {
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(begin + limit(event, patience) - Clock::now());
    pollfd entry{socket_, event, 0};
    // In pieces, so as to notice when others begin to wait.
    const int found = ::poll(&entry, 1, static_cast<int>(std::clamp<int64_t>(left.count(), 0, 50)));
    if (found > 0) return (entry.revents & event) != 0;
    if (found < 0 && errno != EINTR) return false;
    if (left <= 0ms) return false;
  }
}

bool Connection::wait_for_request() {
  if (taken_ == buffered_ && !wait(POLLIN, Clock::now(), kIdle + kClosing)) return false;
  began_ = counted_since_ = Clock::now();
  sent_ = 0;
  left_ = kLongestHead;
  return true;
}

bool Connection::is_readable() const {
  return taken_ < buffered_ || wait(POLLIN, began_, kHead);
}

bool Connection::is_writable() const {
  return wait(POLLOUT, Clock::now(), kStalled);
}

ssize_t Connection::read(char* to, size_t size) {
  if (taken_ == buffered_) {
    if (!wait(POLLIN, began_, kHead)) return -1;
    const ssize_t got = ::recv(socket_, buffer_, sizeof buffer_, 0);
    if (got <= 0) return got;
    taken_ = 0;
    buffered_ = static_cast<size_t>(got);
  }
  size = std::min({size, buffered_ - taken_, left_});
  if (size == 0) return -1;  // more than a request may have
  std::memcpy(to, buffer_ + taken_, size);
  taken_ += size;
  left_ -= size;
  return static_cast<ssize_t>(size);
}

ssize_t Connection::write(const char* from, size_t size) {
  for (;;) {
    const ssize_t sent = ::send(socket_, from, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      sent_ += static_cast<size_t>(sent);
      return sent;
    }
    if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) return -1;
    if (!keeps_up() || !wait(POLLOUT, Clock::now(), kStalled)) return -1;
  }
}

bool Connection::keeps_up() {
  const auto now = Clock::now();
  const auto time = limit(POLLOUT, kStalled);
  if (now - counted_since_ < time) return true;
  const auto least = kLeastTaken * static_cast<size_t>(time.count()) / static_cast<size_t>(kStalled.count());
  const bool enough = sent_ >= least;
  counted_since_ = now;
  sent_ = 0;
  return enough;
}

// Nobody asks: answers do not depend on where a client is.
void Connection::get_remote_ip_and_port(std::string& ip, int& port) const {
  ip.clear();
  port = 0;
}
void Connection::get_local_ip_and_port(std::string& ip, int& port) const {
  ip.clear();
  port = 0;
}

}  // namespace cgpu
