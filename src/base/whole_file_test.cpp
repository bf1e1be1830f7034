#include "base/whole_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/error.h"

namespace cgpu {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

class WholeFileTest : public testing::Test {
 protected:
  WholeFileTest() : folder_(fs::temp_directory_path() / ("cgpu-whole-file-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~WholeFileTest() override { fs::remove_all(folder_); }

  size_t files() const { return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), {})); }
  std::string path(const char* name) const { return (folder_ / name).string(); }
  void put(const char* name, const std::string& text) const { std::ofstream(path(name)) << text; }

  fs::path folder_;
};

TEST_F(WholeFileTest, IsThereOnceItIsFinished) {
  WholeFile file(path("a"));
  file.out() << "all of it";
  EXPECT_FALSE(fs::exists(path("a")));
  file.finish();
  EXPECT_EQ(text_of(path("a")), "all of it");
  EXPECT_EQ(files(), 1u);
}

TEST_F(WholeFileTest, LeavesWhatWasThereWhereItIsNotFinished) {
  put("a", "before");
  {
    WholeFile file(path("a"));
    file.out() << "half";
  }
  EXPECT_EQ(text_of(path("a")), "before");
  EXPECT_EQ(files(), 1u);
}

TEST_F(WholeFileTest, ReplacesWhereALinkLeadsAndKeepsPermissions) {
  put("a", "before");
  fs::permissions(path("a"), fs::perms::owner_read | fs::perms::owner_write | fs::perms::owner_exec);
  fs::create_symlink("a", path("link"));
  WholeFile file(path("link"));
  file.out() << "after";
  file.finish();
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(text_of(path("a")), "after");
  EXPECT_EQ(fs::status(path("a")).permissions() & fs::perms::owner_exec, fs::perms::owner_exec);
}

TEST_F(WholeFileTest, WritesToDevicesDirectly) {
  WholeFile file("/dev/null");
  file.out() << "nothing";
  file.finish();
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(WholeFileTest, SaysWhereNothingCanBeWritten) {
  EXPECT_THROW(WholeFile(path("no/such/folder")), Error);
  EXPECT_THROW(WholeFile(folder_.string()), Error);
  WholeFile full("/dev/full");
  full.out() << "some text";
  EXPECT_THROW(full.finish(), Error);
}

}  // namespace
}  // namespace cgpu
