#include "readers/hpctoolkit/structures.h"

#include "base/to_size.h"
#include "readers/hpctoolkit/layout.h"

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
  namespace field = layout::file_header;
  constexpr std::string_view kStart = "HPCTOOLKIT";
  const auto start = file.fields(0, field::sections);
  if (!start) return std::nullopt;
  for (size_t i = 0; i < kStart.size(); ++i) {
    if (start->u8(field::magic + i) != static_cast<uint8_t>(kStart[i])) return std::nullopt;
  }
  for (size_t i = 0; i < format.size(); ++i) {
    if (start->u8(field::format + i) != static_cast<uint8_t>(format[i])) return std::nullopt;
  }
  FileHeader header{start->u8(field::majorVersion), start->u8(field::minorVersion), std::vector<Section>(sections)};
  for (size_t i = 0; i < sections; ++i) {
    namespace section = layout::section;
    const auto f = file.fields(field::sections + section::end * i, section::end);
    if (f) header.sections[i] = {f->u64(section::sz), f->u64(section::p)};
  }
  return header;
}

bool has_footer(std::string_view bytes, std::string_view footer) {
  return bytes.ends_with(footer);
}

std::optional<GeneralProperties> read_general_properties(const Bytes& file, uint64_t at) {
  namespace field = layout::general_properties;
  const auto f = file.fields(at, field::least);
  if (!f) return std::nullopt;
  return GeneralProperties{f->u64(field::pTitle), f->u64(field::pDescription)};
}

std::optional<IdentifierNames> read_identifier_names(const Bytes& file, uint64_t at) {
  namespace field = layout::identifier_names;
  const auto f = file.fields(at, field::least);
  if (!f) return std::nullopt;
  return IdentifierNames{file.clip({f->u64(field::ppNames), f->u8(field::nKinds), field::kPointer}, field::kPointer)};
}

std::optional<PerformanceMetrics> read_performance_metrics(const Bytes& file, uint64_t at) {
  namespace field = layout::performance_metrics;
  const auto f = file.fields(at, field::least);
  if (!f) return std::nullopt;
  return PerformanceMetrics{{f->u64(field::pMetrics), f->u32(field::nMetrics), f->u8(field::szMetric)},
                            f->u8(field::szScopeInst),
                            f->u8(field::szSummary)};
}

std::optional<MetricDescription> read_metric_description(const Bytes& file, uint64_t at, const PerformanceMetrics& of) {
  namespace field = layout::metric;
  const auto f = file.fields(at, field::least);
  if (!f) return std::nullopt;
  return MetricDescription{f->u64(field::pName),
                           file.clip({f->u64(field::pScopeInsts), f->u16(field::nScopeInsts), of.scope_instance_stride},
                                     layout::scope_instance::least),
                           file.clip({f->u64(field::pSummaries), f->u16(field::nSummaries), of.summary_stride},
                                     layout::summary_statistic::least)};
}

std::optional<PropagationScope> read_propagation_scope(const Bytes& file, uint64_t at) {
  namespace field = layout::propagation_scope;
  const auto f = file.fields(at, field::least);
  if (!f) return std::nullopt;
  return PropagationScope{f->u64(field::pScopeName), static_cast<Scope>(f->u8(field::type))};
}

std::optional<ScopeInstance> read_scope_instance(const Bytes& file, uint64_t at) {
  namespace field = layout::scope_instance;
  const auto f = file.fields(at, field::least);
  if (!f) return std::nullopt;
  return ScopeInstance{f->u64(field::pScope), f->u16(field::propMetricId)};
}

std::optional<SummaryStatistic> read_summary_statistic(const Bytes& file, uint64_t at) {
  namespace field = layout::summary_statistic;
  const auto f = file.fields(at, field::least);
  if (!f) return std::nullopt;
  return SummaryStatistic{f->u64(field::pScope), f->u64(field::pFormula),
                          static_cast<Combination>(f->u8(field::combine)), f->u16(field::statMetricId)};
}

std::optional<LoadModule> read_load_module(const Bytes& file, uint64_t at) {
  const auto f = at == 0 ? std::nullopt : file.fields(at, layout::load_module::least);
  if (!f) return std::nullopt;
  return LoadModule{f->u64(layout::load_module::pPath)};
}

std::optional<SourceFile> read_source_file(const Bytes& file, uint64_t at) {
  const auto f = at == 0 ? std::nullopt : file.fields(at, layout::source_file::least);
  if (!f) return std::nullopt;
  return SourceFile{f->u64(layout::source_file::pPath)};
}

std::optional<Function> read_function(const Bytes& file, uint64_t at) {
  namespace field = layout::function;
  const auto f = at == 0 ? std::nullopt : file.fields(at, field::least);
  if (!f) return std::nullopt;
  return Function{f->u64(field::pName), f->u64(field::pModule), f->u64(field::pFile), f->u32(field::line)};
}

std::optional<ContextTree> read_context_tree(const Bytes& file, uint64_t at) {
  namespace field = layout::context_tree;
  const auto f = file.fields(at, field::least);
  if (!f) return std::nullopt;
  return ContextTree{{f->u64(field::pEntryPoints), f->u16(field::nEntryPoints), f->u8(field::szEntryPoint)}};
}

std::optional<EntryPoint> read_entry_point(const Bytes& file, uint64_t at) {
  namespace field = layout::entry_point;
  const auto f = file.fields(at, field::least);
  if (!f) return std::nullopt;
  return EntryPoint{{f->u64(field::szChildren), f->u64(field::pChildren)},
                    f->u32(field::ctxId),
                    f->u16(field::entryPoint),
                    f->u64(field::pPrettyName)};
}

std::optional<Context> read_context(const Bytes& file, uint64_t at) {
  namespace field = layout::context;
  const auto f = file.fields(at, field::flex);
  if (!f) return std::nullopt;
  Context context;
  context.children = {f->u64(field::szChildren), f->u64(field::pChildren)};
  context.context = f->u32(field::ctxId);
  const uint8_t flags = f->u8(field::flags);
  context.relation = static_cast<Relation>(f->u8(field::relation));
  context.lexical_type = static_cast<LexicalType>(f->u8(field::lexicalType));
  const size_t words = f->u8(field::nFlexWords);
  context.size = field::flex + field::kFlexWord * words;
  if (!file.holds(at, context.size)) return std::nullopt;

  // The words behind the fixed part hold what the flags announce, in this order; two 32-bit values share a word, even
  // where a 64-bit one comes in between.
  size_t next = 0;
  const auto u64 = [&]() -> uint64_t { return next < words ? f->u64(field::flex + field::kFlexWord * next++) : 0; };
  if (flags & field::hasFunction) context.function = u64();
  if (flags & field::hasSrcLoc) {
    context.file = u64();
    if (next < words) context.line = f->u32(field::flex + field::kFlexWord * next++);
  }
  if (flags & field::hasPoint) {
    context.module = u64();
    context.module_offset = u64();
  }
  return context;
}

std::optional<ProfileInfos> read_profile_infos(const Bytes& file, uint64_t at) {
  namespace field = layout::profile_infos;
  const auto f = file.fields(at, field::least);
  if (!f) return std::nullopt;
  return ProfileInfos{{f->u64(field::pProfiles), f->u32(field::nProfiles), f->u8(field::szProfile)}};
}

std::optional<ProfileInfo> read_profile_info(const Bytes& file, uint64_t at) {
  namespace field = layout::profile_info;
  const auto f = file.fields(at, field::least);
  if (!f) return std::nullopt;
  ProfileInfo info;
  info.values = clipped(file, {f->u64(field::pValues), f->u64(field::nValues), layout::profile_value::end},
                        layout::profile_value::end, info.cut);
  info.contexts = clipped(file, {f->u64(field::pCtxIndices), f->u32(field::nCtxs), layout::context_index::end},
                          layout::context_index::end, info.cut);
  info.identity = f->u64(field::pIdTuple);
  info.is_summary = (f->u32(field::flags) & field::isSummary) != 0;
  return info;
}

std::vector<Identifier> read_identifier_tuple(const Bytes& file, uint64_t at) {
  namespace tuple_at = layout::identifier_tuple;
  namespace id_at = layout::identifier;
  constexpr uint64_t kMost = 32;
  const auto f = at == 0 ? std::nullopt : file.fields(at, tuple_at::ids);
  if (!f) return {};
  const uint64_t count = std::min<uint64_t>(f->u16(tuple_at::nIds), kMost);
  const Array ids = file.clip({at + tuple_at::ids, count, id_at::end}, id_at::end);
  std::vector<Identifier> tuple;
  for (uint64_t i = 0; i < ids.count; ++i) {
    const Fields id = file.known_fields(ids[i]);
    const bool physical = (id.u16(id_at::flags) & id_at::isPhysical) != 0;
    tuple.push_back({id.u8(id_at::kind), physical ? id.u64(id_at::physicalId) : id.u32(id_at::logicalId)});
  }
  return tuple;
}

std::optional<ContextInfos> read_context_infos(const Bytes& file, uint64_t at) {
  namespace field = layout::context_infos;
  const auto f = file.fields(at, field::least);
  if (!f) return std::nullopt;
  return ContextInfos{{f->u64(field::pCtxs), f->u32(field::nCtxs), f->u8(field::szCtx)}};
}

std::optional<ContextInfo> read_context_info(const Bytes& file, uint64_t at) {
  namespace field = layout::context_info;
  const auto f = file.fields(at, field::least);
  if (!f) return std::nullopt;
  return ContextInfo{file.clip({f->u64(field::pValues), f->u64(field::nValues), layout::context_value::end},
                               layout::context_value::end),
                     file.clip({f->u64(field::pMetricIndices), f->u16(field::nMetrics), layout::metric_index::end},
                               layout::metric_index::end)};
}

std::optional<ContextTraces> read_context_traces(const Bytes& file, uint64_t at) {
  namespace field = layout::context_traces;
  const auto f = file.fields(at, field::least);
  if (!f) return std::nullopt;
  return ContextTraces{{f->u64(field::pTraces), f->u32(field::nTraces), f->u8(field::szTrace)},
                       f->u64(field::minTimestamp)};
}

std::optional<ContextTrace> read_context_trace(const Bytes& file, uint64_t at) {
  namespace field = layout::context_trace;
  const auto f = file.fields(at, field::least);
  if (!f) return std::nullopt;
  ContextTrace trace;
  trace.profile = f->u32(field::profIndex);
  const uint64_t start = f->u64(field::pStart);
  const uint64_t end = f->u64(field::pEnd);
  trace.cut = end < start;
  const uint64_t count = end < start ? 0 : (end - start) / layout::trace_element::end;
  trace.elements = clipped(file, {start, count, layout::trace_element::end}, layout::trace_element::end, trace.cut);
  return trace;
}

}  // namespace cgpu::hpctoolkit
