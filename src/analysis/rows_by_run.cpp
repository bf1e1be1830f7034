#include "analysis/rows_by_run.h"

namespace cgpu {

void settle_rows(Table& rows, const Outline& outline, size_t run) {
  const int64_t rank = outline.facts.run(run).rank;
  for (size_t column = 0; column < rows.columns.size(); ++column) {
    const bool is_rank = rows.columns[column].name == "rank" && rows.columns[column].role == ColumnRole::key;
    if (!is_rank && rows.columns[column].role != ColumnRole::moment) continue;
    const ColumnValues& values = rows.values(column);
    ColumnValues settled(ColumnType::integer);
    settled.reserve(values.size());
    for (size_t row = 0; row < values.size(); ++row) {
      if (is_rank) {
        settled.append(rank);
      } else if (values.is_absent(row)) {
        settled.append_absent();
      } else {
        settled.append(values.integer(row) - outline.facts.zeros()[run]);
      }
    }
    rows.set_values(column, std::move(settled));
  }
}

void write_rows(ByteWriter& bytes, const Table& rows) {
  bytes(static_cast<uint64_t>(rows.row_count()));
  for (size_t column = 0; column < rows.columns.size(); ++column) {
    const ColumnValues& values = rows.values(column);
    for (size_t row = 0; row < rows.row_count(); ++row) {
      bytes(!values.is_absent(row));
      if (values.is_absent(row)) continue;
      switch (values.type()) {
        case ColumnType::integer:
          bytes(values.integer(row));
          break;
        case ColumnType::real:
          bytes(values.real(row));
          break;
        case ColumnType::text:
          bytes(std::string(values.text(row)));
          break;
      }
    }
  }
}

void read_rows(ByteReader& bytes, Table& rows) {
  uint64_t count = 0;
  bytes(count);
  Table read(rows.name, rows.about, rows.columns);
  for (size_t column = 0; column < rows.columns.size(); ++column) {
    ColumnValues values(rows.columns[column].type);
    for (uint64_t row = 0; row < count; ++row) {
      bool present = false;
      bytes(present);
      if (!present) {
        values.append_absent();
      } else if (values.type() == ColumnType::integer) {
        int64_t integer = 0;
        bytes(integer);
        values.append(integer);
      } else if (values.type() == ColumnType::real) {
        double real = 0;
        bytes(real);
        values.append(real);
      } else {
        std::string text;
        bytes(text);
        values.append(std::string_view(text));
      }
    }
    read.set_values(column, std::move(values));
  }
  rows.append_all(read);
}

}  // namespace cgpu
