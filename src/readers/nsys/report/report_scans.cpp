// The passes over the tables of a report.
#include <algorithm>

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

/// The payloads of a table, one after the other or by their place.
class ReportTables::Payloads {
 public:
  Payloads(ReportTables& tables, const Events& events) : blocks_(tables.reader_), events_(events) {}

  /// False at the end. A payload is valid until the next call.
  bool next(std::string_view& payload) {
    if (next_ == events_.offset.size()) return false;
    if (events_.is_copied) {
      payload = at_byte(events_.copy, copy_position_);
      copy_position_ = static_cast<size_t>(payload.data() + payload.size() - events_.copy.data());
    } else {
      payload = at(next_);
    }
    ++next_;
    return true;
  }
  std::string_view at(uint64_t event) {
    if (event < first_ || event >= end_) enter_block_of(event);
    return at_byte(message_, events_.offset[to_size(event)]);
  }

 private:
  /// The payload in the field that begins at a byte; empty behind the end.
  static std::string_view at_byte(std::string_view bytes, size_t position) {
    ProtobufField field;
    ProtobufMessage(bytes.substr(std::min(bytes.size(), position))).next(field);
    return field.bytes;
  }
  void enter_block_of(uint64_t event) {
    const std::vector<uint64_t>& first = events_.first_of_block;
    const auto after = std::upper_bound(first.begin(), first.end(), event);
    message_ = blocks_.message(static_cast<size_t>(after - first.begin()) - 1);
    first_ = *std::prev(after);
    end_ = after == first.end() ? events_.offset.size() : *after;
  }

  BlockReader& blocks_;
  const Events& events_;
  std::string_view message_;
  uint64_t first_ = 0;  // the events of the block at hand
  uint64_t end_ = 0;
  uint64_t next_ = 0;
  size_t copy_position_ = 0;  // of the next payload
};

class ReportTables::EventScan final : public Scan {
 public:
  EventScan(ReportTables& tables, const Events& events, const ReportTable& layout,
            const std::vector<std::string>& columns)
      : tables_(tables), payloads_(tables, events), decoder_(layout, columns) {}

  bool next() override {
    std::string_view payload;
    if (!payloads_.next(payload)) return false;
    decode(payload, rowid_ + 1);
    return true;
  }
  /// Makes the event with this row id the row.
  void read(int64_t rowid) { decode(payloads_.at(static_cast<uint64_t>(rowid - 1)), rowid); }

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
  Payloads payloads_;
  RowDecoder decoder_;
};

/// The frames of each sample in turn.
class ReportTables::FrameScan final : public Scan {
 public:
  FrameScan(ReportTables& tables, const std::vector<std::string>& columns)
      : samples_(tables, tables.events_[static_cast<size_t>(EventTable::sample)]), decoder_(frames_layout(), columns) {}

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
  Payloads samples_;
  RowDecoder decoder_;
  ProtobufMessage fields_{{}};
  int64_t sample_ = 0;  // its number, from 1 on
  int64_t depth_ = 0;
};

/// The rows of a small table.
class ReportTables::ListScan final : public Scan {
 public:
  ListScan(const std::vector<ListRow>& rows, const std::vector<std::string>& known,
           const std::vector<std::string>& columns)
      : rows_(rows) {
    for (const std::string& column : columns) {
      places_.push_back(static_cast<size_t>(std::find(known.begin(), known.end(), column) - known.begin()));
    }
  }

  bool next() override {
    if (static_cast<size_t>(rowid_) == rows_.size()) return false;
    const ListRow& row = rows_[static_cast<size_t>(rowid_++)];
    values_.clear();
    for (const size_t place : places_) values_.push_back(place < row.size() ? row[place] : TableValue());
    return true;
  }

 private:
  const std::vector<ListRow>& rows_;
  std::vector<size_t> places_;
};

/// StringIds: an id is the place of its text.
class ReportTables::TextScan final : public Scan {
 public:
  TextScan(const std::vector<std::string_view>& texts, const std::vector<std::string>& columns)
      : texts_(texts), columns_(columns) {}

  bool next() override {
    if (static_cast<size_t>(rowid_) == texts_.size()) return false;
    const std::string_view text = texts_[static_cast<size_t>(rowid_)];
    values_.clear();
    for (const std::string& column : columns_) {
      values_.push_back(column == "id" ? TableValue::of(rowid_) : TableValue::of(text));
    }
    ++rowid_;
    return true;
  }

 private:
  const std::vector<std::string_view>& texts_;
  std::vector<std::string> columns_;
};

std::unique_ptr<RowScan> ReportTables::scan(const std::string& table, const std::vector<std::string>& columns) {
  const EventTable found = event_table(table);
  if (found != EventTable::count) {
    return std::make_unique<EventScan>(*this, events_[static_cast<size_t>(found)], layout(found), columns);
  }
  if (table == frames_layout().name) return std::make_unique<FrameScan>(*this, columns);
  if (table == kTexts) return std::make_unique<TextScan>(text_of_id_, columns);
  return std::make_unique<ListScan>(lists_[table], columns_[table], columns);
}

void ReportTables::for_each_row(const std::string& table, const std::vector<std::string>& columns,
                                std::span<const int64_t> rows, const std::function<void(Row&)>& visit) {
  const EventTable found = event_table(table);
  if (found == EventTable::count) return;
  const Events& events = events_[static_cast<size_t>(found)];
  EventScan scan(*this, events, layout(found), columns);
  for (const int64_t row : rows) {
    if (row < 1 || static_cast<uint64_t>(row) > events.offset.size()) {
      throw Error(container_.name(), "has changed since it was opened: open it again");
    }
    scan.read(row);
    visit(scan);
  }
}

}  // namespace cgpu::nsys
