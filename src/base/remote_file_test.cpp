#include "base/remote_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/text_source.h"

namespace cgpu {
namespace {

/// Serves files that lie in memory, by the protocol of remote_file.h; "s3://lost/" vanishes after the first answer.
class TestServer {
 public:
  explicit TestServer(std::map<std::string, std::string> files) : files_(std::move(files)) {
    char folder[] = "/tmp/cgpu-test-XXXXXX";
    if (::mkdtemp(folder) == nullptr) throw std::runtime_error("no folder");
    folder_ = folder;
    listening_ = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, path().c_str());
    if (::bind(listening_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0 ||
        ::listen(listening_, 8) != 0) {
      throw std::runtime_error("no socket");
    }
    thread_ = std::thread([this] {
      for (int one = ::accept(listening_, nullptr, nullptr); one >= 0; one = ::accept(listening_, nullptr, nullptr)) {
        threads_.emplace_back([this, one] {
          serve(one);
          ::close(one);
        });
      }
    });
    serve_files_at(path());
  }
  ~TestServer() {
    serve_files_at("");
    ::shutdown(listening_, SHUT_RDWR);
    thread_.join();
    for (std::thread& each : threads_) each.join();
    ::close(listening_);
    ::unlink(path().c_str());
    ::rmdir(folder_.c_str());
  }

 private:
  std::string path() const { return folder_ + "/files"; }

  static bool get(int from, void* to, size_t size) {
    return ::recv(from, to, size, MSG_WAITALL) == static_cast<ssize_t>(size);
  }
  static void put(int to, const std::string& bytes) { ::send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL); }
  template <typename T>
  static std::string bytes_of(T number) {
    return {reinterpret_cast<const char*>(&number), sizeof(number)};
  }

  void serve(int with) {
    uint32_t length = 0;
    if (!get(with, &length, sizeof(length))) return;
    std::string name(length, '\0');
    if (!get(with, name.data(), length)) return;
    const auto file = files_.find(name);
    if (file == files_.end()) {
      const std::string error = "no such file or directory";
      return put(with, '\1' + bytes_of(static_cast<uint32_t>(error.size())) + error);
    }
    put(with, '\0' + bytes_of(static_cast<uint64_t>(file->second.size())));
    uint64_t position = 0;
    uint32_t size = 0;
    while (get(with, &position, sizeof(position)) && get(with, &size, sizeof(size))) {
      if (name.starts_with("s3://lost/")) return;
      const std::string part = position < file->second.size() ? file->second.substr(position, size) : "";
      put(with, '\0' + bytes_of(static_cast<uint32_t>(part.size())) + part);
    }
  }

  std::map<std::string, std::string> files_;
  std::string folder_;
  int listening_ = -1;
  std::thread thread_;
  std::vector<std::thread> threads_;
};

std::string error_of(const std::string& name) {
  try {
    std::string text(4, '\0');
    open_file(name)->read_at(0, text.data(), text.size());
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(RemoteFile, IsReadInRanges) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i) + ' ';
  const TestServer server(std::map<std::string, std::string>{{"s3://bucket/run.json", text}});
  ASSERT_TRUE(is_remote("s3://bucket/run.json"));
  const auto file = open_file("s3://bucket/run.json");
  EXPECT_EQ(file->size(), text.size());
  EXPECT_FALSE(file->is_quick_anywhere());
  std::string part(1000, '\0');
  for (const size_t position : {size_t{0}, size_t{77'777}, text.size() - 10, text.size(), text.size() + 5}) {
    const std::string expected = position < text.size() ? text.substr(position, part.size()) : "";
    ASSERT_EQ(file->read_at(position, part.data(), part.size()), expected.size());
    EXPECT_EQ(part.substr(0, expected.size()), expected);
  }
  std::string all(text.size() + 1, '\0');
  const auto source = open_text("s3://bucket/run.json");
  ASSERT_EQ(source->read(all.data(), all.size()), text.size());
  EXPECT_EQ(all.substr(0, text.size()), text);
}

TEST(RemoteFile, SaysWhatIsWrong) {
  EXPECT_FALSE(is_remote("s3://bucket/run.json"));  // by nobody yet
  EXPECT_EQ(error_of("s3://bucket/run.json"), "s3://bucket/run.json: no such file or directory");
  const TestServer server(std::map<std::string, std::string>{{"s3://lost/run.json", "text"}});
  EXPECT_EQ(error_of("s3://bucket/run.json"), "s3://bucket/run.json: no such file or directory");
  EXPECT_EQ(error_of("s3://lost/run.json"), "s3://lost/run.json: is not served any more");
  for (const char* name : {"run.json", "/tmp/a://b", "://b", "S3://b"}) EXPECT_FALSE(is_remote(name)) << name;
}

}  // namespace
}  // namespace cgpu
