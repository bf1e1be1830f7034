#include "hardware/host_links.h"

#include <array>

#include "hardware/device_peaks.h"

namespace cgpu {

namespace {

/// Giga-transfers/s of a lane, 16 lanes, 128 of 130 bits, 8 bits a byte (PCI Express base specification).
constexpr double pcie_x16(double transfers) {
  return transfers * 1e9 * 16 * 128 / 130 / 8;
}

struct LinkOfDevices {
  std::string_view name;
  double bandwidth;
  std::string_view source;
  std::array<std::string_view, 12> devices;  // beginnings of DevicePeaks::name
};

constexpr std::string_view kSheets = "data sheet of the device (generation and lanes); PCI Express base specification";

constexpr std::array kLinks = {
    LinkOfDevices{"NVLink-C2C",
                  450e9,
                  "NVIDIA Grace Hopper and Grace Blackwell data sheets (900 GB/s both ways)",
                  {"NVIDIA GH200", "NVIDIA GB200"}},
    LinkOfDevices{"PCIe 3.0 x16",
                  pcie_x16(8),
                  kSheets,
                  {"NVIDIA P100", "NVIDIA Quadro GP100", "NVIDIA V100", "NVIDIA T4", "NVIDIA GeForce RTX 2080 Ti"}},
    LinkOfDevices{"PCIe 4.0 x16",
                  pcie_x16(16),
                  kSheets,
                  {"NVIDIA A10", "NVIDIA A30", "NVIDIA A40", "NVIDIA A800", "NVIDIA L4", "NVIDIA GeForce RTX 3090",
                   "NVIDIA GeForce RTX 4090", "AMD Instinct MI100", "AMD Instinct MI210", "AMD Instinct MI250 (half)"}},
    LinkOfDevices{"PCIe 5.0 x16",
                  pcie_x16(32),
                  kSheets,
                  {"NVIDIA H100", "NVIDIA H200", "AMD Instinct MI300X", "AMD Instinct MI325X", "AMD Instinct MI355X"}},
};

}  // namespace

std::optional<HostLink> find_host_link(std::string_view device_name) {
  const auto known = find_device_peaks(device_name);
  if (!known) return std::nullopt;
  for (const LinkOfDevices& link : kLinks) {
    for (const std::string_view device : link.devices) {
      if (!device.empty() && known->name.starts_with(device)) {
        return HostLink{std::string(link.name), link.bandwidth, std::string(link.source)};
      }
    }
  }
  return std::nullopt;
}

}  // namespace cgpu
