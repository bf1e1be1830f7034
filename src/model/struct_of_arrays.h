// Rows that are kept as columns (a structure of arrays): what is done with whole rows, made from one list of columns.
//
// A class of columns lists them in two functions. The first names the columns that a row is appended to, each with the
// field of the row that it holds; the second names all columns, also those that are computed once all rows are there
// and are empty until then. It is for copying, keeping and counting rows; where none of these is used, there is only
// the first:
//
//   struct Events : StructOfArrays<Events, Event> {
//     std::vector<int64_t> start;
//     std::vector<uint32_t> parent;
//     template <typename Visit>
//     static void for_each_read_column(Visit visit) {
//       visit(&Events::start, &Event::start);
//     }
//     template <typename Visit>
//     static void for_each_column(Visit visit) {
//       for_each_read_column([&](auto column, auto) { visit(column); });
//       visit(&Events::parent);
//     }
//   };
//
// Each function is O(rows that it touches * columns), plus what std::vector takes to grow.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/narrow_column.h"

namespace cgpu {

template <typename Columns, typename Row>
class StructOfArrays {
 public:
  void append(const Row& row) {
    Columns::for_each_read_column([&](auto column, auto field) { (columns().*column).push_back(row.*field); });
  }

  /// A row as it was appended.
  Row row(size_t number) const {
    Row row;
    Columns::for_each_read_column(
        [&](auto column, auto field) { row.*field = (static_cast<const Columns&>(*this).*column)[number]; });
    return row;
  }

  /// Appends rows of `from`, by their numbers.
  void append_from(const Columns& from, std::span<const uint32_t> rows) {
    Columns::for_each_column([&](auto column) {
      const auto& source = from.*column;
      if (source.empty()) return;
      auto& values = columns().*column;
      values.reserve(values.size() + rows.size());
      for (const uint32_t row : rows) values.push_back(source[row]);
    });
  }

  /// Puts `rows` between those that are here, so that afterwards they have the numbers `places`, which rise. For
  /// columns as read: what is computed from them is not there yet.
  void insert(std::span<const Row> rows, std::span<const uint32_t> places) {
    size_t end = columns().size();  // of the rows that have not moved
    Columns::for_each_read_column([&](auto column, auto) { (columns().*column).resize(end + rows.size()); });
    for (size_t left = rows.size(); left > 0; --left) {  // from the end, so that nothing is overwritten before it moves
      const size_t place = places[left - 1];
      const size_t begin = place - (left - 1);
      Columns::for_each_read_column([&](auto column, auto field) {
        auto& values = columns().*column;
        move_back(values, begin, end, left);
        values[place] = rows[left - 1].*field;
      });
      end = begin;
    }
  }

  /// Keeps these rows only, given by their numbers, which rise.
  void keep(std::span<const uint32_t> rows) {
    Columns::for_each_column([&](auto column) {
      auto& values = columns().*column;
      if (values.empty()) return;
      for (size_t i = 0; i < rows.size(); ++i) values[i] = values[rows[i]];
      values.resize(rows.size());
    });
  }

  /// Makes room for so many rows, as read.
  void reserve(size_t rows) {
    Columns::for_each_read_column([&](auto column, auto) { (columns().*column).reserve(rows); });
  }

  /// Bytes that the rows take.
  uint64_t row_bytes() const {
    uint64_t sum = 0;
    Columns::for_each_column([&](auto column) {
      const auto& values = static_cast<const Columns&>(*this).*column;
      sum += bytes_of(values);
    });
    return sum;
  }

 private:
  template <typename T, typename Allocator>
  static void move_back(std::vector<T, Allocator>& values, size_t begin, size_t end, size_t by) {
    std::move_backward(values.begin() + begin, values.begin() + end, values.begin() + end + by);
  }
  template <typename T, T kAbsent, typename Narrow, template <typename> typename Allocator>
  static void move_back(NarrowColumn<T, kAbsent, Narrow, Allocator>& values, size_t begin, size_t end, size_t by) {
    values.move_back(begin, end, by);
  }
  template <typename T, typename Allocator>
  static uint64_t bytes_of(const std::vector<T, Allocator>& values) {
    return values.size() * sizeof(T);
  }
  template <typename T, T kAbsent, typename Narrow, template <typename> typename Allocator>
  static uint64_t bytes_of(const NarrowColumn<T, kAbsent, Narrow, Allocator>& values) {
    return values.bytes();
  }

  Columns& columns() { return static_cast<Columns&>(*this); }
};

}  // namespace cgpu
