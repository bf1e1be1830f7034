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
#include "analysis/device/device_ops.h"
#include "analysis/findings/rule_context.h"
#include "base/parse_number.h"
#include "kernels/fp32_products.h"
#include "kernels/kernel_class.h"
#include "kernels/layout_changes.h"
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

/// Calls visit(run, slice, class) for the device ops of a session that compute.
template <typename Visit>
void for_each_kernel(const Session& session, Visit visit) {
  for (size_t run = 0; run < session.runs.size(); ++run) {
    const Timeline& t = session.runs[run].timeline;
    for_each_device_op(t, [&](OpIndex op, SliceIndex slice) {
      if (t.device_ops.kind[op] == OpKind::compute) {
        visit(run, slice, static_cast<KernelClass>(t.device_ops.kernel_class[op]));
      }
    });
  }
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
       .title = fmt::format("Matrices are multiplied in fp32 without tensor cores for {}", format_ns(found.time)),
       .evidence =
           fmt::format("{} launches such as {}; recoverable if they {}", found.count, example,
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

bool can_be_fused(KernelClass kernel_class) {
  return kernel_class == KernelClass::elementwise || kernel_class == KernelClass::activation ||
         kernel_class == KernelClass::layout || kernel_class == KernelClass::normalization ||
         kernel_class == KernelClass::reduction || kernel_class == KernelClass::set;
}

/// Whether all that computes is one kernel, again and again: a benchmark of it, in which nothing can be fused.
bool repeats_one_kernel(const Session& session) {
  std::set<std::string_view> names;
  for_each_kernel(session, [&](size_t run, SliceIndex slice, KernelClass kernel_class) {
    if (kernel_class != KernelClass::set && names.size() < 2) names.insert(session.runs[run].timeline.name(slice));
  });
  return names.size() == 1;
}

/// Many short kernels of a kind that compilers fuse: the gaps before them would be gone.
void find_short_kernels(RuleContext& context, std::vector<Finding>& findings) {
  const double gaps = context.path_share(BoundBy::kernel_gap);
  if (gaps < context.thresholds().noticeable) return;
  KernelTime found;
  std::vector<std::vector<bool>> fused;  // by run, by slice
  const SessionFacts& whole = context.facts().whole();
  for (const Run& one : whole.session().runs) fused.emplace_back(one.timeline.slices.size());
  for_each_kernel(whole.session(), [&](size_t number, SliceIndex slice, KernelClass kernel_class) {
    const int64_t duration = whole.run(number).timeline.slices.duration[slice];
    if (!can_be_fused(kernel_class) || static_cast<double>(duration) > context.thresholds().short_kernel) return;
    found.time += duration;
    ++found.count;
    fused[number][slice] = true;
  });
  if (static_cast<double>(found.count) < context.thresholds().many_kernels) return;
  EdgeTimes::Scenario scenario;
  scenario.without_gap = [fused = std::move(fused)](size_t number, SliceIndex op) {
    return op < fused[number].size() && fused[number][op];
  };
  findings.push_back(
      {.rule = "fusable_kernels",
       .title = std::string(kShareOfTime) + " lies in the gaps before short kernels",
       .evidence = fmt::format("{} elementwise and similar kernels of {} on average", found.count,
                               format_ns(found.time / found.count)),
       .suggestion = "Fuse them (torch.compile, fused optimizers and norms): each kernel that is gone saves its gap "
                     "and a pass over memory",
       .command = "kernel_classes",
       .confidence = Confidence::medium,
       .time = context.path(BoundBy::kernel_gap).longest,
       .remedy = scenario});
}

/// Kernels that a compiler fuses, one after another in a stream: each reads from memory what the one before it wrote.
/// As one kernel they take about as long as the longest of them. Short ones are recognised by their gaps
/// (find_short_kernels).
void find_passes_over_memory(RuleContext& context, std::vector<Finding>& findings) {
  constexpr size_t kSequence = 3;  // a norm and its activation often stand alone between products
  const Session& session = context.facts().whole().session();
  std::vector<std::vector<std::pair<SliceIndex, float>>> factors(session.runs.size());  // of its time, by slice
  KernelTime found;
  int64_t sequences = 0;
  int64_t saved = 0;
  std::map<KernelClass, int64_t> classes;
  for (size_t number = 0; number < session.runs.size(); ++number) {
    const Timeline& t = session.runs[number].timeline;
    const auto start_of = [&](OpIndex op) { return t.slices.start[t.device_ops.slice[op]]; };
    for (auto& [stream, ops] : ops_by_stream(t)) {
      std::vector<OpIndex> in_order = ops;
      std::stable_sort(in_order.begin(), in_order.end(),
                       [&](OpIndex a, OpIndex b) { return start_of(a) < start_of(b); });
      std::vector<OpIndex> sequence;
      const auto end_sequence = [&] {
        int64_t sum = 0;
        int64_t longest = 0;
        for (const OpIndex op : sequence) {
          sum += t.slices.duration[t.device_ops.slice[op]];
          longest = std::max(longest, t.slices.duration[t.device_ops.slice[op]]);
        }
        if (sequence.size() >= kSequence) {
          ++sequences;
          saved += sum - longest;
          found.time += sum;
          found.count += static_cast<int64_t>(sequence.size());
          for (const OpIndex op : sequence) {
            factors[number].emplace_back(t.device_ops.slice[op], static_cast<float>(longest) / static_cast<float>(sum));
            classes[class_of(t, op)] += t.slices.duration[t.device_ops.slice[op]];
          }
        }
        sequence.clear();
      };
      for (const OpIndex op : in_order) {
        const KernelClass kernel_class = class_of(t, op);
        if (!can_be_fused(kernel_class) || t.device_ops.kind[op] != OpKind::compute) {
          end_sequence();
        } else if (kernel_class == KernelClass::layout && changes_layout(t.name(t.device_ops.slice[op]))) {
          continue;  // with one layout from end to end it is not there: rules_extra_work.cpp
        } else if (static_cast<double>(t.slices.duration[t.device_ops.slice[op]]) > context.thresholds().short_kernel) {
          sequence.push_back(op);
        }
      }
      end_sequence();
    }
    std::sort(factors[number].begin(), factors[number].end());
  }
  if (static_cast<double>(saved) < context.thresholds().noticeable * static_cast<double>(context.measured())) return;
  const auto most = std::max_element(classes.begin(), classes.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  EdgeTimes::Scenario fused;
  const auto of_runs = std::make_shared<const decltype(factors)>(std::move(factors));
  fused.op_factor = [of_runs](size_t number, SliceIndex op) -> double {
    const auto& of_run = (*of_runs)[number];
    const auto factor = std::lower_bound(of_run.begin(), of_run.end(), std::pair(op, 0.0F));
    return factor == of_run.end() || factor->first != op ? 1 : static_cast<double>(factor->second);
  };
  const int64_t gain = context.gain_of(fused);
  findings.push_back(
      {.rule = "fusable_kernels",
       .title = std::string(kShareOfTime) +
                " could be gained by fusing kernels that follow each other and only pass over " + "memory",
       .evidence =
           fmt::format("{} kernels in {} sequences take {}, most of it {} ({}); each sequence as one kernel would "
                       "take about as long as its longest",
                       format_count(found.count), format_count(sequences), format_ns(found.time), text_of(most->first),
                       format_ns(most->second)),
       .suggestion = "Fuse them: torch.compile, or fused implementations of what they belong to (normalization, rotary "
                     "embedding, activation with its product, optimizer)",
       .command = "kernel_classes",
       .confidence = Confidence::medium,
       .remedy = fused,
       .recoverable_low = gain / 2});  // where a reduction or a copy stays a kernel of its own
}

/// Where the device computes most of the time, what it computes: nothing that waiting less could save.
void find_dominant_kernel(RuleContext& context, std::vector<Finding>& findings) {
  int64_t computing = 0;
  int64_t span = 0;
  const Table& gpu_time = context.table("gpu_time");
  for (const RowView row : gpu_time.rows()) {
    computing += std::get<int64_t>(row[gpu_time.column("compute_ns")]);
    span += std::get<int64_t>(row[gpu_time.column("span_ns")]);
  }
  const double share = span == 0 ? 0 : static_cast<double>(computing) / static_cast<double>(span);
  if (share < context.thresholds().computes) return;
  EdgeTimes::Scenario all_but_computing;
  for (const BoundBy kind :
       {BoundBy(BoundBy::communication), BoundBy(BoundBy::memory), BoundBy(IdleCause::host_code)}) {
    all_but_computing.removed.set(kind.number());
  }
  const auto not_computing = static_cast<double>(context.books().most_recoverable(all_but_computing));
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
       .title =
           fmt::format("From their first op to their last the devices compute for {} of the time, most of it {} ({})",
                       format_percent(100 * share), what,
                       format_percent(100.0 * static_cast<double>(its_time) / static_cast<double>(whole))),
       .evidence = fmt::format("{} of {}, summed over the devices", format_ns(computing), format_ns(span)),
       .suggestion =
           "The device is busy: what is left to gain lies in the kernels themselves (precision, shapes, fusion)",
       .command = "kernels",
       .confidence = Confidence::high});
}

}  // namespace

void find_kernels(RuleContext& context, std::vector<Finding>& findings) {
  if (!context.has_device_ops()) return;
  find_fp32_matrices(context, findings);
  if (!repeats_one_kernel(context.facts().whole().session())) {
    find_short_kernels(context, findings);
    find_passes_over_memory(context, findings);
  }
  find_dominant_kernel(context, findings);
}

}  // namespace cgpu
