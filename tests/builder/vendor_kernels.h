// The device functions that libraries launch, by vendor and era: names are facts, durations are made up.
#pragma once

#include "models.h"

namespace cgpu::builder {

/// The device functions a vendor's libraries ran in an era.
class Kernels {
 public:
  Kernels(Era era, Vendor vendor) : old_(era == Era::y2021), amd_(vendor == Vendor::amd) {}

  KernelSpec gemm(int64_t ns) const {
    if (amd_) {
      return {"Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x192x64_MI16x16x1_SN_LDSB1_GRVWA8_GRVWB8_ISA942_K1",
              ns,
              304,
              256,
              128,
              65536,
              Api::runtime_ex};
    }
    if (old_) return {"volta_sgemm_128x64_tn", ns, 256, 128, 122, 12544};
    return {
        "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_"
        "kernel__5x_cublas",
        ns,
        264,
        128,
        168,
        213248,
        Api::runtime_ex};
  }
  KernelSpec gemm_backward(int64_t ns) const {
    if (amd_) {
      return {"Cijk_Ailk_Bjlk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT128x256x32_MI16x16x1_SN_LDSB1_GRVWA4_GRVWB4_ISA942_K1",
              ns,
              304,
              256,
              128,
              65536,
              Api::runtime_ex};
    }
    if (old_) return {"volta_sgemm_64x32_sliced1x4_nt", ns, 512, 128, 86, 24576};
    return {"nvjet_tst_128x256_64x4_2x1_v_bz_coopB_NNT", ns, 132, 384, 168, 230000, Api::runtime_ex};
  }
  KernelSpec convolution(int64_t ns) const {
    if (amd_)
      return {"igemm_fwd_gtcx3_nhwc_bf16_bx0_ex0_bt256x256x32_wt32x32x8_ws1x1_wr4x4",
              ns,
              784,
              256,
              128,
              32768,
              Api::runtime_ex};
    if (old_) return {"volta_scudnn_128x64_relu_medium_nn_v1", ns, 3136, 128, 128, 16384};
    return {
        "sm80_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x128x32_stage4_warpsize2x2x1_"
        "g1_tensor16x8x16_execute_kernel__5x_cudnn",
        ns,
        784,
        128,
        234,
        65536};
  }
  KernelSpec convolution_data(int64_t ns) const {
    if (amd_)
      return {"igemm_bwd_gtcx3_nhwc_bf16_bx0_ex0_bt256x128x32_wt32x32x8_ws1x1_wr4x2",
              ns,
              784,
              256,
              128,
              32768,
              Api::runtime_ex};
    if (old_) return {"volta_scudnn_128x64_stridedB_splitK_interior_nn_v1", ns, 1568, 128, 128, 16384};
    return {
        "sm80_xmma_dgrad_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x64x32_stage5_warpsize2x2x1_"
        "g1_tensor16x8x16_execute_kernel__5x_cudnn",
        ns,
        784,
        128,
        210,
        61440};
  }
  KernelSpec convolution_weight(int64_t ns) const {
    if (amd_)
      return {"igemm_wrw_gtcx3_nhwc_bf16_bx0_ex0_bt128x128x32_wt32x32x8_ws1x1_wr2x2",
              ns,
              512,
              256,
              128,
              32768,
              Api::runtime_ex};
    if (old_)
      return {
          "cudnn::detail::wgrad_alg0_engine<float, 512, 6, 5, 3, 3, 3, false, 512>(int, int, int, float "
          "const*, int, float*, float const*, kernel_grad_params, unsigned long long, int, float, int, int, "
          "int, int)",
          ns,
          576,
          512,
          98,
          7344};
    return {
        "sm80_xmma_wgrad_implicit_gemm_indexed_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x128x32_stage4_"
        "warpsize2x2x1_g1_tensor16x8x16_execute_kernel__5x_cudnn",
        ns,
        512,
        128,
        230,
        65536};
  }
  KernelSpec batch_norm(int64_t ns) const {
    return {
        "void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, int, 512, true, 1, true>(cudnnTensorStruct, float const*, "
        "cudnnTensorStruct, float*, float const*, float const*, float, float, float*, float*, float*, float*, float, "
        "float)",
        ns,
        256,
        512,
        40,
        400};
  }
  KernelSpec batch_norm_backward(int64_t ns) const {
    return {
        "void cudnn::bn_bw_1C11_kernel_new<float, float, float2, 512, true, 1>(float, float, float, float, "
        "cudnnTensorStruct, float const*, cudnnTensorStruct, float const*, cudnnTensorStruct, float*, float const*, "
        "float*, float*, float const*, float const*, float)",
        ns,
        512,
        512,
        40,
        400};
  }
  KernelSpec layer_norm(int64_t ns) const {
    return {
        "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>(int, float, "
        "c10::BFloat16 const*, c10::BFloat16 const*, c10::BFloat16 const*, float*, float*, c10::BFloat16*)",
        ns,
        512,
        128,
        40,
        24};
  }
  KernelSpec layer_norm_backward(int64_t ns) const {
    return {
        "void at::native::(anonymous namespace)::layer_norm_grad_input_kernel<c10::BFloat16, float>(c10::BFloat16 "
        "const*, c10::BFloat16 const*, float const*, float const*, c10::BFloat16 const*, c10::BFloat16*, int)",
        ns,
        512,
        128,
        48,
        64};
  }
  KernelSpec rms_norm(int64_t ns) const {
    return {"triton_red_fused__to_copy_add_mean_mul_pow_rsqrt_0", ns, 64, 512, 32, 64, Api::driver};
  }
  KernelSpec add(int64_t ns) const {
    return {
        "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, "
        "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul>)",
        ns,
        1024,
        128,
        24,
        0};
  }
  KernelSpec multiply(int64_t ns) const {
    return {
        "void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<c10::BFloat16, c10::BFloat16, "
        "c10::BFloat16, at::native::binary_internal::MulFunctor<float> >, std::array<char*, 3ul> >(int, "
        "at::native::BinaryFunctor<c10::BFloat16, c10::BFloat16, c10::BFloat16, "
        "at::native::binary_internal::MulFunctor<float> >, std::array<char*, 3ul>)",
        ns,
        512,
        128,
        26,
        0};
  }
  KernelSpec relu(int64_t ns) const {
    return {
        "void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous namespace)::launch_clamp_scalar("
        "at::TensorIteratorBase&, c10::Scalar, c10::Scalar, at::native::detail::ClampLimits)::{lambda()#1}::operator()"
        "() const::{lambda()#7}::operator()() const::{lambda(float)#1}, std::array<char*, 2ul> >(int, at::native::("
        "anonymous namespace)::launch_clamp_scalar(at::TensorIteratorBase&, c10::Scalar, c10::Scalar, "
        "at::native::detail::ClampLimits)::{lambda()#1}::operator()() const::{lambda()#7}::operator()() const::{lambda("
        "float)#1}, std::array<char*, 2ul>)",
        ns,
        1568,
        128,
        20,
        0};
  }
  KernelSpec silu(int64_t ns) const { return {"triton_poi_fused_mul_silu_1", ns, 512, 256, 24, 0, Api::driver}; }
  KernelSpec sum(int64_t ns) const {
    return {
        "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::func_wrapper_t<float, "
        "at::native::sum_functor<float, float, float>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, "
        "unsigned int, float, 4> >(at::native::ReduceOp<float, at::native::func_wrapper_t<float, "
        "at::native::sum_functor<float, float, float>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, "
        "unsigned int, float, 4>)",
        ns,
        128,
        512,
        32,
        16};
  }
  KernelSpec attention(int64_t ns) const {
    if (amd_) return {"attn_fwd", ns, 512, 256, 128, 32768, Api::driver};
    return {
        "void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, false, false, cutlass::bfloat16_t, "
        "Flash_kernel_traits<128, 128, 64, 4, cutlass::bfloat16_t> >, false, true, false, false, true, true, false, "
        "false>(flash::Flash_fwd_params)",
        ns,
        512,
        128,
        255,
        65536};
  }
  KernelSpec attention_backward(int64_t ns) const {
    if (amd_) return {"bwd_kernel_dk_dv", ns, 512, 256, 128, 32768, Api::driver};
    return {
        "void flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits<128, 64, 128, 8, 2, 4, 2, "
        "false, false, cutlass::bfloat16_t, Flash_kernel_traits<128, 64, 128, 8, cutlass::bfloat16_t> >, false, true, "
        "false, false, true, true, false>(flash::Flash_bwd_params)",
        ns,
        512,
        256,
        255,
        147456};
  }
  KernelSpec rope(int64_t ns) const {
    return {
        "void vllm::rotary_embedding_kernel<c10::BFloat16, true>(long const*, c10::BFloat16*, c10::BFloat16*, "
        "c10::BFloat16 const*, int, long, long, int, int, int)",
        ns,
        64,
        512,
        30,
        0};
  }
  KernelSpec cache(int64_t ns) const {
    return {
        "void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16, __nv_bfloat16, (vllm::Fp8KVCacheDataType)0>("
        "__nv_bfloat16 const*, __nv_bfloat16 const*, __nv_bfloat16*, __nv_bfloat16*, long const*, long, long, long, "
        "int, int, int, float const*, float const*)",
        ns,
        64,
        512,
        28,
        0};
  }
  KernelSpec embedding(int64_t ns) const {
    return {
        "void split_embedding_codegen_forward_unweighted_v2_kernel<float, float, float, int, false, 128>("
        "fbgemm_gpu::PackedTensorAccessor64, long, long const*, long const*, float*)",
        ns,
        4096,
        128,
        56,
        4096};
  }
  KernelSpec embedding_backward(int64_t ns) const {
    return {
        "void split_embedding_backward_codegen_rowwise_adagrad_unweighted_kernel_warp_per_row_1<float, float, float, "
        "int, 4>(long const*, float*, float*, int const*, int, long)",
        ns,
        2048,
        128,
        96,
        8192};
  }
  KernelSpec gather(int64_t ns) const {
    return {
        "void at::native::(anonymous namespace)::indexSelectLargeIndex<float, long, unsigned int, 2, 2, -2, true>("
        "at::cuda::detail::TensorInfo<float, unsigned int>, at::cuda::detail::TensorInfo<float const, unsigned int>, "
        "at::cuda::detail::TensorInfo<long const, unsigned int>, int, int, unsigned int, unsigned int, long)",
        ns,
        1056,
        128,
        32,
        0};
  }
  KernelSpec top_k(int64_t ns) const {
    return {
        "void at::native::sbtopk::gatherTopK<float, unsigned int, 2, false>(at::cuda::detail::TensorInfo<float const, "
        "unsigned int>, unsigned int, unsigned int, bool, unsigned int, unsigned int, "
        "at::cuda::detail::TensorInfo<float, unsigned int>, unsigned int, at::cuda::detail::TensorInfo<long, unsigned "
        "int>, unsigned int, float*)",
        ns,
        4096,
        128,
        40,
        1024};
  }
  KernelSpec experts(int64_t ns) const { return {"fused_moe_kernel", ns, 1056, 256, 168, 98304, Api::driver}; }
  KernelSpec softmax(int64_t ns) const {
    return {
        "void (anonymous namespace)::softmax_warp_forward<c10::BFloat16, float, float, 10, true, false>(float*, "
        "c10::BFloat16 const*, int, int, int, bool const*, int, bool)",
        ns,
        512,
        128,
        48,
        0};
  }
  KernelSpec softmax_backward(int64_t ns) const {
    return {
        "void (anonymous namespace)::softmax_warp_backward<float, c10::BFloat16, float, 10, true, false>("
        "c10::BFloat16*, float const*, float const*, int, int, int, bool const*)",
        ns,
        512,
        128,
        48,
        0};
  }
  KernelSpec pool(int64_t ns) const {
    return {
        "void at::native::(anonymous namespace)::max_pool_forward_nhwc<c10::BFloat16, int>(c10::BFloat16 const*, int, "
        "int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, c10::BFloat16*, long*)",
        ns,
        1024,
        256,
        40,
        16384};
  }
  KernelSpec pool_backward(int64_t ns) const {
    return {
        "void at::native::(anonymous namespace)::max_pool_backward_nhwc<c10::BFloat16, float>(c10::BFloat16 const*, "
        "long const*, int, int, int, int, int, int, int, int, int, int, int, c10::BFloat16*)",
        ns,
        1024,
        256,
        40,
        16384};
  }
  KernelSpec adam(int64_t ns) const {
    return {
        "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
        "namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous "
        "namespace)::FusedAdamMathFunctor<float, 4, (at::native::ADAM_MODE)1, false>, float const*, double, double, "
        "double, double, double, bool, float*, float*>(at::native::(anonymous "
        "namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous "
        "namespace)::FusedAdamMathFunctor<float, 4, (at::native::ADAM_MODE)1, false>, float const*, double, double, "
        "double, double, double, bool, float*, float*)",
        ns,
        320,
        512,
        64,
        0};
  }

 private:
  bool old_;
  bool amd_;
};

}  // namespace cgpu::builder
