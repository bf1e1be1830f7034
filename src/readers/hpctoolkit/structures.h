// The structures on disk of a database of HPCToolkit 4: one struct and one read function each, named as in the format's
// own description (FORMATS.md in every database); layout.h says where the fields are. A read function gives none
// where the structure does not lie in the file; arrays are cut to what does. All pointers are offsets in the file, 0
// for null.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "readers/common/bytes.h"

namespace cgpu::hpctoolkit {

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
bool has_footer(std::string_view bytes, std::string_view footer);

// ---- meta.db ----

struct GeneralProperties {
  uint64_t title = 0;
  uint64_t description = 0;
};
std::optional<GeneralProperties> read_general_properties(const Bytes& file, uint64_t at);

struct IdentifierNames {
  Array names;  // of pointers to text
};
std::optional<IdentifierNames> read_identifier_names(const Bytes& file, uint64_t at);

struct PerformanceMetrics {
  Array metrics;
  uint64_t scope_instance_stride = 0;
  uint64_t summary_stride = 0;
};
std::optional<PerformanceMetrics> read_performance_metrics(const Bytes& file, uint64_t at);

struct MetricDescription {
  uint64_t name = 0;
  Array scope_instances;
  Array summaries;
};
std::optional<MetricDescription> read_metric_description(const Bytes& file, uint64_t at, const PerformanceMetrics& of);

/// What a value of a metric covers.
enum class Scope : uint8_t { custom = 0, point = 1, execution = 2, transitive = 3 };
struct PropagationScope {
  uint64_t name = 0;
  Scope type = Scope::custom;
};
std::optional<PropagationScope> read_propagation_scope(const Bytes& file, uint64_t at);

struct ScopeInstance {
  uint64_t scope = 0;
  uint16_t metric_id = 0;  // in the profiles of threads and streams, and in cct.db
};
std::optional<ScopeInstance> read_scope_instance(const Bytes& file, uint64_t at);

enum class Combination : uint8_t { sum = 0, min = 1, max = 2 };
struct SummaryStatistic {
  uint64_t scope = 0;
  uint64_t formula = 0;
  Combination combine = Combination::sum;
  uint16_t metric_id = 0;  // in the summary profile
};
std::optional<SummaryStatistic> read_summary_statistic(const Bytes& file, uint64_t at);

struct LoadModule {
  uint64_t path = 0;
};
std::optional<LoadModule> read_load_module(const Bytes& file, uint64_t at);

struct SourceFile {
  uint64_t path = 0;
};
std::optional<SourceFile> read_source_file(const Bytes& file, uint64_t at);

struct Function {
  uint64_t name = 0;
  uint64_t module = 0;
  uint64_t file = 0;
  uint32_t line = 0;
};
std::optional<Function> read_function(const Bytes& file, uint64_t at);

struct ContextTree {
  Array entry_points;
};
std::optional<ContextTree> read_context_tree(const Bytes& file, uint64_t at);

/// The children of a node: structures of unequal size, one behind the other.
struct Children {
  uint64_t size = 0;  // bytes
  uint64_t offset = 0;
};
struct EntryPoint {
  Children children;
  uint32_t context = 0;
  uint16_t kind = 0;  // 0 unknown, 1 main thread, 2 application thread
  uint64_t name = 0;
};
std::optional<EntryPoint> read_entry_point(const Bytes& file, uint64_t at);

/// To the parent.
enum class Relation : uint8_t { lexical = 0, call = 1, inlined_call = 2 };
enum class LexicalType : uint8_t { function = 0, loop = 1, line = 2, instruction = 3 };
struct Context {
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

struct ProfileInfos {
  Array profiles;
};
std::optional<ProfileInfos> read_profile_infos(const Bytes& file, uint64_t at);

struct ProfileInfo {
  Array values;
  Array contexts;  // index of the values, ascending by context
  uint64_t identity = 0;
  bool is_summary = false;
  bool cut = false;  // a part of it lies outside the file
};
std::optional<ProfileInfo> read_profile_info(const Bytes& file, uint64_t at);

struct Identifier {
  uint8_t kind = 0;
  uint64_t value = 0;  // the logical number where there is one, else the physical
};
/// At most 32 of them: there are eight kinds.
std::vector<Identifier> read_identifier_tuple(const Bytes& file, uint64_t at);

// ---- cct.db ----

struct ContextInfos {
  Array contexts;  // by context id
};
std::optional<ContextInfos> read_context_infos(const Bytes& file, uint64_t at);

struct ContextInfo {
  Array values;
  Array metrics;  // index of the values, ascending by metric
};
std::optional<ContextInfo> read_context_info(const Bytes& file, uint64_t at);

// ---- trace.db ----

struct ContextTraces {
  Array traces;
  uint64_t earliest = 0;  // ns since 1970
};
std::optional<ContextTraces> read_context_traces(const Bytes& file, uint64_t at);

struct ContextTrace {
  uint32_t profile = 0;
  Array elements;
  bool cut = false;
};
std::optional<ContextTrace> read_context_trace(const Bytes& file, uint64_t at);

}  // namespace cgpu::hpctoolkit
