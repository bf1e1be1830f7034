#include "table/batches.h"

#include <gtest/gtest.h>

namespace cgpu {
namespace {

Table numbers(size_t count) {
  Table table("numbers", "numbers from 0 on", {{"number", ColumnType::integer, "", "counts up"}});
  for (size_t number = 0; number < count; ++number) table.append({static_cast<int64_t>(number)});
  return table;
}

TEST(Batches, TogetherAreTheTable) {
  for (const size_t count : {size_t{0}, size_t{1}, kBatchRows, 2 * kBatchRows + 7}) {
    const Table whole = numbers(count);
    Table together = numbers(0);
    size_t batches = 0;
    const NextBatch next = batches_of(std::make_shared<const Table>(whole));
    while (const std::optional<Table> batch = next()) {
      EXPECT_LE(batch->row_count(), kBatchRows);
      EXPECT_FALSE(batch->empty());
      together.append_all(*batch);
      ++batches;
    }
    EXPECT_EQ(together, whole);
    EXPECT_EQ(batches, (count + kBatchRows - 1) / kBatchRows);
  }
}

}  // namespace
}  // namespace cgpu
