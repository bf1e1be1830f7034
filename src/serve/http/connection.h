// One connection of a client, with limits on the bytes of a request's head and on time. A connection that is half open,
// idle, or reads its answer too slowly is closed, the sooner the more clients wait.
#pragma once

#include <httplib.h>

#include <atomic>
#include <chrono>
#include <string>

namespace cgpu {

class Connection : public httplib::Stream {
 public:
  /// How long clients may keep a connection that they do not use, where no other waits. Browsers that do not read this
  /// from an answer keep one as long by themselves (Chromium), and report an error where the server was the first.
  static constexpr std::chrono::seconds kIdle{300};

  /// `crowded`: how many other clients wait for a thread, so that this one must be quick.
  Connection(int socket, const std::atomic<int>& crowded);

  /// Waits for the first byte of the next request. False where none came in time or the client has gone.
  bool wait_for_request();

  bool is_readable() const override;
  bool is_writable() const override;
  ssize_t read(char* to, size_t size) override;
  ssize_t write(const char* from, size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  int socket() const override { return socket_; }

 private:
  using Clock = std::chrono::steady_clock;
  /// Waits for an event of poll(2) until the deadline, less patiently where others wait.
  bool wait(short event, Clock::time_point begin, std::chrono::milliseconds patience) const;

  /// What is left of the patience, with those that wait now.
  std::chrono::milliseconds limit(short event, std::chrono::milliseconds patience) const;
  /// Whether the client reads fast enough.
  bool keeps_up();

  int socket_;
  const std::atomic<int>& crowded_;
  Clock::time_point began_ = Clock::now();  // of the request
  Clock::time_point counted_since_ = began_;
  size_t sent_ = 0;  // bytes since then
  size_t left_ = 0;  // bytes that it may still have
  char buffer_[4096];
  size_t buffered_ = 0;
  size_t taken_ = 0;
};

}  // namespace cgpu
