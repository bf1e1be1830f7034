#include "sql/table_module.h"

#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "sql/row_order.h"
#include "sql/row_search.h"
#include "sql/schema.h"
#include "sql/virtual_table.h"

namespace cgpu {

namespace {

struct TableOfRun : sqlite3_vtab {
  explicit TableOfRun(RowSearch& rows) : sqlite3_vtab{}, search(&rows) {}
  RowSearch* search;
};

/// What xBestIndex has chosen, in the text that SQLite keeps until xFilter: conditions whose values come with it, and
/// the order. "3= 3> 5< |4+ 5-" and a mark "g" at the end where equal rows need only be together.
struct Plan {
  struct Comparison {
    size_t column;
    char op;  // = > < or with the value itself: ) (; ! for any value
  };
  std::vector<Comparison> comparisons;
  std::vector<OrderTerm> order;
  bool grouped = false;

  std::string text() const {
    std::string out;
    for (const Comparison& each : comparisons) out += std::to_string(each.column) + each.op;
    out += '|';
    for (const OrderTerm& each : order) out += std::to_string(each.column) + (each.descending ? '-' : '+');
    return grouped ? out + 'g' : out;
  }
  static Plan parse(const char* at) {
    Plan plan;
    bool in_order = false;
    for (; *at != '\0'; ++at) {
      if (*at == '|') {
        in_order = true;
      } else if (*at == 'g') {
        plan.grouped = true;
      } else {
        char* end = nullptr;
        const size_t column = std::strtoul(at, &end, 10);
        at = end;
        if (in_order) {
          plan.order.push_back({column, *at == '-'});
        } else {
          plan.comparisons.push_back({column, *at});
        }
      }
    }
    return plan;
  }
};

/// '=', '>', '<', ')' for >=, '(' for <=, '!' for IS NOT NULL; nothing for what is not answered here.
std::optional<char> op_of(unsigned char op) {
  switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
      return '=';
    case SQLITE_INDEX_CONSTRAINT_GT:
      return '>';
    case SQLITE_INDEX_CONSTRAINT_GE:
      return ')';
    case SQLITE_INDEX_CONSTRAINT_LT:
      return '<';
    case SQLITE_INDEX_CONSTRAINT_LE:
      return '(';
    case SQLITE_INDEX_CONSTRAINT_ISNOTNULL:
      return '!';
    default:
      return std::nullopt;
  }
}

/// What a comparison with a value asks of a column of integers. Nothing where the value is no number, or beyond them.
std::optional<RowCondition> integer_condition(size_t column, char op, sqlite3_value* value) {
  int64_t below = 0;  // the last integer that is not above the value
  int64_t above = 0;  // the first that is not below it
  if (sqlite3_value_type(value) == SQLITE_INTEGER) {
    below = above = sqlite3_value_int64(value);
  } else if (sqlite3_value_type(value) == SQLITE_FLOAT) {
    const double real = sqlite3_value_double(value);
    constexpr double kEnd = 9223372036854775808.0;  // 2^63
    if (real >= kEnd || real < -kEnd) return std::nullopt;
    below = static_cast<int64_t>(std::floor(real));
    above = static_cast<int64_t>(std::ceil(real));  // a double this large is an integer
  } else {
    return std::nullopt;
  }
  const RowCondition never{.column = column, .low = INT64_MAX, .high = INT64_MIN};
  switch (op) {
    case '=':
      return RowCondition{.column = column, .low = above, .high = below};  // none where the two differ
    case ')':
      return RowCondition{.column = column, .low = above};
    case '(':
      return RowCondition{.column = column, .high = below};
    case '>':
      return below == INT64_MAX ? never : RowCondition{.column = column, .low = below + 1};
    default:
      return above == INT64_MIN ? never : RowCondition{.column = column, .high = above - 1};
  }
}

class TableCursor : public sqlite3_vtab_cursor {
 public:
  explicit TableCursor(const TableOfRun& table)
      : sqlite3_vtab_cursor{}, search_(*table.search), source_(search_.source()) {
    parts_.resize(source_.declared().columns.size());
  }

  void filter(int, const char* chosen, std::span<sqlite3_value*> values) {
    if (chosen != plan_text_) {  // a join asks again and again with the same plan
      plan_text_ = chosen;
      plan_ = Plan::parse(chosen);
    }
    conditions_.clear();
    listed_.reset();
    next_ = 0;
    bool never = false;
    for (size_t i = 0; i < plan_.comparisons.size(); ++i) {
      const auto [column, op] = plan_.comparisons[i];
      if (op == '!') {
        conditions_.push_back({.column = column});
      } else if (sqlite3_value_type(values[i]) == SQLITE_NULL) {
        never = true;  // nothing compares with it
      } else if (source_.declared().columns[column].type == ColumnType::text) {
        if (sqlite3_value_type(values[i]) != SQLITE_TEXT) continue;
        const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(values[i]));
        conditions_.push_back(
            {.column = column, .text = std::string(text, static_cast<size_t>(sqlite3_value_bytes(values[i])))});
      } else if (const auto condition = integer_condition(column, op, values[i])) {
        conditions_.push_back(*condition);
      }
    }
    if (never) {
      listed_.emplace();
    } else if (auto found = search_.looked_up(conditions_)) {
      std::sort(found->begin(), found->end());
      if (conditions_.size() > 1) *found = search_.matching(conditions_, std::move(*found));
      listed_ = std::move(found);
    }
    if (!plan_.order.empty()) {
      if (!listed_) listed_ = all_that_meet();
      order_rows(source_, plan_.order, plan_.grouped, *listed_);
    }
    next_batch();
  }

  bool at_end() const { return at_ == rows_.size(); }
  void next() {
    if (++at_ == rows_.size()) next_batch();
  }
  int64_t row_number() const { return rows_[at_]; }

  void give(sqlite3_context* context, int number) {
    const auto column = static_cast<size_t>(number);
    Part& part = parts_[column];
    if (!part.values || part.batch != batch_) fill(part, column);
    const ColumnValues& values = part.values->values();
    const size_t place = part.values->place(at_, rows_[at_]);
    if (values.is_absent(place)) return;  // null
    switch (values.type()) {
      case ColumnType::integer:
        return sqlite3_result_int64(context, values.integer(place));
      case ColumnType::real:
        return sqlite3_result_double(context, values.real(place));
      case ColumnType::text:
        break;
    }
    const std::string_view text = values.text(place);
    sqlite3_result_text64(context, text.data(), text.size(), part.lasts ? SQLITE_STATIC : SQLITE_TRANSIENT,
                          SQLITE_UTF8);
  }

 private:
  struct Part {
    std::optional<ColumnPart> values;
    size_t batch = 0;
    bool lasts = false;  // the texts live as long as the table
  };

  void fill(Part& part, size_t column) {
    part.values.emplace(source_, column, rows_);
    part.batch = batch_;
    if (part.values->values().type() != ColumnType::text) return;
    part.lasts = search_.keeps(column, part.values->values().shared_dictionary());
  }

  std::vector<uint32_t> block(size_t first) const {
    std::vector<uint32_t> rows(std::min(kRowBlock, source_.row_count() - first));
    std::iota(rows.begin(), rows.end(), static_cast<uint32_t>(first));
    return rows;
  }

  std::vector<uint32_t> all_that_meet() {
    std::vector<uint32_t> all;
    for (size_t first = 0; first < source_.row_count(); first += kRowBlock) {
      if (!search_.may_hold(first / kRowBlock, conditions_)) continue;
      const std::vector<uint32_t> rows = search_.matching(conditions_, block(first));
      all.insert(all.end(), rows.begin(), rows.end());
    }
    return all;
  }

  /// The rows of the next batch that has any; none at the end.
  void next_batch() {
    ++batch_;
    at_ = 0;
    rows_.clear();
    if (listed_) {
      const size_t end = std::min(next_ + kRowBlock, listed_->size());
      rows_.assign(listed_->begin() + static_cast<std::ptrdiff_t>(next_),
                   listed_->begin() + static_cast<std::ptrdiff_t>(end));
      next_ = end;
      return;
    }
    for (; rows_.empty() && next_ < source_.row_count(); next_ += kRowBlock) {
      if (search_.may_hold(next_ / kRowBlock, conditions_)) rows_ = search_.matching(conditions_, block(next_));
    }
  }

  RowSearch& search_;
  const RowSource& source_;
  std::string plan_text_;
  Plan plan_;
  std::vector<RowCondition> conditions_;
  std::optional<std::vector<uint32_t>> listed_;  // all rows, where they are not taken block by block
  size_t next_ = 0;                              // in `listed_`, else in the table
  std::vector<uint32_t> rows_;                   // of the batch
  size_t batch_ = 0;                             // its number, from 1
  size_t at_ = 0;                                // in the batch
  std::vector<Part> parts_;                      // by column
};

int connect_table(sqlite3* database, void* schemas, int, const char* const* words, sqlite3_vtab** made,
                  char** message) {
  return without_exceptions(message, [&] {
    TableSet& tables = *static_cast<TablesBySchema*>(schemas)->at(words[1]);
    RowSearch& search = tables.table(*tables.find(words[2]));
    const Table& declared = search.source().declared();
    const std::string statement = create_statement(words[2], "", declared.columns);
    const int result = sqlite3_declare_vtab(database, statement.c_str());
    if (result != SQLITE_OK) throw Error(sqlite3_errmsg(database));
    *made = new TableOfRun(search);
    return SQLITE_OK;
  });
}

/// Numbers that only have to be in proportion: what a row costs here is little beside what SQLite does with it.
int best_index_of_table(sqlite3_vtab* table, sqlite3_index_info* info) {
  return without_exceptions(&table->zErrMsg, [&] {
    const RowSource& source = static_cast<TableOfRun*>(table)->search->source();
    const auto rows = static_cast<double>(source.row_count());
    Plan plan;
    double found = rows;
    bool looks_up = false;
    bool is_limited = false;
    for (int i = 0; i < info->nConstraint; ++i) {
      const auto& constraint = info->aConstraint[i];
      is_limited |= constraint.op == SQLITE_INDEX_CONSTRAINT_LIMIT;
      const std::optional<char> op = op_of(constraint.op);
      if (constraint.usable == 0 || constraint.iColumn < 0 || !op) continue;
      const auto column = static_cast<size_t>(constraint.iColumn);
      const ColumnType type = source.declared().columns[column].type;
      const bool is_text = type == ColumnType::text;
      if (type == ColumnType::real || (is_text && *op != '=')) continue;
      if (is_text && std::strcmp(sqlite3_vtab_collation(info, i), "BINARY") != 0) continue;
      plan.comparisons.push_back({column, *op});
      info->aConstraintUsage[i].argvIndex = static_cast<int>(plan.comparisons.size());
      constexpr double kShareOfValue = 0.01;
      constexpr double kShareOfRange = 0.3;
      found *= *op == '=' ? kShareOfValue : kShareOfRange;
      looks_up |= *op == '=';
    }
    const int distinct = sqlite3_vtab_distinct(info);
    constexpr int kGrouped = 1;
    constexpr int kOnlyDistinct = 2;  // SQLite does not make use of the order
    // Of a few first rows SQLite keeps track while it sees all: quicker than putting all in order.
    const bool ordered = info->nOrderBy > 0 && distinct != kOnlyDistinct && !is_limited &&
                         std::all_of(info->aOrderBy, info->aOrderBy + info->nOrderBy,
                                     [](const auto& term) { return term.iColumn >= 0; });
    if (ordered) {
      for (int i = 0; i < info->nOrderBy; ++i) {
        plan.order.push_back({static_cast<size_t>(info->aOrderBy[i].iColumn), info->aOrderBy[i].desc != 0});
      }
      plan.grouped = distinct == kGrouped;
      info->orderByConsumed = 1;
    }
    constexpr double kLookedAt = 0.05;  // of what a row costs that is found
    found = std::max(found, 1.0);
    info->estimatedRows = static_cast<sqlite3_int64>(found);
    info->estimatedCost = found + (looks_up ? std::log2(rows + 1) : rows * kLookedAt);
    info->idxStr = sqlite3_mprintf("%s", plan.text().c_str());
    info->needToFreeIdxStr = 1;
    return info->idxStr == nullptr ? SQLITE_NOMEM : SQLITE_OK;
  });
}

}  // namespace

void add_table_module(sqlite3* database, TablesBySchema& schemas) {
  static const sqlite3_module module = module_of<TableOfRun, TableCursor>(connect_table, best_index_of_table);
  sqlite3_create_module(database, kTableModule, &module, &schemas);
}

}  // namespace cgpu
