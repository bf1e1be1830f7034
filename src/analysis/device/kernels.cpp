// Tables `kernels` and `kernel_classes`. O(n) in the device ops, besides sorting the rows.
#include <algorithm>
#include <array>
#include <numeric>

#include "analysis/common/columns.h"
#include "analysis/common/duration_table.h"
#include "analysis/common/groups_by_name.h"
#include "analysis/common/listed_values.h"
#include "analysis/common/slices_by_name.h"
#include "analysis/device/device_ops.h"
#include "analysis/device/kernel_groups.h"
#include "analysis/tables.h"
#include "kernels/kernel_class.h"
#include "kernels/names.h"

namespace cgpu {

namespace {

class Kernels {
 public:
  Kernels(const Analysis&, const TableOptions& options)
      : base_names_(has_base_names(options)), kernels_(base_names_ ? base_kernel_name : MergedNames::Spelling()) {}

  void update(const RunInSession& run) {
    const Timeline& timeline = run.timeline();
    kernels_.enter(timeline.names);
    for_each_device_op(timeline, [&](OpIndex op, SliceIndex slice) {
      if (!is_kernel(timeline.kind(slice))) return;
      kernels_.of(timeline.slices.name[slice])
          .add(timeline.slices.duration[slice], timeline.device_ops.kernel_class[op]);
    });
  }
  void combine(Kernels&& other) { kernels_.combine(std::move(other.kernels_)); }
  void append_rows(Table& table, const RunIndex&) {
    if (base_names_) table.columns[0].about = kAboutBaseNames;
    int64_t whole = 0;
    kernels_.for_each([&](std::string_view, const KernelsOfName& kernel) { whole += kernel.durations.total(); });
    kernels_.for_each([&](std::string_view name, const KernelsOfName& kernel) {
      if (kernel.durations.count() == 0) return;
      Row row = {cell(name), cell(text_of(kernel.kernel_class()))};
      append_durations(row, kernel.durations, whole);
      table.append(row);
    });
    sort_most_first(table, "total_ns");
  }
  template <typename Archive>
  void members(Archive& archive) {
    archive(kernels_);
  }

 private:
  bool base_names_;
  GroupsByName<KernelsOfName> kernels_;
};

class KernelClasses {
 public:
  KernelClasses(const Analysis&, const TableOptions&) {}

  void update(const RunInSession& run) {
    const Timeline& timeline = run.timeline();
    for_each_device_op(timeline, [&](OpIndex op, SliceIndex slice) {
      const auto number = static_cast<size_t>(class_of(timeline, op));
      ++count_[number];
      total_[number] += timeline.slices.duration[slice];
    });
  }
  void combine(KernelClasses&& other) {
    for (size_t number = 0; number < count_.size(); ++number) {
      count_[number] += other.count_[number];
      total_[number] += other.total_[number];
    }
  }
  void append_rows(Table& table, const RunIndex&) {
    const int64_t whole = std::accumulate(total_.begin(), total_.end(), int64_t{0});
    std::vector<size_t> order;
    for (size_t number = 0; number < count_.size(); ++number) {
      if (count_[number] > 0) order.push_back(number);
    }
    std::ranges::stable_sort(order, [&](size_t a, size_t b) { return total_[a] > total_[b]; });
    for (const size_t number : order) {
      table.append({cell(text_of(static_cast<KernelClass>(number))), count_[number], total_[number],
                    percent_of(total_[number], whole)});
    }
  }
  template <typename Archive>
  void members(Archive& archive) {
    archive(count_, total_);
  }

 private:
  std::array<int64_t, kKernelClasses> count_{};
  std::array<int64_t, kKernelClasses> total_{};
};

}  // namespace

Analysis kernels_analysis() {
  Analysis analysis{.name = "kernels",
                    .about = "time of the kernels and device collectives by name",
                    .aliases = {"cuda_gpu_kern_sum", "gpukernsum"},
                    .columns = {key_column("name", "full demangled name"),
                                text_column("class", "what kind of work it does: as in kernel_classes")},
                    .options = {kNamesOption, kernel_groups_option()},
                    .applies = [](const ProfileCounts& counts) { return counts.kernels() > 0; },
                    .row_slices = {{"name"},
                                   [](const SessionFacts& facts, const TableOptions& options, const auto& visit) {
                                     return visit_slices_by_name(
                                         facts.session(), is_kernel,
                                         has_base_names(options) ? base_kernel_name : MergedNames::Spelling(), visit);
                                   }},
                    .fold =
                        [](const Analysis& kernels, const TableOptions& options) {
                          const bool is_grouped = !options.chosen(kernel_groups_option()).empty();
                          return is_grouped ? fold_kernels_by_group(kernels, options)
                                            : fold_of<Kernels>(kernels, options);
                        }};
  append_duration_columns(analysis.columns, "kernels of this name");
  return analysis;
}

Analysis kernel_classes_analysis() {
  return {
      .name = "kernel_classes",
      .about = "time of the device ops by class of work",
      .columns = {key_column("class", "what kind of work it is: " + listed_values(KernelClass::unknown)),
                  count_column("count", "device ops of this class"), time_column("total_ns", "sum of the durations"),
                  real_column("pct", "%", "share of the total_ns of all rows")},
      .applies = [](const ProfileCounts& counts) { return counts.device_ops > 0; },
      .fold = fold_of<KernelClasses>};
}

}  // namespace cgpu
