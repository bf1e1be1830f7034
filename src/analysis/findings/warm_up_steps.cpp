#include "analysis/findings/warm_up_steps.h"

#include <algorithm>
#include <array>

#include "analysis/findings/path_of_steps.h"
#include "analysis/steps/warm_up.h"
#include "base/lower_median.h"

namespace cgpu {

namespace {

constexpr double kLongerThanRest = 1.05;
/// The other steps have a cause too where it takes at least this share of their median.
constexpr double kOtherStepsHave = 0.03;

constexpr std::array kOnceOnlyCauses{IdleCause::module_load, IdleCause::compilation, IdleCause::allocation};
/// What a step may lose in each iteration, and more in the first.
constexpr std::array kRepeatedCauses{IdleCause::data_loading, IdleCause::garbage_collection, IdleCause::lock,
                                     IdleCause::io, IdleCause::other_rank};

/// The steps from one on against the first of them.
class FirstStep {
 public:
  FirstStep(const std::vector<int64_t>& lengths, const std::vector<PathKinds>& kinds, size_t first)
      : own_(kinds[first]),
        length_(lengths[first]),
        usual_length_(lower_median({lengths.begin() + first + 1, lengths.end()})) {
    for (size_t kind = 0; kind < BoundBy::kCount; ++kind) {
      std::vector<int64_t> times;
      for (size_t i = first + 1; i < kinds.size(); ++i) times.push_back(kinds[i][kind]);
      usual_[kind] = lower_median(std::move(times));
    }
  }

  bool is_mostly_once_only() const {
    int64_t once = 0;
    for (const IdleCause cause : kOnceOnlyCauses) once += excess(BoundBy(cause).number());
    return 2 * once >= length_ - usual_length_;
  }

  /// Whether most of the excess is of causes that the other steps have too.
  bool is_mostly_repeated() const {
    int64_t repeated = 0;
    for (const IdleCause cause : kRepeatedCauses) {
      const size_t kind = BoundBy(cause).number();
      const double least = kOtherStepsHave * static_cast<double>(usual_length_);
      if (static_cast<double>(usual_[kind]) >= least) repeated += excess(kind);
    }
    return 2 * repeated >= length_ - usual_length_;
  }

  /// The most first; what is less than a tenth of all that it takes longer is left out.
  std::vector<WarmUp::Excess> excesses() const {
    std::vector<WarmUp::Excess> all;
    for (size_t kind = 0; kind < BoundBy::kCount; ++kind) {
      if (10 * excess(kind) < length_ - usual_length_ || excess(kind) == 0) continue;
      all.push_back({std::string(BoundBy::name_of(kind)), excess(kind)});
    }
    std::ranges::stable_sort(all, [](const auto& a, const auto& b) { return a.time > b.time; });
    return all;
  }

 private:
  int64_t excess(size_t kind) const { return std::max<int64_t>(own_[kind] - usual_[kind], 0); }

  PathKinds own_;
  PathKinds usual_{};  // medians of the others
  int64_t length_;
  int64_t usual_length_;
};

}  // namespace

WarmUp find_warm_up_steps(const SessionFacts& facts, const std::vector<Period>& periods) {
  constexpr size_t kFewest = 3;
  std::vector<int64_t> lengths;
  for (const Period& period : periods) lengths.push_back(period.end - period.begin);
  const size_t by_length = count_warm_up(lengths);
  const auto is_longest = [&](size_t step) {
    const int64_t rest = *std::max_element(lengths.begin() + static_cast<std::ptrdiff_t>(step) + 1, lengths.end());
    return static_cast<double>(lengths[step]) > kLongerThanRest * static_cast<double>(rest);
  };
  WarmUp warm_up;
  if (lengths.size() < kFewest || (by_length == 0 && !is_longest(0))) return warm_up;
  const std::vector<PathKinds> kinds = path_of_steps(facts, periods);
  for (; warm_up.steps + kFewest <= lengths.size(); ++warm_up.steps) {
    const size_t step = warm_up.steps;
    if (step >= by_length && !is_longest(step)) break;
    const FirstStep first(lengths, kinds, step);
    if (step < by_length ? first.is_mostly_repeated() : !first.is_mostly_once_only()) break;
    if (step == 0) warm_up.excess = first.excesses();
  }
  return warm_up;
}

}  // namespace cgpu
