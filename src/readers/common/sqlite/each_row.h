// One pass over a table of a database.
#pragma once

#include <string>
#include <vector>

#include "readers/common/event_tables.h"
#include "readers/common/sqlite/database.h"

namespace cgpu::sqlite {

/// Calls visit(row) for each row of a table, if there is one of this name; what cannot be read of it goes into the
/// notes.
template <typename Visit>
void each_row(Database& database, const std::string& table, const std::vector<std::string>& columns, Notes& notes,
              Visit visit) {
  if (!database.has(table)) return;
  Scan scan(database, table, columns);
  while (scan.next()) visit(scan);
  note_damage(notes, table, scan.error());
}

}  // namespace cgpu::sqlite
