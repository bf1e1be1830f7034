// Reads the columns that are asked for out of the message of a row.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "readers/common/table_source.h"
#include "readers/nsys/report/report_layout.h"

namespace cgpu::nsys {

class RowDecoder {
 public:
  /// Columns that the table lacks are null in every row.
  RowDecoder(const ReportTable& table, const std::vector<std::string>& columns);

  /// Sets a value for each column, as far as the message is whole, and some behind them. Texts are views into it. Of a
  /// null the type alone is set; computed columns are null.
  void decode(std::string_view message, std::vector<TableValue>& values) const;

  /// The places of the computed columns that were asked for, with what they are.
  const std::vector<std::pair<size_t, ReportColumn::Computed>>& computed() const { return computed_; }

 private:
  /// Where the values of a message go: by field 0 where it is skipped, from 1 up a value, from -1 down the slots of a
  /// message in it.
  struct Slots {
    std::array<int16_t, kReportFields> slot{};
    size_t wanted = 0;  // fields that are not skipped

    void want(uint8_t field, int64_t to) {
      wanted += slot[field] == 0 ? 1 : 0;
      slot[field] = static_cast<int16_t>(to);
    }
  };

  Slots& slots_of(uint8_t inner_field);
  void read(std::string_view message, const Slots& slots, std::vector<TableValue>& values) const;

  size_t values_;  // those of the columns, then substitutes
  Slots outer_;
  std::vector<Slots> inner_;
  /// The place of a column, and that of the field that replaces it where it is absent.
  std::vector<std::pair<size_t, size_t>> substitutes_;
  std::vector<std::pair<size_t, ReportColumn::Computed>> computed_;
};

}  // namespace cgpu::nsys
