// The structures on disk of a database of HPCToolkit 4, named as in the format's own description (FORMATS.md in every
// database). The constructor of each says where its fields are, in bytes from its beginning; kEnd is the end of the
// last one that is read: structures may be longer, as the format grows. Arrays are cut to what lies in the file. All
// pointers are offsets in the file, 0 for null.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "readers/common/bytes.h"

namespace cgpu::hpctoolkit {

/// None where it does not lie in the file. `of`: what the structure has to know of the one that it is a part of.
template <typename Structure, typename... Of>
std::optional<Structure> read_structure(const Bytes& file, uint64_t at, const Of&... of) {
  const auto fields = at == 0 ? std::nullopt : file.fields(at, Structure::kEnd);
  if (!fields) return std::nullopt;
  return Structure(*fields, file, of...);
}

// ---- every file ----

struct Section {
  uint64_t size = 0;
  uint64_t offset = 0;
};
struct FileHeader {
  uint8_t major = 0;
  uint8_t minor = 0;
  std::vector<Section> sections;
};
/// `format`: "meta", "prof", "ctxt" or "trce". None where the file does not begin like one of that format.
std::optional<FileHeader> read_file_header(const Bytes& file, std::string_view format, size_t sections);
/// A section that is an array of structures, whose number and size are behind its pointer.
struct ArraySection {
  static constexpr uint64_t kEnd = 0x0d;
  ArraySection(const Fields& f, const Bytes&) : array{f.u64(0x00), f.u32(0x08), f.u8(0x0c)} {}
  Array array;
};
bool has_footer(std::string_view bytes, std::string_view footer);

// ---- meta.db ----

struct GeneralProperties {
  static constexpr uint64_t kEnd = 0x10;
  GeneralProperties(const Fields& f, const Bytes&) : title(f.u64(0x00)) {}
  uint64_t title;
};

struct IdentifierNames {
  static constexpr uint64_t kEnd = 0x09, kPointer = 8;
  IdentifierNames(const Fields& f, const Bytes& file)
      : names(file.clip({f.u64(0x00), f.u8(0x08), kPointer}, kPointer)) {}
  Array names;  // of pointers to text
};

/// What a value of a metric covers.
enum class Scope : uint8_t { custom = 0, point = 1, execution = 2, transitive = 3 };
struct PropagationScope {  // {PS}
  static constexpr uint64_t kEnd = 0x0a;
  PropagationScope(const Fields& f, const Bytes&) : name(f.u64(0x00)), type(static_cast<Scope>(f.u8(0x08))) {}
  uint64_t name;
  Scope type;
};

struct ScopeInstance {  // {PSI}
  static constexpr uint64_t kEnd = 0x0a;
  ScopeInstance(const Fields& f, const Bytes&) : scope(f.u64(0x00)), metric_id(f.u16(0x08)) {}
  uint64_t scope;
  uint16_t metric_id;  // in the profiles of threads and streams, and in cct.db
};

enum class Combination : uint8_t { sum = 0, min = 1, max = 2 };
struct SummaryStatistic {  // {SS}
  static constexpr uint64_t kEnd = 0x14;
  SummaryStatistic(const Fields& f, const Bytes&)
      : scope(f.u64(0x00)), combine(static_cast<Combination>(f.u8(0x10))), metric_id(f.u16(0x12)) {}
  uint64_t scope;
  Combination combine;
  uint16_t metric_id;  // in the summary profile
};

struct PerformanceMetrics {
  static constexpr uint64_t kEnd = 0x1b;
  PerformanceMetrics(const Fields& f, const Bytes&)
      : metrics{f.u64(0x00), f.u32(0x08), f.u8(0x0c)}, scope_instance_size(f.u8(0x0d)), summary_size(f.u8(0x0e)) {}
  Array metrics;
  uint64_t scope_instance_size;
  uint64_t summary_size;
};

struct MetricDescription {  // {MD}
  static constexpr uint64_t kEnd = 0x1c;
  MetricDescription(const Fields& f, const Bytes& file, const PerformanceMetrics& of)
      : name(f.u64(0x00)),
        scope_instances(file.clip({f.u64(0x08), f.u16(0x18), of.scope_instance_size}, ScopeInstance::kEnd)),
        summaries(file.clip({f.u64(0x10), f.u16(0x1a), of.summary_size}, SummaryStatistic::kEnd)) {}
  uint64_t name;
  Array scope_instances;
  Array summaries;
};

/// [LMS] and [SFS]: a load module, a source file.
struct NamedFile {
  static constexpr uint64_t kEnd = 0x10;
  NamedFile(const Fields& f, const Bytes&) : path(f.u64(0x08)) {}
  uint64_t path;
};

struct Function {  // [FS]
  static constexpr uint64_t kEnd = 0x28;
  Function(const Fields& f, const Bytes&)
      : name(f.u64(0x00)), module(f.u64(0x08)), file(f.u64(0x18)), line(f.u32(0x20)) {}
  uint64_t name;
  uint64_t module;
  uint64_t file;
  uint32_t line;
};

struct ContextTree {
  static constexpr uint64_t kEnd = 0x0b;
  ContextTree(const Fields& f, const Bytes&) : entry_points{f.u64(0x00), f.u16(0x08), f.u8(0x0a)} {}
  Array entry_points;
};

/// The children of a node: structures of unequal size, one behind the other.
struct Children {
  uint64_t size = 0;  // bytes
  uint64_t offset = 0;
};
struct EntryPoint {  // {Entry}
  static constexpr uint64_t kEnd = 0x20;
  EntryPoint(const Fields& f, const Bytes&)
      : children{f.u64(0x00), f.u64(0x08)}, context(f.u32(0x10)), name(f.u64(0x18)) {}
  Children children;
  uint32_t context;
  uint64_t name;
};

/// To the parent.
enum class Relation : uint8_t { lexical = 0, call = 1, inlined_call = 2 };
enum class LexicalType : uint8_t { function = 0, loop = 1, line = 2, instruction = 3 };
struct Context {  // {Ctx}
  Children children;
  uint32_t context = 0;
  Relation relation = Relation::lexical;
  LexicalType lexical_type = LexicalType::function;
  uint64_t size = 0;      // of this structure
  uint64_t function = 0;  // 0 where the context names none
  uint64_t file = 0;
  uint32_t line = 0;
  uint64_t module = 0;
  uint64_t module_offset = 0;
};
std::optional<Context> read_context(const Bytes& file, uint64_t at);

// ---- profile.db ----

/// An element of the values of a profile, and of their index by context.
struct StoredValue {
  static constexpr uint64_t kMetric = 0x00, kValue = 0x02, kEnd = 0x0a;
};
struct ContextIndex {
  static constexpr uint64_t kContext = 0x00, kEnd = 0x0c;
};

struct ProfileInfo {  // {PI}, which begins with a [PSVB]
  static constexpr uint64_t kEnd = 0x2c;
  ProfileInfo(const Fields& f, const Bytes& file);
  Array values;
  Array contexts;  // index of the values, ascending by context
  uint64_t identity;
  bool is_summary;
  bool cut;  // a part of it lies outside the file
};

struct Identifier {
  uint8_t kind = 0;
  uint64_t value = 0;  // the logical number where there is one, else the physical
};
/// At most 32 of them: there are eight kinds.
std::vector<Identifier> read_identifier_tuple(const Bytes& file, uint64_t at);

// ---- cct.db ----

/// An element of the values of a context, and of their index by metric.
struct ContextValue {
  static constexpr uint64_t kProfile = 0x00, kValue = 0x04, kEnd = 0x0c;
};
struct MetricIdIndex {
  static constexpr uint64_t kMetric = 0x00, kEnd = 0x0a;
};

struct ContextInfo {  // {CI}, which is a [CSVB]
  static constexpr uint64_t kEnd = 0x20;
  ContextInfo(const Fields& f, const Bytes& file)
      : values(file.clip({f.u64(0x08), f.u64(0x00), ContextValue::kEnd}, ContextValue::kEnd)),
        metrics(file.clip({f.u64(0x18), f.u16(0x10), MetricIdIndex::kEnd}, MetricIdIndex::kEnd)) {}
  Array values;
  Array metrics;  // index of the values, ascending by metric
};

// ---- trace.db ----

struct TraceElement {
  static constexpr uint64_t kTimestamp = 0x00, kContext = 0x08, kEnd = 0x0c;
};

struct ContextTraces {
  static constexpr uint64_t kEnd = 0x20;
  ContextTraces(const Fields& f, const Bytes&) : traces{f.u64(0x00), f.u32(0x08), f.u8(0x0c)}, earliest(f.u64(0x10)) {}
  Array traces;
  uint64_t earliest;  // ns since 1970
};

struct ContextTrace {  // {CTH}
  static constexpr uint64_t kEnd = 0x18;
  ContextTrace(const Fields& f, const Bytes& file);
  uint32_t profile;
  Array elements;
  bool cut;
};

}  // namespace cgpu::hpctoolkit
