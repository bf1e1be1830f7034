// The tables of opened profiles in SQL, for Python.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "session/opened_profile.h"
#include "table.h"
#include "work.h"

namespace cgpu::python {

/// Any number of threads may ask; one statement runs after the other.
class PythonSql {
 public:
  /// By schema; "main" may be missing. At least one.
  explicit PythonSql(std::map<std::string, OpenedProfile> profiles);

  /// The first `top` rows (0: all) of one statement. A time ends it that is no "". Throws Error.
  PythonTable query(const std::string& statement, size_t top, const std::string& timeout) const;

 private:
  struct Database;
  std::shared_ptr<Database> database_;
  Forkable made_;
};

}  // namespace cgpu::python
