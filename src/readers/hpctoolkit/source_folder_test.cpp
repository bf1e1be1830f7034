#include "readers/hpctoolkit/source_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "readers/hpctoolkit/hpctoolkit.h"
#include "readers/hpctoolkit/test_database.h"
#include "readers/hpctoolkit/xml/hpctoolkit_xml.h"
#include "readers/hpctoolkit/xml/test_experiment.h"

namespace cgpu::hpctoolkit {
namespace {

namespace fs = std::filesystem;

/// A folder with a database; only the names of its files matter.
class Database {
 public:
  Database() {
    std::string name = "/tmp/cgpu-test-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    top_ = name;
    fs::create_directories(top_ / "database/src/home");
    write("outside.c", "secret\n");
  }
  ~Database() { fs::remove_all(top_); }

  void write(const std::string& file, const std::string& text) const { std::ofstream(top_ / file) << text; }
  fs::path at(const std::string& file) const { return top_ / file; }

  /// What is found of files that the call tree names so.
  std::shared_ptr<SourceFiles> sources(const std::vector<std::string>& names) const {
    CallTree tree;
    for (const std::string& name : names) tree.nodes.file.push_back(tree.names.intern(name));
    return source_folder((top_ / "database").string(), tree);
  }

 private:
  fs::path top_;
};

TEST(SourceFolder, GivesTheFilesOfTheTreeThatAreThere) {
  const Database database;
  database.write("database/src/home/a.c", "int a;\nint b;\n");
  database.write("database/src/home/unnamed.c", "int c;\n");
  const auto sources = database.sources({"src/home/a.c", "src/home/gone.c", "/home/a.c", "a.c", ""});
  ASSERT_TRUE(sources);
  ASSERT_EQ(sources->files().size(), 1u);
  EXPECT_EQ(sources->files()[0].name, "src/home/a.c");
  EXPECT_EQ(sources->files()[0].stored, "src/home/a.c");
  EXPECT_EQ(sources->files()[0].bytes, 14u);
  EXPECT_EQ(sources->text(0, 1000), "int a;\nint b;\n");
  EXPECT_EQ(sources->text(0, 3), "int");
  EXPECT_ANY_THROW(sources->text(1, 1000));
  EXPECT_FALSE(database.sources({"src/home/gone.c"}));
}

TEST(SourceFolder, AFileMayLieUnderFewerFolders) {
  const Database database;
  database.write("database/src/home/a.c", "near");
  database.write("database/src/a.c", "far");
  const auto sources = database.sources({"./src/work/home/a.c", "./src/work/b/a.c"});
  ASSERT_TRUE(sources);
  ASSERT_EQ(sources->files().size(), 2u);
  EXPECT_EQ(sources->files()[0].name, "./src/work/home/a.c");
  EXPECT_EQ(sources->files()[0].stored, "src/home/a.c");
  EXPECT_EQ(sources->text(0, 10), "near");
  EXPECT_EQ(sources->files()[1].stored, "src/a.c");
  EXPECT_EQ(sources->text(1, 10), "far");
}

TEST(SourceFolder, NothingOutsideOfItIsRead) {
  const Database database;
  const std::string outside = database.at("outside.c").string();
  fs::create_symlink(outside, database.at("database/src/link.c"));
  fs::create_directory_symlink(database.at(""), database.at("database/src/up"));
  fs::create_symlink("home", database.at("database/src/inside"));
  ASSERT_EQ(::mkfifo(database.at("database/src/pipe.c").c_str(), 0600), 0);
  database.write("database/meta.db", "no source");
  EXPECT_FALSE(database.sources({outside, "src/" + outside, "src/../../outside.c", "../outside.c",
                                 "./src/../../outside.c", "src/link.c", "src/up/outside.c", "src/pipe.c", "src/home",
                                 "src/home/", "src/", "src", "src/./link.c", "src//link.c", "src/../meta.db", "meta.db",
                                 std::string("src/link.c\0.c", 13)}));
}

TEST(SourceFolder, AFileThatBecomesALinkLaterIsNotFollowed) {
  const Database database;
  database.write("database/src/home/a.c", "int a;\n");
  const auto sources = database.sources({"src/home/a.c"});
  ASSERT_TRUE(sources);
  fs::remove(database.at("database/src/home/a.c"));
  EXPECT_THROW(sources->text(0, 100), Error);
  fs::create_symlink(database.at("outside.c"), database.at("database/src/home/a.c"));
  EXPECT_THROW(sources->text(0, 100), Error);
}

TEST(SourceFolder, TheFolderItselfIsNoLink) {
  const Database database;
  fs::remove_all(database.at("database/src"));
  EXPECT_FALSE(database.sources({"src/outside.c"}));
  fs::create_directory_symlink(database.at(""), database.at("database/src"));
  EXPECT_FALSE(database.sources({"src/outside.c"}));
}

TEST(SourceFolder, BothGenerationsOfDatabasesHaveThem) {
  test::DatabaseBuilder builder;
  builder.metrics = {"CPUTIME (sec)"};
  builder.entries = {{1, "main thread", {{2, 1, 0, "main", "src/main.c", 1, "/bin/program", 0, {}}}}};
  const test::TestFolder four(builder.build());
  const hpctoolkit_xml::test::TestFolder two;
  two.write("experiment.xml", hpctoolkit_xml::test::experiment(hpctoolkit_xml::test::small_tree()));
  const auto read = [](auto reader, const std::string& folder) { return reader({folder, true, nullptr, ""}, {}); };
  EXPECT_FALSE(read(read_database, four.path()).sources);
  EXPECT_FALSE(read(hpctoolkit_xml::read_database, two.path()).sources);
  for (const std::string& folder : {four.path(), two.path()}) {
    fs::create_directory(folder + "/src");
    std::ofstream(folder + "/src/main.c") << "int main() {}\n";
  }
  const cgpu::Run of_four = read(read_database, four.path());
  const cgpu::Run of_two = read(hpctoolkit_xml::read_database, two.path());
  ASSERT_TRUE(of_four.sources && of_two.sources);
  EXPECT_EQ(of_four.sources->files()[0].name, "src/main.c");
  EXPECT_EQ(of_two.sources->files()[0].name, "./src/main.c");
  EXPECT_EQ(of_two.sources->text(0, 1000), of_four.sources->text(0, 1000));
}

}  // namespace
}  // namespace cgpu::hpctoolkit
