// Events of cgpu's own exports: what they say that other programs' do not.
#include <algorithm>

#include "base/json_text.h"
#include "readers/common/int32_or_none.h"
#include "readers/common/own_export.h"
#include "readers/trace_event/event_parser.h"

namespace cgpu::trace_event {

void EventParser::add_own_slice(const Event& event, uint64_t source, Batch& batch) {
  Slice row;
  if (!read_times(event, row, batch)) return;
  KnownCategory& category = own_category_of(event);
  const SliceKind kind = category.kind;
  row.source = source;
  row.name = intern_json(event.name);
  row.category = category_number(category, kind);
  row.track = track(event);
  if (event.has(correlation) && export_marks::has_correlation_argument(kind)) {
    row.correlation = integer(event.args[correlation], batch).value_or(kNoCorrelation);
  }
  if (event.has_rare) {
    row.flags = static_cast<uint8_t>(integer(event.rare.flags, batch).value_or(0));
    if (const auto id = integer(event.rare.correlation, batch)) row.correlation = *id;
  }
  batch.slices.push_back(row);
  ++batch.counts.slices;
  if (is_device_op(kind)) add_own_device_op(event, batch);
  const auto awaited = kind == SliceKind::synchronization ? awaited_kind(event.get(awaits)) : std::nullopt;
  if (awaited) {
    batch.synchronizations.push_back({static_cast<uint32_t>(batch.slices.size() - 1), *awaited,
                                      int32_or_none(integer_of(event, awaits_device, batch)),
                                      integer_of(event, awaits_stream, batch).value_or(-1), kNoCorrelation});
  }
}

void EventParser::add_own_device_op(const Event& event, Batch& batch) {
  batch.device_ops.push_back({.slice = static_cast<uint32_t>(batch.slices.size() - 1),
                              .device = int32_or_none(integer_of(event, device, batch)),
                              .stream = integer_of(event, stream, batch).value_or(-1),
                              .bytes = integer_of(event, bytes, batch).value_or(-1),
                              .copy = copy_kind_named(event.get(copy_kind)),
                              .source = memory_kind_named(event.get(source_memory)),
                              .destination = memory_kind_named(event.get(destination_memory))});
  add_collective(event, batch);
}

void EventParser::add_arrow(const Event& event, Batch& batch) {
  const auto& kinds = export_marks::kFlowCategories;
  const auto kind = std::find(kinds.begin() + 1, kinds.end(), event.category);
  const auto at = time(event.time, batch);
  const auto number = integer(event.id, batch);
  if (kind == kinds.end() || !at || !number) {
    ++batch.counts.skipped;
    if (at) batch.lose(Loss::bad_id);
    return;
  }
  batch.arrows.push_back({static_cast<export_marks::FlowKind>(kind - kinds.begin()), event.phase == 'f',
                          static_cast<uint32_t>(batch.slices.size()), track(event), *at,
                          static_cast<uint64_t>(*number)});
}

/// That of a slice: of its kind, with the profile's own name.
EventParser::KnownCategory& EventParser::own_category_of(const Event& event) {
  if (!event.has_rare || !event.rare.own_category) return category_of(event.category);
  scratch_.assign(event.category).append(1, kKeySeparator).append(*event.rare.own_category);
  return category_of(scratch_);
}

/// `key`: the category that is written, and the profile's own where the slice itself says so.
EventParser::KnownCategory EventParser::own_category(std::string_view key) const {
  const size_t separator = key.find(kKeySeparator);
  const std::string_view written = key.substr(0, separator);
  KnownCategory category{std::string(key), export_marks::kind_of(written).value_or(SliceKind::other), "", {}};
  if (separator != std::string_view::npos) {
    category.in_run = unescape_json(key.substr(separator + 1));
  } else if (const auto own = own_->categories.find(unescape_json(written)); own != own_->categories.end()) {
    category.in_run = own->second;
  } else {
    category.in_run = unescape_json(written);
  }
  return category;
}

}  // namespace cgpu::trace_event
