#include "readers/common/sqlite/database.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "readers/common/sqlite/rows_again.h"

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

uint64_t size_by_header(const File& file) {
  std::array<char, 100> header{};
  return sqlite::size_by_header({header.data(), file.read_at(0, header.data(), header.size())});
}

/// Whether a declared type has the affinity REAL (https://www.sqlite.org/datatype3.html).
bool is_real(std::string type) {
  std::transform(type.begin(), type.end(), type.begin(), [](unsigned char c) { return std::toupper(c); });
  const auto has_any = [&](std::initializer_list<const char*> parts) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](const char* part) { return type.find(part) != std::string::npos; });
  };
  return has_any({"REAL", "FLOA", "DOUB"}) && !has_any({"INT", "CHAR", "CLOB", "TEXT", "BLOB"});
}

}  // namespace

void note_losses(const Database& database, Notes& notes) {
  if (!database.warning().empty()) notes.add("damaged_input", 1, database.warning(), true);
  if (database.size() < database.expected_size()) {
    notes.add("truncated_input", 1, "the file is shorter than its header says; what is there was read", true);
  }
}

// https://www.sqlite.org/fileformat.html, "The Database Header": pages times size of a page.
uint64_t size_by_header(std::string_view header) {
  if (header.size() < 100) return 0;
  const auto byte = [&](size_t at) { return uint64_t{static_cast<unsigned char>(header[at])}; };
  const auto number = [&](size_t at) { return byte(at) << 24 | byte(at + 1) << 16 | byte(at + 2) << 8 | byte(at + 3); };
  const uint64_t page = byte(16) << 8 | byte(17);
  return number(24) == number(92) ? number(28) * (page == 1 ? 65536 : page) : 0;
}

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
    layout_ = layout_of(file);
  }
  whole_budget_ = budget_ = 2 * size_ + (1 << 20);
  const bool logged = has_content(path + "-wal");
  if (logged) {
    whole_budget_ = budget_ += 2 * std::filesystem::file_size(path + "-wal");
    if (open(path, false)) return;
    warning_ = "changes that are still in the write-ahead log beside the file (-wal) could not be read";
  } else if (has_content(path + "-journal")) {
    warning_ = "a write to the file was not finished (there is a -journal beside it): the rows may be inconsistent";
  }
  if (open(path, true)) {
    if (!layout_) return;
    file_ = std::make_unique<File>(path);
    return;
  }
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
  pages_.clear();
  std::vector<std::pair<std::string, int64_t>> names;
  sqlite3_stmt* list = nullptr;
  sqlite3_prepare_v2(handle_.get(), "SELECT name, rootpage FROM sqlite_master WHERE type = 'table' AND rootpage > 0",
                     -1, &list, nullptr);
  while (sqlite3_step(list) == SQLITE_ROW) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(list, 0));
    if (text != nullptr) names.emplace_back(text, sqlite3_column_int64(list, 1));
  }
  sqlite3_finalize(list);
  for (const auto& [name, root] : names) {
    sqlite3_stmt* any = nullptr;
    const std::string sql = "SELECT * FROM " + identifier(name) + " LIMIT 0";
    if (sqlite3_prepare_v2(handle_.get(), sql.c_str(), -1, &any, nullptr) == SQLITE_OK) {
      std::vector<std::string>& columns = tables_[name];
      for (int i = 0; i < sqlite3_column_count(any); ++i) columns.emplace_back(sqlite3_column_name(any, i));
    }
    sqlite3_finalize(any);
    list_pages(name, root);
  }
}

/// Tables whose rows hold their columns just as they are declared.
void Database::list_pages(const std::string& table, int64_t root) {
  if (!layout_ || root > layout_->pages) return;
  Pages pages;
  pages.root = static_cast<uint32_t>(root);
  bool plain = true;
  int keys = 0;
  sqlite3_stmt* list = nullptr;
  const std::string sql = "PRAGMA table_xinfo(" + identifier(table) + ")";
  sqlite3_prepare_v2(handle_.get(), sql.c_str(), -1, &list, nullptr);
  enum { kPlace, kName, kType, kNotNull, kDefault, kKey, kHidden };
  const auto text = [&](int column) {
    const auto* value = reinterpret_cast<const char*>(sqlite3_column_text(list, column));
    return std::string(value == nullptr ? "" : value);
  };
  while (sqlite3_step(list) == SQLITE_ROW) {
    pages.place.emplace(text(kName), sqlite3_column_int(list, kPlace));
    if (is_real(text(kType))) pages.real.insert(text(kName));
    // Generated columns are not stored; defaults stand for columns that came after a row.
    plain = plain && sqlite3_column_int(list, kHidden) == 0 && sqlite3_column_type(list, kDefault) == SQLITE_NULL;
    if (sqlite3_column_int(list, kKey) == 0) continue;
    ++keys;
    if (sqlite3_stricmp(text(kType).c_str(), "INTEGER") == 0) pages.rowid = text(kName);
  }
  sqlite3_finalize(list);
  if (keys > 1) pages.rowid.clear();
  if (plain && !pages.place.empty()) pages_.emplace(table, std::move(pages));
}

std::unique_ptr<TableWalk> Database::walk(const std::string& table, const std::vector<std::string>& columns) const {
  const auto found = pages_.find(table);
  if (!file_ || found == pages_.end()) return nullptr;
  std::vector<int> places;
  for (const std::string& column : columns) {
    const auto place = found->second.place.find(column);
    const bool known = place != found->second.place.end();
    if (known && std::find(places.begin(), places.end(), place->second) != places.end()) return nullptr;
    places.push_back(known ? place->second : TableWalk::kAbsent);
  }
  auto walk = std::make_unique<TableWalk>(*file_, *layout_, found->second.root, std::move(places), kMostBytesOfValue);
  return walk->is_table() ? std::move(walk) : nullptr;
}

Database::Storage Database::storage(const std::string& table, const std::string& column) const {
  const auto pages = pages_.find(table);
  if (pages == pages_.end()) return Storage::plain;
  if (pages->second.real.count(column) != 0) return Storage::real;
  return pages->second.rowid == column ? Storage::rowid : Storage::plain;
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

uint64_t Database::rows_expected(const std::string& table) const {
  constexpr uint64_t kUsualBytesOfRow = 16;
  if (!has(table)) return 0;
  sqlite3_stmt* last = nullptr;
  const std::string sql = "SELECT max(rowid) FROM " + identifier(table);
  uint64_t rows = 0;
  if (sqlite3_prepare_v2(handle_.get(), sql.c_str(), -1, &last, nullptr) == SQLITE_OK &&
      sqlite3_step(last) == SQLITE_ROW) {
    rows = static_cast<uint64_t>(std::max<int64_t>(0, sqlite3_column_int64(last, 0)));
  }
  sqlite3_finalize(last);
  return std::min(rows, size_ / kUsualBytesOfRow);
}

std::unique_ptr<RowScan> Database::scan(const std::string& table, const std::vector<std::string>& columns) {
  return std::make_unique<Scan>(*this, table, columns);
}

void Database::for_each_row(const std::string& table, const std::vector<std::string>& columns,
                            std::span<const int64_t> rows, const std::function<void(Row&)>& visit) {
  sqlite::for_each_row(*this, table, columns, rows, visit);
}

std::string Database::text_with_id(const std::string& table, const std::string& id_column, int64_t id) {
  Scan text(*this, table, {"value"}, "WHERE " + identifier(id_column) + " = " + std::to_string(id));
  return text.next() ? std::string(text.text(0)) : std::to_string(id);
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
  values_.resize(columns.size());
  if (!database.has(table)) return;
  if (rest.empty()) walk_ = database.walk(table, columns);
  if (walk_) {
    for (const std::string& column : columns) storage_.push_back(database.storage(table, column));
    return;
  }
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
  if (!error_.empty() || (!walk_ && !statement_)) return false;
  if (walk_) {
    if (!walk_->next()) {
      if (walk_->error() != nullptr) error_ = walk_->error();
      return false;
    }
  } else {
    std::fill(values_.begin(), values_.end(), nullptr);
    const int step = sqlite3_step(statement_.get());
    if (step != SQLITE_ROW) {
      if (step != SQLITE_DONE) error_ = sqlite3_errmsg(database_.handle());
      return false;
    }
  }
  if (database_.spend(kLeastBytesOfRow)) return true;
  error_ = "more rows than the file has room for";
  return false;
}

int64_t Scan::rowid() const {
  return walk_ ? walk_->rowid() : sqlite3_column_int64(statement_.get(), 0);
}

sqlite3_value* Scan::value(int column) const {
  const auto place = static_cast<size_t>(column);
  if (values_[place] == nullptr && has_[place]) values_[place] = sqlite3_column_value(statement_.get(), column + 1);
  return values_[place];
}

ValueType Scan::type(int column) const {
  if (walk_) {
    const ValueType type = walk_->value(column).type;
    const Database::Storage storage = storage_[static_cast<size_t>(column)];
    if (type == ValueType::null && storage == Database::Storage::rowid) return ValueType::integer;
    return type == ValueType::integer && storage == Database::Storage::real ? ValueType::real : type;
  }
  sqlite3_value* const found = value(column);
  switch (found == nullptr ? SQLITE_NULL : sqlite3_value_type(found)) {
    case SQLITE_INTEGER:
      return ValueType::integer;
    case SQLITE_FLOAT:
      return ValueType::real;
    case SQLITE_TEXT:
      return ValueType::text;
    case SQLITE_BLOB:
      return ValueType::blob;
    default:
      return ValueType::null;
  }
}

int64_t Scan::integer(int column) const {
  if (!walk_) {
    sqlite3_value* const found = value(column);
    return found == nullptr ? 0 : sqlite3_value_int64(found);
  }
  const TableValue& found = walk_->value(column);
  const bool is_rowid =
      found.type == ValueType::null && storage_[static_cast<size_t>(column)] == Database::Storage::rowid;
  return is_rowid ? walk_->rowid() : integer_of(found);
}

double Scan::real(int column) const {
  if (!walk_) {
    sqlite3_value* const found = value(column);
    return found == nullptr ? 0 : sqlite3_value_double(found);
  }
  const TableValue& found = walk_->value(column);
  return found.type == ValueType::null ? static_cast<double>(integer(column)) : real_of(found);
}

std::string_view Scan::text(int column) {
  std::string_view view;
  if (!walk_) {
    sqlite3_value* const found = value(column);
    const auto* text = found == nullptr ? nullptr : reinterpret_cast<const char*>(sqlite3_value_text(found));
    if (text == nullptr) return {};
    view = {text, static_cast<size_t>(sqlite3_value_bytes(found))};
  } else {
    TableValue found = walk_->value(column);
    const ValueType shown = type(column);  // a number that is stored as an integer may be a real one
    if (shown == ValueType::integer) found = TableValue::of(integer(column));
    if (shown == ValueType::real) found = {ValueType::real, 0, real(column), {}};
    view = text_of(found, text_);
  }
  if (!database_.spend(view.size())) error_ = "more text than the file has room for";
  return view;
}

}  // namespace cgpu::sqlite
