// The tables of opened profiles in SQL, for Python.
#pragma once

#include <cstddef>
#include <string>

#include "library/sql_runs.h"
#include "table.h"
#include "work.h"

namespace cgpu::python {

class PythonSql {
 public:
  explicit PythonSql(SqlRuns runs) : runs_(std::move(runs)) {}

  /// The first `top` rows (0: all) of one statement. A time ends it that is no "". Throws Error.
  PythonTable query(const std::string& statement, const SqlParameters& parameters, size_t top,
                    const std::string& timeout) const {
    made_.check();
    return work([runs = runs_, statement, parameters, top, timeout](const Stopped& stopped) {
      return PythonTable(runs.query(statement, {top, timeout, stopped}, parameters));
    });
  }

 private:
  SqlRuns runs_;
  Forkable made_;
};

}  // namespace cgpu::python
