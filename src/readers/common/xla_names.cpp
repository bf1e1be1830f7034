#include "readers/common/xla_names.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace cgpu::xla {

SliceKind kind_of_device_event(std::string_view name) {
  if (name.starts_with("Memcpy") || name.starts_with("memcpy")) return SliceKind::memcpy;
  if (name.starts_with("Memset") || name.starts_with("memset")) return SliceKind::memset;
  return SliceKind::kernel;
}

CopyKind copy_of(std::string_view name) {
  static constexpr std::pair<std::string_view, CopyKind> kCopies[] = {
      {"H2D", CopyKind::HtoD}, {"D2H", CopyKind::DtoH},  {"D2D", CopyKind::DtoD},  {"P2P", CopyKind::PtoP},
      {"H2H", CopyKind::HtoH}, {"HtoD", CopyKind::HtoD}, {"DtoH", CopyKind::DtoH}, {"DtoD", CopyKind::DtoD},
  };
  for (const auto& [text, kind] : kCopies) {
    if (name.find(text) != std::string_view::npos) return kind;
  }
  return CopyKind::unknown;
}

std::optional<DeviceProcess> device_process_of(std::string_view process_name) {
  constexpr std::string_view kDevice = "/device:";
  const size_t at = process_name.find(kDevice);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = process_name.substr(at + kDevice.size());
  const size_t colon = rest.find(':');
  if (colon == std::string_view::npos || rest.starts_with("CPU")) return std::nullopt;
  rest = rest.substr(colon + 1);
  DeviceProcess device;
  const auto number = std::from_chars(rest.data(), rest.data() + rest.size(), device.number);
  if (number.ec != std::errc() || device.number < 0) return std::nullopt;
  rest = rest.substr(static_cast<size_t>(number.ptr - rest.data()));
  if (rest.starts_with("/stream:")) return device;
  if (process_name.starts_with("/job:")) return std::nullopt;
  if (rest.starts_with(' ') && !rest.starts_with(" (") && rest != " Compute") device.name = std::string(rest.substr(1));
  return device;
}

std::vector<bool> find_op_rows(const std::vector<std::string>& row_names) {
  std::vector<bool> ops(row_names.size(), false);
  const auto choose = [&](auto is_op) {
    for (size_t i = 0; i < ops.size(); ++i) ops[i] = is_op(row_names[i]);
    return std::find(ops.begin(), ops.end(), true) != ops.end();
  };
  if (choose([](const std::string& name) { return name.starts_with("Stream"); })) return ops;
  if (choose([](const std::string& name) { return name == "XLA Ops"; })) return ops;
  const bool unnamed =
      std::all_of(row_names.begin(), row_names.end(), [](const std::string& name) { return name.empty(); });
  return std::vector<bool>(row_names.size(), unnamed);
}

}  // namespace cgpu::xla
