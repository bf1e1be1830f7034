// Tables `kernels` and `kernel_classes`. O(n) in the device ops, besides sorting the rows.
#include <algorithm>
#include <array>

#include "analysis/columns.h"
#include "analysis/device_ops.h"
#include "analysis/duration_table.h"
#include "analysis/merged_names.h"
#include "analysis/tables.h"
#include "kernels/kernel_class.h"
#include "kernels/names.h"

namespace cgpu {

namespace {

struct Kernel {
  DurationStatistics durations;
  // Kernels of one base name may be of different classes; the row is given the one with the most time. An op weighs
  // its ns and one more, so that ops without length count too.
  std::array<int64_t, kKernelClasses> weight{};

  KernelClass kernel_class() const {
    return static_cast<KernelClass>(std::max_element(weight.begin(), weight.end()) - weight.begin());
  }
};

/// Copies and memsets are of their class whatever the dictionary says of their names.
KernelClass class_of(const Timeline& timeline, OpIndex op, SliceIndex slice) {
  switch (timeline.kind(slice)) {
    case SliceKind::memcpy:
      return KernelClass::copy;
    case SliceKind::memset:
      return KernelClass::set;
    default:
      return static_cast<KernelClass>(timeline.device_ops.kernel_class[op]);
  }
}

}  // namespace

Table kernels_table(const Session& session, const AnalysisOptions& options) {
  Table table{"kernels", "time of the kernels and device collectives by name"};
  table.columns = {text_column("name", options.base_names ? "short name: no template arguments, no parameters"
                                                          : "full demangled name"),
                   text_column("class", "what kind of work it does")};
  append_duration_columns(table.columns, "kernels of this name");

  MergedNames names(options.base_names ? base_kernel_name : MergedNames::Spelling());
  std::vector<Kernel> kernels;
  int64_t whole = 0;
  for (const Run& run : session.runs) {
    const Timeline& timeline = run.timeline;
    names.enter(timeline.names);
    for_each_device_op(timeline, [&](OpIndex op, SliceIndex slice) {
      const SliceKind kind = timeline.kind(slice);
      if (kind == SliceKind::memcpy || kind == SliceKind::memset) return;
      const int64_t duration = timeline.slices.duration[slice];
      Kernel& kernel = entry(kernels, names.number(timeline.slices.name[slice]));
      kernel.durations.add(duration);
      kernel.weight[timeline.device_ops.kernel_class[op]] += duration + 1;
      whole += duration;
    });
  }
  for (StringId number = 0; number < kernels.size(); ++number) {
    const Kernel& kernel = kernels[number];
    if (kernel.durations.count() == 0) continue;
    Row row = {cell(names.text(number)), cell(text_of(kernel.kernel_class()))};
    append_durations(row, kernel.durations, whole);
    table.append(std::move(row));
  }
  sort_most_first(table, "total_ns");
  return table;
}

Table kernel_classes_table(const Session& session, const AnalysisOptions&) {
  Table table{
      "kernel_classes",
      "time of the device ops by class of work",
      {text_column("class", "what kind of work it is"), count_column("count", "device ops of this class"),
       time_column("total_ns", "sum of the durations"), real_column("pct", "%", "share of the total_ns of all rows")}};

  std::array<int64_t, kKernelClasses> count{};
  std::array<int64_t, kKernelClasses> total{};
  int64_t whole = 0;
  for (const Run& run : session.runs) {
    for_each_device_op(run.timeline, [&](OpIndex op, SliceIndex slice) {
      const auto number = static_cast<size_t>(class_of(run.timeline, op, slice));
      const int64_t duration = run.timeline.slices.duration[slice];
      ++count[number];
      total[number] += duration;
      whole += duration;
    });
  }
  std::vector<size_t> order;
  for (size_t number = 0; number < count.size(); ++number) {
    if (count[number] > 0) order.push_back(number);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return total[a] > total[b]; });
  for (const size_t number : order) {
    table.append({cell(text_of(static_cast<KernelClass>(number))), count[number], total[number],
                          percent_of(total[number], whole)});
  }
  return table;
}

}  // namespace cgpu
