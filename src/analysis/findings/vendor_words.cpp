#include "analysis/findings/vendor_words.h"

#include <array>

#include "base/contains.h"

namespace cgpu {

namespace {

/// What does the same. Longer ones stand before those that are parts of them.
struct Terms {
  std::string_view nvidia;
  std::string_view amd;
  std::string_view huawei;
};

constexpr std::array kTerms{
    Terms{"CUDA graphs (torch.compile with mode=\"reduce-overhead\")",
          "HIP graphs (torch.compile with mode=\"reduce-overhead\")",
          "captured graphs (torch.npu.NPUGraph, torchair's graph mode)"},
    Terms{"CUDA graphs", "HIP graphs", "captured graphs (torch.npu.NPUGraph)"},
    Terms{"cudaDeviceSynchronize", "hipDeviceSynchronize", "torch.npu.synchronize and aclrtSynchronizeDevice"},
    Terms{"cudaHostAlloc", "hipHostMalloc", "aclrtMallocHost"},
    Terms{"cudaMemcpyAsync", "hipMemcpyAsync", "aclrtMemcpyAsync"},
    Terms{"PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF", "PYTORCH_NPU_ALLOC_CONF"},
    Terms{", cudaMallocAsync with a pool", ", hipMallocAsync with a pool", ""},
    Terms{", CUDA_MODULE_LOADING set to EAGER", ", HIP_ENABLE_DEFERRED_LOADING set to 0", ""},
    Terms{"nvidia-smi topo -m, NCCL_DEBUG=INFO", "rocm-smi --showtopo, NCCL_DEBUG=INFO",
          "npu-smi info -t topo, hccn_tool"},
    Terms{"NCCL_IB_HCA and NCCL_SOCKET_IFNAME", "NCCL_IB_HCA and NCCL_SOCKET_IFNAME",
          "HCCL_SOCKET_IFNAME and HCCL_IF_IP"},
};

}  // namespace

std::string vendor_of(const Session& session) {
  for (const Run& run : session.runs) {
    for (const Device& device : run.devices) {
      if (!device.vendor.empty()) return device.vendor;
    }
  }
  for (const Run& run : session.runs) {
    const Timeline& t = run.timeline;
    for (SliceIndex slice = 0; slice < t.slices.size(); ++slice) {
      if (!is_call(t.kind(slice))) continue;
      if (t.name(slice).starts_with("hip")) return "AMD";
      if (contains(t.name(slice), "aclrt")) return "Huawei";
      if (t.name(slice).starts_with("cu")) return "NVIDIA";
    }
    if (run.format == "ascend") return "Huawei";
  }
  return "";
}

std::string in_words_of(std::string_view vendor, std::string suggestion) {
  if (vendor != "AMD" && vendor != "Huawei") return suggestion;
  for (const Terms& terms : kTerms) {
    const std::string_view own = vendor == "AMD" ? terms.amd : terms.huawei;
    for (size_t at = suggestion.find(terms.nvidia); at != std::string::npos;
         at = suggestion.find(terms.nvidia, at + own.size())) {
      suggestion.replace(at, terms.nvidia.size(), own);
    }
  }
  return suggestion;
}

}  // namespace cgpu
