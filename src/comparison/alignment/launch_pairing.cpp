#include "comparison/alignment/launch_pairing.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "base/ascii.h"
#include "comparison/alignment/alignment.h"
#include "comparison/alignment/labels.h"
#include "kernels/names.h"

namespace cgpu {

namespace {

/// What launches are paired by: equal numbers for equal names.
struct LaunchNames {
  std::vector<uint64_t> full;
  std::vector<uint64_t> base;
};

LaunchNames names_of(const std::vector<ProfiledLaunch>& launches, Labels& labels) {
  LaunchNames names;
  for (const ProfiledLaunch& launch : launches) {
    const std::string name = without_source_places(full_kernel_name(launch.kernel));
    names.full.push_back(labels.hash(labels.of_text(name)));
    names.base.push_back(labels.hash(labels.of_device_op(name)));
  }
  return names;
}

/// Of a name with grid and block, as far as they are known.
uint64_t with_shape(uint64_t name, const ProfiledLaunch& launch) {
  for (const auto& size : {launch.grid, launch.block}) {
    for (const int64_t extent : size.value_or(std::array<int64_t, 3>{})) {
      name = (name ^ static_cast<uint64_t>(extent)) * 0x9e3779b97f4a7c15;
    }
  }
  return name;
}

/// How many more launches of each name B has than A.
std::unordered_map<uint64_t, int64_t> surplus_of(const std::vector<uint64_t>& a, const std::vector<uint64_t>& b) {
  std::unordered_map<uint64_t, int64_t> surplus;
  for (const uint64_t name : a) --surplus[name];
  for (const uint64_t name : b) ++surplus[name];
  return surplus;
}

}  // namespace

std::string without_source_places(std::string_view name) {
  constexpr std::string_view kAt = " at ";
  constexpr std::string_view kClose = ")}]>'";
  std::string result(name);
  // "lambda at FILE:LINE:COLUMN" in some brackets or quotes.
  for (size_t end = result.find_first_of(kClose); end != std::string::npos;
       end = result.find_first_of(kClose, end + 1)) {
    size_t begin = end;
    for (int number = 0; number < 2; ++number) {
      const size_t behind = begin;
      while (begin > 0 && is_digit(result[begin - 1])) --begin;
      if (begin == behind || begin == 0 || result[begin - 1] != ':') {
        begin = 0;
        break;
      }
      --begin;
    }
    if (begin == 0) continue;
    const size_t at = result.rfind(kAt, begin);
    if (at == std::string::npos) continue;
    result.erase(at, end - at);
    end = at;
  }
  return result;
}

Pairing pair_launches(const std::vector<ProfiledLaunch>& a, const std::vector<ProfiledLaunch>& b) {
  Labels labels;
  const PerSide<const std::vector<ProfiledLaunch>*> launches{&a, &b};
  const PerSide<LaunchNames> names{names_of(a, labels), names_of(b, labels)};
  const auto surplus_full = surplus_of(names.a.full, names.b.full);
  const auto surplus_base = surplus_of(names.a.base, names.b.base);
  PerSide<std::vector<MatchKeys>> keys;
  for (const Side side : kSides) {
    for (size_t i = 0; i < launches[side]->size(); ++i) {
      const ProfiledLaunch& launch = (*launches[side])[i];
      const uint64_t full = names[side].full[i];
      const uint64_t base = names[side].base[i];
      keys[side].push_back({surplus_full.at(full) == 0 ? full : with_shape(full, launch),
                            surplus_base.at(base) == 0 ? base : with_shape(base, launch), 0});
    }
  }
  Pairing pairing = pair_elements(keys.a, keys.b);
  pairing.replacements.clear();
  PerSide<std::vector<uint32_t>> left;
  PerSide<std::vector<MatchKeys>> left_keys;
  for (const Side side : kSides) {
    const std::vector<uint32_t>& partners = side == Side::a ? pairing.of_a : pairing.of_b;
    for (uint32_t i = 0; i < partners.size(); ++i) {
      if (partners[i] != Pairing::kUnmatched) continue;
      left[side].push_back(i);
      left_keys[side].push_back({names[side].full[i], names[side].base[i], 0});
    }
  }
  const Pairing rest = pair_elements(left_keys.a, left_keys.b);
  for (size_t i = 0; i < left.a.size(); ++i) {
    if (rest.of_a[i] == Pairing::kUnmatched) continue;
    pairing.of_a[left.a[i]] = left.b[rest.of_a[i]];
    pairing.of_b[left.b[rest.of_a[i]]] = left.a[i];
  }
  return pairing;
}

}  // namespace cgpu
