#include "readers/hpctoolkit/structures.h"

namespace cgpu::hpctoolkit {

namespace {

/// Where an index of rows into an array of values is read: both cut to the file, `cut` says whether something is
/// missing.
Array clipped(const Bytes& file, Array array, uint64_t least_stride, bool& cut) {
  const Array inside = file.clip(array, least_stride);
  cut = cut || inside.count < array.count;
  return inside;
}

}  // namespace

std::optional<FileHeader> read_file_header(const Bytes& file, std::string_view format, size_t sections) {
  constexpr std::string_view kMagic = "HPCTOOLKIT";
  const auto start = file.fields(0, 16);
  if (!start) return std::nullopt;
  for (size_t i = 0; i < kMagic.size(); ++i) {
    if (start->u8(i) != static_cast<uint8_t>(kMagic[i])) return std::nullopt;
  }
  for (size_t i = 0; i < format.size(); ++i) {
    if (start->u8(kMagic.size() + i) != static_cast<uint8_t>(format[i])) return std::nullopt;
  }
  FileHeader header{start->u8(0x0e), start->u8(0x0f), std::vector<Section>(sections)};
  for (size_t i = 0; i < sections; ++i) {
    if (const auto section = file.fields(16 + 16 * i, 16)) header.sections[i] = {section->u64(0), section->u64(8)};
  }
  return header;
}

bool has_footer(std::string_view bytes, std::string_view footer) {
  return bytes.ends_with(footer);
}

std::optional<GeneralProperties> read_general_properties(const Bytes& file, uint64_t at) {
  const auto f = file.fields(at, 0x10);
  if (!f) return std::nullopt;
  return GeneralProperties{f->u64(0x00), f->u64(0x08)};
}

std::optional<IdentifierNames> read_identifier_names(const Bytes& file, uint64_t at) {
  const auto f = file.fields(at, 0x09);
  if (!f) return std::nullopt;
  return IdentifierNames{file.clip({f->u64(0x00), f->u8(0x08), 8}, 8)};
}

std::optional<PerformanceMetrics> read_performance_metrics(const Bytes& file, uint64_t at) {
  const auto f = file.fields(at, 0x1b);
  if (!f) return std::nullopt;
  return PerformanceMetrics{{f->u64(0x00), f->u32(0x08), f->u8(0x0c)}, f->u8(0x0d), f->u8(0x0e)};
}

std::optional<MetricDescription> read_metric_description(const Bytes& file, uint64_t at, const PerformanceMetrics& of) {
  const auto f = file.fields(at, 0x1c);
  if (!f) return std::nullopt;
  return MetricDescription{f->u64(0x00), file.clip({f->u64(0x08), f->u16(0x18), of.scope_instance_stride}, 0x0a),
                           file.clip({f->u64(0x10), f->u16(0x1a), of.summary_stride}, 0x14)};
}

std::optional<PropagationScope> read_propagation_scope(const Bytes& file, uint64_t at) {
  const auto f = file.fields(at, 0x0a);
  if (!f) return std::nullopt;
  return PropagationScope{f->u64(0x00), static_cast<Scope>(f->u8(0x08))};
}

std::optional<ScopeInstance> read_scope_instance(const Bytes& file, uint64_t at) {
  const auto f = file.fields(at, 0x0a);
  if (!f) return std::nullopt;
  return ScopeInstance{f->u64(0x00), f->u16(0x08)};
}

std::optional<SummaryStatistic> read_summary_statistic(const Bytes& file, uint64_t at) {
  const auto f = file.fields(at, 0x14);
  if (!f) return std::nullopt;
  return SummaryStatistic{f->u64(0x00), f->u64(0x08), f->u8(0x10), f->u16(0x12)};
}

std::optional<LoadModule> read_load_module(const Bytes& file, uint64_t at) {
  const auto f = at == 0 ? std::nullopt : file.fields(at, 0x10);
  if (!f) return std::nullopt;
  return LoadModule{f->u64(0x08)};
}

std::optional<SourceFile> read_source_file(const Bytes& file, uint64_t at) {
  const auto f = at == 0 ? std::nullopt : file.fields(at, 0x10);
  if (!f) return std::nullopt;
  return SourceFile{f->u64(0x08)};
}

std::optional<Function> read_function(const Bytes& file, uint64_t at) {
  const auto f = at == 0 ? std::nullopt : file.fields(at, 0x28);
  if (!f) return std::nullopt;
  return Function{f->u64(0x00), f->u64(0x08), f->u64(0x18), f->u32(0x20)};
}

std::optional<ContextTree> read_context_tree(const Bytes& file, uint64_t at) {
  const auto f = file.fields(at, 0x0b);
  if (!f) return std::nullopt;
  return ContextTree{{f->u64(0x00), f->u16(0x08), f->u8(0x0a)}};
}

std::optional<EntryPoint> read_entry_point(const Bytes& file, uint64_t at) {
  const auto f = file.fields(at, 0x20);
  if (!f) return std::nullopt;
  return EntryPoint{{f->u64(0x00), f->u64(0x08)}, f->u32(0x10), f->u16(0x14), f->u64(0x18)};
}

std::optional<Context> read_context(const Bytes& file, uint64_t at) {
  constexpr uint64_t kFixed = 0x20;
  const auto f = file.fields(at, kFixed);
  if (!f) return std::nullopt;
  Context context;
  context.children = {f->u64(0x00), f->u64(0x08)};
  context.context = f->u32(0x10);
  const uint8_t flags = f->u8(0x14);
  context.relation = f->u8(0x15);
  context.lexical_type = f->u8(0x16);
  const uint64_t words = f->u8(0x17);
  context.size = kFixed + 8 * words;
  if (!file.holds(at, context.size)) return std::nullopt;

  // The words behind the fixed part hold what the flags announce, in this order; two 32-bit values share a word, even
  // where a 64-bit one comes in between.
  uint64_t next = 0;
  const auto u64 = [&]() -> uint64_t { return next < words ? f->u64(kFixed + 8 * next++) : 0; };
  if (flags & 1) context.function = u64();
  if (flags & 2) {
    context.file = u64();
    if (next < words) context.line = f->u32(kFixed + 8 * next++);
  }
  if (flags & 4) {
    context.module = u64();
    context.module_offset = u64();
  }
  return context;
}

std::optional<ProfileInfos> read_profile_infos(const Bytes& file, uint64_t at) {
  const auto f = file.fields(at, 0x0d);
  if (!f) return std::nullopt;
  return ProfileInfos{{f->u64(0x00), f->u32(0x08), f->u8(0x0c)}};
}

std::optional<ProfileInfo> read_profile_info(const Bytes& file, uint64_t at) {
  const auto f = file.fields(at, 0x2c);
  if (!f) return std::nullopt;
  ProfileInfo info;
  info.values = clipped(file, {f->u64(0x08), f->u64(0x00), kProfileValueSize}, kProfileValueSize, info.cut);
  info.contexts = clipped(file, {f->u64(0x18), f->u32(0x10), kContextIndexSize}, kContextIndexSize, info.cut);
  info.identity = f->u64(0x20);
  info.is_summary = (f->u32(0x28) & 1) != 0;
  return info;
}

std::vector<Identifier> read_identifier_tuple(const Bytes& file, uint64_t at) {
  constexpr uint64_t kMost = 32;
  const auto f = at == 0 ? std::nullopt : file.fields(at, 8);
  if (!f) return {};
  const Array ids = file.clip({at + 8, std::min<uint64_t>(f->u16(0), kMost), 16}, 16);
  std::vector<Identifier> tuple;
  for (uint64_t i = 0; i < ids.count; ++i) {
    const Fields id = file.known_fields(ids[i]);
    const bool physical = (id.u16(2) & 1) != 0;
    tuple.push_back({id.u8(0), physical ? id.u64(8) : id.u32(4)});
  }
  return tuple;
}

std::optional<ContextInfos> read_context_infos(const Bytes& file, uint64_t at) {
  const auto f = file.fields(at, 0x0d);
  if (!f) return std::nullopt;
  return ContextInfos{{f->u64(0x00), f->u32(0x08), f->u8(0x0c)}};
}

std::optional<ContextInfo> read_context_info(const Bytes& file, uint64_t at) {
  const auto f = file.fields(at, 0x20);
  if (!f) return std::nullopt;
  return ContextInfo{file.clip({f->u64(0x08), f->u64(0x00), kContextValueSize}, kContextValueSize),
                     file.clip({f->u64(0x18), f->u16(0x10), kMetricIndexSize}, kMetricIndexSize)};
}

std::optional<ContextTraces> read_context_traces(const Bytes& file, uint64_t at) {
  const auto f = file.fields(at, 0x20);
  if (!f) return std::nullopt;
  return ContextTraces{{f->u64(0x00), f->u32(0x08), f->u8(0x0c)}, f->u64(0x10)};
}

std::optional<ContextTrace> read_context_trace(const Bytes& file, uint64_t at) {
  const auto f = file.fields(at, 0x18);
  if (!f) return std::nullopt;
  ContextTrace trace;
  trace.profile = f->u32(0x00);
  const uint64_t start = f->u64(0x08);
  const uint64_t end = f->u64(0x10);
  trace.cut = end < start;
  const uint64_t count = end < start ? 0 : (end - start) / kTraceElementSize;
  trace.elements = clipped(file, {start, count, kTraceElementSize}, kTraceElementSize, trace.cut);
  return trace;
}

}  // namespace cgpu::hpctoolkit
