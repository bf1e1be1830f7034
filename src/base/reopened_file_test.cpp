#include "base/reopened_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/test_file.h"

namespace cgpu {
namespace {

using test::TestFile;

/// How many files this process may have open, until the end of a test.
class Limit {
 public:
  explicit Limit(rlim_t most) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = most;
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
  ~Limit() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(all), end(all)));
}

std::string whole(const File& file) {
  std::string text(file.size(), '\0');
  text.resize(file.read_at(0, text.data(), text.size()));
  return text;
}

TEST(ReopenedFile, ManyMoreThanMayBeOpenAreRead) {
  const Limit limit(64);
  const size_t before = open_descriptors();
  std::deque<TestFile> written;
  std::vector<std::shared_ptr<const File>> files;
  for (int i = 0; i < 200; ++i) {
    written.emplace_back("text " + std::to_string(i), ".txt");
    files.push_back(std::make_shared<ReopenedFile>(std::make_shared<File>(written.back().path())));
  }
  EXPECT_LE(open_descriptors(), before + 32);
  std::vector<std::thread> readers;
  for (int reader = 0; reader < 4; ++reader) {
    readers.emplace_back([&, reader] {
      for (size_t i = 0; i < files.size(); ++i) {
        const size_t at = (i * 7 + static_cast<size_t>(reader)) % files.size();
        EXPECT_EQ(whole(*files[at]), "text " + std::to_string(at));
      }
    });
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_LE(open_descriptors(), before + 32);
  files.clear();
  EXPECT_EQ(open_descriptors(), before);
}

TEST(ReopenedFile, OneThatHasChangedIsNotReadAsIfItWereTheSame) {
  const TestFile changed("before", ".txt");
  const TestFile removed("before", ".txt");
  const ReopenedFile first(std::make_shared<File>(changed.path()));
  const ReopenedFile second(std::make_shared<File>(removed.path()));
  std::ofstream(changed.path()) << "after it has become longer";
  std::filesystem::remove(removed.path());
  char byte = 0;
  EXPECT_EQ(second.read_at(0, &byte, 1), 1u) << "it is still open";

  const Limit limit(64);
  const TestFile other("other", ".txt");
  std::vector<std::unique_ptr<ReopenedFile>> others;  // for which the two are closed
  for (int i = 0; i < 40; ++i) others.push_back(std::make_unique<ReopenedFile>(std::make_shared<File>(other.path())));
  EXPECT_THROW(first.read_at(0, &byte, 1), Error);
  EXPECT_THROW(second.read_at(0, &byte, 1), Error);
  EXPECT_EQ(whole(*others.front()), "other");
}

}  // namespace
}  // namespace cgpu
