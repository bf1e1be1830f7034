#include "hardware/device_peaks.h"

#include <algorithm>
#include <array>

namespace cgpu {
namespace {

/// TFLOP/s, 0 where not known or not offered.
struct Rates {
  double fp64, fp64_tensor, fp32, fp32_tensor, tf32, fp16, bf16, fp8, int8;
};

/// TFLOP/s that were measured: the maximum achievable matmul FLOPS of S. Bekman, Machine Learning Engineering
/// (compute/accelerator). 0 where not known.
struct Achievable {
  double bf16 = 0;
  double fp8 = 0;
};

struct KnownDevice {
  std::string_view name;
  std::string_view keys;  // names in profiles after `key_of`, separated by |
  std::string_view architecture;
  int64_t multiprocessors;  // by the same documents; of Ascend the cube cores
  double memory;            // GB/s, 0 where not known
  Rates rates;
  std::string_view source;
  double link = 0;  // GB/s, one direction, of all links to other devices of the machine; 0 where not known or none
  Achievable achievable = {};
};

constexpr Rates kA100 = {9.7, 19.5, 19.5, 0, 156, 312, 312, 0, 624};
constexpr Rates kH100Sxm = {34, 67, 67, 0, 494.7, 989.4, 989.4, 1978.9, 1978.9};
constexpr Rates kH100Nvl = {30, 60, 60, 0, 417.5, 835.5, 835.5, 1670.5, 1670.5};
constexpr Rates kMi300x = {81.7, 163.4, 163.4, 163.4, 653.7, 1307.4, 1307.4, 2614.9, 2614.9};

constexpr std::string_view kV100 = "NVIDIA V100 Tensor Core GPU datasheet";
constexpr std::string_view kA100Sheet = "NVIDIA A100 Tensor Core GPU datasheet";
constexpr std::string_view kH100Sheet = "NVIDIA H100 Tensor Core GPU datasheet";
constexpr std::string_view kMi200Sheet =
    "AMD Instinct MI200 series data sheet; one of the two dies, which is what a program sees";

// clang-format off
constexpr KnownDevice kDevices[] = {
    //     fp64   fp64t  fp32   fp32t  tf32   fp16   bf16   fp8    int8
    {"NVIDIA P100 SXM2", "P100 SXM2 16GB", "sm_60", 56, 732,
     {  5.3,     0,  10.6,     0,     0,  21.2,     0,     0,     0}, "NVIDIA Tesla P100 datasheet"},
    {"NVIDIA P100 PCIe 16 GB", "P100 PCIE 16GB", "sm_60", 56, 732,
     {  4.7,     0,   9.3,     0,     0,  18.7,     0,     0,     0}, "NVIDIA Tesla P100 datasheet"},
    {"NVIDIA P100 PCIe 12 GB", "P100 PCIE 12GB", "sm_60", 56, 549,
     {  4.7,     0,   9.3,     0,     0,  18.7,     0,     0,     0}, "NVIDIA Tesla P100 datasheet"},
    {"NVIDIA Quadro GP100", "QUADRO GP100", "sm_60", 56, 717,
     {  5.2,     0,  10.3,     0,     0,  20.7,     0,     0,     0}, "NVIDIA Quadro GP100 data sheet"},
    {"NVIDIA V100 SXM2", "V100 SXM2 16GB|V100 SXM2 32GB", "sm_70", 80, 900,
     {  7.8,     0,  15.7,     0,     0,   125,     0,     0,     0}, kV100, 150},
    {"NVIDIA V100 PCIe", "V100 PCIE 16GB|V100 PCIE 32GB", "sm_70", 80, 900,
     {    7,     0,    14,     0,     0,   112,     0,     0,     0}, kV100},
    {"NVIDIA V100S PCIe", "V100S PCIE 32GB", "sm_70", 80, 1134,
     {  8.2,     0,  16.4,     0,     0,   130,     0,     0,     0}, kV100},
    {"NVIDIA V100 DGX Station", "V100 DGXS 32GB", "sm_70", 80, 0,
     {    0,     0,     0,     0,     0,   125,     0,     0,     0},
     "NVIDIA DGX Station datasheet (500 TFLOPS of 4)"},
    {"NVIDIA T4", "T4", "sm_75", 40, 320,
     {    0,     0,   8.1,     0,     0,    65,     0,     0,   130},
     "NVIDIA T4 Tensor Core GPU datasheet; bandwidth: NVIDIA T4 product brief"},
    {"NVIDIA GeForce RTX 2080 Ti", "RTX 2080 TI", "sm_75", 68, 616,
     {    0,     0,  13.4,     0,     0,  53.8,     0,     0, 215.2},
     "NVIDIA Turing GPU architecture whitepaper; reference clocks"},
    {"NVIDIA A10", "A10", "sm_86", 72, 600,
     {    0,     0,  31.2,     0,  62.5,   125,   125,     0,   250}, "NVIDIA A10 Tensor Core GPU datasheet"},
    {"NVIDIA A30", "A30", "sm_80", 56, 933,
     {  5.2,  10.3,  10.3,     0,    82,   165,   165,     0,   330}, "NVIDIA A30 Tensor Core GPU datasheet"},
    {"NVIDIA A40", "A40", "sm_86", 84, 696,
     {    0,     0,  37.4,     0,  74.8, 149.7, 149.7,     0, 299.3}, "NVIDIA A40 datasheet"},
    {"NVIDIA A100 SXM 40 GB", "A100 SXM4 40GB", "sm_80", 108, 1555,
     kA100, kA100Sheet, 300},
    {"NVIDIA A100 SXM 80 GB", "A100 SXM4 80GB", "sm_80", 108, 2039,
     kA100, kA100Sheet, 300, {271.2, 0}},
    {"NVIDIA A100 PCIe 40 GB", "A100 PCIE 40GB|A100 40GB PCIE", "sm_80", 108, 1555,
     kA100, kA100Sheet},
    {"NVIDIA A100 PCIe 80 GB", "A100 80GB PCIE|A100 PCIE 80GB", "sm_80", 108, 1935,
     kA100, kA100Sheet, 0, {252.9, 0}},
    {"NVIDIA A800 SXM 80 GB", "A800 SXM4 80GB", "sm_80", 108, 2039,
     kA100, "NVIDIA A100 Tensor Core GPU datasheet, but for the links, which are slower"},
    {"NVIDIA A800 PCIe 80 GB", "A800 80GB PCIE", "sm_80", 108, 1935,
     kA100, kA100Sheet},
    {"NVIDIA A100", "A100|A100 PG509 200", "sm_80", 108, 0,
     kA100, "NVIDIA A100 Tensor Core GPU datasheet; every form has these rates, the memory of this one is not given"},
    {"NVIDIA GeForce RTX 3090", "RTX 3090", "sm_86", 82, 936,
     {    0,     0,  35.6,     0,  35.6,  71.2,  71.2,     0, 284.7},
     "NVIDIA Ampere GA102 GPU architecture whitepaper"},
    {"NVIDIA L4", "L4", "sm_89", 58, 300,
     {    0,     0,  30.3,     0,    60,   121,   121, 242.5, 242.5}, "NVIDIA L4 Tensor Core GPU datasheet"},
    {"NVIDIA L40", "L40", "sm_89", 142, 864,
     {    0,     0,  90.5,     0,  90.5,   181,   181,   362,   362}, "NVIDIA L40 datasheet"},
    {"NVIDIA L40S", "L40S", "sm_89", 142, 864,
     {    0,     0,  91.6,     0,   183,   362,   362,   733,   733}, "NVIDIA L40S datasheet"},
    {"NVIDIA GeForce RTX 4090", "RTX 4090", "sm_89", 128, 1008,
     {    0,     0,  82.6,     0,  82.6, 165.2, 165.2, 330.3, 660.6}, "NVIDIA Ada GPU architecture whitepaper"},
    {"NVIDIA H100 SXM", "H100 80GB HBM3|H100 SXM5 80GB", "sm_90", 132, 3350,
     kH100Sxm, kH100Sheet, 450, {794.5, 1402.6}},
    {"NVIDIA H100 PCIe", "H100 PCIE", "sm_90", 114, 2000,
     {   26,    51,    51,     0,   378,   756,   756,  1513,  1513}, kH100Sheet},
    {"NVIDIA H100 NVL", "H100 NVL", "sm_90", 132, 3900,
     kH100Nvl, kH100Sheet},
    {"NVIDIA H200 SXM", "H200", "sm_90", 132, 4800,
     kH100Sxm, "NVIDIA H200 Tensor Core GPU datasheet", 450, {794.5, 1453.4}},
    {"NVIDIA H200 NVL", "H200 NVL", "sm_90", 132, 4800,
     kH100Nvl, "NVIDIA H200 Tensor Core GPU datasheet"},
    {"NVIDIA GH200 96 GB", "GH200 480GB", "sm_90", 132, 4000,
     kH100Sxm, "NVIDIA GH200 Grace Hopper Superchip datasheet", 450, {828.6, 0}},
    {"NVIDIA B200", "B200", "sm_100", 148, 8000,
     {    0,     0,    80,     0,  1125,  2250,  2250,  4500,     0}, "NVIDIA DGX B200 datasheet", 900,
     {1745, 3432.5}},
    {"NVIDIA GB200", "GB200", "sm_100", 152, 8000,
     {    0,     0,    80,     0,  1250,  2500,  2500,  5000,     0}, "NVIDIA GB200 NVL72 datasheet", 900,
     {1822, 3615.6}},
    {"AMD Instinct MI100", "MI100", "gfx908", 120, 1229,
     { 11.5,     0,  23.1,  46.1,     0, 184.6,  92.3,     0, 184.6}, "AMD Instinct MI100 data sheet"},
    {"AMD Instinct MI210", "MI210", "gfx90a", 104, 1638,
     { 22.6,  45.3,  22.6,  45.3,     0,   181,   181,     0,   181}, "AMD Instinct MI210 data sheet"},
    {"AMD Instinct MI250 (half)", "MI250", "gfx90a", 104, 1638,
     { 22.6,  45.3,  22.6,  45.3,     0,   181,   181,     0,   181}, kMi200Sheet},
    {"AMD Instinct MI250X (half)", "MI250X", "gfx90a", 110, 1638,
     { 23.9,  47.9,  23.9,  47.9,     0, 191.5, 191.5,     0, 191.5}, kMi200Sheet},
    {"AMD Instinct MI300A", "MI300A", "gfx942", 228, 5300,
     { 61.3, 122.6, 122.6, 122.6, 490.3, 980.6, 980.6, 1961.2, 1961.2}, "AMD Instinct MI300A data sheet"},
    {"AMD Instinct MI300X", "MI300X|MI300X VF", "gfx942", 304, 5300,
     kMi300x, "AMD Instinct MI300X data sheet", 448, {668.4, 0}},
    {"AMD Instinct MI325X", "MI325X|MI325X VF", "gfx942", 304, 6000,
     kMi300x, "AMD Instinct MI325X data sheet", 448, {784.9, 0}},
    {"AMD Instinct MI355X", "MI355X|MI355X VF", "gfx950", 256, 8000,
     { 78.6,  78.6, 157.3, 157.3,     0,  2500,  2500,  5000,  5000}, "AMD Instinct MI355X data sheet",
     535.5, {1565, 0}},
    {"Ascend 910B2", "ASCEND910B2|ASCEND 910B2", "", 24, 0,
     {    0,     0,     0,     0,     0, 353.9,     0,     0,     0},
     "CANN platform_config: 24 cube cores x 16 x 16 x 16 x 2 x 1.8 GHz"},
    {"Ascend 910B4", "ASCEND910B4|ASCEND 910B4", "", 20, 0,
     {    0,     0,     0,     0,     0, 245.8,     0,     0,     0},
     "CANN platform_config: 20 cube cores x 16 x 16 x 16 x 2 x 1.5 GHz"},
};
// clang-format on

/// The name in upper case, with single spaces as separators and without words that only some profiles write.
std::string key_of(std::string_view device_name) {
  static constexpr std::array<std::string_view, 5> kOptional = {"NVIDIA", "AMD", "TESLA", "INSTINCT", "GEFORCE"};
  std::string key;
  std::string word;
  const auto finish_word = [&] {
    if (!word.empty() && std::find(kOptional.begin(), kOptional.end(), word) == kOptional.end()) {
      key += key.empty() ? word : ' ' + word;
    }
    word.clear();
  };
  for (const char c : device_name) {
    if (c >= 'a' && c <= 'z') {
      word += static_cast<char>(c - 'a' + 'A');
    } else if (c == ' ' || c == '-' || c == '_') {
      finish_word();
    } else {
      word += c;
    }
  }
  finish_word();
  return key;
}

bool has_key(std::string_view keys, std::string_view key) {
  while (!keys.empty()) {
    const size_t end = std::min(keys.find('|'), keys.size());
    if (keys.substr(0, end) == key) return true;
    keys.remove_prefix(std::min(end + 1, keys.size()));
  }
  return false;
}

DevicePeaks peaks_of(const KnownDevice& device) {
  DevicePeaks peaks;
  peaks.name = device.name;
  peaks.architecture = device.architecture;
  peaks.multiprocessors = device.multiprocessors;
  peaks.source = device.source;
  if (device.memory > 0) peaks.memory_bandwidth = device.memory * 1e9;
  if (device.link > 0) peaks.link_bandwidth = device.link * 1e9;
  const Rates& r = device.rates;
  const std::pair<const char*, double> rates[] = {{"fp64", r.fp64}, {"fp64_tensor", r.fp64_tensor},
                                                  {"fp32", r.fp32}, {"fp32_tensor", r.fp32_tensor},
                                                  {"tf32", r.tf32}, {"fp16", r.fp16},
                                                  {"bf16", r.bf16}, {"fp8", r.fp8},
                                                  {"int8", r.int8}};
  for (const auto& [type, tera] : rates) {
    if (tera > 0) peaks.flops.push_back({type, tera * 1e12});
  }
  if (device.achievable.bf16 > 0) peaks.achievable.push_back({"bf16", device.achievable.bf16 * 1e12});
  if (device.achievable.fp8 > 0) peaks.achievable.push_back({"fp8", device.achievable.fp8 * 1e12});
  return peaks;
}

}  // namespace

std::optional<double> DevicePeaks::flops_of(std::string_view type) const {
  for (const PeakRate& rate : flops) {
    if (rate.type == type) return rate.flops;
  }
  return std::nullopt;
}

std::optional<DevicePeaks> find_device_peaks(std::string_view device_name) {
  const std::string key = key_of(device_name);
  if (key.empty()) return std::nullopt;
  for (const KnownDevice& device : kDevices) {
    if (has_key(device.keys, key) || key_of(device.name) == key) return peaks_of(device);
  }
  return std::nullopt;
}

std::vector<DevicePeaks> known_devices() {
  std::vector<DevicePeaks> all;
  for (const KnownDevice& device : kDevices) all.push_back(peaks_of(device));
  return all;
}

std::vector<DevicePeaks> find_device_models(std::string_view model) {
  const std::string wanted = key_of(model);
  const auto has_all_words = [&](std::string_view name) {
    const std::string key = ' ' + key_of(name) + ' ';
    for (size_t begin = 0; begin < wanted.size();) {
      const size_t end = std::min(wanted.find(' ', begin), wanted.size());
      if (key.find(' ' + wanted.substr(begin, end - begin) + ' ') == std::string::npos) return false;
      begin = end + 1;
    }
    return !wanted.empty();
  };
  if (std::optional<DevicePeaks> exact = find_device_peaks(model)) return {std::move(*exact)};
  std::vector<DevicePeaks> found;
  for (const KnownDevice& device : kDevices) {
    if (has_all_words(device.name)) found.push_back(peaks_of(device));
  }
  return found;
}

}  // namespace cgpu
