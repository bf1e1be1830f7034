#include "readers/nsys/report/row_decoder.h"

#include <algorithm>

#include "base/to_size.h"
#include "readers/common/protobuf.h"

namespace cgpu::nsys {

RowDecoder::RowDecoder(const ReportTable& table, const std::vector<std::string>& columns) : values_(columns.size()) {
  for (size_t place = 0; place < columns.size(); ++place) {
    const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                    [&](const ReportColumn& column) { return column.name == columns[place]; });
    if (found == table.columns.end()) continue;
    if (found->computed != ReportColumn::Computed::no) {
      computed_.emplace_back(place, found->computed);
      continue;
    }
    Slots& slots = found->inner == 0 ? outer_ : slots_of(found->field);
    slots.want(found->inner == 0 ? found->field : found->inner, static_cast<int64_t>(place) + 1);
    if (found->substitute == 0) continue;
    substitutes_.emplace_back(place, values_++);
    slots.want(found->substitute, static_cast<int64_t>(values_));
  }
}

RowDecoder::Slots& RowDecoder::slots_of(uint8_t inner_field) {
  if (outer_.slot[inner_field] == 0) {
    inner_.emplace_back();
    outer_.want(inner_field, -static_cast<int64_t>(inner_.size()));
  }
  return inner_[static_cast<size_t>(-outer_.slot[inner_field]) - 1];
}

/// Most of the time of reading a report goes into this loop. It ends when each field that is wanted was there: kernels
/// have twenty behind those that a timeline needs. Varints, which nearly all fields are, need no ProtobufMessage.
void RowDecoder::read(std::string_view message, const Slots& slots, std::vector<TableValue>& values) const {
  const char* at = message.data();
  const char* const end = at + message.size();
  for (size_t wanted = slots.wanted; wanted != 0 && at != end;) {
    const char* const start = at;
    ProtobufField field;
    if (!read_tag(at, end, field.number, field.type)) return;
    if (field.is_varint()) {
      if (!read_varint(at, end, field.integer)) return;
    } else {
      ProtobufMessage rest({start, static_cast<size_t>(end - start)});
      if (!rest.next(field)) return;  // behind a group, it is another field
      at = rest.position();
    }
    const int slot = field.number < kReportFields ? slots.slot[field.number] : 0;
    if (slot < 0 && field.is_bytes()) {
      --wanted;
      read(field.bytes, inner_[static_cast<size_t>(-slot) - 1], values);
    }
    if (slot <= 0) continue;
    TableValue& value = values[static_cast<size_t>(slot) - 1];
    if (value.type == ValueType::null) --wanted;
    if (field.is_varint()) {
      value.set(static_cast<int64_t>(field.integer));
    } else if (field.is_bytes()) {
      value.type = ValueType::text;
      value.bytes = field.bytes;
    } else {
      value.type = ValueType::real;
      value.real = field.number_value();
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
