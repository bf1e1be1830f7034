#include "readers/nsys/report/row_decoder.h"

#include <algorithm>

#include "readers/common/protobuf.h"

namespace cgpu::nsys {

namespace {

void set(TableValue& value, const ProtobufField& field) {
  switch (field.type) {
    case WireType::varint:
      value.type = ValueType::integer;
      value.integer = static_cast<int64_t>(field.integer);
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

RowDecoder::RowDecoder(const ReportTable& table, const std::vector<std::string>& columns)
    : columns_(columns.size()), values_(columns.size()) {
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
  const auto known =
      std::find_if(inner_.begin(), inner_.end(), [&](const Inner& inner) { return inner.field == inner_field; });
  if (known != inner_.end()) return known->slots;
  Inner& added = inner_.emplace_back();
  added.field = inner_field;
  added.slots.fill(kSkipped);
  return added.slots;
}

void RowDecoder::read(std::string_view message, const Slots& slots, const std::vector<Inner>* inner,
                      std::vector<TableValue>& values) {
  ProtobufMessage fields(message);
  for (ProtobufField field; fields.next(field);) {
    if (field.number >= kFields) continue;
    const int16_t slot = slots[field.number];
    if (slot != kSkipped) {
      set(values[static_cast<size_t>(slot)], field);
    } else if (inner != nullptr && field.is_bytes()) {
      for (const Inner& one : *inner) {
        if (one.field == field.number) read(field.bytes, one.slots, nullptr, values);
      }
    }
  }
}

void RowDecoder::decode(std::string_view message, std::vector<TableValue>& values) const {
  values.assign(values_, {});
  read(message, outer_, &inner_, values);
  for (const auto& [column, substitute] : substitutes_) {
    if (values[column].type == ValueType::null) values[column] = values[substitute];
  }
  values.resize(columns_);
}

}  // namespace cgpu::nsys
