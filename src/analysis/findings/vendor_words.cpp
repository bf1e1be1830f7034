#include "analysis/findings/vendor_words.h"

#include <array>

#include "base/contains.h"
#include "base/replace_all.h"

namespace cgpu {

namespace {

/// What does the same. Longer ones are before those that are parts of them.
struct Terms {
  std::string_view nvidia;
  std::string_view amd;
  std::string_view huawei;
  std::string_view other;  // of a device whose vendor's words are not known
};

constexpr std::array kTerms{
    Terms{"CUDA graphs (torch.compile with mode=\"reduce-overhead\")",
          "HIP graphs (torch.compile with mode=\"reduce-overhead\")",
          "captured graphs (torch.npu.NPUGraph, torchair's graph mode)", "captured graphs"},
    Terms{"CUDA graphs", "HIP graphs", "captured graphs (torch.npu.NPUGraph)", "captured graphs"},
    Terms{"cudaDeviceSynchronize", "hipDeviceSynchronize", "torch.npu.synchronize and aclrtSynchronizeDevice",
          "a call that waits for the device"},
    Terms{"cudaHostAlloc", "hipHostMalloc", "aclrtMallocHost", "the runtime's page-locked memory"},
    Terms{"cudaMemcpyAsync", "hipMemcpyAsync", "aclrtMemcpyAsync", "copies that do not block"},
    Terms{"PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF", "PYTORCH_NPU_ALLOC_CONF", "settings of the allocator"},
    Terms{", cudaMallocAsync with a pool", ", hipMallocAsync with a pool", "", ""},
    Terms{", CUDA_MODULE_LOADING set to EAGER", ", HIP_ENABLE_DEFERRED_LOADING set to 0", "", ""},
    Terms{"nvidia-smi topo -m, NCCL_DEBUG=INFO", "rocm-smi --showtopo, NCCL_DEBUG=INFO",
          "npu-smi info -t topo, hccn_tool", "the vendor's tool for the topology"},
    Terms{"NCCL_IB_HCA and NCCL_SOCKET_IFNAME", "NCCL_IB_HCA and NCCL_SOCKET_IFNAME",
          "HCCL_SOCKET_IFNAME and HCCL_IF_IP", "the settings of its collectives' library"},
};

/// What helps in PyTorch, and what helps elsewhere.
struct FrameworkTerms {
  std::string_view pytorch;
  std::string_view other;
};

constexpr std::array kFrameworkTerms{
    FrameworkTerms{"more DataLoader workers (num_workers), prefetch_factor, pin_memory with non_blocking copies",
                   "on other threads, ahead of its use, into page-locked memory that is copied without blocking"},
    FrameworkTerms{"a caching allocator (PYTORCH_CUDA_ALLOC_CONF), buffers made before the loop",
                   "buffers made before the loop"},
    FrameworkTerms{".item(), .cpu(), nonzero and print of a tensor, cudaDeviceSynchronize in the loop",
                   "cudaDeviceSynchronize in the loop, results that are copied to the host at once"},
    FrameworkTerms{"CUDA graphs (torch.compile with mode=\"reduce-overhead\"), fused ops (torch.compile, foreach and "
                   "fused optimizers)",
                   "CUDA graphs, fused kernels"},
    FrameworkTerms{"fused ops (torch.compile, foreach and fused optimizers)", "fused kernels"},
    FrameworkTerms{" (gradient buckets, prefetch of sharded parameters, a stream of its own)",
                   " (a stream of its own)"},
    FrameworkTerms{"torch.set_float32_matmul_precision(\"high\")", "cublasSetMathMode with CUBLAS_TF32_TENSOR_OP_MATH"},
    FrameworkTerms{" (torch.compile, fused optimizers and norms)", ""},
    FrameworkTerms{"cudaMemcpyAsync, non_blocking=True, page-locked memory", "cudaMemcpyAsync, page-locked memory"},
    FrameworkTerms{"(pin_memory=True, cudaHostAlloc) with copies that do not block (non_blocking=True)",
                   "(cudaHostAlloc) with copies that do not block"},
    FrameworkTerms{"torch.compile, or fused implementations of what they belong to (normalization, rotary embedding, "
                   "activation with its product, optimizer)",
                   "one kernel that reads its inputs once"},
};

}  // namespace

std::string vendor_of(const Session& session) {
  for (const Run& run : session.runs) {
    for (const Device& device : run.devices) {
      if (!device.vendor.empty()) return device.vendor;
    }
  }
  bool has_calls = false;
  for (const Run& run : session.runs) {
    const Timeline& t = run.timeline;
    for (SliceIndex slice = 0; slice < t.slices.size(); ++slice) {
      if (!is_call(t.kind(slice))) continue;
      has_calls = true;
      if (t.name(slice).starts_with("hip")) return "AMD";
      if (contains(t.name(slice), "aclrt")) return "Huawei";
      if (t.name(slice).starts_with("cu")) return "NVIDIA";
    }
    if (recorded_format(run) == "ascend") return "Huawei";
  }
  return has_calls ? "other" : "";
}

bool uses_pytorch(const Session& session) {
  for (const Run& run : session.runs) {
    if (recorded_format(run) == "kineto") return true;
    const StringPool& names = run.timeline.names;
    for (StringId name = 0; name < names.size(); ++name) {
      if (names[name].starts_with("aten::") || contains(names[name], "torch/") || contains(names[name], "at::native")) {
        return true;
      }
    }
  }
  return false;
}

std::string in_words_of(std::string_view vendor, bool pytorch, std::string suggestion) {
  if (!pytorch) {
    for (const FrameworkTerms& terms : kFrameworkTerms) replace_all(suggestion, terms.pytorch, terms.other);
  }
  if (vendor == "NVIDIA" || vendor.empty()) return suggestion;
  for (const Terms& terms : kTerms) {
    replace_all(suggestion, terms.nvidia,
                vendor == "AMD"      ? terms.amd
                : vendor == "Huawei" ? terms.huawei
                                     : terms.other);
  }
  return suggestion;
}

}  // namespace cgpu
