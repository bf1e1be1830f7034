// A table whose rows come in batches, so that it is never in memory as a whole.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "table/table.h"

namespace cgpu {

/// How many rows a batch has at most.
constexpr size_t kBatchRows = size_t{1} << 16;

/// The next rows, none at the end.
using NextBatch = std::function<std::optional<Table>()>;

struct BatchedTable {
  Table declared;  // without rows
  NextBatch next;
};

/// The rows of a table that is in memory, which the result keeps.
NextBatch batches_of(std::shared_ptr<const Table> table);

}  // namespace cgpu
