#include "readers/ascend/facts.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>

#include "base/contains.h"
#include "base/credentials.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/rule_lines.h"
#include "base/text_source.h"
#include "readers/ascend/names.h"
#include "readers/common/csv_table.h"
#include "readers/common/int32_or_none.h"
#include "readers/common/sqlite/database.h"

namespace cgpu::ascend {

namespace {

namespace dom = simdjson::dom;

constexpr size_t kFirstRead = size_t{64} << 10;
constexpr size_t kMostBytesOfJson = size_t{256} << 20;

/// Keys of profiler_info_*.json that are shown, wherever they are.
constexpr std::array<std::string_view, 10> kShownKeys{
    "_profiler_level", "_aic_metrics", "_export_type", "_l2_cache",         "record_shapes",
    "profile_memory",  "with_stack",   "with_modules", "torch_npu_version", "cann_version"};
constexpr std::array<std::string_view, 5> kShownSizes{"tensor_model_parallel_size", "pipeline_model_parallel_size",
                                                      "data_parallel_size", "context_parallel_size",
                                                      "expert_model_parallel_size"};

/// The whole file, parsed; what is wrong with it goes into the notes.
bool parse_file(const std::string& path, Facts& facts, dom::parser& parser, dom::element& root) {
  std::string text;
  std::string wrong;
  try {
    const auto source = open_text(path);
    for (size_t size = kFirstRead; text.size() <= kMostBytesOfJson; size = text.size()) {
      const size_t before = text.size();
      text.resize(before + size);
      text.resize(before + source->read(text.data() + before, size));
      if (text.size() < before + size) break;
    }
    wrong = source->damage();
  } catch (const Error& error) {
    wrong = error.what();
  }
  if (wrong.empty() && text.size() > kMostBytesOfJson) wrong = "is larger than any that a profiler writes";
  if (wrong.empty()) {
    const simdjson::error_code code = parser.parse(text).get(root);
    if (!code) return true;
    wrong = fmt::format("is no JSON ({})", simdjson::error_message(code));
  }
  facts.notes.add("damaged_input", 1, path.substr(path.rfind('/') + 1) + " was left out: " + wrong, true);
  return false;
}

/// A whole number, also where it is written as text.
std::optional<int64_t> whole_number(dom::element element) {
  int64_t value = 0;
  std::string_view text;
  if (!element.get(value)) return value;
  if (element.get(text)) return std::nullopt;
  const auto decimal = Decimal::parse(trim(text));
  return decimal ? decimal->scaled(0) : std::nullopt;
}

std::optional<int64_t> whole_number(dom::object object, std::string_view key) {
  dom::element element;
  return object[key].get(element) ? std::nullopt : whole_number(element);
}

std::string shown(dom::element element) {
  std::string_view text;
  return element.get(text) ? simdjson::to_string(element) : std::string(text);
}

void add_shown_keys(dom::object object, Facts& facts, int depth = 0) {
  for (const auto& [key, value] : object) {
    dom::object inner;
    if (contains(kShownKeys, key)) {
      std::string text = shown(value);
      if (!is_secret_value(text)) facts.metadata.emplace_back(key.substr(key.find_first_not_of('_')), std::move(text));
    } else if (depth < 3 && !value.get(inner)) {
      add_shown_keys(inner, facts, depth + 1);
    }
  }
}

/// "0-3,8" of sorted numbers.
std::string ranges_text(const std::vector<int64_t>& numbers) {
  std::string text;
  for (size_t first = 0; first < numbers.size();) {
    size_t last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(numbers[first]);
    if (last > first) text += '-' + std::to_string(numbers[last]);
    first = last + 1;
  }
  return text;
}

GroupLabel label_of(const ParallelGroup& group) {
  return {group.description + " [" + ranges_text(group.ranks) + "]", static_cast<int32_t>(group.ranks.size())};
}

std::optional<int64_t> nanoseconds(std::string_view microseconds) {
  return nanoseconds_from_microseconds(trim(microseconds));
}

}  // namespace

GroupLabel Facts::label_of_id(const std::string& id) const {
  const auto known = group_with.find(id);
  return known != group_with.end() ? label_of(groups[known->second]) : GroupLabel{id, -1};
}

GroupLabel Facts::group_of(std::string_view op) const {
  const auto known = group_of_op.find(std::string(op));
  if (known != group_of_op.end()) return label_of_id(known->second);
  const std::string digits = group_digits(op);
  if (digits.empty()) return {};
  const ParallelGroup* only = nullptr;
  for (const auto& [id, place] : group_with) {
    if (!id.ends_with(digits)) continue;
    if (only != nullptr) return {digits, -1};  // two groups may be meant
    only = &groups[place];
  }
  return only != nullptr ? label_of(*only) : GroupLabel{digits, -1};
}

void read_profiler_info(const std::string& path, Facts& facts) {
  dom::parser parser;
  dom::element root;
  dom::object object;
  if (!parse_file(path, facts, parser, root) || root.get(object)) return;
  const auto rank = whole_number(object, "rank_id");
  if (rank && *rank >= 0) facts.rank = rank;
  add_shown_keys(object, facts);
}

void read_profiler_metadata(const std::string& path, Facts& facts) {
  dom::parser parser;
  dom::element root;
  dom::object object;
  if (!parse_file(path, facts, parser, root) || root.get(object)) return;
  dom::object sizes;
  if (!object["distributed_args"].get(sizes)) {
    const auto rank = whole_number(sizes, "rank");
    if (!facts.rank && rank && *rank >= 0) facts.rank = rank;
    facts.world_size = whole_number(sizes, "world_size");
    for (const auto& [key, value] : sizes) {
      if (contains(kShownSizes, key)) facts.metadata.emplace_back(key, shown(value));
    }
  }
  dom::object groups;
  if (object["parallel_group_info"].get(groups)) return;
  for (const auto& [name, value] : groups) {
    dom::object described;
    dom::array ranks;
    if (value.get(described) || described["global_ranks"].get(ranks)) continue;
    ParallelGroup group;
    group.name = std::string(name);
    group.backend = "hccl";
    dom::element description;
    if (!described["group_name"].get(description)) group.description = shown(description);
    group.place = whole_number(described, "group_rank");
    for (dom::element rank : ranks) {
      if (const auto number = whole_number(rank)) group.ranks.push_back(*number);
    }
    std::sort(group.ranks.begin(), group.ranks.end());
    group.size = static_cast<int64_t>(group.ranks.size());
    if (!group.ranks.empty()) facts.group_with.emplace(group_id(group.name), facts.groups.size());
    facts.groups.push_back(std::move(group));
  }
}

void read_communication(const std::string& path, Facts& facts) {
  dom::parser parser;
  dom::element root;
  dom::object steps;
  if (!parse_file(path, facts, parser, root) || root.get(steps)) return;
  for (const auto& [step, kinds] : steps) {
    dom::object by_kind;
    if (kinds.get(by_kind)) continue;
    for (const auto& [kind, collectives] : by_kind) {
      dom::object ops;
      if (collectives.get(ops)) continue;
      for (const auto& [op, figures] : ops) {
        const size_t at = op.rfind('@');
        if (at != std::string_view::npos) facts.group_of_op.emplace(op.substr(0, at), op.substr(at + 1));
      }
    }
  }
}

void read_step_trace(const std::string& path, Facts& facts) {
  try {
    const auto source = open_text(path);
    CsvTable table(*source);
    const auto field = [&](std::string_view name) { return trim(table.text(table.column({name}))); };
    while (table.next()) {
      StepTrace& step = facts.step_traces.emplace_back();
      const auto device = Decimal::parse(field("Device_id"));
      step.device = int32_or_none(device ? device->scaled(0) : std::nullopt);
      step.step = field("Step");
      step.computing = nanoseconds(field("Computing"));
      step.communication = nanoseconds(field("Communication"));
      step.not_overlapped = nanoseconds(field("Communication(Not Overlapped)"));
      step.overlapped = nanoseconds(field("Overlapped"));
      step.free = nanoseconds(field("Free"));
    }
  } catch (const Error& error) {
    facts.notes.add("damaged_input", 1, std::string("step_trace_time.csv was left out: ") + error.what(), true);
  }
}

void read_analysis_database(const std::string& path, Facts& facts) {
  try {
    sqlite::Database database(path, path);
    sqlite::Scan scan(
        database, "StepTraceTime",
        {"deviceId", "step", "computing", "communication", "communication_not_overlapped", "overlapped", "free"});
    while (scan.next()) {
      StepTrace& step = facts.step_traces.emplace_back();
      step.device = scan.is_null(0) ? -1 : int32_or_none(scan.integer(0));
      step.step = scan.text(1);
      step.computing = nanoseconds(scan.text(2));
      step.communication = nanoseconds(scan.text(3));
      step.not_overlapped = nanoseconds(scan.text(4));
      step.overlapped = nanoseconds(scan.text(5));
      step.free = nanoseconds(scan.text(6));
    }
    if (!scan.error().empty()) throw Error(scan.error());
    sqlite::Scan ops(database, "CommAnalyzerTime", {"hccl_op_name", "group_name"});
    while (ops.next()) {
      std::string op(ops.text(0));
      facts.group_of_op.emplace(std::move(op), ops.text(1));
    }
  } catch (const Error& error) {
    facts.notes.add("damaged_input", 1, std::string("analysis.db was read in part: ") + error.what(), true);
  }
}

void apply(const Facts& facts, Run& run) {
  if (facts.rank) {
    run.rank = *facts.rank;
    run.rank_known = true;
  }
  run.world_size = facts.world_size;
  run.groups = facts.groups;
  run.metadata.insert(run.metadata.end(), facts.metadata.begin(), facts.metadata.end());
  run.step_traces = facts.step_traces;
  run.notes.merge(facts.notes);
}

}  // namespace cgpu::ascend
