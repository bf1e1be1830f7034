#include "models.h"

#include "vendor_kernels.h"

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
