#include "table/row_units.h"

#include <gtest/gtest.h>

namespace cgpu {
namespace {

Table figures() {
  Table table("figures", "");
  table.columns = {{"name", ColumnType::text, "", ""},
                   {"unit", ColumnType::text, "", ""},
                   {"a", ColumnType::real, "", ""},
                   {"ratio", ColumnType::real, "", ""}};
  table.append({"time_ns", "ns", 1.21e9, 0.5});
  table.append({"peak_memory_bytes", "bytes", 1048576.0, {}});
  table.append({"launches", "count", {}, 2.0});
  return table;
}

TEST(RowUnits, FiguresAreInTheUnitOfTheirRow) {
  const Table table = figures();
  EXPECT_TRUE(is_in_row_unit(table, 2));
  EXPECT_FALSE(is_in_row_unit(table, 3)) << "a ratio has no unit";
  const Table shown = with_row_units(table);
  EXPECT_EQ(shown.columns.size(), 3U) << "without the column unit";
  EXPECT_EQ(shown.cell(0, 1), Cell("1.210 s"));
  EXPECT_EQ(shown.cell(1, 1), Cell("1.00 MiB"));
  EXPECT_EQ(shown.cell(2, 1), Cell());
  EXPECT_EQ(shown.cell(0, 2), Cell(0.5));
}

TEST(RowUnits, ATableWithoutUnitsStaysAsItIs) {
  Table table = figures();
  table.erase_column(1);
  EXPECT_FALSE(is_in_row_unit(table, 1));
  EXPECT_EQ(with_row_units(table), table);
}

}  // namespace
}  // namespace cgpu
