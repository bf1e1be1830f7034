#include "comparison/attribution/explained_causes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "comparison/tables/compared_columns.h"
#include "table/unicode.h"

namespace cgpu {

namespace {

constexpr size_t kWidestPart = 48;

void sort_by_change(std::vector<ExplainedCause>& causes) {
  std::ranges::stable_sort(causes, [](const ExplainedCause& x, const ExplainedCause& y) {
    const int64_t size_x = std::abs(x.delta());
    const int64_t size_y = std::abs(y.delta());
    if (size_x != size_y) return size_x > size_y;
    if (x.cause->kind != y.cause->kind) return x.cause->kind < y.cause->kind;
    return x.cause->key < y.cause->key;
  });
}

/// The parts of a key, which name A before B, in an order that does not depend on which side is which.
std::vector<std::string> names_in(std::string_view key) {
  std::vector<std::string> names;
  while (!key.empty()) {
    const size_t end = std::min(key.find(' '), key.size());
    names.emplace_back(key.substr(0, end));
    key.remove_prefix(std::min(end + 1, key.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Causes in an order that is the same whichever side is A, so that what rounding gives to one of several equal ones
/// goes to the same one both times.
std::vector<const Cause*> in_order_of_keys(const std::vector<Cause>& causes) {
  const auto key = [](const Cause& cause) {
    const CauseKind kind = cause.kind == CauseKind::added ? CauseKind::removed : cause.kind;
    return std::tuple(kind, names_in(cause.key), cause.time.a + cause.time.b, std::abs(cause.time.b - cause.time.a));
  };
  std::vector<std::pair<decltype(key(causes.front())), const Cause*>> keyed;
  keyed.reserve(causes.size());
  for (const Cause& cause : causes) keyed.emplace_back(key(cause), &cause);
  std::ranges::stable_sort(keyed, [](const auto& x, const auto& y) { return x.first < y.first; });
  std::vector<const Cause*> ordered;
  ordered.reserve(keyed.size());
  for (const auto& [of_cause, cause] : keyed) ordered.push_back(cause);
  return ordered;
}

void add(const std::vector<int64_t>& from, std::vector<int64_t>& to) {
  if (to.size() < from.size()) to.resize(from.size());
  for (size_t i = 0; i < from.size(); ++i) to[i] += from[i];
}

/// The causes of `parts` as one without a name.
Cause sum_of(const std::vector<const ExplainedCause*>& parts) {
  Cause sum = *parts.front()->cause;
  sum.by_nature = {};
  for (size_t i = 1; i < parts.size(); ++i) {
    const Cause& part = *parts[i]->cause;
    for (const Side side : kSides) {
      sum.time[side] += part.time[side];
      sum.count[side] += part.count[side];
      sum.hidden[side] += part.hidden[side];
      add(part.by_iteration[side], sum.by_iteration[side]);
      add(part.by_run[side], sum.by_run[side]);
    }
  }
  return sum;
}

/// "in aten::mm", or "with nothing recorded before aten::mm": the culprit of an idle cause.
std::string culprit_words(const Cause& cause) {
  constexpr std::string_view kNothing = "(nothing recorded before ";
  std::string_view culprit = cause.key;
  culprit.remove_prefix(culprit.find(": ") + 2);
  if (!culprit.starts_with(kNothing)) return "in " + cause.shown.substr(cause.shown.find(": ") + 2);
  culprit.remove_prefix(kNothing.size());
  culprit.remove_suffix(1);
  return "with nothing recorded before " + shorten(std::string(culprit), kWidestPart);
}

struct Group {
  std::vector<const ExplainedCause*> parts;
  ExplainedCause all = {.causes = 0};

  void add(const ExplainedCause& one) {
    parts.push_back(&one);
    all.a += one.a;
    all.b += one.b;
    all.causes += one.causes;
  }
};

/// Of the device op in which the cause took longest.
KernelClass class_of(const Cause& cause) {
  const auto length = [](const std::optional<Place>& place) {
    return place ? place->time.end - place->time.begin : -1;
  };
  const std::optional<Place>& longest =
      length(cause.longest.a) >= length(cause.longest.b) ? cause.longest.a : cause.longest.b;
  return longest ? longest->kernel_class : KernelClass::unknown;
}

/// The groups of `causes` that are needed, those that explain most first: what is left then is at most `most_left`.
std::vector<Group> needed_groups(const std::vector<ExplainedCause>& causes, int64_t most_left, bool by_class) {
  std::map<std::pair<CauseKind, KernelClass>, Group> groups;
  int64_t left = 0;
  for (const ExplainedCause& one : causes) {
    const CauseKind kind = one.cause->kind;
    const bool has_class = kind != CauseKind::idle && kind != CauseKind::waiting && kind != CauseKind::orphan;
    groups[{kind, by_class && has_class ? class_of(*one.cause) : KernelClass::unknown}].add(one);
    left += one.delta();
  }
  std::vector<Group> needed;
  while (std::abs(left) > most_left) {
    const auto most = std::max_element(groups.begin(), groups.end(), [&](const auto& x, const auto& y) {
      return (left > 0 ? 1 : -1) * x.second.all.delta() < (left > 0 ? 1 : -1) * y.second.all.delta();
    });
    left -= most->second.all.delta();
    needed.push_back(std::move(most->second));
    groups.erase(most);
  }
  return needed;
}

/// Whether an iteration has as many on both sides.
bool are_as_many(const Comparison& comparison, const PerSide<int64_t>& count) {
  const double a = per_device_iteration(comparison, Side::a, count.a);
  const double b = per_device_iteration(comparison, Side::b, count.b);
  return std::abs(b - a) <= 0.02 * std::max(a, b);
}

/// Whether device work of an op changed its name, or how often it is done under this one.
bool may_have_moved(const Comparison& comparison, const Cause& cause) {
  if (cause.place == 0) return false;
  return cause.kind != CauseKind::op || cause.kernel.a != cause.kernel.b || !are_as_many(comparison, cause.count);
}

/// What some parts took longer and what the others took less, ns: the lesser of both, and the greater.
std::pair<int64_t, int64_t> gained_and_lost(const Group& group) {
  int64_t gained = 0;
  int64_t lost = 0;
  for (const ExplainedCause* part : group.parts) (part->delta() > 0 ? gained : lost) += std::abs(part->delta());
  return std::minmax({gained, lost});
}

/// Whether an op is done in other pieces: more or fewer of them, and nearly all that some parts lost the others gained.
bool is_divided_anew(const Group& group) {
  constexpr double kNearlyAll = 0.8;
  const auto [lesser, greater] = gained_and_lost(group);
  return static_cast<double>(lesser) > kNearlyAll * static_cast<double>(greater) &&
         std::ranges::any_of(group.parts, [](const ExplainedCause* part) { return part->cause->more_often; });
}

/// Whether what some parts lost the others took over: half of it or more, and as often in all.
bool is_moved(const Comparison& comparison, const Group& group) {
  PerSide<int64_t> count;
  for (const ExplainedCause* part : group.parts) {
    for (const Side side : kSides) count[side] += part->cause->count[side];
  }
  const auto [lesser, greater] = gained_and_lost(group);
  return lesser > 0 && 2 * lesser >= greater && are_as_many(comparison, count);
}

/// "aten::mm: gemm_nn <-> gemm_tn, the same work under other names"
std::string moved_name(const Comparison& comparison, const Group& group) {
  constexpr size_t kMostNames = 3;
  std::set<std::string> all;
  for (const ExplainedCause* part : group.parts) {
    const Cause& cause = *part->cause;
    for (const Side side : kSides) {
      if (cause.kernel[side] != 0) all.insert(shorten(comparison.text(cause.kernel[side]), kWidestPart));
    }
    if (cause.kernel.a == 0) all.insert(cause.shown.substr(cause.shown.find(": ") + 2));
  }
  std::vector<std::string> names(all.begin(), all.end());
  std::string more;
  if (names.size() > kMostNames) {
    more = fmt::format(" + {} more", names.size() - kMostNames);
    names.resize(kMostNames);
  }
  const Label place = group.parts.front()->cause->place;
  return fmt::format("{}{}{}, the same work under other names",
                     place == 0 ? "" : shorten(comparison.text(place), kWidestPart) + ": ", fmt::join(names, " <-> "),
                     more);
}

std::string group_name(const Group& group, bool by_class) {
  const Cause& cause = *group.parts.front()->cause;
  const auto leads = std::find_if(group.parts.begin(), group.parts.end(), [&](const ExplainedCause* part) {
    return (part->delta() > 0) == (group.all.delta() > 0);
  });
  const std::string above_all = fmt::format(", above all {}", (*leads)->cause->shown);
  switch (cause.kind) {
    case CauseKind::op:
    case CauseKind::removed:
    case CauseKind::added:
    case CauseKind::replaced: {
      const std::string what = by_class ? fmt::format("with {} kernels", text_of(class_of(cause))) : "";
      return fmt::format("{} further {}{}{}{}", group.all.causes,
                         cause.kind == CauseKind::replaced ? "replacements" : "ops", what.empty() ? "" : " ", what,
                         above_all);
    }
    case CauseKind::orphan:
      return fmt::format("{} further classes of device ops{}", group.all.causes, above_all);
    case CauseKind::waiting:
      return fmt::format("{} further collectives{}:", group.all.causes, above_all);
    case CauseKind::idle:
      return fmt::format("{} further causes{}", group.all.causes, above_all);
  }
  return {};
}

}  // namespace

std::vector<ExplainedCause> explained_causes(const Comparison& comparison) {
  const std::vector<const Cause*> ordered = in_order_of_keys(comparison.causes());
  const auto shares = shares_of(comparison, ordered, [](const Cause* cause, Side side) { return cause->time[side]; });
  std::vector<ExplainedCause> causes;
  for (size_t i = 0; i < shares.size(); ++i) causes.push_back({ordered[i], shares[i].a, shares[i].b});
  sort_by_change(causes);
  return causes;
}

std::vector<ExplainedCause> with_idle_by_cause(const std::vector<ExplainedCause>& causes, std::vector<Cause>& merged) {
  std::map<std::string, Group> idle;
  std::vector<ExplainedCause> result;
  for (const ExplainedCause& one : causes) {
    if (one.cause->kind != CauseKind::idle) {
      result.push_back(one);
    } else {
      idle[one.cause->key.substr(0, one.cause->key.find(": "))].add(one);
    }
  }
  merged.reserve(idle.size());
  for (auto& [name, sum] : idle) {
    Cause& cause = merged.emplace_back(sum_of(sum.parts));
    const int64_t change = sum.all.delta();
    cause.key = cause.shown = name;
    for (const ExplainedCause* part : sum.parts) {  // the one that changed most comes first
      const size_t colon = part->cause->key.find(": ");
      if (colon == std::string::npos || (part->delta() > 0) != (change > 0)) continue;
      const bool most = std::abs(part->delta()) > std::abs(change) / 2;
      cause.shown = fmt::format("{}, {} {}", name, most ? "most of it" : "above all", culprit_words(*part->cause));
      break;
    }
    result.push_back({&cause, sum.all.a, sum.all.b});
  }
  sort_by_change(result);
  return result;
}

std::vector<ExplainedCause> with_renamed_work(const Comparison& comparison, const std::vector<ExplainedCause>& causes,
                                              std::vector<Cause>& merged) {
  std::map<std::pair<Label, KernelClass>, Group> by_op;
  std::map<std::tuple<Label, Label, Label>, Group> by_kernels;
  std::map<Label, Group> by_work;
  for (const ExplainedCause& one : causes) {
    const Cause& cause = *one.cause;
    if (cause.work != 0 && (cause.kind == CauseKind::op || cause.more_often)) by_work[cause.work].add(one);
    if (may_have_moved(comparison, cause)) by_op[{cause.place, class_of(cause)}].add(one);
    if (cause.kernel.a == cause.kernel.b) continue;
    const auto [lesser, greater] = std::minmax(cause.kernel.a, cause.kernel.b);
    by_kernels[{cause.place, lesser, greater}].add(one);
  }
  std::vector<std::pair<const Group*, std::string>> together;  // with what it is called
  std::set<const Cause*> parts;
  const auto take = [&](const auto& groups, const auto& belongs_together, const auto& name_of) {
    for (const auto& [key, group] : groups) {
      const auto is_taken = [&](const ExplainedCause* part) { return parts.contains(part->cause); };
      if (!belongs_together(group) || std::ranges::any_of(group.parts, is_taken)) continue;
      together.emplace_back(&group, name_of(group));
      for (const ExplainedCause* part : group.parts) parts.insert(part->cause);
    }
  };
  const auto has_moved = [&](const Group& group) { return is_moved(comparison, group); };
  const auto by_its_names = [&](const Group& group) { return moved_name(comparison, group); };
  const auto by_its_op = [&](const Group& group) {
    return shorten(comparison.text(group.parts.front()->cause->work), kWidestPart);
  };
  take(by_kernels, has_moved, by_its_names);
  take(by_op, has_moved, by_its_names);
  take(by_work, is_divided_anew, by_its_op);
  std::vector<ExplainedCause> result;
  for (const ExplainedCause& one : causes) {
    if (!parts.contains(one.cause)) result.push_back(one);
  }
  merged.reserve(together.size());
  for (const auto& [group, name] : together) {
    Cause& sum = merged.emplace_back(sum_of(group->parts));
    sum.kind = CauseKind::op;
    sum.nature = WorkNature::computes;
    sum.more_often = false;
    sum.key = sum.shown = name;
    result.push_back(group->all);
    result.back().cause = &sum;
  }
  sort_by_change(result);
  return result;
}

std::vector<ExplainedCause> summed_by_kind(const std::vector<ExplainedCause>& causes, int64_t most_left,
                                           std::vector<Cause>& merged) {
  constexpr size_t kMostGroups = 6;
  bool by_class = true;
  std::vector<Group> groups = needed_groups(causes, most_left, by_class);
  if (groups.size() > kMostGroups) groups = needed_groups(causes, most_left, by_class = false);
  merged.reserve(groups.size());
  std::vector<ExplainedCause> result;
  for (Group& group : groups) {
    if (group.parts.size() > 1) {
      Cause& sum = merged.emplace_back(sum_of(group.parts));
      sum.key = sum.shown = group_name(group, by_class);
      group.all.cause = &sum;
      result.push_back(group.all);
    } else {
      result.push_back(*group.parts.front());
    }
  }
  return result;
}

}  // namespace cgpu
