#include "base/remote_file.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>

#include "base/error.h"
#include "base/reopened_file.h"

namespace cgpu {

namespace {

/// Where files are served.
class Server {
 public:
  void set(const std::string& socket) {
    const std::lock_guard lock(mutex_);
    socket_ = socket;
  }
  std::string get() const {
    const std::lock_guard lock(mutex_);
    return socket_;
  }

 private:
  mutable std::mutex mutex_;
  std::string socket_;
};

Server& server() {
  static Server one;
  return one;
}

bool has_scheme(const std::string& name) {
  const size_t end = name.find("://");
  return end != std::string::npos && end > 0 &&
         std::all_of(name.begin(), name.begin() + static_cast<ptrdiff_t>(end), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
         });
}

int connect_to(const std::string& socket, const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket.size() >= sizeof(address.sun_path)) throw Error(name, "the path of the socket that serves it is too long");
  std::memcpy(address.sun_path, socket.data(), socket.size());
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) throw Error(name, std::string("no socket can be made: ") + std::strerror(errno));
  while (::connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    if (errno == EINTR) continue;
    const int reason = errno;
    ::close(descriptor);
    throw Error(name, std::string("is not served any more: ") + std::strerror(reason));
  }
  return descriptor;
}

class RemoteFile final : public File {
 public:
  RemoteFile(int descriptor, const std::string& name) : File(descriptor, name) {
    const auto length = static_cast<uint32_t>(name.size());
    send(&length, sizeof(length));
    send(name.data(), name.size());
    check_answer();
    receive(&size_, sizeof(size_));
  }

  size_t read_at(uint64_t position, void* to, size_t size) const override {
    const std::lock_guard lock(mutex_);
    size_t done = 0;
    while (done < size) {
      constexpr size_t kMost = size_t{16} << 20;
      const uint64_t from = position + done;
      const auto wanted = static_cast<uint32_t>(std::min(size - done, kMost));
      send(&from, sizeof(from));
      send(&wanted, sizeof(wanted));
      check_answer();
      uint32_t got = 0;
      receive(&got, sizeof(got));
      if (got > wanted) throw Error(name(), "what serves it sends more than was asked for");
      receive(static_cast<char*>(to) + done, got);
      done += got;
      if (got < wanted) break;
    }
    return done;
  }
  uint64_t size() const override { return size_; }
  bool is_quick_anywhere() const override { return false; }

 private:
  void check_answer() const {
    uint8_t failed = 0;
    receive(&failed, sizeof(failed));
    if (failed == 0) return;
    uint32_t length = 0;
    receive(&length, sizeof(length));
    std::string text(std::min<size_t>(length, 4096), '\0');
    receive(text.data(), text.size());
    throw Error(name(), text);
  }

  void send(const void* from, size_t size) const {
    for (size_t done = 0; done < size;) {
      const ssize_t put = ::send(descriptor(), static_cast<const char*>(from) + done, size - done, MSG_NOSIGNAL);
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) throw Error(name(), "is not served any more");
      done += static_cast<size_t>(put);
    }
  }
  void receive(void* to, size_t size) const {
    for (size_t done = 0; done < size;) {
      const ssize_t got = ::recv(descriptor(), static_cast<char*>(to) + done, size - done, 0);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) throw Error(name(), "is not served any more");
      done += static_cast<size_t>(got);
    }
  }

  uint64_t size_ = 0;
  mutable std::mutex mutex_;  // of the connection
};

}  // namespace

void serve_files_at(const std::string& socket) {
  server().set(socket);
}

bool is_remote(const std::string& name) {
  return has_scheme(name) && !server().get().empty();
}

std::shared_ptr<File> open_file(const std::string& name) {
  if (!is_remote(name)) {
    auto file = std::make_shared<File>(name);
    if (file->is_regular()) return std::make_shared<ReopenedFile>(std::move(file));
    return file;
  }
  return std::make_shared<RemoteFile>(connect_to(server().get(), name), name);
}

}  // namespace cgpu
