#include "base/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/unfinished_file.h"

namespace cgpu {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

class AtomicFileTest : public testing::Test {
 protected:
  AtomicFileTest() : folder_(fs::temp_directory_path() / ("cgpu-whole-file-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~AtomicFileTest() override { fs::remove_all(folder_); }

  size_t files() const { return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), {})); }
  std::string path(const char* name) const { return (folder_ / name).string(); }
  void put(const char* name, const std::string& text) const { std::ofstream(path(name)) << text; }

  fs::path folder_;
};

TEST_F(AtomicFileTest, IsThereOnceItIsFinished) {
  AtomicFile file(path("a"));
  file.out() << "all of it";
  EXPECT_FALSE(fs::exists(path("a")));
  file.finish();
  EXPECT_EQ(text_of(path("a")), "all of it");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFileTest, ItsTemporaryNameIsKnown) {
  const AtomicFile file(path("a.cgpu"));
  EXPECT_TRUE(is_unfinished_file(fs::path(file.temporary_path()).filename().string()));
  for (const char* name : {"a.cgpu", "a.part", ".part", "0123456789abcdef.part", "a.0123456789ABCDEF.part"}) {
    EXPECT_FALSE(is_unfinished_file(name)) << name;
  }
}

TEST_F(AtomicFileTest, LeavesWhatWasThereWhereItIsNotFinished) {
  put("a", "before");
  {
    AtomicFile file(path("a"));
    file.out() << "half";
  }
  EXPECT_EQ(text_of(path("a")), "before");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFileTest, ReplacesWhereALinkLeadsAndKeepsPermissions) {
  put("a", "before");
  fs::permissions(path("a"), fs::perms::owner_read | fs::perms::owner_write | fs::perms::owner_exec);
  fs::create_symlink("a", path("link"));
  AtomicFile file(path("link"));
  file.out() << "after";
  file.finish();
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(text_of(path("a")), "after");
  EXPECT_EQ(fs::status(path("a")).permissions() & fs::perms::owner_exec, fs::perms::owner_exec);
}

TEST_F(AtomicFileTest, TwoWithOneProcessNumberDoNotMix) {
  AtomicFile first(path("a"));
  AtomicFile second(path("a"));
  EXPECT_NE(first.temporary_path(), second.temporary_path());
  first.out() << "first";
  second.out() << "second";
  first.finish();
  EXPECT_EQ(text_of(path("a")), "first");
  second.finish();
  EXPECT_EQ(text_of(path("a")), "second");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFileTest, WritesThroughNoLinkThatStandsUnderItsName) {
  put("theirs", "untouched");
  const std::string guessed = path("a") + "." + std::to_string(getpid()) + ".part";
  fs::create_symlink(path("theirs"), guessed);
  AtomicFile file(path("a"));
  file.out() << "all of it";
  file.finish();
  EXPECT_EQ(text_of(path("theirs")), "untouched");
  EXPECT_FALSE(fs::is_symlink(path("a")));
}

TEST_F(AtomicFileTest, TheLongestNameThatAFileCanHaveIsWritten) {
  const std::string name(255, 'n');
  AtomicFile file(path(name.c_str()));
  file.out() << "all of it";
  file.finish();
  EXPECT_EQ(text_of(path(name.c_str())), "all of it");
}

TEST_F(AtomicFileTest, NothingIsLeftWhereASignalEndsTheProgram) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const pid_t child = ::fork();
    if (child == 0) {
      AtomicFile file(path("a"));
      file.out() << "half" << std::flush;
      ::raise(signal);
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), signal);
    EXPECT_EQ(files(), 0u);
  }
}

TEST_F(AtomicFileTest, WritesToDevicesDirectly) {
  AtomicFile file("/dev/null");
  file.out() << "nothing";
  file.finish();
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(AtomicFileTest, SaysWhereNothingCanBeWritten) {
  EXPECT_THROW(AtomicFile(path("no/such/folder")), Error);
  EXPECT_THROW(AtomicFile(folder_.string()), Error);
  AtomicFile full("/dev/full");
  full.out() << "some text";
  EXPECT_THROW(full.finish(), Error);
}

}  // namespace
}  // namespace cgpu
