#include "sql/stacked_tables.h"

#include <algorithm>
#include <map>
#include <optional>

#include "analysis/common/columns.h"
#include "base/parse_number.h"
#include "gate/figures/collect_figures.h"
#include "table/units.h"

namespace cgpu {

namespace {

Column run_column() {
  return key_column("run", "name of the run");
}

/// Whether the runs are compared with each other, and not two of them.
bool are_many_profiles(const std::vector<NamedRun>& runs) {
  return runs.size() > 2 &&
         std::ranges::all_of(runs, [](const NamedRun& run) { return run.tables->facts() != nullptr; });
}

ManyRuns compared(const std::vector<NamedRun>& runs) {
  std::vector<GivenRun> given;
  for (const NamedRun& run : runs) given.push_back({{run.name, figures_of(*run.tables->facts())}});
  const bool by_call_trees = std::ranges::all_of(given, [](const GivenRun& run) { return run.figures.span_ns == 0; });
  return compare_runs(std::move(given), "", by_call_trees);
}

/// The tables that any of the runs has, after those of the runs.
std::vector<SqlTable> stacked(const std::vector<NamedRun>& runs) {
  std::vector<SqlTable> tables = {
      {.name = kRunsSchema,
       .about = "a row for each run, with what it says of itself as columns, as in its table info",
       .columns = {run_column()}}};
  if (are_many_profiles(runs)) {
    for (const Table& table : {compare_runs_table(), compare_statistics_table()}) tables.push_back(declared_as(table));
  }
  for (const SqlTable& table : runs.front().tables->list()) {
    SqlTable& all = tables.emplace_back(table);
    all.columns.insert(all.columns.begin(), run_column());
    all.about += "; of all runs";
    all.has_rows = std::any_of(runs.begin(), runs.end(), [&](const NamedRun& run) {
      const SqlTable* of_run = run.tables->find(table.name);
      return of_run != nullptr && of_run->has_rows;
    });
  }
  return tables;
}

/// A column of numbers where all values are; else of texts.
ColumnType common_type(ColumnType a, ColumnType b) {
  if (a == b) return a;
  return a == ColumnType::text || b == ColumnType::text ? ColumnType::text : ColumnType::real;
}

Cell cell_as(ColumnType type, const Cell& cell) {
  if (std::holds_alternative<std::monostate>(cell)) return cell;
  if (type == ColumnType::text && !std::holds_alternative<std::string>(cell)) return exact_cell(cell);
  if (type == ColumnType::real && std::holds_alternative<int64_t>(cell)) {
    return static_cast<double>(std::get<int64_t>(cell));
  }
  return cell;
}

/// The rows of one table of several runs. Columns that only some runs have are absent in the others.
class StackedRows final : public RowSource {
 public:
  struct OfRun {
    std::string name;
    const RowSource* rows = nullptr;
  };

  StackedRows(Table declared, std::vector<OfRun> runs, std::vector<std::vector<std::optional<size_t>>> columns)
      : RowSource(std::move(declared)), runs_(std::move(runs)), columns_(std::move(columns)) {
    for (const OfRun& run : runs_) ends_.push_back((ends_.empty() ? 0 : ends_.back()) + run.rows->row_count());
  }

  size_t row_count() const override { return ends_.back(); }
  const ColumnValues* whole(size_t) const override { return nullptr; }
  ColumnValues values(size_t column, std::span<const uint32_t> rows) const override {
    std::vector<Cell> cells(rows.size());
    for (size_t run = 0; run < runs_.size(); ++run) {
      const size_t begin = run == 0 ? 0 : ends_[run - 1];
      std::vector<size_t> places;  // in `rows`
      std::vector<uint32_t> of_run;
      for (size_t i = 0; i < rows.size(); ++i) {
        if (rows[i] < begin || rows[i] >= ends_[run]) continue;
        places.push_back(i);
        of_run.push_back(rows[i] - static_cast<uint32_t>(begin));
      }
      set_cells(cells, column, run, places, of_run);
    }
    ColumnValues values(declared().columns[column].type);
    values.reserve(cells.size());
    for (const Cell& cell : cells) values.append(cell);
    return values;
  }

 private:
  void set_cells(std::vector<Cell>& cells, size_t column, size_t run, const std::vector<size_t>& places,
                 const std::vector<uint32_t>& rows) const {
    if (places.empty()) return;
    if (column == 0) {
      for (const size_t place : places) cells[place] = runs_[run].name;
      return;
    }
    const std::optional<size_t> from = columns_[run][column];
    if (!from) return;
    const ColumnPart part(*runs_[run].rows, *from, rows);
    for (size_t i = 0; i < places.size(); ++i) {
      cells[places[i]] = cell_as(declared().columns[column].type, part.values().cell(part.place(i, rows[i])));
    }
  }

  const std::vector<OfRun> runs_;
  const std::vector<std::vector<std::optional<size_t>>> columns_;  // by run and column: that of the run's table
  std::vector<size_t> ends_;                                       // by run: the row behind its last one
};

std::unique_ptr<RowSource> stack(const SqlTable& table, const std::vector<NamedRun>& runs) {
  Table declared(table.name, table.about, {run_column()});
  std::vector<StackedRows::OfRun> of_runs;
  std::map<std::string, size_t> known;  // by name of the column
  for (const NamedRun& run : runs) {
    const SqlTable* of_run = run.tables->find(table.name);
    if (of_run == nullptr || (table.has_rows && !of_run->has_rows)) continue;
    of_runs.push_back({run.name, &run.tables->table(*of_run).source()});
    for (const Column& column : of_runs.back().rows->declared().columns) {
      const auto [at, is_new] = known.try_emplace(column.name, declared.columns.size());
      if (is_new) {
        declared.columns.push_back(column);
      } else {
        ColumnType& type = declared.columns[at->second].type;
        type = common_type(type, column.type);
      }
    }
  }
  std::vector<std::vector<std::optional<size_t>>> columns;
  for (const StackedRows::OfRun& run : of_runs) {
    auto& of_run = columns.emplace_back(declared.columns.size());
    const std::vector<Column>& own = run.rows->declared().columns;
    for (size_t i = 0; i < own.size(); ++i) of_run[known.at(own[i].name)] = i;
  }
  return std::make_unique<StackedRows>(std::move(declared), std::move(of_runs), std::move(columns));
}

/// The type that all the texts are of.
ColumnType type_of(const std::vector<std::optional<std::string>>& texts) {
  const auto all = [&](auto is_one) {
    return std::all_of(texts.begin(), texts.end(), [&](const auto& text) { return !text || is_one(*text); });
  };
  if (all([](const std::string& text) { return parse_number<int64_t>(text).has_value(); })) return ColumnType::integer;
  return all([](const std::string& text) { return parse_finite_number(text).has_value(); }) ? ColumnType::real
                                                                                            : ColumnType::text;
}

Cell cell_of(ColumnType type, const std::optional<std::string>& text) {
  if (!text) return {};
  if (type == ColumnType::integer) return *parse_number<int64_t>(*text);
  if (type == ColumnType::real) return *parse_number<double>(*text);
  return *text;
}

/// What the runs say of themselves, a column a fact.
Table facts_of_runs(const std::vector<NamedRun>& runs) {
  struct Fact {
    Column column;
    std::vector<std::optional<std::string>> values;  // by run
  };
  std::vector<Fact> facts;
  std::map<std::string, size_t> known;  // by key
  for (size_t run = 0; run < runs.size(); ++run) {
    const RowSource& info = runs[run].tables->table(*runs[run].tables->find("info")).source();
    const auto text = [&](size_t row, size_t column) { return std::string(info.whole(column)->text(row)); };
    for (size_t row = 0; row < info.row_count(); ++row) {
      if (info.whole(1)->is_absent(row)) continue;
      const auto [at, is_new] = known.try_emplace(text(row, 0), facts.size());
      if (is_new) facts.push_back({text_column(text(row, 0), text(row, 2)), {}});
      facts[at->second].values.resize(runs.size());
      facts[at->second].values[run] = text(row, 1);
    }
  }
  Table table(kRunsSchema, "what the runs say of themselves", {run_column()});
  for (Fact& fact : facts) {
    fact.column.type = type_of(fact.values);
    table.columns.push_back(fact.column);
  }
  for (size_t run = 0; run < runs.size(); ++run) {
    Row row = {runs[run].name};
    for (const Fact& fact : facts) row.push_back(cell_of(fact.column.type, fact.values[run]));
    table.append(row);
  }
  return table;
}

}  // namespace

StackedTables::StackedTables(std::vector<NamedRun> runs) : TableSet(stacked(runs)), runs_(std::move(runs)) {}

std::unique_ptr<RowSource> StackedTables::make(const SqlTable& table) {
  if (table.name == kRunsSchema) return rows_of_table(facts_of_runs(runs_));
  for (const Table& empty : {compare_runs_table(), compare_statistics_table()}) {
    if (table.name != empty.name) continue;
    if (!compared_) compared_ = std::make_unique<const ManyRuns>(compared(runs_));
    return rows_of_table(Table(table.name == compared_->runs.name ? compared_->runs : compared_->statistics));
  }
  return stack(table, runs_);
}

}  // namespace cgpu
