#include "readers/common/rpd_names.h"

#include <utility>

#include "base/contains.h"

namespace cgpu::rpd {

namespace {

bool has_capital_behind(std::string_view name, std::string_view prefix) {
  return name.starts_with(prefix) && name.size() > prefix.size() && name[prefix.size()] >= 'A' &&
         name[prefix.size()] <= 'Z';
}

}  // namespace

Op op_of(std::string_view type) {
  if (type == "Barrier" || type == "Marker") return {SliceKind::synchronization, CopyKind::none};
  if (type == "FillBuffer" || type == "Memset") return {SliceKind::memset, CopyKind::memset};
  if (type == "Memcpy") return {SliceKind::memcpy, CopyKind::unknown};
  if (!type.starts_with("Copy")) return {};
  static constexpr std::pair<std::string_view, CopyKind> kCopies[] = {{"CopyHostToDevice", CopyKind::HtoD},
                                                                      {"CopyDeviceToHost", CopyKind::DtoH},
                                                                      {"CopyDeviceToDevice", CopyKind::DtoD},
                                                                      {"CopyHostToHost", CopyKind::HtoH},
                                                                      {"CopyPeerToPeer", CopyKind::PtoP}};
  for (const auto& [name, copy] : kCopies) {
    if (type.starts_with(name)) return {SliceKind::memcpy, copy};
  }
  return {};
}

SliceKind kind_of_call(std::string_view name) {
  if (has_capital_behind(name, "hip") || has_capital_behind(name, "cuda")) return SliceKind::runtime_call;
  if (name.starts_with("hsa_") || has_capital_behind(name, "cu")) return SliceKind::driver_call;
  const bool tracer =
      name.ends_with("::writeRows") || name.starts_with("rpd_tracer::") || name == "hcc_activity_callback";
  return tracer ? SliceKind::overhead : SliceKind::annotation;
}

}  // namespace cgpu::rpd
