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

/// The messages of a table by their place, from first to last sooner than in another order.
class ReportTables::MessageReader {
 public:
  MessageReader(ReportContainer& container, const Messages& rows)
      : container_(container), rows_(rows), message_(rows.at_end), end_(rows.at_end.empty() ? 0 : rows.offset.size()) {}

  /// False behind the last one. A payload is valid until the next call.
  bool read(uint64_t place, std::string_view& payload) {
    if (place >= rows_.offset.size()) return false;
    if (place < first_ || place >= end_) enter_block_of(place);
    ProtobufField field;
    ProtobufMessage(message_.substr(std::min<size_t>(message_.size(), rows_.offset[to_size(place)]))).next(field);
    payload = field.bytes;
    return true;
  }

 private:
  void enter_block_of(uint64_t place) {
    const std::vector<uint64_t>& first = rows_.first_of_block;
    const auto behind = [&first](uint64_t row) { return std::upper_bound(first.begin(), first.end(), row); };
    const auto number_before = [&first](auto block) { return static_cast<size_t>(block - first.begin()) - 1; };
    const auto after = behind(place);
    first_ = *std::prev(after);
    end_ = after == first.end() ? rows_.offset.size() : *after;
    const size_t next = end_ < rows_.offset.size() ? number_before(behind(end_)) : container_.blocks();
    message_ = container_.message(number_before(after), next);
  }

  ReportContainer& container_;
  const Messages& rows_;
  std::string_view message_;  // of the block at hand
  uint64_t first_ = 0;        // of its rows
  uint64_t end_ = 0;
};

/// `ReadRow` sets the values of the row with an id, from 1 on; false behind the last one.
template <typename ReadRow>
class ReportTables::Scan final : public RowScan {
 public:
  explicit Scan(ReadRow read) : read_(std::move(read)) {}

  bool next() override { return read(rowid_ + 1); }
  /// False where no row has this id.
  bool read(int64_t rowid) {
    rowid_ = rowid;
    return read_(rowid, values_);
  }
  int64_t rowid() const override { return rowid_; }
  const std::string& error() const override { return error_; }
  ValueType type(int column) const override { return value(column).type; }
  int64_t integer(int column) const override { return integer_of(value(column)); }
  double real(int column) const override { return real_of(value(column)); }
  std::string_view text(int column) override { return text_of(value(column), digits_); }

 private:
  const TableValue& value(int column) const { return values_[static_cast<size_t>(column)]; }

  ReadRow read_;
  std::vector<TableValue> values_;
  int64_t rowid_ = 0;
  std::string digits_;
  std::string error_;  // none: what is damaged was noted when the report was opened
};

auto ReportTables::rows_of_messages(size_t table, const Columns& columns) {
  RowDecoder decoder(layout_.tables()[table], columns);
  for (const auto& [place, what] : decoder.computed()) {
    if (what == ReportColumn::Computed::call_chain && !with_call_chain_) list_calls_with_frames(rows_[table]);
  }
  return [this, messages = MessageReader(container_, rows_[table]), decoder = std::move(decoder)](
             int64_t rowid, std::vector<TableValue>& values) mutable {
    std::string_view payload;
    if (!messages.read(static_cast<uint64_t>(rowid - 1), payload)) return false;
    decoder.decode(payload, values);
    for (const auto& [place, what] : decoder.computed()) {
      const bool is_number = what == ReportColumn::Computed::row_number;
      values[place] = TableValue::of(is_number ? rowid : call_chain_of(static_cast<uint64_t>(rowid - 1)));
    }
    return true;
  };
}

void ReportTables::list_calls_with_frames(const Messages& calls) {
  with_call_chain_.emplace();
  MessageReader reader(container_, calls);
  std::string_view call;
  for (uint32_t row = 0; reader.read(row, call); ++row) {
    if (!protobuf_bytes(call, kFramesOfCall).empty()) with_call_chain_->push_back(row);
  }
}

int64_t ReportTables::call_chain_of(uint64_t row) const {
  const auto at = std::lower_bound(with_call_chain_->begin(), with_call_chain_->end(), row);
  return at == with_call_chain_->end() || *at != row ? 0 : at - with_call_chain_->begin() + 1;
}

/// The frames of each sample in turn.
auto ReportTables::rows_of_frames(const Columns& columns) {
  return [samples = MessageReader(container_, rows_[layout_.place(kSamples)]),
          decoder = RowDecoder(layout_.table(kFrames), columns), fields = ProtobufMessage({}), sample = uint64_t{0},
          depth = int64_t{0}](int64_t, std::vector<TableValue>& values) mutable {
    for (;;) {
      for (ProtobufField field; fields.next(field);) {
        if (field.number != kFramesOfSample || !field.is_bytes()) continue;
        decoder.decode(field.bytes, values);
        for (const auto& [place, what] : decoder.computed()) {
          const bool is_depth = what == ReportColumn::Computed::depth;
          values[place] = TableValue::of(is_depth ? depth : static_cast<int64_t>(sample));  // samples from 1 on
        }
        ++depth;
        return true;
      }
      std::string_view payload;
      if (!samples.read(sample, payload)) return false;
      fields = ProtobufMessage(payload);
      ++sample;
      depth = 0;
    }
  };
}

auto ReportTables::rows_of_texts(const Columns& columns) const {
  return [this, columns](int64_t rowid, std::vector<TableValue>& values) {
    const int64_t id = rowid - 1;  // its place
    if (static_cast<uint64_t>(id) >= text_of_id_.size()) return false;
    values.clear();
    for (const std::string& column : columns) {
      values.push_back(column == "id" ? TableValue::of(id) : TableValue::of(text_of_id_[static_cast<size_t>(id)]));
    }
    return true;
  };
}

auto ReportTables::rows_of_facts(const std::string& table, const Columns& columns) {
  const Columns& known = columns_[table];
  std::vector<size_t> places;
  for (const std::string& column : columns) {
    places.push_back(static_cast<size_t>(std::find(known.begin(), known.end(), column) - known.begin()));
  }
  return [&rows = facts_[table], places](int64_t rowid, std::vector<TableValue>& values) {
    if (static_cast<uint64_t>(rowid) > rows.size()) return false;
    const Facts& row = rows[static_cast<size_t>(rowid - 1)];
    values.clear();
    for (const size_t place : places) {
      values.push_back(place < row.size() ? TableValue::of(row[place]) : TableValue());
    }
    return true;
  };
}

std::unique_ptr<RowScan> ReportTables::scan(const std::string& table, const Columns& columns) {
  const auto scan_of = [](auto read) -> std::unique_ptr<RowScan> {
    return std::make_unique<Scan<decltype(read)>>(std::move(read));
  };
  if (table == kFrames) return scan_of(rows_of_frames(columns));
  if (table == kTexts) return scan_of(rows_of_texts(columns));
  if (is_of_messages(table)) return scan_of(rows_of_messages(layout_.place(table), columns));
  return scan_of(rows_of_facts(table, columns));
}

void ReportTables::for_each_row(const std::string& table, const Columns& columns, std::span<const int64_t> rows,
                                const std::function<void(Row&)>& visit) {
  if (!is_of_messages(table)) return;
  Scan scan(rows_of_messages(layout_.place(table), columns));
  for (const int64_t row : rows) {
    if (!scan.read(row)) throw Error(container_.name(), "has changed since it was opened: open it again");
    visit(scan);
  }
}

}  // namespace cgpu::nsys
