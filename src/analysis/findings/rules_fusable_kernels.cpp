// Rules about kernels that a compiler makes one kernel of: what it saves where they follow each other, and where only
// the gaps before them count.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/findings/computing_ops.h"
#include "analysis/findings/rule_context.h"
#include "kernels/layout_changes.h"
#include "table/units.h"

namespace cgpu {

namespace {

constexpr size_t kFewestInSequence = 3;  // a norm and its activation often stand alone between products
/// What comes again so often in a row handles one tensor after another, or is a benchmark: each time is a sequence of
/// its own. A chain on one tensor may have the same one or two kernels a few times in a row.
constexpr size_t kFewestCopies = 3;
constexpr size_t kFewestCopiesOfShort = 8;       // of one or two kernels
constexpr size_t kLongestRepeatedSequence = 64;  // kernels

bool can_be_fused(KernelClass kernel_class) {
  return kernel_class == KernelClass::elementwise || kernel_class == KernelClass::activation ||
         kernel_class == KernelClass::layout || kernel_class == KernelClass::normalization ||
         kernel_class == KernelClass::reduction || kernel_class == KernelClass::set;
}

/// How many kernels come again and again from the begin on; 0 where none do. O(kLongestRepeatedSequence) as a rule.
size_t repeated_at_begin(std::span<const StringId> names) {
  for (size_t period = 1; period <= kLongestRepeatedSequence; ++period) {
    const size_t copies = period < kFewestInSequence ? kFewestCopiesOfShort : kFewestCopies;
    if (period * kFewestCopies > names.size()) return 0;
    if (period * copies > names.size()) continue;
    const auto once_less = names.first(period * (copies - 1));
    if (std::equal(once_less.begin(), once_less.end(), names.begin() + static_cast<std::ptrdiff_t>(period))) {
      return period;
    }
  }
  return 0;
}

/// Calls visit(begin, end) for the parts of a sequence, each time that it repeats itself being one.
template <typename Visit>
void for_each_part(std::span<const StringId> names, Visit visit) {
  size_t begin = 0;
  for (size_t i = 0; i < names.size();) {
    const size_t period = repeated_at_begin(names.subspan(i));
    if (period == 0) {
      ++i;
      continue;
    }
    if (begin < i) visit(begin, i);
    const auto first = names.subspan(i, period);
    while (i + period <= names.size() && std::equal(first.begin(), first.end(), names.subspan(i).begin())) {
      visit(i, i + period);
      i += period;
    }
    begin = i;
  }
  if (begin < names.size()) visit(begin, names.size());
}

/// Kernels of one run that follow each other in a stream and can be fused.
struct FusableSequences {
  std::vector<std::pair<SliceIndex, float>> factors;  // of its time, as one kernel; by slice, in order
  std::vector<SliceIndex> followers;                  // all but the first of each; in order
  int64_t count = 0;
  int64_t kernels = 0;
  int64_t time = 0;   // ns
  int64_t saved = 0;  // ns, as one kernel each
  std::map<KernelClass, int64_t> classes;

  /// None of an op that is in no sequence.
  std::optional<double> factor(SliceIndex op) const {
    const auto found = std::lower_bound(factors.begin(), factors.end(), std::pair(op, 0.0F));
    if (found == factors.end() || found->first != op) return std::nullopt;
    return static_cast<double>(found->second);
  }
};

/// As one kernel the ops take about as long as the longest of them: each reads from memory what the one before it
/// wrote, and a kernel of a few us is as short as it can be.
void add_sequence(const Timeline& t, std::span<const OpIndex> ops, FusableSequences& sequences) {
  if (ops.size() < kFewestInSequence) return;
  // Copies of several tensors, one after another: as one kernel they would pass over memory as often.
  const auto only_moves = [&](OpIndex op) { return class_of(t, op) == KernelClass::layout; };
  if (std::ranges::all_of(ops, only_moves)) return;
  int64_t sum = 0;
  int64_t longest = 0;
  for (const OpIndex op : ops) {
    const int64_t duration = t.slices.duration[t.device_ops.slice[op]];
    sum += duration;
    longest = std::max(longest, duration);
    sequences.classes[class_of(t, op)] += duration;
  }
  ++sequences.count;
  sequences.kernels += static_cast<int64_t>(ops.size());
  sequences.time += sum;
  sequences.saved += sum - longest;
  for (const OpIndex op : ops) {
    const SliceIndex slice = t.device_ops.slice[op];
    sequences.factors.emplace_back(
        slice, static_cast<float>(static_cast<double>(longest) / static_cast<double>(std::max<int64_t>(sum, 1))));
    if (op != ops.front()) sequences.followers.push_back(slice);
  }
}

/// Whether an op is one of several equal copies, one after another: they are of several tensors, and as one kernel they
/// would pass over memory as often.
bool is_one_of_several_copies(const Timeline& t, std::span<const OpIndex> in_order, size_t place) {
  const auto name_at = [&](size_t at) { return t.slices.name[t.device_ops.slice[in_order[at]]]; };
  if (class_of(t, in_order[place]) != KernelClass::layout) return false;
  return (place > 0 && name_at(place - 1) == name_at(place)) ||
         (place + 1 < in_order.size() && name_at(place + 1) == name_at(place));
}

FusableSequences fusable_sequences(const Timeline& t) {
  FusableSequences sequences;
  const auto start_of = [&](OpIndex op) { return t.slices.start[t.device_ops.slice[op]]; };
  for (auto& [stream, ops] : ops_by_stream(t)) {
    std::vector<OpIndex> in_order = ops;
    std::stable_sort(in_order.begin(), in_order.end(), [&](OpIndex a, OpIndex b) { return start_of(a) < start_of(b); });
    std::vector<OpIndex> sequence;
    std::vector<StringId> names;
    const auto end_sequence = [&] {
      for_each_part(names, [&](size_t begin, size_t end) {
        add_sequence(t, std::span(sequence).subspan(begin, end - begin), sequences);
      });
      sequence.clear();
      names.clear();
    };
    for (size_t i = 0; i < in_order.size(); ++i) {
      const OpIndex op = in_order[i];
      const KernelClass kernel_class = class_of(t, op);
      if (!can_be_fused(kernel_class) || t.device_ops.kind[op] != OpKind::compute) {
        end_sequence();
      } else if (kernel_class == KernelClass::layout && changes_layout(t.name(t.device_ops.slice[op]))) {
        continue;  // with one layout from end to end it is not there: rules_extra_work.cpp
      } else if (is_one_of_several_copies(t, in_order, i)) {
        continue;
      } else {
        sequence.push_back(op);
        names.push_back(t.slices.name[t.device_ops.slice[op]]);
      }
    }
    end_sequence();
  }
  std::sort(sequences.factors.begin(), sequences.factors.end());
  std::sort(sequences.followers.begin(), sequences.followers.end());
  return sequences;
}

using SequencesOfRuns = std::shared_ptr<const std::vector<FusableSequences>>;  // of the whole session

/// Kernels that follow each other in a stream. Returns whether it is worth a finding.
bool find_sequences(RuleContext& context, const SequencesOfRuns& of_runs, std::vector<Finding>& findings) {
  FusableSequences all;
  for (const FusableSequences& one : *of_runs) {
    all.count += one.count;
    all.kernels += one.kernels;
    all.time += one.time;
    all.saved += one.saved;
    for (const auto& [kernel_class, time] : one.classes) all.classes[kernel_class] += time;
  }
  if (all.count == 0) return false;
  if (static_cast<double>(all.saved) < context.thresholds().noticeable * static_cast<double>(context.measured())) {
    return false;
  }
  const auto most = std::max_element(all.classes.begin(), all.classes.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  EdgeTimes::Scenario fused;
  fused.op_factor = [of_runs](size_t number, SliceIndex op) { return (*of_runs)[number].factor(op).value_or(1); };
  fused.without_gap = [of_runs](size_t number, SliceIndex op) {
    const std::vector<SliceIndex>& followers = (*of_runs)[number].followers;
    return std::binary_search(followers.begin(), followers.end(), op);
  };
  const int64_t gain = context.gain_of(fused);
  if (static_cast<double>(gain) < context.thresholds().noticeable * static_cast<double>(context.measured())) {
    return false;
  }
  findings.push_back(
      {.rule = "fusable_kernels",
       .title = std::string(kShareOfTime) +
                " could be gained by fusing kernels that follow each other and only pass over memory",
       .evidence =
           fmt::format("{} kernels in {} sequences take {}, {} each, most of it {} ({}); each sequence as one kernel "
                       "would take about as long as its longest",
                       format_count(all.kernels), format_count(all.count), context.in_all(all.time),
                       format_ns(all.time / all.kernels), text_of(most->first), format_ns(most->second)),
       .suggestion = "Fuse them: torch.compile, or fused implementations of what they belong to (normalization, rotary "
                     "embedding, activation with its product, optimizer)",
       .command = "kernel_classes",
       .confidence = Confidence::medium,
       .precedence = 0.8,  // it is the most that fusing can save
       .remedy = fused,
       .recoverable_low = gain / 2});  // where a reduction or a copy stays a kernel of its own
  return true;
}

/// Many short kernels of a kind that compilers fuse, but for those of `sequences`: the gaps before them would be gone.
void find_short_kernels(RuleContext& context, const SequencesOfRuns& sequences, std::vector<Finding>& findings) {
  if (context.path_share(BoundBy::kernel_gap) < context.thresholds().noticeable) return;
  int64_t time = 0;
  int64_t count = 0;
  std::vector<std::vector<bool>> fused;  // by run, by slice
  const SessionFacts& whole = context.facts().whole();
  for (const Run& one : whole.session().runs) fused.emplace_back(one.timeline.slices.size());
  for_each_kernel(whole.session(), [&](size_t number, SliceIndex slice, KernelClass kernel_class) {
    const int64_t duration = whole.run(number).timeline.slices.duration[slice];
    if (!can_be_fused(kernel_class) || static_cast<double>(duration) > context.thresholds().short_kernel) return;
    if (sequences && (*sequences)[number].factor(slice)) return;
    time += duration;
    ++count;
    fused[number][slice] = true;
  });
  if (static_cast<double>(count) < context.thresholds().many_kernels) return;
  EdgeTimes::Scenario scenario;
  scenario.without_gap = [fused = std::move(fused)](size_t number, SliceIndex op) {
    return op < fused[number].size() && fused[number][op];
  };
  findings.push_back(
      {.rule = "fusable_kernels",
       .title = std::string(kShareOfTime) + " lies in the gaps before short kernels",
       .evidence = fmt::format("{} elementwise and similar kernels of {} on average", count, format_ns(time / count)),
       .suggestion = "Fuse them (torch.compile, fused optimizers and norms): each kernel that is gone saves its gap "
                     "and a pass over memory",
       .command = "kernel_classes",
       .confidence = Confidence::medium,
       .time = context.path(BoundBy::kernel_gap).longest,
       .remedy = scenario});
}

}  // namespace

bool repeats_one_kernel(const Session& session) {
  std::set<std::string_view> names;
  for_each_kernel(session, [&](size_t run, SliceIndex slice, KernelClass kernel_class) {
    if (kernel_class != KernelClass::set && names.size() < 2) names.insert(session.runs[run].timeline.name(slice));
  });
  return names.size() == 1;
}

void find_fusable_kernels(RuleContext& context, std::vector<Finding>& findings) {
  const Session& session = context.facts().whole().session();
  if (!context.has_device_ops() || repeats_one_kernel(session)) return;
  std::vector<FusableSequences> sequences;
  for (const Run& run : session.runs) sequences.push_back(fusable_sequences(run.timeline));
  const auto of_runs = std::make_shared<const std::vector<FusableSequences>>(std::move(sequences));
  const bool reported = find_sequences(context, of_runs, findings);
  find_short_kernels(context, reported ? of_runs : nullptr, findings);
}

}  // namespace cgpu
