#include "readers/sqlite/database.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"

namespace cgpu::sqlite {

namespace {

constexpr int kMostBytesOfValue = 32 << 20;
constexpr uint64_t kLeastBytesOfRow = 4;  // a cell and the pointer to it

/// The path as SQLite's URI: everything but plain characters as %XX.
std::string uri_of(const std::string& path, bool immutable) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string uri = "file:";
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' ||
                       c == '.' || c == '-' || c == '_';
    if (plain) {
      uri += c;
    } else {
      uri += {'%', kHex[static_cast<unsigned char>(c) >> 4], kHex[static_cast<unsigned char>(c) & 15]};
    }
  }
  return uri + (immutable ? "?immutable=1" : "");
}

bool has_content(const std::string& path) {
  std::error_code failed;
  const auto size = std::filesystem::file_size(path, failed);
  return !failed && size > 0;
}

uint64_t big_endian(const unsigned char* bytes) {
  return uint64_t{bytes[0]} << 24 | uint64_t{bytes[1]} << 16 | uint64_t{bytes[2]} << 8 | bytes[3];
}

/// Pages times size of a page (https://www.sqlite.org/fileformat.html, "The Database Header"); 0 where an old writer
/// has left the number of pages stale.
uint64_t size_by_header(const File& file) {
  std::array<unsigned char, 100> header{};
  if (file.read_at(0, header.data(), header.size()) < header.size()) return 0;
  const uint64_t page = uint64_t{header[16]} << 8 | header[17];
  const bool valid = big_endian(&header[24]) == big_endian(&header[92]);
  return valid ? big_endian(&header[28]) * (page == 1 ? 65536 : page) : 0;
}

}  // namespace

std::string identifier(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) text.append(c == '"' ? 2 : 1, c);
  return text + '"';
}

void Database::Close::operator()(sqlite3* handle) const {
  sqlite3_close_v2(handle);
}

Database::Database(const std::string& path, std::string name) : name_(std::move(name)) {
  {
    const File file(path);
    size_ = file.size();
    expected_size_ = size_by_header(file);
  }
  budget_ = 2 * size_ + (1 << 20);
  const bool logged = has_content(path + "-wal");
  if (logged) {
    budget_ += 2 * std::filesystem::file_size(path + "-wal");
    if (open(path, false)) return;
    warning_ = "changes that are still in the write-ahead log beside the file (-wal) could not be read";
  } else if (has_content(path + "-journal")) {
    warning_ = "a write to the file was not finished (there is a -journal beside it): the rows may be inconsistent";
  }
  if (open(path, true)) return;
  throw Error(name_, std::string("is an SQLite database that cannot be read: ") + sqlite3_errmsg(handle_.get()) +
                         "; export it again, or repair it with `sqlite3 FILE .recover`");
}

bool Database::open(const std::string& path, bool immutable) {
  sqlite3* handle = nullptr;
  // Without SQLite's own mutex, which would cost a sixth of a scan: a Database is for one thread at a time.
  constexpr int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
  const int opened = sqlite3_open_v2(uri_of(path, immutable).c_str(), &handle, flags, nullptr);
  handle_.reset(handle);
  if (opened != SQLITE_OK) return false;
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kMostBytesOfValue);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  // Nothing is ever written; this makes SQLite accept a file that is shorter than it should be.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, nullptr);
  if (sqlite3_exec(handle, "PRAGMA cell_size_check=ON; SELECT count(*) FROM sqlite_master", nullptr, nullptr,
                   nullptr) != SQLITE_OK) {
    return false;
  }
  list_tables();
  return true;
}

/// Ordinary tables: views and virtual tables have no root page.
void Database::list_tables() {
  tables_.clear();
  std::vector<std::string> names;
  sqlite3_stmt* list = nullptr;
  sqlite3_prepare_v2(handle_.get(), "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0", -1, &list,
                     nullptr);
  while (sqlite3_step(list) == SQLITE_ROW) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(list, 0));
    if (text != nullptr) names.emplace_back(text);
  }
  sqlite3_finalize(list);
  for (const std::string& name : names) {
    sqlite3_stmt* any = nullptr;
    const std::string sql = "SELECT * FROM " + identifier(name) + " LIMIT 0";
    if (sqlite3_prepare_v2(handle_.get(), sql.c_str(), -1, &any, nullptr) == SQLITE_OK) {
      std::vector<std::string>& columns = tables_[name];
      for (int i = 0; i < sqlite3_column_count(any); ++i) columns.emplace_back(sqlite3_column_name(any, i));
    }
    sqlite3_finalize(any);
  }
}

bool Database::has_column(const std::string& table, std::string_view column) const {
  const auto found = tables_.find(table);
  return found != tables_.end() && std::find(found->second.begin(), found->second.end(), column) != found->second.end();
}

bool Database::has_rows(const std::string& table) const {
  if (!has(table)) return false;
  sqlite3_stmt* first = nullptr;
  const std::string sql = "SELECT 1 FROM " + identifier(table) + " LIMIT 1";
  sqlite3_prepare_v2(handle_.get(), sql.c_str(), -1, &first, nullptr);
  const bool found = sqlite3_step(first) == SQLITE_ROW;
  sqlite3_finalize(first);
  return found;
}

bool Database::spend(uint64_t bytes) {
  if (bytes > budget_) return false;
  budget_ -= bytes;
  return true;
}

void Scan::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Scan::Scan(Database& database, const std::string& table, const std::vector<std::string>& columns,
           const std::string& rest)
    : database_(database) {
  std::string list;
  for (const std::string& column : columns) {
    has_.push_back(database.has_column(table, column));
    list += has_.back() ? ", " + identifier(column) : ", NULL";
  }
  if (!database.has(table)) return;
  // A table WITHOUT ROWID has no row ids to give.
  for (const char* rowid : {"rowid", "-1"}) {
    std::string sql = "SELECT ";
    sql.append(rowid).append(list).append(" FROM ").append(identifier(table)).append(" ").append(rest);
    sqlite3_stmt* statement = nullptr;
    const int prepared = sqlite3_prepare_v2(database.handle(), sql.c_str(), -1, &statement, nullptr);
    statement_.reset(statement);
    if (prepared == SQLITE_OK) return;
  }
  error_ = sqlite3_errmsg(database.handle());
}

bool Scan::next() {
  if (!statement_ || !error_.empty()) return false;
  const int step = sqlite3_step(statement_.get());
  if (step == SQLITE_ROW && database_.spend(kLeastBytesOfRow)) return true;
  if (step == SQLITE_ROW) {
    error_ = "more rows than the file has room for";
  } else if (step != SQLITE_DONE) {
    error_ = sqlite3_errmsg(database_.handle());
  }
  return false;
}

int64_t Scan::rowid() const {
  return sqlite3_column_int64(statement_.get(), 0);
}

bool Scan::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column + 1) == SQLITE_NULL;
}

bool Scan::is_text(int column) const {
  return sqlite3_column_type(statement_.get(), column + 1) == SQLITE_TEXT;
}

bool Scan::is_number(int column) const {
  const int type = sqlite3_column_type(statement_.get(), column + 1);
  return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

int64_t Scan::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column + 1);
}

double Scan::real(int column) const {
  return sqlite3_column_double(statement_.get(), column + 1);
}

std::string_view Scan::text(int column) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column + 1));
  if (text == nullptr) return {};
  const std::string_view view(text, static_cast<size_t>(sqlite3_column_bytes(statement_.get(), column + 1)));
  if (!database_.spend(view.size())) error_ = "more text than the file has room for";
  return view;
}

}  // namespace cgpu::sqlite
