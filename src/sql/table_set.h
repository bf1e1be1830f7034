// The tables of one schema of SQL: each is made when a statement first names it, and kept.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/session_facts.h"
#include "sql/row_search.h"
#include "table/table.h"

namespace cgpu {

struct SqlTable {
  std::string name;
  std::string about;                 // one line
  std::vector<Column> columns = {};  // as declared; the table that is made may have more
  std::vector<std::string> aliases = {};
  bool has_rows = true;  // else asking for it says why it cannot be made
};

/// With the name, the words and the columns of a table.
inline SqlTable declared_as(const Table& table) {
  return {.name = table.name, .about = table.about, .columns = table.columns};
}

/// For one thread at a time.
class TableSet {
 public:
  virtual ~TableSet() = default;
  TableSet(const TableSet&) = delete;
  TableSet& operator=(const TableSet&) = delete;

  /// In the order in which they are listed.
  const std::vector<SqlTable>& list() const { return list_; }
  /// By its name or one of its aliases; null where there is none.
  const SqlTable* find(std::string_view name) const;
  /// One of the list. The first time it costs what the table costs. Throws Error as the table does.
  RowSearch& table(const SqlTable& table);
  /// Of one profile: its facts. Null for a summary, which has no timeline, and for tables of several runs.
  virtual const SessionFacts* facts() const { return nullptr; }
  /// Whether they are the tables of one run, which has events.
  virtual bool is_of_run() const { return true; }

 protected:
  explicit TableSet(std::vector<SqlTable> list) : list_(std::move(list)) {}
  virtual std::unique_ptr<RowSource> make(const SqlTable& table) = 0;

 private:
  const std::vector<SqlTable> list_;
  std::map<std::string, RowSearch> made_;  // by name
};

/// By name of the schema.
using TablesBySchema = std::map<std::string, TableSet*>;

}  // namespace cgpu
