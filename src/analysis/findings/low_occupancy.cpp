#include "analysis/findings/low_occupancy.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/device/device_ops.h"
#include "analysis/findings/filled_time.h"
#include "kernels/names.h"
#include "table/units.h"

namespace cgpu {

namespace {

/// The kernels of a device in order of time, with the share of the multiprocessors that each has blocks for; 1 where it
/// is not known.
struct KernelsOfDevice {
  std::vector<OpIndex> ops;
  std::vector<double> own;
  /// The mean share that all kernels together fill while this one runs, at most 1. What many fill together is done in
  /// that part of the time if it is spread evenly.
  std::vector<double> filled;
};

/// O(ops log ops).
KernelsOfDevice kernels_of_device(const Timeline& t, const std::vector<OpIndex>& of_device,
                                  const std::vector<float>& shares) {
  KernelsOfDevice kernels;
  for (const OpIndex op : of_device) {
    if (t.device_ops.kind[op] == OpKind::compute) kernels.ops.push_back(op);
  }
  const auto slice_of = [&](OpIndex op) { return t.device_ops.slice[op]; };
  std::stable_sort(kernels.ops.begin(), kernels.ops.end(),
                   [&](OpIndex a, OpIndex b) { return t.slices.start[slice_of(a)] < t.slices.start[slice_of(b)]; });
  const FilledTime filled(t, kernels.ops, shares);
  for (const OpIndex op : kernels.ops) {
    const SliceIndex slice = slice_of(op);
    const auto duration = static_cast<double>(t.slices.duration[slice]);
    kernels.own.push_back(share_of_kernel(t, slice, shares));
    kernels.filled.push_back(duration > 0 ? filled.within(t.slices.start[slice], t.slices.end(slice)) / duration : 1);
  }
  return kernels;
}

/// Kernels of few blocks that follow each other.
struct Successions {
  int64_t all = 0;
  int64_t on_other_streams = 0;
  /// Of these: the later one was launched before the earlier one ended, and began only then.
  int64_t ordered = 0;

  void add(const Timeline& t, SliceIndex earlier, SliceIndex later) {
    ++all;
    if (t.slices.track[earlier] == t.slices.track[later]) return;
    ++on_other_streams;
    const SliceIndex call = launch_of(t, later);
    const bool is_launched = call != kNone && t.slices.end(call) < t.slices.end(earlier);
    if (is_launched && t.slices.start[later] >= t.slices.end(earlier)) ++ordered;
  }
  bool are_ordered() const { return 2 * on_other_streams > all && 5 * ordered >= 4 * on_other_streams; }
};

/// The kernels of few blocks of one name.
struct FewBlocksOfName {
  int64_t count = 0;
  int64_t time = 0;
  float share = 0;  // of the multiprocessors, in the last run that has them
  KernelClass kernel_class = KernelClass::unknown;
};

/// The kernels of few blocks of a session, and what that costs.
struct FewBlocks {
  SliceFactors factors;  // the part of its time that it takes if spread evenly
  int64_t count = 0;
  int64_t time = 0;
  std::map<std::string_view, FewBlocksOfName> names;
  Successions successions;

  void add(std::string_view name, const FewBlocksOfName& of_run) {
    count += of_run.count;
    time += of_run.time;
    FewBlocksOfName& all = names[name];
    all = {all.count + of_run.count, all.time + of_run.time, of_run.share, of_run.kernel_class};
  }
};

FewBlocks few_blocks_of(RuleContext& context) {
  FewBlocks few;
  for (const Run& run : context.facts().whole().session().runs) {
    const Timeline& t = run.timeline;
    std::vector<float>& factors = few.factors.emplace_back();
    const std::vector<float>& shares = context.filled_shares(run);
    const auto is_few = [&](double share) { return share < context.thresholds().low_occupancy; };
    if (std::ranges::none_of(shares, [&](float share) { return share > 0 && is_few(static_cast<double>(share)); })) {
      continue;
    }
    std::vector<FewBlocksOfName> names(t.names.size());
    factors.resize(t.slices.size(), 1.0F);
    for (const auto& [device, ops] : ops_by_device(t)) {
      const KernelsOfDevice kernels = kernels_of_device(t, ops, shares);
      for (size_t i = 0; i < kernels.ops.size(); ++i) {
        if (!is_few(kernels.own[i]) || !is_few(kernels.filled[i])) continue;
        const SliceIndex slice = t.device_ops.slice[kernels.ops[i]];
        factors[slice] = static_cast<float>(kernels.filled[i]);
        FewBlocksOfName& name = names[t.slices.name[slice]];
        ++name.count;
        name.time += t.slices.duration[slice];
        name.share = static_cast<float>(kernels.own[i]);
        name.kernel_class = class_of(t, kernels.ops[i]);
        if (i > 0 && is_few(kernels.own[i - 1])) {
          few.successions.add(t, t.device_ops.slice[kernels.ops[i - 1]], slice);
        }
      }
    }
    for (StringId name = 0; name < names.size(); ++name) {
      if (names[name].count > 0) few.add(t.names[name], names[name]);
    }
  }
  return few;
}

std::string more_blocks(KernelClass kernel_class) {
  switch (kernel_class) {
    case KernelClass::gemm:
    case KernelClass::moe_gemm:
    case KernelClass::convolution:
      return "Give them more blocks: a larger batch, split-K or stream-K products";
    case KernelClass::attention:
      return "Give them more blocks: a larger batch, attention that splits the keys (flash decoding)";
    default:
      return "Give them more blocks than the device has multiprocessors: less work for each block, more data at a time";
  }
}

}  // namespace

void find_low_occupancy(RuleContext& context, std::vector<Finding>& findings) {
  if (context.path_share(BoundBy::compute) < context.thresholds().noticeable) return;
  FewBlocks few = few_blocks_of(context);
  const double least = context.thresholds().noticeable * static_cast<double>(context.measured());
  if (few.count == 0 || static_cast<double>(few.time) < least) return;
  const auto most = std::ranges::max_element(few.names, {}, [](const auto& name) { return name.second.time; });
  std::string evidence =
      fmt::format("{} in {}, most in {} ({} of the multiprocessors); recoverable if their work were spread evenly",
                  context.in_all(few.time), format_count(few.count, "kernel", "kernels"), base_kernel_name(most->first),
                  format_percent(100.0 * static_cast<double>(most->second.share)));
  std::string suggestion = more_blocks(most->second.kernel_class);
  if (few.successions.are_ordered()) {
    evidence += fmt::format(
        "; {} of {} that follow one of another stream were launched before it ended and began only "
        "after it",
        format_count(few.successions.ordered), format_count(few.successions.on_other_streams));
    suggestion =
        "Look for what orders kernels of different streams, so that they do not run beside each other: work in "
        "the default stream, waits for events, one work queue for all streams. If the order is needed: " +
        suggestion;
  } else {
    suggestion += "; or run them beside others on streams of their own";
  }
  findings.push_back(
      {.rule = "low_occupancy",
       .title = std::string(kShareOfTime) + " could be gained if kernels of few blocks filled the device",
       .evidence = std::move(evidence),
       .suggestion = std::move(suggestion),
       .command = "occupancy --sort +sm_efficiency_pct",
       .confidence = Confidence::low,
       .shown_by_little = true,  // a grid does not say how busy its blocks keep a multiprocessor
       .remedy = scaled(std::move(few.factors))});
}

}  // namespace cgpu
