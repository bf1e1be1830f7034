// The arguments of a slice: the columns of its row, read again.
#pragma once

#include <memory>

#include "model/run.h"
#include "readers/common/sqlite/database.h"

namespace cgpu::nsys {

/// Every column of the row but its times and names, with texts for ids of texts. One lookup by row id, and one for each
/// text. The database stays open.
std::shared_ptr<ArgumentSource> make_argument_source(std::shared_ptr<sqlite::Database> database);

}  // namespace cgpu::nsys
