// For tests: writes SQLite databases.
#pragma once

#include <sqlite3.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "base/test_file.h"

namespace cgpu::test {

/// A database made of SQL statements, in a file that vanishes with the object.
class TestDatabase {
 public:
  TestDatabase() : file_("", ".sqlite") {
    if (sqlite3_open(path().c_str(), &handle_) != SQLITE_OK) throw std::runtime_error("cannot make " + path());
  }
  ~TestDatabase() {
    close();
    for (const char* ending : {"-wal", "-shm", "-journal"}) ::unlink((path() + ending).c_str());
  }
  TestDatabase(const TestDatabase&) = delete;
  TestDatabase& operator=(const TestDatabase&) = delete;

  TestDatabase& sql(const std::string& statements) {
    char* message = nullptr;
    if (sqlite3_exec(handle_, statements.c_str(), nullptr, nullptr, &message) != SQLITE_OK) {
      const std::string text = message;
      sqlite3_free(message);
      throw std::runtime_error(text + " in: " + statements);
    }
    return *this;
  }
  void close() {
    sqlite3_close(handle_);
    handle_ = nullptr;
  }
  const std::string& path() const { return file_.path(); }
  std::string bytes() const {
    std::ifstream file(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  TestFile file_;
  sqlite3* handle_ = nullptr;
};

}  // namespace cgpu::test
