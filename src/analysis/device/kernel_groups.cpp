#include "analysis/device/kernel_groups.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/common/columns.h"
#include "analysis/common/duration_table.h"
#include "analysis/common/slices_by_name.h"
#include "analysis/device/device_ops.h"
#include "analysis/host/launch_origins.h"
#include "kernels/names.h"

namespace cgpu {

namespace kernel_groups {

/// A value of what is grouped by: a number or a text; absent where an op has none.
using Value = std::pair<std::optional<int64_t>, std::optional<std::string>>;
/// The value for an op, as a number that is the same for equal values of a run, and what it means.
struct Dimension {
  std::function<int64_t(OpIndex)> number;
  std::function<Value(int64_t)> value;
};

constexpr int64_t kAbsent = INT64_MIN;

Dimension of_numbers(std::function<int64_t(OpIndex)> number) {
  return {std::move(number), [](int64_t of) { return of == kAbsent ? Value() : Value(of, std::nullopt); }};
}

Dimension by_step(const RunInSession& run) {
  return of_numbers(
      [steps = steps_of_launches(run.facts, run.index)](OpIndex op) { return steps[op].value_or(kAbsent); });
}

Dimension by_origin(const RunInSession& run, LaunchOrigin origin) {
  const auto found = std::make_shared<const TextsOfOps>(find_launch_origins(run.facts, run.index, origin));
  return {[found](OpIndex op) { return int64_t{found->of_op[op]}; },
          [found](int64_t id) {
            if (id == StringPool::absent) return Value();
            return Value(std::nullopt, std::string(found->texts[static_cast<StringId>(id)]));
          }};
}

struct Group {
  Column column;
  Dimension (*of_run)(const RunInSession& run);
};

template <LaunchOrigin origin>
Group group_of_origin() {
  return {key_column(text_of(origin), about_of(origin)),
          [](const RunInSession& run) { return by_origin(run, origin); }};
}

const std::vector<Group>& groups() {
  static const std::vector<Group> all = {
      {rank_column(),
       [](const RunInSession& run) { return of_numbers([rank = run.run().rank](OpIndex) { return rank; }); }},
      {device_column(),
       [](const RunInSession& run) {
         return of_numbers([&ops = run.timeline().device_ops](OpIndex op) { return int64_t{ops.device[op]}; });
       }},
      {stream_column(),
       [](const RunInSession& run) {
         return of_numbers([&ops = run.timeline().device_ops](OpIndex op) { return ops.stream[op]; });
       }},
      {launch_step_column(), by_step},
      group_of_origin<LaunchOrigin::op>(),
      group_of_origin<LaunchOrigin::module>(),
      group_of_origin<LaunchOrigin::range>()};
  return all;
}

const Group& group_called(const std::string& name) {
  return *std::find_if(groups().begin(), groups().end(), [&](const Group& group) { return group.column.name == name; });
}

class KernelsByGroup {
 public:
  KernelsByGroup(const Analysis&, const TableOptions& options)
      : base_names_(has_base_names(options)), by_(options.chosen(kernel_groups_option())) {}

  void update(const RunInSession& run) {
    std::vector<Dimension> dimensions;
    for (const std::string& name : by_) dimensions.push_back(group_called(name).of_run(run));
    const Timeline& timeline = run.timeline();
    std::map<std::vector<int64_t>, KernelsOfName> rows;  // by the numbers of the groups and the name
    std::vector<int64_t> key(dimensions.size() + 1);
    for_each_device_op(timeline, [&](OpIndex op, SliceIndex slice) {
      if (!is_kernel(timeline.kind(slice))) return;
      for (size_t i = 0; i < dimensions.size(); ++i) key[i] = dimensions[i].number(op);
      key.back() = timeline.slices.name[slice];
      rows[key].add(timeline.slices.duration[slice], timeline.device_ops.kernel_class[op]);
    });
    for (auto& [numbers, kernels] : rows) {
      Key of_row;
      for (size_t i = 0; i < dimensions.size(); ++i) of_row.first.push_back(dimensions[i].value(numbers[i]));
      const std::string_view name = timeline.names[static_cast<StringId>(numbers.back())];
      of_row.second = base_names_ ? base_kernel_name(name) : std::string(name);
      rows_[std::move(of_row)].combine(std::move(kernels));
    }
  }
  void combine(KernelsByGroup&& other) {
    for (auto& [key, kernels] : other.rows_) rows_[key].combine(std::move(kernels));
  }
  void append_rows(Table& table, const RunIndex&) {
    if (base_names_) table.columns[0].about = kAboutBaseNames;
    for (size_t i = 0; i < by_.size(); ++i) {
      table.columns.insert(table.columns.begin() + static_cast<std::ptrdiff_t>(i), group_called(by_[i]).column);
    }
    int64_t whole = 0;
    for (const auto& [key, kernels] : rows_) whole += kernels.durations.total();
    for (const auto& [key, kernels] : rows_) {
      Row row;
      for (const auto& [number, text] : key.first) row.push_back(number ? Cell(*number) : cell(text));
      row.push_back(key.second);
      row.push_back(cell(text_of(kernels.kernel_class())));
      append_durations(row, kernels.durations, whole);
      table.append(row);
    }
    sort_most_first(table, "total_ns");
  }
  template <typename Archive>
  void members(Archive& archive) {
    archive(rows_);
  }

 private:
  using Key = std::pair<std::vector<Value>, std::string>;
  bool base_names_;
  std::vector<std::string> by_;
  std::map<Key, KernelsOfName> rows_;  // by the values of the groups and the name
};

}  // namespace kernel_groups

TableOption kernel_groups_option() {
  std::vector<std::string> names;
  for (const kernel_groups::Group& group : kernel_groups::groups()) names.push_back(group.column.name);
  return {.name = "by",
          .kind = TableOption::Kind::choices,
          .fallback = "",
          .about =
              "a row for each kernel and rank, device, stream, step, op, module or range that launched it; several "
              "separated by commas",
          .choices = std::move(names)};
}

std::unique_ptr<Partial> fold_kernels_by_group(const Analysis& kernels, const TableOptions& options) {
  return fold_of<kernel_groups::KernelsByGroup>(kernels, options);
}

}  // namespace cgpu
