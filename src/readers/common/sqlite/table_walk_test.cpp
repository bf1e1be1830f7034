// The walk over the pages of a table must give what SQLite gives, value by value, whatever the table holds.
#include "readers/common/sqlite/table_walk.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <fstream>
#include <random>

#include "base/test_file.h"
#include "readers/common/sqlite/database.h"
#include "readers/common/sqlite/test_database.h"

namespace cgpu::sqlite {
namespace {

using test::TestDatabase;
using test::TestFile;

/// Every value as its type and its forms; SQLite converts where the type is another.
std::string shown(sqlite3_stmt* row, int column) {
  const int type = sqlite3_column_type(row, column);
  std::string text = std::to_string(type) + " " + std::to_string(sqlite3_column_int64(row, column)) + " " +
                     std::to_string(sqlite3_column_double(row, column)) + " ";
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(row, column));
  if (bytes != nullptr) text.append(bytes, static_cast<size_t>(sqlite3_column_bytes(row, column)));
  return text;
}
std::string shown(Scan& scan, int column) {
  constexpr int kTypes[] = {SQLITE_NULL, SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT, SQLITE_BLOB};
  std::string text = std::to_string(kTypes[static_cast<int>(scan.type(column))]) + " " +
                     std::to_string(scan.integer(column)) + " " + std::to_string(scan.real(column)) + " ";
  return text + std::string(scan.text(column));
}

using Rows = std::vector<std::vector<std::string>>;

Rows rows_by_sqlite(const std::string& path, const std::string& table) {
  sqlite3* handle = nullptr;
  sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READONLY, nullptr);
  sqlite3_stmt* row = nullptr;
  sqlite3_prepare_v2(handle, ("SELECT rowid, * FROM " + table).c_str(), -1, &row, nullptr);
  Rows rows;
  while (sqlite3_step(row) == SQLITE_ROW) {
    rows.emplace_back();
    for (int i = 0; i < sqlite3_column_count(row); ++i) rows.back().push_back(shown(row, i));
  }
  sqlite3_finalize(row);
  sqlite3_close(handle);
  return rows;
}

Rows rows_by_scan(Database& database, const std::string& table, const std::string& rest = "") {
  const std::vector<std::string>& columns = database.tables().at(table);
  Scan scan(database, table, columns, rest);
  Rows rows;
  while (scan.next()) {
    rows.emplace_back();
    const std::string id = std::to_string(scan.rowid());
    rows.back().push_back("1 " + id + " " + std::to_string(static_cast<double>(scan.rowid())) + " " + id);
    for (size_t i = 0; i < columns.size(); ++i) rows.back().push_back(shown(scan, static_cast<int>(i)));
  }
  EXPECT_EQ(scan.error(), "");
  return rows;
}

void expect_same(const TestDatabase& file, const std::string& table, bool walked = true) {
  Database database(file.path(), file.path());
  EXPECT_EQ(database.walk(table, database.tables().at(table)) != nullptr, walked) << table;
  const Rows want = rows_by_sqlite(file.path(), table);
  const Rows got = rows_by_scan(database, table);
  ASSERT_EQ(got.size(), want.size()) << table;
  for (size_t i = 0; i < want.size(); ++i) {
    ASSERT_EQ(got[i].size(), want[i].size());
    for (size_t column = 0; column < want[i].size(); ++column) ASSERT_EQ(got[i][column], want[i][column]) << table << i;
  }
}

std::string random_value(std::mt19937_64& random) {
  const auto number = [&](uint64_t below) { return random() % below; };
  switch (number(8)) {
    case 0:
      return "NULL";
    case 1:
      return std::to_string(static_cast<int64_t>(random()) >> number(64));
    case 2:
      return std::to_string(number(3));
    case 3:
      return std::to_string(static_cast<double>(static_cast<int64_t>(random())) / 1e6);
    case 4:
      return "'" + std::to_string(number(1000)) + (number(2) == 0 ? " and more" : "") + "'";
    case 5:
      return "zeroblob(" + std::to_string(number(40)) + ")";
    case 6:
      return "'" + std::string(number(number(20) == 0 ? 30000 : 300), 'x') + "'";
    default:
      return "'-5x'";
  }
}

TEST(TableWalk, RandomTablesReadAsSqliteReadsThem) {
  for (const int page_size : {512, 1024, 4096, 65536}) {
    std::mt19937_64 random(static_cast<uint64_t>(page_size));
    TestDatabase file;
    file.sql("PRAGMA page_size = " + std::to_string(page_size) +
             "; PRAGMA auto_vacuum = " + std::to_string(page_size == 1024 ? 1 : 0) +
             "; CREATE TABLE a (id INTEGER PRIMARY KEY, b INTEGER, c TEXT, d REAL, e BLOB, f, g INTEGER);"
             "CREATE TABLE other (x INTEGER)");
    file.sql("BEGIN");
    int64_t id = -3;
    for (int i = 0; i < 3000; ++i) {
      id += 1 + static_cast<int64_t>(random() % (i % 100 == 0 ? 1'000'000'000'000 : 3));
      std::string row = "INSERT INTO a VALUES (" + std::to_string(id);
      for (int column = 0; column < 6; ++column) row += ", " + random_value(random);
      file.sql(row + ")");
      if (i % 3 == 0) file.sql("INSERT INTO other VALUES (" + std::to_string(i) + ")");
    }
    file.sql("COMMIT; DELETE FROM a WHERE rowid % 5 = 0; UPDATE a SET c = 'new' WHERE rowid % 7 = 0");
    file.sql("ALTER TABLE a ADD COLUMN late TEXT; INSERT INTO a (b, late) VALUES (1, 'here')");
    file.close();
    expect_same(file, "a");
    expect_same(file, "other");
  }
}

TEST(TableWalk, WhatItLeavesToSqlite) {
  TestDatabase file;
  file.sql(
      "CREATE TABLE keyed (a TEXT PRIMARY KEY, b INTEGER) WITHOUT ROWID; INSERT INTO keyed VALUES ('x', 1);"
      "CREATE TABLE late (a INTEGER); INSERT INTO late VALUES (1);"
      "ALTER TABLE late ADD COLUMN b INTEGER DEFAULT 7; INSERT INTO late VALUES (2, 3);"
      "CREATE TABLE computed (a INTEGER, b INTEGER AS (a + 1)); INSERT INTO computed VALUES (4);"
      "CREATE TABLE pair (a INTEGER, b INTEGER, PRIMARY KEY (a, b)); INSERT INTO pair VALUES (5, 6)");
  file.close();
  expect_same(file, "late", false);
  expect_same(file, "computed", false);
  expect_same(file, "pair");
  Database database(file.path(), file.path());
  EXPECT_EQ(database.walk("keyed", {"a", "b"}), nullptr);
  Scan scan(database, "keyed", {"a", "b"});
  ASSERT_TRUE(scan.next());
  EXPECT_EQ(scan.text(0), "x");
}

TEST(TableWalk, Utf16IsLeftToSqlite) {
  TestDatabase file;
  file.sql("PRAGMA encoding = 'UTF-16'; CREATE TABLE a (b TEXT); INSERT INTO a VALUES ('text')").close();
  expect_same(file, "a", false);
}

TEST(TableWalk, OneRowByItsNumberIsAskedOfSqlite) {
  TestDatabase file;
  file.sql("CREATE TABLE a (b TEXT); INSERT INTO a VALUES ('one'), ('two')").close();
  Database database(file.path(), file.path());
  EXPECT_EQ(rows_by_scan(database, "a", "WHERE rowid = 2").size(), 1u);
}

TEST(TableWalk, DamageEndsIt) {
  TestDatabase file;
  file.sql("PRAGMA page_size = 512; CREATE TABLE a (b INTEGER, c TEXT); BEGIN");
  for (int i = 0; i < 400; ++i) {
    file.sql("INSERT INTO a VALUES (" + std::to_string(i) + ", '" + std::string(i % 50 == 0 ? 3000 : 40, 'x') + "')");
  }
  file.sql("COMMIT").close();
  const std::string whole = file.bytes();
  std::mt19937_64 random(9);
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = whole;
    const size_t changes = 1 + random() % 4;
    for (size_t i = 0; i < changes; ++i) {
      // The tree's pages and cells, not the schema on the first page.
      damaged[512 + random() % (damaged.size() - 512)] = static_cast<char>(random());
    }
    if (round % 5 == 0) damaged.resize(512 * (2 + random() % (damaged.size() / 512 - 2)) + random() % 512);
    const TestFile broken(damaged, ".sqlite");
    Database database(broken.path(), broken.path());
    Scan scan(database, "a", {"b", "c"});
    size_t rows = 0;
    size_t bytes = 0;
    while (scan.next()) {
      ++rows;
      bytes += scan.text(1).size() + static_cast<size_t>(scan.integer(0) & 1);
    }
    EXPECT_LE(rows, damaged.size());
    EXPECT_LE(bytes, 3 * damaged.size() + (1 << 20));
  }
}

TEST(TableWalk, PagesThatPointInCirclesEnd) {
  TestDatabase file;
  file.sql("PRAGMA page_size = 512; CREATE TABLE a (b TEXT); BEGIN");
  for (int i = 0; i < 300; ++i) file.sql("INSERT INTO a VALUES ('" + std::string(60, 'x') + "')");
  file.sql("COMMIT").close();
  std::string bytes = file.bytes();
  ASSERT_EQ(bytes[512], 5) << "the root is an interior page";
  for (size_t child = 512; child + 4 < 1024; child += 1) {
    std::string looped = bytes;
    looped.replace(child, 4, std::string("\0\0\0\2", 4));
    const TestFile broken(looped, ".sqlite");
    Database database(broken.path(), broken.path());
    Scan scan(database, "a", {"b"});
    size_t rows = 0;
    while (scan.next()) ++rows;
    EXPECT_LE(rows, 20'000u);
  }
}

}  // namespace
}  // namespace cgpu::sqlite
