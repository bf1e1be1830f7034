#include "comparison/alignment/labels.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "analysis/common/folded_names.h"
#include "base/ascii.h"
#include "base/replace_all.h"
#include "kernels/names.h"

namespace cgpu {

namespace {

/// Begin the keys of device ops and of work on the host, which are never those of ops.
constexpr std::string_view kDevice = "[device] ";
constexpr std::string_view kHost = "[host] ";

/// Parts of the names of ops and calls that say whose they are, and what they become.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kVendors = {{{"cudnn_", ""},
                                                                                    {"miopen_", ""},
                                                                                    {"mkldnn_", ""},
                                                                                    {"npu_", ""},
                                                                                    {"hipblaslt", "cublaslt"},
                                                                                    {"hipblas", "cublas"},
                                                                                    {"hip", "cuda"},
                                                                                    {"rccl", "nccl"}}};

/// "ampere_fp#_s#gemm_fp#_#x#" of "ampere_fp16_s16816gemm_fp16_128x64".
std::string without_numbers(std::string_view name) {
  std::string text;
  for (size_t at = 0; at < name.size(); ++at) {
    if (!is_digit(name[at])) {
      text += name[at];
    } else if (text.empty() || text.back() != '#') {
      text += '#';
    }
  }
  return text;
}

}  // namespace

Label Labels::label_of(std::string_view key, std::string_view shown) {
  const StringId label = keys_.intern(key);
  if (label == shown_of_.size()) {
    shown_of_.push_back(shown_.intern(shown));
    hashes_.push_back(std::hash<std::string_view>()(key));
  } else if (shown_[shown_of_[label]] != shown) {
    for (const std::string_view begin : {kDevice, kHost}) {
      if (key.starts_with(begin)) key.remove_prefix(begin.size());
    }
    std::string common(key);
    std::replace(common.begin(), common.end(), '#', '*');
    shown_of_[label] = shown_.intern(common);
  }
  return label;
}

std::string Labels::op_key(const std::string& folded) const {
  std::string key = numbered_.contains(folded) ? folded : without_numbers(folded);
  for (const auto& [vendor, common] : kVendors) replace_all(key, vendor, common);
  return key;
}

Label Labels::of_op(std::string_view name) {
  const std::string folded = folded_name(name);
  return label_of(op_key(folded), folded);
}

Label Labels::of_host_work(std::string_view name) {
  const std::string folded = folded_name(name);
  return label_of(std::string(kHost) + op_key(folded), folded);
}

bool Labels::is_host_work_of(Label work, Label op) const {
  const std::string_view key = keys_[work];
  return key.starts_with(kHost) && key.substr(kHost.size()) == keys_[op];
}

Label Labels::of_device_op(std::string_view name) {
  const std::string base = without_addresses(base_kernel_name(name));
  return label_of(std::string(kDevice) + without_numbers(base), base);
}

Label Labels::of_text(std::string_view text) {
  return label_of(text, text);
}

}  // namespace cgpu
