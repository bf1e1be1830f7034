// SQLite databases that somebody else wrote: opened without leaving a trace, read table by table, never believed.
//
// The file is opened read-only and as immutable: no lock is taken, so that a file which its writer holds open can be
// read, and nothing is created beside it. Where a write-ahead log with content lies beside the file, SQLite is asked
// to read through it first; where it cannot (a folder that is not writable), the file alone is read and `warning` says
// so. A file that is shorter than its header says is read as far as it goes.
// What a hostile file can cost is bounded: views, triggers and untrusted functions are off, values are limited to
// 32 MB, and a budget of twice the file's size holds over all that is read (damaged pages can point in circles).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace cgpu::sqlite {

inline constexpr std::string_view kMagic("SQLite format 3\0", 16);

/// For one thread at a time.
class Database {
 public:
  /// `name` is what the user calls the file; errors name it. Throws Error where it is no database that can be read.
  Database(const std::string& path, std::string name);

  bool has(const std::string& table) const { return tables_.count(table) != 0; }
  bool has_column(const std::string& table, std::string_view column) const;
  /// Column names of the ordinary tables, by name of the table.
  const std::map<std::string, std::vector<std::string>>& tables() const { return tables_; }
  /// Whether the table exists and has a row.
  bool has_rows(const std::string& table) const;

  /// Bytes of the file, without a log beside it.
  uint64_t size() const { return size_; }
  /// Bytes that the file should have by its header, 0 where it does not say.
  uint64_t expected_size() const { return expected_size_; }
  /// Empty, or what was not read although it belongs to the database.
  const std::string& warning() const { return warning_; }
  const std::string& name() const { return name_; }
  sqlite3* handle() const { return handle_.get(); }

  /// Takes `bytes` from what may still be read; false when nothing is left.
  bool spend(uint64_t bytes);

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  bool open(const std::string& path, bool immutable);
  void list_tables();

  std::string name_;
  std::unique_ptr<sqlite3, Close> handle_;
  std::map<std::string, std::vector<std::string>> tables_;
  std::string warning_;
  uint64_t size_ = 0;
  uint64_t expected_size_ = 0;
  uint64_t budget_ = 0;
};

/// One pass over a table in the order of the file. Columns are asked for by their place in the list that was given;
/// those that the table lacks read as null.
class Scan {
 public:
  /// `rest` is appended to the statement: "WHERE rowid = 5".
  Scan(Database& database, const std::string& table, const std::vector<std::string>& columns,
       const std::string& rest = "");

  /// The next row; false at the end, also where the rest cannot be read: see `error`.
  bool next();
  /// Empty, or why the pass ended early.
  const std::string& error() const { return error_; }

  bool has(int column) const { return has_[static_cast<size_t>(column)]; }
  int64_t rowid() const;
  bool is_null(int column) const;
  bool is_text(int column) const;
  bool is_number(int column) const;
  /// 0 where it is null.
  int64_t integer(int column) const;
  double real(int column) const;
  /// Valid until the next row.
  std::string_view text(int column);

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Database& database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  std::vector<bool> has_;
  std::string error_;
};

/// `name` as an identifier in a statement.
std::string identifier(std::string_view name);

}  // namespace cgpu::sqlite
