#include "models.h"

namespace cgpu::builder {

namespace {

constexpr std::string_view kTensor2 = R"([[64, 4096], [4096, 4096], []])";
constexpr std::string_view kTypes2 = R"(["c10::BFloat16", "c10::BFloat16", "Scalar"])";
constexpr std::string_view kImage = R"([[32, 256, 56, 56], [256, 256, 3, 3], [], [], [], [], []])";
constexpr std::string_view kImageTypes =
    R"(["c10::BFloat16", "c10::BFloat16", "", "ScalarList", "ScalarList", "ScalarList", "Scalar"])";
constexpr std::string_view kHeads = R"([[8, 32, 2048, 128], [8, 32, 2048, 128], [8, 32, 2048, 128]])";
constexpr std::string_view kHeadTypes = R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16"])";
constexpr std::string_view kOne = R"([[64, 4096]])";
constexpr std::string_view kOneType = R"(["c10::BFloat16"])";
constexpr std::string_view kTable = R"([[1000000, 128], [524288], [16385]])";
constexpr std::string_view kTableTypes = R"(["float", "long int", "long int"])";

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

OpSpec exchange(Collective collective, int64_t elements) {
  OpSpec op;
  op.collective = collective;
  op.elements = elements;
  return op;
}

}  // namespace

std::string_view collective_kernel(Collective collective, Era era, Vendor vendor) {
  if (era == Era::y2021) {
    switch (collective) {
      case Collective::all_gather:
        return "ncclKernel_AllGather_RING_LL_Sum_int8_t(ncclWorkElem)";
      case Collective::reduce_scatter:
        return "ncclKernel_ReduceScatter_RING_LL_Sum_float(ncclWorkElem)";
      case Collective::all_to_all:
        return "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)";
      default:
        return "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)";
    }
  }
  if (vendor == Vendor::amd) return "ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)";
  switch (collective) {
    case Collective::all_gather:
      return "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
    case Collective::reduce_scatter:
      return "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
    case Collective::all_to_all:
      return "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)";
    default:
      return "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
  }
}

ModelSpec model_spec(const Options& options) {
  const Kernels k(options.era, options.vendor);
  const OpSpec linear{"aten::linear",
                      "aten::addmm",
                      "torch/nn/modules/linear.py(125): forward",
                      kTensor2,
                      kTypes2,
                      "AddmmBackward0",
                      {k.gemm(90'000)},
                      {k.gemm_backward(85'000), k.gemm_backward(80'000), k.sum(6'000)}};
  const OpSpec relu{"aten::relu_",
                    "aten::clamp_min_",
                    "torch/nn/modules/activation.py(103): forward",
                    kOne,
                    kOneType,
                    "ReluBackward0",
                    {k.relu(9'000)},
                    {k.multiply(9'000)}};
  const OpSpec add{"aten::add",   "", "model.py(61): forward", kOne, kOneType, "AddBackward0", {k.add(7'000)},
                   {k.add(7'000)}};
  const OpSpec loss{"aten::cross_entropy_loss",
                    "aten::_log_softmax",
                    "torch/nn/functional.py(3014): cross_entropy",
                    kOne,
                    kOneType,
                    "LogSoftmaxBackward0",
                    {k.softmax(14'000)},
                    {k.softmax_backward(16'000)}};
  const OpSpec layer_norm{"aten::layer_norm",
                          "aten::native_layer_norm",
                          "torch/nn/modules/normalization.py(217): forward",
                          kOne,
                          kOneType,
                          "NativeLayerNormBackward0",
                          {k.layer_norm(11'000)},
                          {k.layer_norm_backward(17'000), k.sum(8'000)}};
  const OpSpec attention{"aten::scaled_dot_product_attention",
                         "aten::_flash_attention_forward",
                         "model.py(112): attention",
                         kHeads,
                         kHeadTypes,
                         "ScaledDotProductFlashAttentionBackward0",
                         {k.attention(160'000)},
                         {k.attention_backward(380'000)}};

  ModelSpec m;
  m.name = text_of(options.model);
  m.optimizer = {k.adam(60'000), k.adam(55'000), k.adam(20'000)};
  switch (options.model) {
    case Model::plain: {
      // Short kernels: the host sets the pace.
      OpSpec small = linear;
      small.forward = {k.gemm(6'000)};
      small.backward = {k.gemm_backward(6'000), k.sum(3'000)};
      m.module = "Linear";
      m.layers = 12;
      m.layer = {small, relu};
      m.tail = {loss};
      m.layers_per_bucket = options.ranks > 1 ? 4 : 0;
      m.bucket_elements = 1'048'576;
      m.input_bytes = 1'048'576;
      m.activation_bytes = 1'048'576;
      break;
    }
    case Model::cnn: {
      const OpSpec convolution{"aten::conv2d",
                               "aten::cudnn_convolution",
                               "torch/nn/modules/conv.py(554): forward",
                               kImage,
                               kImageTypes,
                               "ConvolutionBackward0",
                               {k.convolution(120'000)},
                               {k.convolution_data(130'000), k.convolution_weight(150'000)}};
      const OpSpec norm{"aten::batch_norm",
                        "aten::cudnn_batch_norm",
                        "torch/nn/modules/batchnorm.py(193): forward",
                        kImage,
                        kImageTypes,
                        "CudnnBatchNormBackward0",
                        {k.batch_norm(40'000)},
                        {k.batch_norm_backward(70'000)}};
      const OpSpec pool{"aten::max_pool2d",
                        "aten::max_pool2d_with_indices",
                        "torch/nn/modules/pooling.py(213): forward",
                        kImage,
                        kImageTypes,
                        "MaxPool2DWithIndicesBackward0",
                        {k.pool(60'000)},
                        {k.pool_backward(110'000)}};
      m.module = "Bottleneck";
      m.layers = 16;
      m.head = {convolution, norm, relu, pool};
      m.layer = {convolution, norm, relu, convolution, norm, add, relu};
      m.tail = {linear, loss};
      m.layers_per_bucket = 4;
      m.bucket_elements = 6'637'568;
      m.input_bytes = 19'267'584;
      m.activation_bytes = 25'690'112;
      break;
    }
    case Model::dlrm: {
      const OpSpec lookup{"fbgemm::split_embedding_codegen_lookup_rowwise_adagrad_function",
                          "",
                          "dlrm.py(241): apply_emb",
                          kTable,
                          kTableTypes,
                          "SplitLookupFunction_rowwise_adagrad_Op",
                          {k.embedding(140'000)},
                          {k.gather(30'000), k.embedding_backward(260'000)}};
      m.module = "MLP";
      m.layers = 8;
      m.head = {lookup, exchange(Collective::all_to_all, 8'388'608)};
      m.layer = {linear, relu, add};
      m.tail = {exchange(Collective::all_to_all, 8'388'608), linear, loss};
      m.layers_per_bucket = 4;
      m.bucket_elements = 2'097'152;
      m.input_bytes = 4'194'304;
      m.activation_bytes = 8'388'608;
      break;
    }
    case Model::moe: {
      const OpSpec route{"aten::topk",      "", "moe.py(77): route", kOne, kOneType, "TopkBackward0", {k.top_k(22'000)},
                         {k.gather(12'000)}};
      const OpSpec experts{"moe::experts",
                           "",
                           "moe.py(131): experts",
                           kTensor2,
                           kTypes2,
                           "ExpertsBackward",
                           {k.experts(240'000), k.silu(12'000), k.experts(200'000)},
                           {k.experts(260'000), k.experts(250'000)}};
      m.module = "MoELayer";
      m.layers = 8;
      m.head = {layer_norm};
      m.layer = {layer_norm, linear,
                 attention,  add,
                 route,      exchange(Collective::all_to_all, 4'194'304),
                 experts,    exchange(Collective::all_to_all, 4'194'304),
                 add};
      m.tail = {layer_norm, linear, loss};
      m.layers_per_bucket = 2;
      m.bucket_elements = 16'777'216;
      m.input_bytes = 131'072;
      m.activation_bytes = 33'554'432;
      break;
    }
    case Model::llm: {
      OpSpec project = linear;
      project.node = {};
      project.forward = {k.gemm(28'000)};
      OpSpec attend = attention;
      attend.node = {};
      const OpSpec norm{
          "vllm::rms_norm",    "", "vllm/model_executor/layers/layernorm.py(88): forward_cuda", kOne, kOneType, {},
          {k.rms_norm(4'000)}, {}};
      const OpSpec rope{"vllm::rotary_embedding",
                        "",
                        "vllm/model_executor/layers/rotary_embedding.py(141): forward_cuda",
                        kHeads,
                        kHeadTypes,
                        {},
                        {k.rope(4'000)},
                        {}};
      const OpSpec cache{"vllm::reshape_and_cache_flash",
                         "",
                         "vllm/attention/backends/flash_attn.py(610): forward",
                         kHeads,
                         kHeadTypes,
                         {},
                         {k.cache(3'000)},
                         {}};
      const OpSpec gate{
          "vllm::silu_and_mul", "", "vllm/model_executor/layers/activation.py(75): forward_cuda", kOne, kOneType, {},
          {k.silu(4'000)},      {}};
      m.module = "LlamaDecoderLayer";
      m.layers = 16;
      m.layer = {norm,
                 project,
                 rope,
                 cache,
                 attend,
                 project,
                 exchange(Collective::all_reduce, 262'144),
                 norm,
                 project,
                 gate,
                 project,
                 exchange(Collective::all_reduce, 262'144)};
      m.tail = {norm, project, exchange(Collective::all_gather, 65'536)};
      m.trains = false;
      m.input_bytes = 2'048;
      m.activation_bytes = 524'288;
      break;
    }
  }
  if (options.layers > 0) m.layers = options.layers;
  return m;
}

std::string_view text_of(Model model) {
  constexpr std::string_view kNames[] = {"plain", "cnn", "dlrm", "moe", "llm"};
  return kNames[static_cast<size_t>(model)];
}

std::string_view text_of(Era era) {
  constexpr std::string_view kNames[] = {"2021", "2024", "2026"};
  return kNames[static_cast<size_t>(era)];
}

std::string_view text_of(Vendor vendor) {
  return vendor == Vendor::amd ? "amd" : "nvidia";
}

}  // namespace cgpu::builder
