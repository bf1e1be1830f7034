// SQLite databases of other programs: opened read-only without leaving files behind, read table by table, not trusted.
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
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/notes.h"
#include "readers/common/sqlite/table_walk.h"
#include "readers/common/table_source.h"

struct sqlite3;
struct sqlite3_stmt;
struct sqlite3_value;

namespace cgpu::sqlite {

/// The bytes of a database by the number of its pages in its first 100 bytes, 0 where an old writer has left that
/// stale.
uint64_t size_by_header(std::string_view header);

class Database final : public TableSource {
 public:
  /// `name` is what the user calls the file; errors name it. Throws Error where it is no database that can be read.
  Database(const std::string& path, std::string name);

  /// The ordinary tables.
  const std::map<std::string, std::vector<std::string>>& tables() const override { return tables_; }
  bool has_rows(const std::string& table) const override;
  /// Known where rows are numbered from 1 on. O(log n).
  uint64_t rows_expected(const std::string& table) const override;
  /// Bytes of the file, without a log beside it.
  uint64_t size() const override { return size_; }
  std::unique_ptr<RowScan> scan(const std::string& table, const std::vector<std::string>& columns) override;
  void for_each_row(const std::string& table, const std::vector<std::string>& columns, std::span<const int64_t> rows,
                    const std::function<void(Row&)>& visit) override;
  std::string text_with_id(const std::string& table, const std::string& id_column, int64_t id) override;
  /// Bytes that the file should have by its header, 0 where it does not say.
  uint64_t expected_size() const { return expected_size_; }
  /// Empty, or what was not read although it belongs to the database.
  const std::string& warning() const { return warning_; }
  const std::string& name() const { return name_; }
  sqlite3* handle() const { return handle_.get(); }

  /// A walk over all rows of a table without SQLite; null where it has to be asked.
  std::unique_ptr<TableWalk> walk(const std::string& table, const std::vector<std::string>& columns) const;
  /// How the stored values of a column are to be read.
  enum class Storage : uint8_t { plain, real, rowid };
  /// Integers stand for reals; or null stands for the row id.
  Storage storage(const std::string& table, const std::string& column) const;

  /// Takes `bytes` from what may still be read; false when nothing is left.
  bool spend(uint64_t bytes);
  void begin_again() override { budget_ = whole_budget_; }

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  /// What a walk needs to know of a table.
  struct Pages {
    uint32_t root = 0;
    std::map<std::string, int> place;  // of each column in a record
    std::set<std::string> real;        // columns whose whole numbers stand for real ones
    std::string rowid;                 // the column that is stored as the row id, "" for none
  };

  bool open(const std::string& path, bool immutable);
  void list_tables();
  void list_pages(const std::string& table, int64_t root);

  std::string name_;
  std::unique_ptr<File> file_;  // null where SQLite has to be asked
  std::optional<PageLayout> layout_;
  std::map<std::string, Pages> pages_;
  std::unique_ptr<sqlite3, Close> handle_;
  std::map<std::string, std::vector<std::string>> tables_;
  std::string warning_;
  uint64_t size_ = 0;
  uint64_t expected_size_ = 0;
  uint64_t whole_budget_ = 0;
  uint64_t budget_ = 0;
};

/// One pass over a table in the order of the file, without SQLite where that is possible.
class Scan final : public RowScan {
 public:
  /// `rest` is appended to the statement: "WHERE rowid = 5".
  Scan(Database& database, const std::string& table, const std::vector<std::string>& columns,
       const std::string& rest = "");

  bool next() override;
  const std::string& error() const override { return error_; }

  bool has(int column) const { return has_[static_cast<size_t>(column)]; }
  int64_t rowid() const override;
  ValueType type(int column) const override;
  int64_t integer(int column) const override;
  double real(int column) const override;
  std::string_view text(int column) override;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  /// Of the row; null for a column that the table lacks. Asking SQLite costs more than looking at the value.
  sqlite3_value* value(int column) const;

  Database& database_;
  std::unique_ptr<TableWalk> walk_;         // null where SQLite reads the rows
  std::vector<Database::Storage> storage_;  // of each column that is walked
  std::string text_;                        // of a number that is asked for as text
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  std::vector<bool> has_;
  mutable std::vector<sqlite3_value*> values_;  // those of this row that have been asked for
  std::string error_;
};

/// Notes what belongs to the database and cannot be read.
void note_losses(const Database& database, Notes& notes);

/// `name` as an identifier in a statement.
std::string identifier(std::string_view name);

}  // namespace cgpu::sqlite
