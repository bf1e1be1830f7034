// Where the fields of the structures on disk are, in bytes from the beginning of each, under the names that the
// format's own description (FORMATS.md in every database) gives them. `least` is the end of the last field that is
// read: structures may be longer, as the format grows.
#pragma once

#include <cstdint>

namespace cgpu::hpctoolkit::layout {

namespace file_header {  // "Common file structure"
enum : uint64_t { magic = 0x00, format = 0x0a, majorVersion = 0x0e, minorVersion = 0x0f, sections = 0x10 };
}
namespace section {
enum : uint64_t { sz = 0x00, p = 0x08, end = 0x10 };
}

// ---- meta.db ----

namespace general_properties {
enum : uint64_t { pTitle = 0x00, pDescription = 0x08, least = 0x10 };
}
namespace identifier_names {
enum : uint64_t { ppNames = 0x00, nKinds = 0x08, least = 0x09 };
inline constexpr uint64_t kPointer = 8;
}  // namespace identifier_names
namespace performance_metrics {
enum : uint64_t {
  pMetrics = 0x00,
  nMetrics = 0x08,
  szMetric = 0x0c,
  szScopeInst = 0x0d,
  szSummary = 0x0e,
  least = 0x1b
};
}
namespace metric {  // {MD}
enum : uint64_t {
  pName = 0x00,
  pScopeInsts = 0x08,
  pSummaries = 0x10,
  nScopeInsts = 0x18,
  nSummaries = 0x1a,
  least = 0x1c,
};
}  // namespace metric
namespace propagation_scope {  // {PS}
enum : uint64_t { pScopeName = 0x00, type = 0x08, least = 0x0a };
}
namespace scope_instance {  // {PSI}
enum : uint64_t { pScope = 0x00, propMetricId = 0x08, least = 0x0a };
}
namespace summary_statistic {  // {SS}
enum : uint64_t { pScope = 0x00, pFormula = 0x08, combine = 0x10, statMetricId = 0x12, least = 0x14 };
}
namespace load_module {  // [LMS]
enum : uint64_t { flags = 0x00, pPath = 0x08, least = 0x10 };
}
namespace source_file {  // [SFS]
enum : uint64_t { flags = 0x00, pPath = 0x08, least = 0x10 };
}
namespace function {  // [FS]
enum : uint64_t { pName = 0x00, pModule = 0x08, offset = 0x10, pFile = 0x18, line = 0x20, flags = 0x24, least = 0x28 };
}
namespace context_tree {
enum : uint64_t { pEntryPoints = 0x00, nEntryPoints = 0x08, szEntryPoint = 0x0a, least = 0x0b };
}
namespace entry_point {  // {Entry}
enum : uint64_t {
  szChildren = 0x00,
  pChildren = 0x08,
  ctxId = 0x10,
  entryPoint = 0x14,
  pPrettyName = 0x18,
  least = 0x20,
};
}  // namespace entry_point
namespace context {  // {Ctx}
enum : uint64_t {
  szChildren = 0x00,
  pChildren = 0x08,
  ctxId = 0x10,
  flags = 0x14,
  relation = 0x15,
  lexicalType = 0x16,
  nFlexWords = 0x17,
  flex = 0x20,
};
inline constexpr uint64_t kFlexWord = 8;
enum Flags : uint8_t { hasFunction = 1, hasSrcLoc = 2, hasPoint = 4 };
}  // namespace context

// ---- profile.db ----

namespace profile_infos {
enum : uint64_t { pProfiles = 0x00, nProfiles = 0x08, szProfile = 0x0c, least = 0x0d };
}
namespace profile_info {  // {PI}, which begins with a [PSVB]
enum : uint64_t {
  nValues = 0x00,
  pValues = 0x08,
  nCtxs = 0x10,
  pCtxIndices = 0x18,
  pIdTuple = 0x20,
  flags = 0x28,
  least = 0x2c,
};
enum Flags : uint32_t { isSummary = 1 };
}  // namespace profile_info
namespace profile_value {
enum : uint64_t { metricId = 0x00, value = 0x02, end = 0x0a };
}
namespace context_index {
enum : uint64_t { ctxId = 0x00, startIndex = 0x04, end = 0x0c };
}
namespace identifier_tuple {  // [HIT]
enum : uint64_t { nIds = 0x00, ids = 0x08 };
}
namespace identifier {
enum : uint64_t { kind = 0x00, flags = 0x02, logicalId = 0x04, physicalId = 0x08, end = 0x10 };
enum Flags : uint16_t { isPhysical = 1 };
}  // namespace identifier

// ---- cct.db ----

namespace context_infos {
enum : uint64_t { pCtxs = 0x00, nCtxs = 0x08, szCtx = 0x0c, least = 0x0d };
}
namespace context_info {  // {CI}, which is a [CSVB]
enum : uint64_t { nValues = 0x00, pValues = 0x08, nMetrics = 0x10, pMetricIndices = 0x18, least = 0x20 };
}
namespace context_value {
enum : uint64_t { profIndex = 0x00, value = 0x04, end = 0x0c };
}
namespace metric_index {
enum : uint64_t { metricId = 0x00, startIndex = 0x02, end = 0x0a };
}

// ---- trace.db ----

namespace context_traces {
enum : uint64_t { pTraces = 0x00, nTraces = 0x08, szTrace = 0x0c, minTimestamp = 0x10, least = 0x20 };
}
namespace context_trace {  // {CTH}
enum : uint64_t { profIndex = 0x00, pStart = 0x08, pEnd = 0x10, least = 0x18 };
}
namespace trace_element {
enum : uint64_t { timestamp = 0x00, ctxId = 0x08, end = 0x0c };
}

}  // namespace cgpu::hpctoolkit::layout
