#include "export/chakra_communication.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/parse_number.h"
#include "links/collective_series.h"
#include "model/element_types.h"
#include "model/transfer_list.h"

namespace cgpu {

namespace {

/// By the letters of the names of profiles and libraries: "_reduce_scatter_base", "ncclAllReduce", "alltoallv". In the
/// name of a kernel that nothing else is known of, words that other kernels have too count only by themselves.
std::optional<int64_t> collective_type(const std::string& name, bool is_recorded) {
  static constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"barrier", "barrier"},      {"allreduce", "all_reduce"}, {"reducescatter", "reduce_scatter"},
      {"allgather", "all_gather"}, {"alltoall", "all_to_all"},  {"broadcast", "broadcast"},
      {"gather", "gather"},        {"scatter", "scatter"},      {"reduce", "reduce"}};
  const std::string letters = letters_of(name);
  for (const auto& [word, type] : kWords) {
    const bool is_common = word == "gather" || word == "scatter" || word == "reduce" || word == "broadcast";
    if (is_common && !is_recorded ? letters != word : letters.find(word) == std::string::npos) continue;
    return std::find(chakra::kCollectiveTypes.begin(), chakra::kCollectiveTypes.end(), type) -
           chakra::kCollectiveTypes.begin();
  }
  return std::nullopt;
}

/// What a rank puts into a collective; of those in which all have as many elements before and after, also what it gets.
std::optional<int64_t> elements_of(const Collective& record, std::optional<int64_t> type) {
  if (is_transfer(record) || !type) {
    const int64_t more = std::max(record.elements_in, record.elements_out);
    return more >= 0 ? std::optional(more) : std::nullopt;
  }
  const std::string_view name = chakra::kCollectiveTypes[static_cast<size_t>(*type)];
  const bool same = name == "all_reduce" || name == "all_to_all" || name == "broadcast" || name == "reduce";
  const int64_t elements = record.elements_in > 0 || !same ? record.elements_in : record.elements_out;
  return elements >= 0 ? std::optional(elements) : std::nullopt;
}

}  // namespace

GroupNumbers::GroupNumbers(const Session& session) {
  std::set<std::string> names;
  for (const Run& run : session.runs) {
    for (const ParallelGroup& group : run.groups) names.insert(group.name);
    for (const Collective& record : run.timeline.collectives) {
      if (record.group != 0) names.emplace(run.timeline.names[record.group]);
    }
  }
  const auto number_of = [](const std::string& name) {
    const auto number = parse_number(name);
    return number && *number >= 0 && *number < INT32_MAX ? number : std::nullopt;
  };
  int64_t largest = 0;  // 0 is the group of all ranks
  for (const std::string& name : names) largest = std::max(largest, number_of(name).value_or(0));
  for (const std::string& name : names) {
    const auto own = number_of(name);
    numbers_.emplace(name, own ? name : std::to_string(++largest));
  }
}

RunCommunication::RunCommunication(const SessionFacts& facts, size_t number, const GroupNumbers& groups) {
  const Run& run = facts.run(number);
  std::unordered_map<SliceIndex, std::vector<const Collective*>> records;
  for (const Collective& record : run.timeline.collectives) records[record.slice].push_back(&record);
  for (const CollectiveSeries& series : facts.collectives()) {
    for (const CollectiveMember& member : series.members) {
      if (member.run != number) continue;
      for (const CollectivePart part : series.parts_of(member)) {
        const auto found = records.find(part.slice);
        const size_t place = of_op_[part.slice].size();  // parts of an op are in the order of its records
        const bool has = found != records.end() && place < found->second.size();
        add(run, series, part, has ? found->second[place] : nullptr, groups);
      }
    }
  }
}

void RunCommunication::add(const Run& run, const CollectiveSeries& series, const CollectivePart& part,
                           const Collective* record, const GroupNumbers& groups) {
  ChakraCommunication& added = of_op_[part.slice].emplace_back();
  const std::string& name = series.name;
  if (record != nullptr && is_transfer(*record)) {
    added.type = record->to >= 0 ? chakra::NodeType::kSend : chakra::NodeType::kReceive;
  } else if (name == "send" || name == "recv" || name == "receive") {
    added.type = name == "send" ? chakra::NodeType::kSend : chakra::NodeType::kReceive;
  } else if ((added.collective = collective_type(name, record != nullptr && record->name != 0))) {
    added.type = chakra::NodeType::kCollective;
  }
  if (record == nullptr) return;
  if (const auto elements = elements_of(*record, added.collective)) {
    const auto size = element_size(run.timeline.names[record->type]);
    int64_t bytes = 0;
    if (size && !__builtin_mul_overflow(*elements, *size, &bytes)) added.bytes = bytes;
  }
  if (record->group != 0) added.group = groups.of(std::string(run.timeline.names[record->group]));
  if (!is_transfer(*record)) return;
  const auto own = run.rank_known ? std::optional(run.rank) : std::nullopt;
  added.from = record->from >= 0 ? std::optional<int64_t>(record->from) : own;
  added.to = record->to >= 0 ? std::optional<int64_t>(record->to) : own;
  if (series.of_transfers) added.tag = part.instance;
}

std::span<const ChakraCommunication> RunCommunication::of(SliceIndex op) const {
  const auto found = of_op_.find(op);
  return found == of_op_.end() ? std::span<const ChakraCommunication>() : found->second;
}

}  // namespace cgpu
