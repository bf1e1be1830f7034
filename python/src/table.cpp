#include "table.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json_text.h"
#include "table/arrow.h"
#include "table/filter.h"
#include "table/html.h"
#include "table/text.h"
#include "table/units.h"

namespace cgpu::python {

namespace nb = nanobind;

namespace {

constexpr const char* kStream = "arrow_array_stream";
constexpr const char* kSchema = "arrow_schema";

/// What nobody has taken over is released with its capsule.
template <typename Exported>
void release_capsule(PyObject* capsule, const char* name) {
  auto* exported = static_cast<Exported*>(PyCapsule_GetPointer(capsule, name));
  if (exported->release != nullptr) exported->release(exported);
  delete exported;
}

template <typename Exported>
nb::object capsule_of(std::unique_ptr<Exported> exported, const char* name, PyCapsule_Destructor destructor) {
  PyObject* capsule = PyCapsule_New(exported.get(), name, destructor);
  if (capsule == nullptr) throw nb::python_error();
  exported.release();  // NOLINT(bugprone-unused-return-value): the capsule's now
  return nb::steal(capsule);
}

nb::object python_text(std::string_view text) {
  PyObject* object = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), nullptr);
  if (object == nullptr) {
    PyErr_Clear();
    const std::string valid = valid_utf8(text);
    object = PyUnicode_DecodeUTF8(valid.data(), static_cast<Py_ssize_t>(valid.size()), nullptr);
  }
  if (object == nullptr) throw nb::python_error();
  return nb::steal(object);
}

/// The values of a column as objects; a text that comes again is the same object.
class Objects {
 public:
  explicit Objects(const ColumnValues& values) : values_(values) {
    if (values.type() == ColumnType::text) texts_.resize(values.dictionary().size());
  }
  nb::object at(size_t row) {
    if (values_.is_absent(row)) return nb::none();
    if (values_.type() == ColumnType::integer) return nb::int_(values_.integer(row));
    if (values_.type() == ColumnType::real) return nb::float_(values_.real(row));
    nb::object& text = texts_[static_cast<size_t>(values_.codes()[row])];
    if (!text.is_valid()) text = python_text(values_.text(row));
    return text;
  }

 private:
  const ColumnValues& values_;
  std::vector<nb::object> texts_;  // by code, made when first met
};

void append(ColumnValues& values, nb::handle value, const Column& column) {
  if (value.is_none()) return values.append_absent();
  try {
    if (column.type == ColumnType::integer) return values.append(nb::cast<int64_t>(value));
    if (column.type == ColumnType::real) return values.append(nb::cast<double>(value));
    return values.append(nb::cast<std::string_view>(value));
  } catch (const nb::cast_error&) {
    throw Error("column " + column.name + " is of type " + text_of(column.type) + ", which " +
                nb::cast<std::string>(nb::repr(value)) + " is not");
  }
}

}  // namespace

size_t PythonTable::row_count() const {
  if (whole_) return whole_->row_count();
  made_.check();
  return work([events = events_](const Stopped&) { return events->row_count(); });
}

NextBatch PythonTable::read() const {
  if (whole_) return batches_of(whole_);
  made_.check();
  return [made = made_, next = events_->read()] {
    made.check();
    const AtWork at_work;
    return next();
  };
}

PythonTable PythonTable::of_values(Table declared, const std::vector<nb::list>& values) {
  for (size_t column = 0; column < values.size(); ++column) {
    const Column& one = declared.columns[column];
    if (values[column].size() != values[0].size()) {
      throw Error("table " + declared.name + ": column " + one.name + " is not as long as the others");
    }
    ColumnValues made(one.type);
    made.reserve(values[column].size());
    for (const nb::handle value : values[column]) append(made, value, one);
    declared.set_values(column, std::move(made));
  }
  return PythonTable(std::move(declared));
}

nb::object PythonTable::stream() const {
  auto stream = std::make_unique<ArrowArrayStream>();
  if (whole_) {
    export_table(whole_, *stream);
  } else {
    export_batches(events_->declared(), read(), *stream);
  }
  return capsule_of(std::move(stream), kStream,
                    [](PyObject* capsule) { release_capsule<ArrowArrayStream>(capsule, kStream); });
}

nb::object PythonTable::schema() const {
  auto schema = std::make_unique<ArrowSchema>();
  ArrowArrayStream stream{};
  export_batches(
      declared(), [] { return std::nullopt; }, stream);
  const int failed = stream.get_schema(&stream, schema.get());
  stream.release(&stream);
  if (failed != 0) throw std::bad_alloc();
  return capsule_of(std::move(schema), kSchema,
                    [](PyObject* capsule) { release_capsule<ArrowSchema>(capsule, kSchema); });
}

Table PythonTable::head(size_t rows) const {
  if (whole_) return *whole_;
  made_.check();
  return work([events = events_, rows](const Stopped&) {
    Table all(events->declared().name, events->declared().about, events->declared().columns);
    const NextBatch next = events->read(rows);
    while (const std::optional<Table> batch = next()) all.append_all(*batch);
    return all;
  });
}

std::string PythonTable::text(size_t width, size_t rows) const {
  const Table shown = head(rows);
  TextOptions options;
  options.width = width;
  options.max_rows = rows;
  options.more_rows = row_count() - shown.row_count();
  return render_text(shown, options);
}

std::string PythonTable::html(size_t rows) const {
  const Table shown = head(rows);
  const std::string page = render_html_table(shown, rows);
  const size_t left_out = row_count() - shown.row_count();  // which were not made
  return left_out == 0 ? page : page + "<p>" + format_more_rows(left_out) + "</p>";
}

nb::list rows_of(const Table& batch) {
  std::vector<Objects> columns;
  for (size_t column = 0; column < batch.columns.size(); ++column) columns.emplace_back(batch.values(column));
  nb::list rows;
  for (size_t row = 0; row < batch.row_count(); ++row) {
    PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(columns.size()));
    if (tuple == nullptr) throw nb::python_error();
    nb::object kept = nb::steal(tuple);
    for (size_t column = 0; column < columns.size(); ++column) {
      PyTuple_SetItem(tuple, static_cast<Py_ssize_t>(column), columns[column].at(row).release().ptr());
    }
    rows.append(kept);
  }
  return rows;
}

}  // namespace cgpu::python
