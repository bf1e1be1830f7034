#include "table/batches.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace cgpu {

NextBatch batches_of(std::shared_ptr<const Table> table) {
  return [table = std::move(table), at = size_t{0}]() mutable -> std::optional<Table> {
    if (at >= table->row_count()) return std::nullopt;
    std::vector<uint32_t> rows(std::min(kBatchRows, table->row_count() - at));
    std::iota(rows.begin(), rows.end(), static_cast<uint32_t>(at));
    at += rows.size();
    Table batch = *table;
    batch.take(rows);
    return batch;
  };
}

}  // namespace cgpu
