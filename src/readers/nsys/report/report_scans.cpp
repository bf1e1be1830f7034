// The passes over the tables of a report.
#include <algorithm>
#include <functional>
#include <utility>

#include "base/error.h"
#include "base/to_size.h"
#include "readers/common/protobuf.h"
#include "readers/nsys/report/report_tables.h"
#include "readers/nsys/report/row_decoder.h"

namespace cgpu::nsys {

/// A row whose values are at hand.
class ReportTables::Scan : public RowScan {
 public:
  int64_t rowid() const override { return rowid_; }
  const std::string& error() const override { return error_; }
  ValueType type(int column) const override { return value(column).type; }
  int64_t integer(int column) const override { return integer_of(value(column)); }
  double real(int column) const override { return real_of(value(column)); }
  std::string_view text(int column) override { return text_of(value(column), digits_); }

 protected:
  std::vector<TableValue> values_;
  int64_t rowid_ = 0;

 private:
  const TableValue& value(int column) const { return values_[static_cast<size_t>(column)]; }

  std::string digits_;
  std::string error_;
};

/// The messages of a table, one after the other or by their place.
class ReportTables::MessageReader {
 public:
  MessageReader(ReportTables& tables, const Messages& rows) : blocks_(tables.reader_), rows_(rows) {}

  /// False at the end. A payload is valid until the next call.
  bool next(std::string_view& payload) {
    if (next_ == rows_.offset.size()) return false;
    if (rows_.is_copied) {
      payload = at_byte(rows_.copy, copy_position_);
      copy_position_ = static_cast<size_t>(payload.data() + payload.size() - rows_.copy.data());
    } else {
      payload = at(next_);
    }
    ++next_;
    return true;
  }
  std::string_view at(uint64_t event) {
    if (event < first_ || event >= end_) enter_block_of(event);
    return at_byte(message_, rows_.offset[to_size(event)]);
  }

 private:
  /// The payload in the field that begins at a byte; empty behind the end.
  static std::string_view at_byte(std::string_view bytes, size_t position) {
    ProtobufField field;
    ProtobufMessage(bytes.substr(std::min(bytes.size(), position))).next(field);
    return field.bytes;
  }
  void enter_block_of(uint64_t event) {
    const std::vector<uint64_t>& first = rows_.first_of_block;
    const auto after = std::upper_bound(first.begin(), first.end(), event);
    message_ = blocks_.message(static_cast<size_t>(after - first.begin()) - 1);
    first_ = *std::prev(after);
    end_ = after == first.end() ? rows_.offset.size() : *after;
  }

  BlockReader& blocks_;
  const Messages& rows_;
  std::string_view message_;
  uint64_t first_ = 0;  // the events of the block at hand
  uint64_t end_ = 0;
  uint64_t next_ = 0;
  size_t copy_position_ = 0;  // of the next payload
};

class ReportTables::MessageScan final : public Scan {
 public:
  MessageScan(ReportTables& tables, size_t place, const std::vector<std::string>& columns)
      : tables_(tables), messages_(tables, tables.rows_[place]), decoder_(tables.layout_.tables()[place], columns) {}

  bool next() override {
    std::string_view payload;
    if (!messages_.next(payload)) return false;
    decode(payload, rowid_ + 1);
    return true;
  }
  /// Makes the event with this row id the row.
  void read(int64_t rowid) { decode(messages_.at(static_cast<uint64_t>(rowid - 1)), rowid); }

 private:
  void decode(std::string_view payload, int64_t rowid) {
    rowid_ = rowid;
    decoder_.decode(payload, values_);
    for (const auto& [place, what] : decoder_.computed()) {
      const bool is_number = what == ReportColumn::Computed::row_number;
      values_[place] = TableValue::of(is_number ? rowid : tables_.call_chain_of(static_cast<uint64_t>(rowid - 1)));
    }
  }

  const ReportTables& tables_;
  MessageReader messages_;
  RowDecoder decoder_;
};

/// The frames of each sample in turn.
class ReportTables::FrameScan final : public Scan {
 public:
  FrameScan(ReportTables& tables, const std::vector<std::string>& columns)
      : samples_(tables, tables.rows_[tables.layout_.place(kSamples)]),
        decoder_(tables.layout_.table(kFrames), columns) {}

  bool next() override {
    for (;;) {
      for (ProtobufField field; fields_.next(field);) {
        if (field.number != kFramesOfSample || !field.is_bytes()) continue;
        decoder_.decode(field.bytes, values_);
        for (const auto& [place, what] : decoder_.computed()) {
          values_[place] = TableValue::of(what == ReportColumn::Computed::depth ? depth_ : sample_);
        }
        ++depth_;
        ++rowid_;
        return true;
      }
      std::string_view sample;
      if (!samples_.next(sample)) return false;
      fields_ = ProtobufMessage(sample);
      ++sample_;
      depth_ = 0;
    }
  }

 private:
  MessageReader samples_;
  RowDecoder decoder_;
  ProtobufMessage fields_{{}};
  int64_t sample_ = 0;  // its number, from 1 on
  int64_t depth_ = 0;
};

/// Rows that are at hand, by their place.
class ReportTables::ListScan final : public Scan {
 public:
  using Fill = std::function<void(size_t row, std::vector<TableValue>& values)>;
  ListScan(size_t rows, Fill fill) : rows_(rows), fill_(std::move(fill)) {}

  bool next() override {
    if (static_cast<size_t>(rowid_) == rows_) return false;
    values_.clear();
    fill_(static_cast<size_t>(rowid_++), values_);
    return true;
  }

 private:
  size_t rows_;
  Fill fill_;
};

std::unique_ptr<RowScan> ReportTables::scan(const std::string& table, const std::vector<std::string>& columns) {
  if (table == kFrames) return std::make_unique<FrameScan>(*this, columns);
  if (table == kTexts) {  // an id is the place of its text
    return std::make_unique<ListScan>(text_of_id_.size(), [this, columns](size_t row, std::vector<TableValue>& values) {
      for (const std::string& column : columns) {
        values.push_back(column == "id" ? TableValue::of(static_cast<int64_t>(row)) : TableValue::of(text_of_id_[row]));
      }
    });
  }
  if (is_of_messages(table)) return std::make_unique<MessageScan>(*this, layout_.place(table), columns);
  const std::vector<std::string>& known = columns_[table];
  std::vector<size_t> places;
  for (const std::string& column : columns) {
    places.push_back(static_cast<size_t>(std::find(known.begin(), known.end(), column) - known.begin()));
  }
  const std::vector<Facts>& rows = facts_[table];
  return std::make_unique<ListScan>(rows.size(), [&rows, places](size_t row, std::vector<TableValue>& values) {
    for (const size_t place : places) {
      values.push_back(place < rows[row].size() ? TableValue::of(rows[row][place]) : TableValue());
    }
  });
}

void ReportTables::for_each_row(const std::string& table, const std::vector<std::string>& columns,
                                std::span<const int64_t> rows, const std::function<void(Row&)>& visit) {
  if (!is_of_messages(table)) return;
  const uint64_t last = rows_expected(table);
  MessageScan scan(*this, layout_.place(table), columns);
  for (const int64_t row : rows) {
    if (row < 1 || static_cast<uint64_t>(row) > last) {
      throw Error(container_.name(), "has changed since it was opened: open it again");
    }
    scan.read(row);
    visit(scan);
  }
}

}  // namespace cgpu::nsys
