// How fast bytes can come to a device from its host and go back: the link that its data sheet states.
//
// The rate is that of one direction, of all lanes, before the overhead of packets, so that no copy quite reaches it. A
// machine may have built in fewer lanes or an older generation: the rate is a bound, not a promise.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cgpu {

struct HostLink {
  std::string name;      // "PCIe 5.0 x16"
  double bandwidth = 0;  // B/s, one direction
  std::string source;
};

/// The link of the device of this name, as find_device_peaks knows names; absent where no source states it.
std::optional<HostLink> find_host_link(std::string_view device_name);

}  // namespace cgpu
