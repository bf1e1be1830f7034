#include "readers/nsys/report/row_decoder.h"

#include <algorithm>

#include "base/to_size.h"
#include "readers/common/protobuf.h"

namespace cgpu::nsys {

namespace {

void set(TableValue& value, const ProtobufField& field) {
  switch (field.type) {
    case WireType::varint:
      value.set(static_cast<int64_t>(field.integer));
      break;
    case WireType::fixed64:
    case WireType::fixed32:
      value.type = ValueType::real;
      value.real = field.number_value();
      break;
    default:
      value.type = ValueType::text;
      value.bytes = field.bytes;
  }
}

}  // namespace

RowDecoder::RowDecoder(const ReportTable& table, const std::vector<std::string>& columns) : values_(columns.size()) {
  outer_.fill(kSkipped);
  for (size_t place = 0; place < columns.size(); ++place) {
    const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                    [&](const ReportColumn& column) { return column.name == columns[place]; });
    if (found == table.columns.end()) continue;
    if (found->computed != ReportColumn::Computed::no) {
      computed_.emplace_back(place, found->computed);
      continue;
    }
    Slots& slots = found->inner == 0 ? outer_ : slots_of(found->field);
    slots[found->inner == 0 ? found->field : found->inner] = static_cast<int16_t>(place);
    if (found->substitute == 0) continue;
    substitutes_.emplace_back(place, values_);
    slots[found->substitute] = static_cast<int16_t>(values_++);
  }
}

RowDecoder::Slots& RowDecoder::slots_of(uint8_t inner_field) {
  int16_t& slot = outer_[inner_field];
  if (slot == kSkipped) {
    slot = static_cast<int16_t>(kFirstInner - static_cast<int16_t>(inner_.size()));
    inner_.emplace_back().fill(kSkipped);
  }
  return inner_[static_cast<size_t>(kFirstInner - slot)];
}

/// Most of the time of reading a report goes into this loop: varints, which nearly all fields are, need no
/// ProtobufField.
void RowDecoder::read(std::string_view message, const Slots& slots, std::vector<TableValue>& values) const {
  const char* at = message.data();
  const char* const end = at + message.size();
  while (at != end) {
    const char* const start = at;
    ProtobufField field;
    if (!read_tag(at, end, field.number, field.type)) return;
    int16_t slot = field.number < kReportFields ? slots[field.number] : kSkipped;
    if (field.type == WireType::varint) {
      uint64_t value = 0;
      if (!read_varint(at, end, value)) return;
      if (slot >= 0) values[static_cast<size_t>(slot)].set(static_cast<int64_t>(value));
      continue;
    }
    ProtobufMessage rest({start, static_cast<size_t>(end - start)});
    if (!rest.next(field)) return;  // behind a group, it is another field
    at = rest.position();
    slot = field.number < kReportFields ? slots[field.number] : kSkipped;
    if (slot >= 0) {
      set(values[static_cast<size_t>(slot)], field);
    } else if (slot != kSkipped && field.is_bytes()) {
      read(field.bytes, inner_[static_cast<size_t>(kFirstInner - slot)], values);
    }
  }
}

void RowDecoder::decode(std::string_view message, std::vector<TableValue>& values) const {
  values.resize(values_);
  for (TableValue& value : values) value.type = ValueType::null;  // what else a null holds is of an earlier row
  read(message, outer_, values);
  for (const auto& [column, substitute] : substitutes_) {
    if (values[column].type == ValueType::null) values[column] = values[substitute];
  }
}

}  // namespace cgpu::nsys
