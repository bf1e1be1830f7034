// For tests: NAME_table(session, options) for every table.
#pragma once

#include "analysis/tables.h"

namespace cgpu {

#define CGPU_TABLE_FUNCTION(name)                                                       \
  inline Table name##_table(const Session& session, const TableOptions& options = {}) { \
    return make_table(#name, session, options);                                         \
  }
CGPU_TABLES(CGPU_TABLE_FUNCTION)
#undef CGPU_TABLE_FUNCTION

}  // namespace cgpu
