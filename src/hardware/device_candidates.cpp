#include "hardware/device_candidates.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/contains.h"
#include "base/parse_number.h"

namespace cgpu {

namespace {

struct NamePart {
  std::string_view part;
  std::string_view architecture;  // or how it begins
};

/// Whose kernels have this in their names.
constexpr std::array kParts = {
    NamePart{"Cijk_", "gfx"},         NamePart{"igemm_fwd_gtc", "gfx"}, NamePart{"igemm_bwd_gtc", "gfx"},
    NamePart{"igemm_wrw_gtc", "gfx"}, NamePart{"miopen", "gfx"},        NamePart{"MIOpen", "gfx"},
    NamePart{"ck_tile::", "gfx"},     NamePart{"rocprim::", "gfx"},     NamePart{"__amd_rocclr", "gfx"},
    NamePart{"nvjet", "sm_"},         NamePart{"cublas", "sm_"},        NamePart{"cudnn", "sm_"},
    NamePart{"xmma_", "sm_"},
};

struct NvidiaName {
  std::string_view part;
  int capability;
};
constexpr std::array kNvidia = {NvidiaName{"volta_", 70}, NvidiaName{"turing_", 75}, NvidiaName{"ampere_", 80},
                                NvidiaName{"hopper_", 90}};

/// The letters and digits behind `prefix`, where they begin with a digit: "942" of "..._ISA942_IU1".
std::optional<std::string_view> number_behind(std::string_view name, std::string_view prefix) {
  for (size_t at = name.find(prefix); at != std::string_view::npos; at = name.find(prefix, at + 1)) {
    const size_t begin = at + prefix.size();
    const auto is_word = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    size_t end = begin;
    while (end < name.size() && is_word(name[end])) ++end;
    const bool starts_a_word = at == 0 || name[at - 1] == '_' || name[at - 1] == ':' || name[at - 1] == ' ';
    if (end > begin && name[begin] >= '0' && name[begin] <= '9' && starts_a_word)
      return name.substr(begin, end - begin);
  }
  return std::nullopt;
}

int capability_of(std::string_view architecture) {
  if (!architecture.starts_with("sm_")) return 0;
  return static_cast<int>(parse_number(architecture.substr(3)).value_or(0));
}

}  // namespace

void DeviceCandidates::narrow(std::string_view evidence, std::vector<std::string_view> architectures) {
  const auto fits = [](std::string_view known, std::string_view said) { return known.starts_with(said); };
  std::vector<std::string> both;
  for (const std::string_view one : architectures) {
    for (const std::string& known : architectures_) {
      if (fits(known, one)) both.push_back(known);
      if (fits(one, known) && one != known) both.emplace_back(one);
    }
    if (architectures_.empty()) both.emplace_back(one);
  }
  if (both.empty() || both == architectures_) return;  // names that contradict each other say nothing
  architectures_ = std::move(both);
  evidence_ = evidence;
}

void DeviceCandidates::at_least(int capability, std::string_view evidence) {
  if (capability <= capability_) return;
  narrow(evidence, {"sm_"});
  capability_ = capability;
  evidence_ = evidence;
}

void DeviceCandidates::add_compute_capability(std::string_view capability) {
  const size_t dot = capability.find('.');
  if (dot == std::string_view::npos) return;
  const std::string architecture =
      "sm_" + std::string(capability.substr(0, dot)) + std::string(capability.substr(dot + 1));
  narrow(architecture, {architecture});
}

void DeviceCandidates::add_kernel(std::string_view name) {
  for (const std::string_view prefix : {"gfx", "ISA"}) {
    const auto number = number_behind(name, prefix);
    if (number && number->size() >= 3) {
      const std::string architecture = "gfx" + std::string(*number);
      return narrow(architecture, {architecture});
    }
  }
  if (contains(name, "aiter")) narrow("aiter", {"gfx942", "gfx950"});
  for (const NamePart& one : kParts) {
    if (contains(name, one.part)) narrow(one.architecture == "gfx" ? "AMD" : "NVIDIA", {one.architecture});
  }
  for (const std::string_view prefix : {"sm", "sm_"}) {
    const auto number = number_behind(name, prefix);
    const auto capability =
        number ? parse_number(number->substr(0, number->find_first_not_of("0123456789"))) : std::nullopt;
    if (capability && *capability >= 50 && *capability < 200) {
      at_least(static_cast<int>(*capability), "sm_" + std::to_string(*capability) + " or later");
    }
  }
  for (const NvidiaName& one : kNvidia) {
    if (name.starts_with(one.part)) at_least(one.capability, "sm_" + std::to_string(one.capability) + " or later");
  }
}

std::vector<DevicePeaks> DeviceCandidates::devices() const {
  std::vector<DevicePeaks> devices = known_devices();
  std::erase_if(devices, [&](const DevicePeaks& device) {
    if (capability_ > 0 && capability_of(device.architecture) < capability_) return true;
    return !architectures_.empty() &&
           std::none_of(architectures_.begin(), architectures_.end(),
                        [&](const std::string& one) { return device.architecture.starts_with(one); });
  });
  std::vector<DevicePeaks> of_size = devices;
  std::erase_if(of_size, [&](const DevicePeaks& device) { return device.multiprocessors != multiprocessors_; });
  return of_size.empty() ? devices : of_size;
}

}  // namespace cgpu
