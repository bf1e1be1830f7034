#include "sql/interval_intersect_module.h"

#include <sqlite3.h>

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/interval_set.h"
#include "sql/schema.h"
#include "sql/virtual_table.h"
#include "table/column_values.h"

namespace cgpu {

namespace interval_intersect {

enum Column : int { kStart, kDuration, kA, kB, kQueryA, kQueryB, kSame };

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

Statement prepared(sqlite3* database, const std::string& sql) {
  sqlite3_stmt* made = nullptr;
  if (sqlite3_prepare_v2(database, sql.c_str(), -1, &made, nullptr) != SQLITE_OK) throw Error(sqlite3_errmsg(database));
  if (made == nullptr) throw Error("interval_intersect: takes names of tables or SELECT statements");
  return Statement(made);
}

Cell cell_at(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return int64_t{sqlite3_column_int64(statement, column)};
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, column);
    case SQLITE_NULL:
      return {};
    default: {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
      return std::string(text, static_cast<size_t>(sqlite3_column_bytes(statement, column)));
    }
  }
}

struct Item {
  Interval time;
  Cell id;
};
/// The intervals of a query by the values of what must be equal.
using Items = std::map<std::vector<Cell>, std::vector<Item>>;

constexpr size_t kMostRows = size_t{1} << 24;

std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> names;
  std::string name;
  for (const char c : std::string(text) + ",") {
    if (c == ' ') continue;
    if (c != ',') {
      name += c;
    } else if (!name.empty()) {
      names.push_back(std::exchange(name, ""));
    }
  }
  return names;
}

/// "(SELECT ...)" or the name of a table, for FROM.
std::string source_of(const std::string& query) {
  const bool is_name = query.find_first_of(" \t\r\n(") == std::string::npos;
  return is_name ? query : "(" + query + ")";
}

/// The columns that are wanted of a query: which interval, start, end or duration, and those that must be equal.
std::string selecting(sqlite3* database, const std::string& query, const std::vector<std::string>& same) {
  const Statement columns = prepared(database, "SELECT * FROM " + source_of(query) + " LIMIT 0");
  std::vector<std::string> names;
  for (int i = 0; i < sqlite3_column_count(columns.get()); ++i) {
    names.emplace_back(sqlite3_column_name(columns.get(), i));
  }
  const auto has = [&](const char* name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  if (!has("start_ns") || (!has("duration_ns") && !has("end_ns"))) {
    throw Error("interval_intersect: '" + query + "' has no columns start_ns and duration_ns (or end_ns)");
  }
  std::string select = "SELECT " + sql_identifier(has("slice") ? "slice" : names.front()) + ", start_ns, " +
                       (has("duration_ns") ? "start_ns + duration_ns" : "end_ns");
  for (const std::string& name : same) {
    if (!has(name.c_str())) throw Error("interval_intersect: '" + query + "' has no column " + name);
    select += ", " + sql_identifier(name);
  }
  return select + " FROM " + source_of(query);
}

Items items_of(sqlite3* database, const std::string& query, const std::vector<std::string>& same) {
  const Statement statement = prepared(database, selecting(database, query, same));
  Items items;
  size_t count = 0;
  int result = 0;
  while ((result = sqlite3_step(statement.get())) == SQLITE_ROW) {
    if (sqlite3_column_type(statement.get(), 1) == SQLITE_NULL) continue;
    const Interval time{sqlite3_column_int64(statement.get(), 1), sqlite3_column_int64(statement.get(), 2)};
    if (time.begin >= time.end) continue;
    if (++count > kMostRows) throw Error("interval_intersect: too many intervals: select fewer");
    std::vector<Cell> key;
    for (size_t i = 0; i < same.size(); ++i) key.push_back(cell_at(statement.get(), 3 + static_cast<int>(i)));
    items[std::move(key)].push_back({time, cell_at(statement.get(), 0)});
  }
  if (result != SQLITE_DONE) throw Error(sqlite3_errmsg(database));
  for (auto& [key, of_key] : items) {
    std::stable_sort(of_key.begin(), of_key.end(),
                     [](const Item& x, const Item& y) { return x.time.begin < y.time.begin; });
  }
  return items;
}

struct Overlap {
  Interval time;
  Cell a;
  Cell b;
};

/// Calls visit(other) for the open items that overlap one that begins now, and drops those that have ended.
template <typename Visit>
void visit_open(std::vector<const Item*>& open, int64_t now, Visit visit) {
  std::erase_if(open, [&](const Item* item) { return item->time.end <= now; });
  for (const Item* item : open) visit(*item);
}

/// In order of the start of the overlap. Both are sorted by start.
void append_overlaps(const std::vector<Item>& a, const std::vector<Item>& b, std::vector<Overlap>& overlaps) {
  std::vector<const Item*> open_a;
  std::vector<const Item*> open_b;
  const auto add = [&](const Item& x, const Item& y) {
    if (overlaps.size() == kMostRows) throw Error("interval_intersect: too many overlaps: select fewer intervals");
    const Interval time{std::max(x.time.begin, y.time.begin), std::min(x.time.end, y.time.end)};
    overlaps.push_back({time, x.id, y.id});
  };
  for (auto x = a.begin(), y = b.begin(); x != a.end() || y != b.end();) {
    if (y == b.end() || (x != a.end() && x->time.begin <= y->time.begin)) {
      visit_open(open_b, x->time.begin, [&](const Item& other) { add(*x, other); });
      open_a.push_back(&*x++);
    } else {
      visit_open(open_a, y->time.begin, [&](const Item& other) { add(other, *y); });
      open_b.push_back(&*y++);
    }
  }
}

struct IntersectTable : sqlite3_vtab {
  explicit IntersectTable(sqlite3* of) : sqlite3_vtab{}, database(of) {}
  sqlite3* database;
};

std::string text_of(sqlite3_value* value) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  return text == nullptr ? "" : text;
}

class IntersectCursor : public sqlite3_vtab_cursor {
 public:
  explicit IntersectCursor(const IntersectTable& table) : sqlite3_vtab_cursor{}, database_(table.database) {}

  void filter(int, const char*, std::span<sqlite3_value*> values) {
    overlaps_.clear();
    at_ = 0;
    const std::vector<std::string> same = names_in(values.size() > 2 ? text_of(values[2]) : "");
    const Items a = items_of(database_, text_of(values[0]), same);
    const Items b = items_of(database_, text_of(values[1]), same);
    for (const auto& [key, of_a] : a) {
      const auto of_b = b.find(key);
      if (of_b != b.end()) append_overlaps(of_a, of_b->second, overlaps_);
    }
  }

  bool at_end() const { return at_ == overlaps_.size(); }
  void next() { ++at_; }
  int64_t row_number() const { return static_cast<int64_t>(at_); }

  void give(sqlite3_context* context, int column) const {
    const Overlap& overlap = overlaps_[at_];
    switch (column) {
      case kStart:
        return sqlite3_result_int64(context, overlap.time.begin);
      case kDuration:
        return sqlite3_result_int64(context, overlap.time.end - overlap.time.begin);
      case kA:
        return give_cell(context, overlap.a);
      case kB:
        return give_cell(context, overlap.b);
      default:
        return sqlite3_result_null(context);
    }
  }

 private:
  static void give_cell(sqlite3_context* context, const Cell& cell) {
    if (const auto* integer = std::get_if<int64_t>(&cell)) return sqlite3_result_int64(context, *integer);
    if (const auto* real = std::get_if<double>(&cell)) return sqlite3_result_double(context, *real);
    const auto* text = std::get_if<std::string>(&cell);
    if (text == nullptr) return sqlite3_result_null(context);
    sqlite3_result_text64(context, text->data(), text->size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  }

  sqlite3* const database_;
  std::vector<Overlap> overlaps_;
  size_t at_ = 0;
};

int connect(sqlite3* database, void*, int, const char* const*, sqlite3_vtab** made, char** message) {
  return without_exceptions(message, [&] {
    const std::string statement =
        std::string("CREATE TABLE interval_intersect (\n  ") + kIntervalIntersectColumns + ")";
    if (sqlite3_declare_vtab(database, statement.c_str()) != SQLITE_OK) throw Error(sqlite3_errmsg(database));
    *made = new IntersectTable(database);
    return SQLITE_OK;
  });
}

int best_index(sqlite3_vtab* table, sqlite3_index_info* info) {
  return without_exceptions(&table->zErrMsg, [&] {
    int places[] = {-1, -1, -1};  // of the conditions on the two queries and on what must be equal
    for (int i = 0; i < info->nConstraint; ++i) {
      const auto& constraint = info->aConstraint[i];
      if (constraint.iColumn < kQueryA || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
      if (constraint.usable == 0) return SQLITE_CONSTRAINT;
      places[constraint.iColumn - kQueryA] = i;
    }
    if (places[0] < 0 || places[1] < 0) {
      throw Error("interval_intersect takes two tables: interval_intersect('device_slices', 'steps', 'rank')");
    }
    int values = 0;
    for (const int place : places) {
      if (place < 0) continue;
      info->aConstraintUsage[place].argvIndex = ++values;
      info->aConstraintUsage[place].omit = 1;
    }
    constexpr double kMany = 1e5;
    info->estimatedCost = kMany;
    info->estimatedRows = static_cast<sqlite3_int64>(kMany);
    return SQLITE_OK;
  });
}

}  // namespace interval_intersect

void add_interval_intersect_module(sqlite3* database) {
  static const sqlite3_module module = [] {
    sqlite3_module made = module_of<interval_intersect::IntersectTable, interval_intersect::IntersectCursor>(
        interval_intersect::connect, interval_intersect::best_index);
    made.xCreate = nullptr;  // a table function alone, of no schema
    return made;
  }();
  sqlite3_create_module(database, kIntervalIntersectModule, &module, nullptr);
}

}  // namespace cgpu
