#include "kernels/dictionary.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <thread>
#include <vector>

#include "base/error.h"
#include "kernels/names.h"

namespace cgpu {
namespace {

using enum KernelClass;

struct Example {
  KernelClass kernel_class;
  const char* name;
};

// Names as profilers write them (shortened inside template arguments where that changes nothing).
constexpr Example kExamples[] = {
    {copy, "Memcpy HtoD (Pageable -> Device)"},
    {copy, "Memcpy DtoH (Device -> Pinned)"},
    {copy, "[CUDA memcpy Device-to-Host]"},
    {copy, "MEMORY_COPY_DEVICE_TO_HOST"},
    {copy, "hipMemcpyWithStream"},
    {copy, "__amd_rocclr_copyBuffer"},
    {copy, "__amd_rocclr_copyBufferAligned"},
    {copy, "dma_request"},
    {copy, "CopyDeviceToDevice"},
    {copy, "%copy-start.3 = (f32[8]{0}, f32[8]{0:S(5)}, u32[]{:S(2)}) copy-start(f32[8]{0} %add.1)"},
    {copy, "copy-done.3"},
    {set, "Memset (Device)"},
    {set, "[CUDA memset]"},
    {set, "__amd_rocclr_fillBufferAligned"},
    {set, "MemSet"},
    {set, "atomic_memset-1_167_2208226_17_0"},
    {set, "aclnnInplaceZero_ZerosLikeAiCore_ZerosLike"},
    {set, "Add_MemSet"},
    {collective, "ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)"},
    {collective, "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"},
    {collective, "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"},
    {collective, "ncclSymkDevKernel_AllGather_ST(ncclSymkDevWorkArgs4K)"},
    {collective, "void mscclpp::sm_kernel<1>(int)"},
    {collective, "hcom_allReduce__428_0_1"},
    {collective, "hcom_batchSendRecv__128_3_1"},
    {collective,
     "%all-reduce.1 = f32[1024]{0:T(1024)} all-reduce(f32[1024]{0:T(1024)} %dot_fusion.2), channel_id=1, "
     "to_apply=%add"},
    {collective, "%reduce-scatter-start = ((f32[8]), f32[2]) reduce-scatter-start(f32[8] %copy.5)"},
    {collective, "all-gather-done.12"},
    {collective, "collective-permute.4"},
    {collective, "all-to-all"},
    {expert_exchange, "void dpsk::ep::internode::combine<__nv_bfloat16, 8>(__nv_bfloat16*, float*)"},
    {expert_exchange, "void dpsk::ep::internode::dispatch<false, 4, true>(int4*, float*)"},
    {expert_exchange, "void dpsk::ep::internode::cached_notify<true>(int)"},
    {expert_exchange, "void dpsk::ep::internode::notify_dispatch<true, 4>(int const*)"},
    {moe_routing, "void dpsk::ep::cuda::get_dispatch_layout<256, 8>(long const*)"},
    {moe_routing, "void cuda::expand_to_fused_with_sf<128>(int)"},
    {moe_routing, "void cuda::get_fused_mapping<8>(int)"},
    {moe_routing, "void cuda::clean_and_count_expert<256>(int*)"},
    {expert_exchange, "void deep_ep::internode_ll::dispatch<true, false, 7168>(void*, float*, int*)"},
    {expert_exchange, "void deep_ep::intranode::combine<__nv_bfloat16, 8, 768, 4096>(__nv_bfloat16*, float*)"},
    {expert_exchange, "void deep_ep::intranode::cached_notify_combine<8>(void**, int*, int, int)"},
    {expert_exchange, "void mori::moe::EpDispatchIntraNodeKernel<__hip_bfloat16>(mori::moe::EpDispatchCombineArgs)"},
    {expert_exchange, "MoeDistributeDispatch"},
    {custom_collective, "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*, vllm::RankSignals)"},
    {custom_collective, "multimem_all_reduce_kernel"},
    {custom_collective, "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<1>(int)"},
    {custom_collective, "void one_shot_all_reduce_kernel<c10::BFloat16, 16, 8, true>(c10::BFloat16**)"},
    {custom_collective, "void quickreduce::quick_allreduce<half>(half const*)"},
    {kv_cache,
     "void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16, unsigned char, (vllm::Fp8KVCacheDataType)1>(int)"},
    {kv_cache, "void vllm::concat_and_cache_mla_kernel<__nv_bfloat16, __nv_bfloat16>(__nv_bfloat16 const*)"},
    {kv_cache, "void (anonymous namespace)::store_kvcache<2048l, 4, false, long>(StoreKVCacheParams)"},
    {kv_cache, "create_flashinfer_kv_indices_triton"},
    {kv_cache, "void lmc::load_and_reshape_multi_layer_kernel<long, true>(long*, long**, long const*, int, int)"},
    {kv_cache, "void lmc::single_layer_kv_transfer_kernel<long, false>(long*, long*, long const*)"},
    {kv_cache, "void transfer_kernel_impl<&get_global_offset_lf, &get_global_offset_pf, false>(void const*, void*)"},
    {kv_cache, "void flashinfer::AppendPagedKVCacheKernel<128u, 16u, 8u, __half, int>(flashinfer::paged_kv_t)"},
    {rope, "void vllm::rotary_embedding_kernel<c10::BFloat16, true>(long const*, c10::BFloat16*)"},
    {rope, "void flashinfer::BatchQKApplyRotaryPosIdsCosSinCacheKernel<true, 128u>(int)"},
    {rope, "RotaryPositionEmbeddingGrad"},
    {rope, "void fused_rope_forward<float, float>(int, int)"},
    {rope, "rope_neox(float const*, float*, int)"},
    {embedding,
     "void split_embedding_backward_codegen_rowwise_adagrad_unweighted_kernel_cta_per_row_1<float, float>(int)"},
    {embedding, "void fbgemm_gpu::permute_2D_data_kernel<false, int, int, decltype(nullptr)>(int, decltype(nullptr))"},
    {embedding, "void at::native::(anonymous namespace)::indexSelectLargeIndex<float, long, unsigned int, 2>(int)"},
    {embedding, "void at::native::(anonymous namespace)::embedding_backward_kernel<float, float, long>(long*)"},
    {embedding, "void at::native::(anonymous namespace)::EmbeddingBag_updateOutputKernel_sum_mean<float, long>(long*)"},
    {embedding, "split_eb_bwd_rowwise_adagrad-dtype_Half"},
    {embedding, "EmbeddingDenseGradV2"},
    {normalization, "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float>(int, float)"},
    {normalization, "void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, int, 512, true, 1, true>(cudnnTensorStruct)"},
    {normalization, "void at::native::batch_norm_backward_kernel<c10::BFloat16, c10::BFloat16, float, int>(int)"},
    {normalization, "void at::native::(anonymous namespace)::GammaBetaBackwardCUDAKernel<float, float>(long)"},
    {normalization,
     "std::enable_if<(((8)>(0)))&&vllm::_typeConvert<c10::BFloat16>::exists, void>::type "
     "vllm::fused_add_rms_norm_kernel<c10::BFloat16, 8>(c10::BFloat16*, long)"},
    {normalization, "void ck_tile::kentry<1, ck_tile::Rmsnorm2dFwd<ck_tile::Rmsnorm2dFwdPipelineOnePass<int> > >(int)"},
    {normalization,
     "_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi256ELi16ELb0ELb0ELb1ELi1EEEvPT0_PT_PfS4_S4_S4_diiiiiiib"},
    {normalization, "triton_red_fused_add_mean_mul_pow_rsqrt_0"},
    {normalization, "MIOpenBatchNormFwdTrainSpatial"},
    {normalization, "RmsNormGrad"},
    {quantization,
     "void vllm::scaled_fp8_quant_kernel_strided<c10::BFloat16, c10::Float8_e4m3fn>(c10::Float8_e4m3fn*)"},
    {quantization, "void per_token_group_quant_8bit_kernel<c10::BFloat16, c10::Float8_e4m3fn, true>(void const*)"},
    {quantization,
     "void fbgemm_gpu::(anonymous namespace)::_FP8rowwise_to_float_cuda_kernel<float>(unsigned char const*)"},
    {quantization,
     "void at::native::vectorized_elementwise_kernel<4, fbgemm_gpu::_float_to_hfp8_gpu(at::Tensor const&, long, long, "
     "double)::{lambda(float)#1}, at::detail::Array<char*, 2> >(int, float)"},
    {quantization,
     "void tensorrt_llm::kernels::quantize_with_block_size<(tensorrt_llm::BlockScaleQuantizationType)2>(int)"},
    {quantization, "DynamicQuant"},
    {moe_routing, "void vllm::moe::topkGatingSoftmax<8, 128, 4, 16, int>(float const*, bool const*, float*)"},
    {moe_routing, "void vllm::moe::moe_align_block_size_kernel<int>(int const*, int*)"},
    {moe_routing, "void moe::dev::routing::routingIndicesHistogramKernel<int>(int)"},
    {moe_routing, "_finalize_matmul_scatter_bf16"},
    {moe_routing, "_topk_forward"},
    {moe_routing, "void deep_ep::layout::get_dispatch_layout<256, 32, 8>(long const*, int*)"},
    {moe_routing, "void ck_tile::kentry<1, ck_tile::MoeSortingKernel<int> >(int)"},
    {moe_gemm, "fused_moe_kernel"},
    {moe_gemm, "_matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1_swiglu"},
    {moe_gemm, "bmm_Bfloat16_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_et128x16_m128x16x32_dynBatch"},
    {moe_gemm,
     "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cutlass::gemm::GroupProblemShape<int> > >(int)"},
    {moe_gemm, "GroupedMatmul"},
    {attention,
     "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128, 128, 4>, false>(int)"},
    {attention,
     "void flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits<64> >(flash::Flash_bwd_params)"},
    {attention, "void cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<int> > >(int)"},
    {attention, "fmha_cutlassF_bf16_aligned_64x128_rf_sm80(PyTorchMemEffAttention::AttentionKernel<int>::Params)"},
    {attention, "fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP16VarSeqQ128Kv128PersistentContext"},
    {attention, "void flashinfer::BatchPrefillWithPagedKVCacheKernel<flashinfer::KernelTraits<1, 16> >(int)"},
    {attention, "kernel_unified_attention_2d"},
    {attention, "void vllm::paged_attention_v2_kernel<unsigned short, unsigned short, 128, 16>(float*)"},
    {attention, "attn_fwd"},
    {attention, "_fwd_kernel_aligned_0d1d2d3d45d6de7de8c"},
    {attention,
     "_ZN7ck_tile6kentryILi2ENS_38FmhaBatchPrefillWithPagedKVCacheKernelINS_"
     "40BlockFmhaBatchPrefillPipelineIDF16bEEEEE"},
    {attention, "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x128_4x1x1_kernel0_0"},
    {attention, "FlashAttentionScoreGrad"},
    {attention, "_flash_attn_forward_0"},
    {state_space, "void selective_scan_fwd_kernel<Selective_Scan_fwd_kernel_traits<128, 16, 1, true> >(SSMParamsBase)"},
    {state_space, "void causal_conv1d_fwd_kernel<Causal_conv1d_fwd_kernel_traits<128, 4> >(ConvParamsBase)"},
    {state_space, "_chunk_scan_fwd_kernel"},
    {state_space, "_state_passing_fwd_kernel"},
    {state_space, "chunk_gated_delta_rule_fwd_kernel_h_blockdim64"},
    {state_space, "fused_recurrent_gated_delta_rule_fwd_kernel"},
    {convolution, "volta_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1"},
    {convolution, "void cudnn::cnn::wgrad_alg0_engine<float, 128, 5, 5, 3, 3, 3, false, 512>(int)"},
    {convolution, "void implicit_convolve_sgemm<float, float, 1024, 5, 5, 3, 3, 3, 1, false>(int)"},
    {convolution,
     "sm80_xmma_dgrad_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x32x32_execute_kernel__5x_cudnn"},
    {convolution, "igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt128x128x32_wt32x32x8_ws1x1_wr2x2"},
    {convolution,
     "_ZN2ck16tensor_operation6device12_GLOBAL__N_139kernel_grouped_conv_fwd_xdl_cshuffle_v3INS_34GridwiseGemmE"},
    {convolution, "void cutlass_cudnn_infer::Kernel<cutlass_tensorop_bf16_s16816fprop_optimized_bf16_64x64_32x6>(int)"},
    {convolution, "miopenSp3AsmConv_v30_3_1_gfx9_fp32_f2x3_stride1"},
    {convolution, "Conv2DBackpropFilter"},
    {gemm, "nvjet_hsh_128x256_64x4_2x1_v_bz_coopA_TNT"},
    {gemm, "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_nn"},
    {gemm, "volta_sgemm_128x64_nn"},
    {gemm, "Cijk_Ailk_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x256x64_MI16x16x1_SN.kd"},
    {gemm, "Custom_Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x256x64"},
    {gemm, "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x128_32x3_nn_align4>(Params)"},
    {gemm,
     "void cublasLt::splitKreduce_kernel<32, 16, int, float, float, float, float, "
     "true>(cublasLt::cublasSplitKParams<float>)"},
    {gemm,
     "std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, __nv_bfloat16, float, false, true, false, "
     "7, false, cublasGemvParamsEx<int, cublasGemvTensorStridedBatched<__nv_bfloat16 const> > >(int)"},
    {gemm, "void dot_kernel<float, 128, 0, cublasDotParams<cublasGemvTensorStridedBatched<float const> > >(int)"},
    {gemm, "void gemv2T_kernel_val<int, int, float, float, float, float, 128, 16, 4, 4, false, false>(float)"},
    {gemm, "void deep_gemm::sm90_fp8_gemm_1d2d_impl<7168u, 2112u, 1u, 64u, 128u>(float*)"},
    {gemm, "_w8a8_triton_block_scaled_mm"},
    {gemm, "void marlin::Marlin<__nv_bfloat16, 1125899906909960l, 256, 4, 8, 8>(int4 const*)"},
    {gemm, "void wvSplitK_hf_sml_<__hip_bfloat16, 64, 2, 16, 8, 2, 1>(int)"},
    {gemm, "void mul_mat_q<(ggml_type)12, 128, false>(char const*)"},
    {gemm, "triton_tem_fused_mm_7"},
    {gemm, "fc-dtype_Float"},
    {gemm, "aten::addmm"},
    {gemm, "aten::linear"},
    {set, "aten::zero_"},
    {layout, "aten::_to_copy"},
    {reduction, "aten::mean"},
    {attention, "aten::_scaled_dot_product_flash_attention_for_cpu"},
    {normalization, "aten::native_layer_norm"},
    {convolution, "aten::mkldnn_convolution"},
    {gemm, "MatMulV3"},
    {gemm, "aclnnMatmul_MatMulV3Common_MatMulV3"},
    {gemm, "QuantBatchMatmulV3"},
    {optimizer, "void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float>, float, float>(long)"},
    {optimizer,
     "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
     "namespace)::TensorListMetadata<2>, at::native::(anonymous namespace)::BinaryOpListAlphaFunctor<float, 2, 2, 0> "
     ">(int)"},
    {optimizer, "ApplyAdamWV2"},
    {optimizer, "aclnnForeachMulScalarV2_ForeachMulScalarV2_ForeachMulScalar"},
    {optimizer, "void fused_adamw_kernel<float>(float*)"},
    {softmax_loss, "void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, c10::BFloat16, float>(int)"},
    {softmax_loss,
     "void <unnamed>::softmax_warp_forward<float, float, float, 6, (bool)0, (bool)0>(T2 *, const T1 *, int)"},
    {softmax_loss,
     "void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d<float, float, long>(float*)"},
    {softmax_loss, "void cunn_ClassNLLCriterion_updateOutput_kernel<float, float>(float*)"},
    {softmax_loss, "liger_cross_entropy_kernel"},
    {softmax_loss, "LogSoftmaxGrad"},
    {activation,
     "_ZN7sgl_hip10activation18act_and_mul_kernelI14__hip_bfloat16TnPFT_RKS3_EXadL_Z4siluIS2_ES3_S5_EEEEvPS3_PS4_i"},
    {activation, "void vllm::act_and_mul_kernel<c10::BFloat16, &vllm::silu_kernel, true>(c10::BFloat16*)"},
    {activation,
     "void flashinfer::activation::act_and_mul_kernel<__nv_bfloat16, &(silu(float const&))>(__nv_bfloat16*)"},
    {activation, "_swiglu_fwd_kernel"},
    {activation, "SwiGluGrad"},
    {sort_scan,
     "void at_cuda_detail::cub::DeviceRadixSortOnesweepKernel<at_cuda_detail::cub::DeviceRadixSortPolicy<long> >(int)"},
    {sort_scan,
     "void cub::DeviceScanKernel<cub::DeviceScanPolicy<int>::Policy600, int*, int*, cub::ScanTileState<int, true> "
     ">(int*)"},
    {sort_scan,
     "void "
     "rocprim::ROCPRIM_400200_NS::detail::trampoline_kernel<rocprim::ROCPRIM_400200_NS::detail::wrapped_scan_config<"
     "rocprim::ROCPRIM_400200_NS::default_config, long> >(int)"},
    {sort_scan, "void at::native::radixSortKVInPlace<-2, -1, 64, 32, c10::BFloat16, long, unsigned int>(int)"},
    {sort_scan, "void at::native::sbtopk::gatherTopK<float, unsigned int, 1, false>(int)"},
    {sort_scan, "void at::native::tensor_kernel_scan_innermost_dim<float, std::plus<float> >(float*)"},
    {sort_scan, "NonZero"},
    {random,
     "void at::native::(anonymous namespace)::distribution_elementwise_grid_stride_kernel<float, 4, "
     "at::native::templates::"
     "cuda::uniform_and_transform<float> >(long)"},
    {random,
     "void at::native::(anonymous namespace)::fused_dropout_kernel_vec<float, float, unsigned int, 1, 4, bool>(int)"},
    {random, "void flashinfer::sampling::TopKTopPSamplingFromProbKernel<1024u, float, int>(float*)"},
    {random, "void gen_sequenced<curandStateXORWOW, float2, normal_args_st>(curandStateXORWOW*)"},
    {random, "DSAStatelessGenBitMask"},
    {pooling,
     "void at::native::(anonymous namespace)::max_pool_backward_nchw<float, float>(float const*, long const*)"},
    {pooling, "void at::native::(anonymous namespace)::adaptive_average_pool<float>(float const*, float*)"},
    {pooling, "void at::native::(anonymous namespace)::upsample_bilinear2d_out_frame<c10::BFloat16, float>(int)"},
    {pooling, "void at::native::(anonymous namespace)::grid_sampler_2d_kernel<float, int>(int)"},
    {pooling, "AdaptiveAvgPool3dGrad"},
    {layout, "void cudnn::ops::nchwToNhwcKernel<float, float, float, false, true, (cudnnKernelDataType_t)0>(int)"},
    {layout, "void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, unsigned int, 2, 128, 1>(float*)"},
    {layout,
     "void at::native::elementwise_kernel<128, 4, "
     "at::native::gpu_kernel_impl_nocast<at::native::direct_copy_kernel_cuda("
     "at::TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda()#7}::operator()() const::{lambda(float)#1}>("
     "at::TensorIteratorBase&)::{lambda(int)#1}>(int)"},
    {layout, "batched_transpose_32x32_half"},
    {layout, "loop_transpose_fusion.kd"},
    {layout, "aclnnMatmul_TransData_TransData"},
    {layout, "trans_TransData_7"},
    {layout, "TransData-op284"},
    {elementwise, "Mul-op186"},
    {elementwise, "TensorAdd-op3"},
    {optimizer, "ApplyMomentum-op54"},
    {set, "AtomicAddrClean-op9"},
    {indexing, "UnsortedSegmentSum-op199"},
    {layout, "aten::cat.out-dtype_Float-extraKey_2"},
    {indexing, "void at::native::index_elementwise_kernel<128, 4, at::native::gpu_index_kernel<int> >(long)"},
    {indexing, "void at::native::vectorized_gather_kernel<16, long>(char*, char*, long*, int)"},
    {indexing,
     "void at::native::_scatter_gather_elementwise_kernel<128, 4, "
     "at::native::_cuda_scatter_gather_internal_kernel<true, "
     "float> >(int)"},
    {indexing,
     "void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous "
     "namespace)::masked_fill_kernel(int)>(int)"},
    {indexing, "aten::where-dtype_Float"},
    {indexing, "Range"},
    {reduction,
     "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float, float, float, "
     "float>, unsigned int, float, 4> >(int)"},
    {reduction,
     "void at_cuda_detail::cub::DeviceReduceSingleTileKernel<at_cuda_detail::cub::DeviceReducePolicy<int> >(int*)"},
    {reduction, "triton_per_fused_sum_3"},
    {reduction, "vector_norm_float_order-dtype_Float"},
    {reduction, "input_reduce_fusion.2"},
    {reduction, "ReduceSumD"},
    {attention, "triton_red_fused__to_copy_fmha_backward_2"},
    {attention, "triton_poi_fused_sage_attn_1"},
    {attention, "%custom-call.2 = bf16[8,128] custom-call(bf16[8,128] %p), custom_call_target=\"splash_attention\""},
    {quantization, "triton_red_fused_abs_amax_clamp_div_4"},
    {convolution, "void cudnn::ops::flip_filter<float, float>(float*)"},
    {convolution, "void flip_filter<float, float>(float*)"},
    {convolution, "void fft1d_r2c_32<float, float, float2, false, false>(float2*)"},
    {convolution, "void fft1d_c2r_32<float2, float, float, false>(float*)"},
    {convolution, "void pointwise_mult_and_sum_complex<float2, 8, 4>(float2*)"},
    {convolution, "computeOffsetsKernel(ComputeOffsetsParams)"},
    {convolution, "Im3d2Col"},
    {convolution,
     "%convolution.5 = bf16[8,128]{1,0} convolution(bf16[8,64] %p, bf16[64,128] %q), dim_labels=bf_io->bf"},
    {gemm, "%fusion.12 = bf16[8,128]{1,0:T(8,128)} fusion(bf16[8,128]{1,0} %p.1), kind=kOutput, calls=%computation.12"},
    {gemm, "%loop_dot_fusion.2 = f32[8] fusion(f32[8] %p), kind=kCustom, calls=%c"},
    {layout, "%copy.7 = f32[8,16]{0,1} copy(f32[8,16]{1,0} %convolution_fusion.1)"},
    {layout, "%transpose_fusion = f32[8] fusion(f32[8] %sort.3), kind=kLoop, calls=%c"},
    {layout, "_copy_tensor_kernel"},
    {layout, "void grouped_gemm::utils::transpose<float>(float*)"},
    {indexing, "%dynamic-update-slice.9 = f32[8] dynamic-update-slice(f32[8] %p, f32[1] %q, s32[] %i)"},
    {optimizer, "void at::native::amp_update_scale_cuda_kernel(float*, int*)"},
    {reduction, "cupy_var_core_float64"},
    {reduction, "%fusion.4 = f32[8] fusion(f32[8,8] %p), kind=kInput, calls=%c"},
    {elementwise, "void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<Eigen::TensorAssignOp<int> > >(int)"},
    {elementwise, "%fusion.3 = f32[8] fusion(f32[8] %all-gather.1), kind=kLoop, calls=%c"},
    {fused, "%fusion.5 = f32[8] fusion(f32[8] %all-gather.1), kind=kCustom, calls=%c"},
    {reduction, "void clover::par_reduce_kernel<double>(double*)"},
    {elementwise,
     "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> "
     ">(int)"},
    {elementwise,
     "void at::native::unrolled_elementwise_kernel<at::native::FillFunctor<float>, at::detail::Array<char*, 1>, "
     "TrivialOffsetCalculator<0, unsigned int>, TrivialOffsetCalculator<1, unsigned int>, "
     "at::native::memory::LoadWithoutCast"
     ">(int)"},
    {elementwise, "triton_poi_fused_add_mul_silu_3"},
    {elementwise, "nvfuser_pointwise_f0_c1_r0_g0"},
    {elementwise, "cupy_multiply__float64_float64_float64"},
    {elementwise, "void scal_kernel<float, float, 1, false, 6, 5, 5, 3>(cublasTransposeParams<float>, float const*)"},
    {elementwise, "saxpy(double *, double *, double *, double, int)"},
    {elementwise, "aten::mul.out-dtype_Float"},
    {elementwise, "Add163"},
    {elementwise, "aclnnInplaceMuls_MulAiCore_Mul"},
    {fused, "triton__0d1d2d3de"},
    {fused, "<unnamed>::nvfuser_inner_persistent_f1_c1_r0_g2(<unnamed>::Tensor<float, (int)2, (int)2>)"},
    {fused, "fusion_12"},
    {fused, "AllGatherMatmul"},
    {fused, "MatmulReduceScatter"},
    {unknown, "at::cuda::(anonymous namespace)::spin_kernel(long)"},
    {unknown,
     "void clover::par_ranged2d_kernel<PdV_kernel(bool, int)::[lambda(int, int) (instance 1)]>(clover::Range2d, T1)"},
    {unknown, ""},
};

TEST(KernelDictionary, ClassifiesRealNames) {
  const KernelDictionary dictionary;
  std::array<int, kKernelClasses> seen{};
  for (const Example& example : kExamples) {
    EXPECT_EQ(text_of(dictionary.classify(full_kernel_name(example.name))), text_of(example.kernel_class))
        << example.name;
    ++seen[static_cast<size_t>(example.kernel_class)];
  }
  for (int i = 0; i < kKernelClasses; ++i) {
    EXPECT_GE(seen[static_cast<size_t>(i)], 3) << text_of(static_cast<KernelClass>(i));
  }
}

// Only the head decides where the arguments merely mention another kind of work.
TEST(KernelDictionary, ArgumentsDoNotMislead) {
  const KernelDictionary dictionary;
  EXPECT_EQ(dictionary.classify("void fbgemm_gpu::_offsets_range_cuda_kernel<long>(long)"), embedding);
  EXPECT_EQ(dictionary.classify("void split_embedding_codegen_forward_kernel<fbgemm_gpu::Gemm, float>(int)"),
            embedding);
  EXPECT_EQ(dictionary.classify("void at::native::unrolled_elementwise_kernel<at::native::CUDAFunctor_add<float>, "
                                "at::native::memory::LoadWithCast<2> >(int)"),
            elementwise);
  EXPECT_EQ(dictionary.classify("void my_kernel<nccl_tag, softmax_tag>(gemm_params)"), unknown);
}

TEST(KernelDictionary, ClassTextsAreDistinct) {
  std::set<std::string_view> texts;
  for (int i = 0; i < kKernelClasses; ++i) texts.insert(text_of(static_cast<KernelClass>(i)));
  EXPECT_EQ(texts.size(), static_cast<size_t>(kKernelClasses));
  EXPECT_EQ(text_of(copy), "copy");
  EXPECT_EQ(text_of(softmax_loss), "softmax_loss");
  EXPECT_EQ(text_of(unknown), "unknown");
}

TEST(KernelDictionary, UserRulesComeFirst) {
  KernelDictionary dictionary;
  dictionary.add_rules(
      "# my project\r\n"
      "\n"
      "attention\thead   ^nvjet_attention  \n"
      "when head ^my::\n"
      "  when args <\n"
      "    moe_gemm name experts.*int8\n"
      "    random args .\n"
      "  end\n"
      "  state_space head STEP\n"
      "end\n"
      "unknown head ^volta_sgemm",
      "my.rules");
  EXPECT_EQ(dictionary.classify("nvjet_attention_64"), attention);
  EXPECT_EQ(dictionary.classify("nvjet_hsh_64"), gemm);
  EXPECT_EQ(dictionary.classify("void my::experts<int8>(int)"), moe_gemm);
  EXPECT_EQ(dictionary.classify("void my::other<int8>(int)"), random);
  EXPECT_EQ(dictionary.classify("void my::step(int)"), state_space);
  EXPECT_EQ(dictionary.classify("void my::softmax(int)"), softmax_loss);  // no rule of the block: the search goes on
  EXPECT_EQ(dictionary.classify("step"), unknown);
  EXPECT_EQ(dictionary.classify("volta_sgemm_128x64_nn"), unknown);

  dictionary.add_rules("copy head nvjet", "second.rules");  // a later file does not overrule an earlier one
  EXPECT_EQ(dictionary.classify("nvjet_attention_64"), attention);
  EXPECT_EQ(dictionary.classify("nvjet_hsh_64"), copy);
}

TEST(KernelDictionary, BadRulesNameTheLine) {
  const auto message = [](const std::string& text) -> std::string {
    KernelDictionary dictionary;
    try {
      dictionary.add_rules(text, "my.rules");
    } catch (const Error& error) {
      // None of the rules were kept.
      EXPECT_EQ(dictionary.classify("volta_sgemm_128x64_nn"), gemm);
      return error.what();
    }
    return "";
  };
  const std::string good = "copy head volta\n";
  EXPECT_EQ(
      message(good + "gem head volta").rfind("my.rules: line 2: no class is named 'gem'; the classes are copy, ", 0),
      0);
  EXPECT_EQ(message(good + "\ngemm hed volta"),
            "my.rules: line 3: 'hed' after 'gemm' is not a place to search; write head, args or name");
  EXPECT_EQ(message(good + "gemm head "), "my.rules: line 2: the regular expression after 'gemm head' is missing");
  EXPECT_EQ(message(good + "gemm head (volta").rfind("my.rules: line 2: bad regular expression '(volta': ", 0), 0);
  EXPECT_EQ(message(good + "end"), "my.rules: line 2: 'end' without a 'when' before it");
  EXPECT_EQ(message(good + "when head x\n\n"), "my.rules: line 2: this 'when' has no 'end'");
  EXPECT_EQ(message(good + "gemm").rfind("my.rules: line 2: ", 0), 0);
}

TEST(KernelDictionary, AnyTextIsClassifiedInLinearTime) {
  const KernelDictionary dictionary;
  const auto repeat = [](std::string start, char filler) { return start.append(100'000, filler); };
  for (const std::string& name :
       {repeat("", '<'), repeat("f", '<'), repeat("f", '('), repeat("f<", ')'), repeat("", ' '),
        repeat("operator ", '<'), repeat(repeat("f[", '<'), ')'), repeat("_Z", '9'), repeat("_ZN", '1'),
        repeat("f<", 'S'), repeat("_Z1f", 'i'), std::string("a\0b\xff\xfe", 5), std::string("_Z"),
        std::string("operator"), std::string("(anonymous namespace)")}) {
    dictionary.classify(full_kernel_name(name));
    base_kernel_name(name);
  }
  EXPECT_EQ(dictionary.classify(repeat("void softmax_kernel<", 'x')), softmax_loss);
}

TEST(KernelDictionary, ClassifiesFromManyThreads) {
  const KernelDictionary dictionary;
  std::array<KernelClass, 8> classes{};
  {
    std::vector<std::jthread> threads;
    for (KernelClass& result : classes) {
      threads.emplace_back([&] { result = dictionary.classify("volta_sgemm_128x64_nn"); });
    }
  }
  for (KernelClass result : classes) EXPECT_EQ(result, gemm);
}

}  // namespace
}  // namespace cgpu
