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

/// Words for all vendors, and those for one. The last are also for profiles that do not say the vendor.
struct ToolTerms {
  std::string_view text;
  std::string_view nvidia;
  std::string_view amd;
  std::string_view huawei;
  std::string_view other;
};

constexpr std::array kToolTerms{
    ToolTerms{"CUDA_LAUNCH_BLOCKING (HIP_LAUNCH_BLOCKING, AMD_SERIALIZE_KERNEL, ASCEND_LAUNCH_BLOCKING)",
              "CUDA_LAUNCH_BLOCKING", "HIP_LAUNCH_BLOCKING and AMD_SERIALIZE_KERNEL", "ASCEND_LAUNCH_BLOCKING",
              "the setting that makes launches wait"},
    ToolTerms{"FlashAttention-3, cuDNN, aiter or Composable Kernel", "FlashAttention-3 or cuDNN",
              "aiter or Composable Kernel", "npu_fusion_attention of torch_npu",
              "the fused one of the device's library"},
    ToolTerms{" (rocprofv3 --sys-trace, nsys profile -t cuda)", " (nsys profile -t cuda)", " (rocprofv3 --sys-trace)",
              " (msprof --runtime-api=on)", ""},
    ToolTerms{"CUDA or HIP (nsys profile -t cuda)", "CUDA (nsys profile -t cuda)", "HIP (rocprofv3 --sys-trace)",
              "its runtime (msprof)", "the runtime of the device"},
    ToolTerms{"a PyTorch profile, Nsight Systems", "a PyTorch profile, Nsight Systems", "a PyTorch profile, rocprofv3",
              "a PyTorch profile, msprof", "a PyTorch profile, a profiler of the device"},
    ToolTerms{"NVTX", "NVTX", "roctx", "mstx", "ranges that the program marks"},
    ToolTerms{" (Nsight Systems: --cuda-graph-trace=node)", " (Nsight Systems: --cuda-graph-trace=node)", "", "", ""},
    ToolTerms{" (nvidia-smi -q -d PERFORMANCE, rocm-smi -a, npu-smi info)", " (nvidia-smi -q -d PERFORMANCE)",
              " (rocm-smi -a)", " (npu-smi info)", ""},
    ToolTerms{"(NCCL, a GPU-aware MPI)", "(NCCL, a GPU-aware MPI)", "(RCCL, a GPU-aware MPI)", "(HCCL)",
              "(a library of the device, an MPI that knows its memory)"},
    ToolTerms{" (MPS where they share a device)", " (MPS where they share a device)", "", "", ""},
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
    FrameworkTerms{"ProfilerActivity.CUDA in PyTorch, else trace", "trace"},
    FrameworkTerms{" (gradient buckets, prefetch of sharded parameters, a stream of its own)",
                   " (a stream of its own)"},
    FrameworkTerms{"torch.set_float32_matmul_precision(\"high\")", "cublasSetMathMode with CUBLAS_TF32_TENSOR_OP_MATH"},
    FrameworkTerms{" (torch.compile, fused optimizers and norms)", ""},
    FrameworkTerms{"cudaMemcpyAsync, non_blocking=True, page-locked memory", "cudaMemcpyAsync, page-locked memory"},
    FrameworkTerms{"(pin_memory=True, cudaHostAlloc) with copies that do not block (non_blocking=True)",
                   "(cudaHostAlloc) with copies that do not block"},
    FrameworkTerms{"DistributedDataParallel in the place of DataParallel", "each with a device of its own"},
    FrameworkTerms{
        "write results where they are needed (out=, buffers that are used again), views in the place of copies "
        "(contiguous, clone, cat, repeat), layouts that the next op takes as they are",
        "write results where they are needed, into buffers that are used again and in the layout that the "
        "next kernel reads"},
    FrameworkTerms{
        "Cast weights once, not in every step; let the kernels that make the tensors write them where and as "
        "they are read (out=, views in the place of cat and contiguous); torch.compile fuses casts and copies "
        "with what uses them",
        "Let the kernels that make the data write it where and as it is read, or let the kernels that use it "
        "read it as it is"},
    FrameworkTerms{" (torch.where, masks in place of nonzero and of indexing by booleans, output of a known size)", ""},
    FrameworkTerms{
        " (torch.nn.functional.scaled_dot_product_attention, FlashAttention; attn_implementation=\"sdpa\" in "
        "Hugging Face models)",
        " (FlashAttention)"},
    FrameworkTerms{"batches of equally many tokens (sort or pack sequences by their length)",
                   "parts of the data or of the domain that take equally long"},
    FrameworkTerms{"NVTX, Python frames, samples", "NVTX, samples"},
    FrameworkTerms{"NVTX, Python frames", "NVTX"},
    FrameworkTerms{"a PyTorch profile, Nsight Systems", "a trace of the device's profiler"},
    FrameworkTerms{"torch.compile, or fused implementations of what they belong to (normalization, rotary embedding, "
                   "activation with its product, optimizer)",
                   "one kernel that reads its inputs once"},
};

/// What helps against a lock where the program runs Python, and where it does not.
constexpr std::string_view kLockWithPython =
    "Find who holds it: often the interpreter's lock, when other threads of the process run Python";
constexpr std::string_view kLockWithoutPython =
    "Find who holds it: another thread of the process (samples of all threads show which), or the system";

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
    const std::string_view format = recorded_format(run);
    if (format == "ascend") return "Huawei";
    if (format == "rocprof" || format == "rpd") return "AMD";
    if (format == "nsys" || format == "nvprof") return "NVIDIA";
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

bool uses_python(const Session& session) {
  for (const Run& run : session.runs) {
    const StringPool& names = run.timeline.names;
    for (StringId name = 0; name < names.size(); ++name) {
      if (contains(names[name], ".py")) return true;
    }
  }
  return uses_pytorch(session);
}

std::string in_words_of(std::string_view vendor, bool pytorch, std::string suggestion, bool python) {
  if (!pytorch) {
    for (const FrameworkTerms& terms : kFrameworkTerms) replace_all(suggestion, terms.pytorch, terms.other);
  }
  if (!python) replace_all(suggestion, kLockWithPython, kLockWithoutPython);
  for (const ToolTerms& terms : kToolTerms) {
    replace_all(suggestion, terms.text,
                vendor == "NVIDIA"   ? terms.nvidia
                : vendor == "AMD"    ? terms.amd
                : vendor == "Huawei" ? terms.huawei
                                     : terms.other);
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
