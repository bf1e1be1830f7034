#include "readers/nvprof/assembler.h"

namespace cgpu::nvprof {

const RowLayout& row_layout() {
  static const RowLayout layout{
      {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", "CUPTI_ACTIVITY_KIND_CDP_KERNEL",
       "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMCPY2", "CUPTI_ACTIVITY_KIND_MEMSET",
       "CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_DRIVER", "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
       "CUPTI_ACTIVITY_KIND_OVERHEAD", "CUPTI_ACTIVITY_KIND_MARKER", "CUPTI_ACTIVITY_KIND_OPENACC_DATA",
       "CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH", "CUPTI_ACTIVITY_KIND_OPENACC_OTHER", "CUPTI_ACTIVITY_KIND_OPENMP",
       "CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER"},
      {"_id_", "start", "end", "timestamp", "processId", "threadId", "cuProcessId", "cuThreadId", "name", "domain",
       "objectKind", "objectId", "cacheConfig"},
      {"fileName", "srcFile", "funcName", "varName", "kernelName"},
      "StringTable",
      "_id_"};
  return layout;
}

std::optional<uint32_t> number_at(std::string_view bytes, size_t at) {
  if (bytes.size() < at + 4) return std::nullopt;
  uint32_t number = 0;
  for (size_t i = 4; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

std::optional<Object> object_of(int64_t kind, std::string_view bytes) {
  const auto first = number_at(bytes, 0);
  const auto second = number_at(bytes, 4);
  const auto third = number_at(bytes, 8);
  const bool whole = kind == Object::process || kind == Object::device   ? first.has_value()
                     : kind == Object::thread || kind == Object::context ? second.has_value()
                     : kind == Object::stream                            ? third.has_value()
                                                                         : false;
  if (!whole) return std::nullopt;
  return Object{*first, second.value_or(0), third.value_or(0)};
}

SliceIndex Assembler::add_slice(Row& row, uint16_t category, StringId name, TrackIndex track, int64_t correlation) {
  // CUPTI writes 0 for times that it could not take.
  if (row.integer(0) == 0 || row.integer(1) == 0) {
    skip("skipped_event", "rows without a start or an end were left out");
    return kNone;
  }
  return add_slice_at(row, row.integer(0), row.integer(1), category, name, track, correlation);
}

SliceIndex Assembler::add_slice_at(const Row& row, int64_t start, int64_t end, uint16_t category, StringId name,
                                   TrackIndex track, int64_t correlation) {
  Slice slice;
  slice.start = start;
  slice.correlation = correlation;
  slice.source = source_of(row);
  slice.name = name;
  slice.track = track;
  slice.category = category;
  return builder.add_slice(slice, end);
}

void Assembler::add_text(int64_t id, std::string_view text) {
  texts_.try_emplace(id, intern(text));
}

StringId Assembler::text(Row& row, int column) {
  if (row.is_text(column)) return intern(row.text(column));
  const auto found = texts_.find(row.integer(column));
  return found == texts_.end() ? 0 : found->second;
}

TrackIndex Assembler::thread_track(uint32_t process, uint32_t thread) {
  const auto [at, added] = threads_.try_emplace({process, thread}, kNone);
  if (added) at->second = builder.thread_track(std::to_string(process), std::to_string(thread));
  return at->second;
}

TrackIndex Assembler::stream_track(int32_t device, int64_t stream) {
  const auto [at, added] = streams_.try_emplace({device, stream}, kNone);
  if (added) at->second = builder.stream_track(device, stream);
  return at->second;
}

int32_t Assembler::device(Row& row, int column) {
  const int64_t number = row.integer(column);
  return row.is_null(column) || number < 0 || number > INT32_MAX ? -1 : static_cast<int32_t>(number);
}

int64_t Assembler::stream(Row& row, int column) {
  const int64_t number = row.integer(column);
  return row.is_null(column) || number < 0 || number >= UINT32_MAX ? -1 : number;
}

int64_t Assembler::correlation(Row& row, int column) {
  const int64_t id = row.integer(column);
  return id <= 0 || id > UINT32_MAX ? kNoCorrelation : id;
}

}  // namespace cgpu::nvprof
