// A table as Python has it: in memory, or rows of events that are made while they are read.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "session/selection/chosen_events.h"
#include "table/batches.h"
#include "table/table.h"
#include "work.h"

namespace cgpu::python {

class PythonTable {
 public:
  explicit PythonTable(Table whole) : whole_(std::make_shared<const Table>(std::move(whole))) {}
  explicit PythonTable(std::shared_ptr<const ChosenEvents> events) : events_(std::move(events)) {}

  /// With name, meaning and columns; rows need not be there.
  const Table& declared() const { return whole_ ? *whole_ : events_->declared(); }
  size_t row_count() const;
  /// Not of a table of events.
  const Table& in_memory() const { return *whole_; }

  /// Capsules of the Arrow PyCapsule interface.
  nanobind::object stream() const;
  nanobind::object schema() const;

  /// A table of values that Python has: by column int, float or str, None where absent. Throws Error for others, and
  /// where the columns are not equally long.
  static PythonTable of_values(Table declared, const std::vector<nanobind::list>& values);

  /// At most `rows` rows (0: all) for people.
  std::string text(size_t width, size_t rows) const;
  std::string html(size_t rows) const;

  /// The rows from the first one on, in batches.
  NextBatch read() const;

 private:
  /// The first rows, as a table of their own.
  Table head(size_t rows) const;

  std::shared_ptr<const Table> whole_;
  std::shared_ptr<const ChosenEvents> events_;  // where there is no whole table
  Forkable made_;
};

/// The rows of a batch as a list of tuples: int, float, str, None where absent.
nanobind::list rows_of(const Table& batch);

}  // namespace cgpu::python
