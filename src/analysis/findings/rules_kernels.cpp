// Rules about what runs on the devices.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/device/device_models.h"
#include "analysis/findings/computing_ops.h"
#include "analysis/findings/rule_context.h"
#include "base/parse_number.h"
#include "kernels/fp32_products.h"
#include "kernels/kernel_class.h"
#include "kernels/names.h"
#include "table/units.h"

namespace cgpu {

namespace {

struct KernelTime {
  int64_t time = 0;
  int64_t count = 0;
};

bool multiplies_without_tensor_cores(std::string_view name) {
  return fp32_products_of(name) == Fp32Products::vector_units;
}

/// The peak rates of a session's devices for products in fp32 and TF32, in FLOP/s; absent where one is not known.
std::optional<std::pair<double, double>> fp32_and_tf32(const Session& session) {
  DeviceModels models;
  for (const Run& run : session.runs) models.add(run);
  const std::optional<DevicePeaks> peaks = models.peaks();
  const std::optional<double> fp32 = peaks ? peaks->flops_of("fp32") : std::nullopt;
  const std::optional<double> tf32 = peaks ? peaks->flops_of("tf32") : std::nullopt;
  if (!fp32 || !tf32 || *fp32 <= 0 || *tf32 <= *fp32) return std::nullopt;
  return std::pair(*fp32, *tf32);
}

/// Whether a device has tensor cores that take fp32 (as TF32): from compute capability 8.0 on.
bool has_tensor_cores(const Run& run) {
  return std::any_of(run.devices.begin(), run.devices.end(), [](const Device& device) {
    return device.vendor == "NVIDIA" && parse_number<double>(device.compute_capability).value_or(0) >= 8;
  });
}

/// Kernels whose ops reach more than the vector units can, whatever their names say.
std::set<std::string> faster_than_vector_units(RuleContext& context, std::optional<double> fp32) {
  constexpr double kFastest = 170e12;  // FLOP/s of vector units that are known
  std::set<std::string> faster;
  for (const CostedWork& work : context.costed_work()) {
    if (!work.cost.flops || work.median_ns <= 0 || !multiplies_without_tensor_cores(work.kernel)) continue;
    const double rate = static_cast<double>(*work.cost.flops) / static_cast<double>(work.median_ns) * 1e9;
    if (rate > fp32.value_or(kFastest)) faster.insert(work.kernel);
  }
  return faster;
}

void find_fp32_matrices(RuleContext& context, std::vector<Finding>& findings) {
  const Session& session = context.session();
  std::vector<std::vector<int8_t>> known;  // by run, by name: whether it is one; -1 not asked
  KernelTime found;
  std::string example;
  for (const Run& one : session.runs) known.emplace_back(one.timeline.names.size(), int8_t{-1});
  const auto rates = fp32_and_tf32(session);
  std::optional<std::set<std::string>> fast_kernels;
  const auto is_on_vector_units = [&](std::string_view name) {
    if (!multiplies_without_tensor_cores(name)) return false;
    if (!fast_kernels)
      fast_kernels = faster_than_vector_units(context, rates ? std::optional(rates->first) : std::nullopt);
    return !fast_kernels->contains(std::string(name));
  };
  for_each_kernel(session, [&](size_t number, SliceIndex slice, KernelClass kernel_class) {
    if (kernel_class != KernelClass::gemm && kernel_class != KernelClass::convolution) return;
    if (!has_tensor_cores(session.runs[number])) return;
    const Timeline& t = session.runs[number].timeline;
    int8_t& is_one = known[number][t.slices.name[slice]];
    if (is_one < 0) is_one = is_on_vector_units(t.name(slice)) ? 1 : 0;
    if (is_one == 0) return;
    found.time += t.slices.duration[slice];
    ++found.count;
    if (example.empty()) example = base_kernel_name(t.name(slice));
  });
  if (static_cast<double>(found.time) < context.thresholds().noticeable * static_cast<double>(context.measured()))
    return;
  const auto by_name = std::make_shared<std::vector<std::vector<bool>>>();  // by run of the whole, by name
  for (const Run& one : context.facts().whole().session().runs) {
    std::vector<bool>& of_run = by_name->emplace_back();
    for (StringId name = 0; name < one.timeline.names.size(); ++name) {
      of_run.push_back(is_on_vector_units(one.timeline.names[name]));
    }
  }
  const auto if_they_took = [&whole = context.facts().whole(), by_name](double factor) {
    EdgeTimes::Scenario faster;
    faster.op_factor = [&whole, by_name, factor](size_t number, SliceIndex op) {
      return (*by_name)[number][whole.run(number).timeline.slices.name[op]] ? factor : 1.0;
    };
    return faster;
  };
  constexpr double kHalf = 0.5;  // of their time, where the rates are not known, and at least
  findings.push_back(
      {.rule = "tensor_cores_unused",
       .title = fmt::format("Matrices are multiplied in fp32 without tensor cores for {}", context.in_all(found.time)),
       .evidence = fmt::format(
           "{} such as {}; recoverable if they {}", format_count(found.count, "launch", "launches"), example,
           rates ? fmt::format("ran as much faster as the peak for TF32 ({}) is above that for fp32 ({})",
                               format_rate(rates->second, "FLOP/s"), format_rate(rates->first, "FLOP/s"))
                 : "took half of their time"),
       .suggestion = "Allow TF32 (torch.set_float32_matmul_precision(\"high\")) or use bf16 (autocast) where the "
                     "accuracy allows it",
       .command = "kernels --where 'class = gemm'",
       .confidence = Confidence::medium,
       .remedy = if_they_took(rates ? rates->first / rates->second : kHalf),
       .recoverable_low = context.gain_of(if_they_took(kHalf))});
}

/// Where the device computes most of the time, what it computes: nothing that waiting less could save. Gaps before ops
/// that had been launched are the device's own.
void find_dominant_kernel(RuleContext& context, std::vector<Finding>& findings) {
  int64_t computing = 0;
  int64_t span = 0;
  const Table& gpu_time = context.table("gpu_time");
  for (const RowView row : gpu_time.rows()) {
    computing += std::get<int64_t>(row[gpu_time.column("compute_ns")]);
    span += std::get<int64_t>(row[gpu_time.column("span_ns")]);
  }
  span -= context.idle_time_of(removed({IdleCause::profile_edge}).removed);  // at work that is not in the profile
  constexpr double kManyGaps = 0.1;
  // On the path they may lie beside work of other streams.
  const double in_gaps = std::min(context.path_share(BoundBy::kernel_gap),
                                  context.idle_share_of(removed({IdleCause::launch_overhead}).removed));
  const bool has_gaps = in_gaps >= kManyGaps && !context.hides_launches();
  const auto gaps = static_cast<int64_t>(has_gaps ? in_gaps * static_cast<double>(context.measured()) : 0);
  const double share = span <= 0 ? 0 : static_cast<double>(computing) / static_cast<double>(span);
  if (share + (has_gaps ? in_gaps : 0) < context.thresholds().computes) return;
  EdgeTimes::Scenario all_but_computing;
  for (const BoundBy kind :
       {BoundBy(BoundBy::communication), BoundBy(BoundBy::memory), BoundBy(IdleCause::host_code)}) {
    all_but_computing.removed.set(kind.number());
  }
  const auto not_computing = static_cast<double>(context.books().most_recoverable(all_but_computing) - gaps);
  if (not_computing > (1 - context.thresholds().computes) * static_cast<double>(context.measured())) return;
  std::map<KernelClass, int64_t> classes;
  std::map<std::string_view, int64_t> of_no_class;  // by name
  int64_t whole = 0;
  for_each_kernel(context.session(), [&](size_t number, SliceIndex slice, KernelClass kernel_class) {
    const Timeline& t = context.session().runs[number].timeline;
    const int64_t time = t.slices.duration[slice];
    classes[kernel_class] += time;
    if (kernel_class == KernelClass::unknown) of_no_class[t.name(slice)] += time;
    whole += time;
  });
  const auto is_less = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto most = std::max_element(classes.begin(), classes.end(), is_less);
  if (most == classes.end() || whole == 0) return;
  std::string what(text_of(most->first));
  int64_t its_time = most->second;
  if (most->first == KernelClass::unknown) {  // a kernel's name says more
    const auto kernel = std::max_element(of_no_class.begin(), of_no_class.end(), is_less);
    what = base_kernel_name(kernel->first);
    its_time = kernel->second;
  }
  findings.push_back(
      {.rule = "dominant_kernel",
       .title = fmt::format(
           "From their first op to their last the devices compute for {} of the time, {} {} ({}){}",
           format_percent(100 * share), 2 * its_time >= whole ? "most of it" : "longest in", what,
           format_percent(100.0 * static_cast<double>(its_time) / static_cast<double>(whole)),
           has_gaps ? fmt::format("; gaps between ops that had been launched take {}", format_percent(100 * in_gaps))
                    : ""),
       .evidence = fmt::format("{} of {}, summed over the devices", format_ns(computing), format_ns(span)) +
                   (has_gaps ? "; gaps: " + context.per_step(gaps) : ""),
       .suggestion =
           has_gaps
               ? "What is left to gain lies in the kernels themselves (precision, shapes, fusion), and in the gaps: "
                 "fewer and longer kernels have fewer of them"
               : "The device is busy: what is left to gain lies in the kernels themselves (precision, shapes, fusion)",
       .command = "kernels",
       .confidence = Confidence::high});
}

}  // namespace

void find_kernels(RuleContext& context, std::vector<Finding>& findings) {
  if (!context.has_device_ops()) return;
  find_fp32_matrices(context, findings);
  find_dominant_kernel(context, findings);
}

}  // namespace cgpu
