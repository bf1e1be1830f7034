#include "sql/table_set.h"

#include <algorithm>

namespace cgpu {

const SqlTable* TableSet::find(std::string_view name) const {
  const auto found = std::find_if(list_.begin(), list_.end(), [&](const SqlTable& table) {
    return table.name == name || std::find(table.aliases.begin(), table.aliases.end(), name) != table.aliases.end();
  });
  return found == list_.end() ? nullptr : &*found;
}

RowSearch& TableSet::table(const SqlTable& table) {
  const auto known = made_.find(table.name);
  if (known != made_.end()) return known->second;
  return made_.try_emplace(table.name, make(table)).first->second;
}

}  // namespace cgpu
