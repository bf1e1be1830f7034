#include "analysis/op_shapes/convolution_cost.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>

#include "analysis/op_shapes/count.h"

namespace cgpu {

namespace {

constexpr size_t kNowhere = SIZE_MAX;

/// Where an op has what; kNowhere for what it does not have.
struct ConvolutionOp {
  std::string_view name;
  size_t bias = kNowhere;
  size_t stride = kNowhere;
  size_t padding = kNowhere;
  size_t dilation = kNowhere;
  size_t transposed = kNowhere;
  size_t output_padding = kNowhere;
  size_t groups = kNowhere;
  bool is_transposed = false;
};

// Input and weight come first.
constexpr std::array kForward = {
    ConvolutionOp{"aten::conv1d", 2, 3, 4, 5, kNowhere, kNowhere, 6},
    ConvolutionOp{"aten::conv2d", 2, 3, 4, 5, kNowhere, kNowhere, 6},
    ConvolutionOp{"aten::conv3d", 2, 3, 4, 5, kNowhere, kNowhere, 6},
    ConvolutionOp{"aten::convolution", 2, 3, 4, 5, 6, 7, 8},
    ConvolutionOp{"aten::_convolution", 2, 3, 4, 5, 6, 7, 8},
    ConvolutionOp{"aten::cudnn_convolution", kNowhere, 3, 2, 4, kNowhere, kNowhere, 5},
    ConvolutionOp{"aten::cudnn_convolution_relu", 2, 3, 4, 5, kNowhere, kNowhere, 6},
    ConvolutionOp{"aten::miopen_convolution", 2, 4, 3, 5, kNowhere, kNowhere, 6},
    ConvolutionOp{"aten::mkldnn_convolution", 2, 4, 3, 5, kNowhere, kNowhere, 6},
    ConvolutionOp{"aten::cudnn_convolution_add_relu", 4, 5, 6, 7, kNowhere, kNowhere, 8},
    ConvolutionOp{"aten::convolution_overrideable", 2, 3, 4, 5, 6, 7, 8},
    ConvolutionOp{"aten::miopen_depthwise_convolution", 2, 4, 3, 5, kNowhere, kNowhere, 6},
    ConvolutionOp{"aten::_conv_depthwise2d", 3, 4, 5, 6},
    ConvolutionOp{"aten::conv_depthwise3d", 3, 4, 5, 6},
    ConvolutionOp{"aten::slow_conv_dilated2d", 3, 4, 5, 6},
    ConvolutionOp{"aten::conv_transpose1d", 2, 3, 4, 7, kNowhere, 5, 6, true},
    ConvolutionOp{"aten::conv_transpose2d", 2, 3, 4, 7, kNowhere, 5, 6, true},
    ConvolutionOp{"aten::conv_transpose3d", 2, 3, 4, 7, kNowhere, 5, 6, true},
    ConvolutionOp{"aten::cudnn_convolution_transpose", kNowhere, 4, 2, 5, kNowhere, 3, 6, true},
    ConvolutionOp{"aten::miopen_convolution_transpose", 2, 5, 3, 6, kNowhere, 4, 7, true},
};

const ConvolutionOp* find_forward(std::string_view name) {
  const auto* found =
      std::find_if(kForward.begin(), kForward.end(), [&](const ConvolutionOp& op) { return op.name == name; });
  return found == kForward.end() ? nullptr : found;
}

/// Where the backward pass has what; weight comes third.
struct BackwardOp {
  std::string_view name;
  size_t gradient = 0;
  size_t input = 1;
  size_t transposed = kNowhere;
  size_t wanted = 10;  // gradients: of input, weight, bias
};
constexpr std::array kBackward = {
    BackwardOp{"aten::convolution_backward", 0, 1, 7, 10},
    BackwardOp{"aten::convolution_backward_overrideable", 0, 1, 6, 9},
    BackwardOp{"aten::cudnn_convolution_backward", 1, 0, kNowhere, 10},
    BackwardOp{"aten::miopen_convolution_backward", 1, 0, kNowhere, 9},
    BackwardOp{"aten::miopen_depthwise_convolution_backward", 1, 0, kNowhere, 9},
};
constexpr std::string_view kBackwardInput = "aten::cudnn_convolution_backward_input";
constexpr std::string_view kBackwardWeight = "aten::cudnn_convolution_backward_weight";

const BackwardOp* find_backward(std::string_view name) {
  const auto* found =
      std::find_if(kBackward.begin(), kBackward.end(), [&](const BackwardOp& op) { return op.name == name; });
  return found == kBackward.end() ? nullptr : found;
}

/// One number stands for all dimensions.
bool fit_to(std::optional<Dims>& numbers, size_t dimensions) {
  if (numbers && numbers->size() == 1) numbers->resize(dimensions, numbers->front());
  return numbers && numbers->size() == dimensions;
}

/// The elements of one channel of one result.
std::optional<Dims> result_extent(const ConvolutionOp& op, const RecordedInputs& inputs, std::span<const int64_t> input,
                                  std::span<const int64_t> kernel, bool transposed, std::string& settings) {
  auto stride = inputs.integers(op.stride);
  auto padding = inputs.integers(op.padding);
  auto dilation = inputs.integers(op.dilation);
  if (!fit_to(stride, input.size()) || !fit_to(padding, input.size()) || !fit_to(dilation, input.size())) {
    return std::nullopt;
  }
  std::optional<Dims> more = Dims(input.size(), 0);
  if (transposed) {
    more = inputs.integers(op.output_padding);
    if (!fit_to(more, input.size())) return std::nullopt;
  }
  constexpr int64_t kLargest = INT32_MAX;  // of a dimension; keeps what follows far from overflowing
  Dims extent;
  for (size_t i = 0; i < input.size(); ++i) {
    const int64_t s = (*stride)[i];
    const int64_t p = (*padding)[i];
    const int64_t d = (*dilation)[i];
    const std::array<int64_t, 6> all = {s, p, d, input[i], kernel[i], (*more)[i]};
    const bool sound = s > 0 && std::all_of(all.begin(), all.end(), [](int64_t n) { return n >= 0 && n <= kLargest; });
    if (!sound) return std::nullopt;
    const int64_t reach = d * (kernel[i] - 1);
    const int64_t size =
        transposed ? (input[i] - 1) * s - 2 * p + reach + (*more)[i] + 1 : (input[i] + 2 * p - reach - 1 + s) / s;
    if (size < 0) return std::nullopt;
    extent.push_back(size);
  }
  settings = fmt::format("{}stride [{}], padding [{}], dilation [{}]", transposed ? "transposed, " : "",
                         fmt::join(*stride, ", "), fmt::join(*padding, ", "), fmt::join(*dilation, ", "));
  return extent;
}

OpCost forward(const ConvolutionOp& op, const RecordedInputs& inputs) {
  const auto input = inputs.tensor(0);
  const auto weight = inputs.tensor(1);
  if (!input || !weight || weight->dims.size() < 3) return {};
  const size_t dimensions = weight->dims.size() - 2;
  const bool has_batch = input->dims.size() == dimensions + 2;
  if (!has_batch && input->dims.size() != dimensions + 1) return {};
  const Count batch = has_batch ? input->dims[0] : 1;
  const auto kernel = std::span<const int64_t>(weight->dims).last(dimensions);
  const auto space = std::span<const int64_t>(input->dims).last(dimensions);

  OpCost cost;
  cost.peak = weight->type.peak;
  const Count each = product(std::span(weight->dims).subspan(1)) * 2;  // operations for what a weight set is applied to
  const auto add_bytes = [&](Count results) {
    Count bytes = product(input->dims) * input->type.size + product(weight->dims) * weight->type.size +
                  results * input->type.size;
    if (const auto bias = inputs.tensor(op.bias)) bytes = bytes + product(bias->dims) * bias->type.size;
    cost.bytes = bytes.value();
  };
  if (const auto output = inputs.output(); output && !op.is_transposed && op.transposed == kNowhere) {
    cost.flops = (each * product(*output)).value();
    add_bytes(product(*output));
    cost.settings = fmt::format("output [{}]", fmt::join(*output, ", "));
    return cost;
  }
  bool transposed = op.is_transposed;
  if (op.transposed != kNowhere) {
    const auto flag = inputs.flag(op.transposed);
    if (!flag) return {};
    transposed = *flag;
  }
  const auto extent = result_extent(op, inputs, space, kernel, transposed, cost.settings);
  if (!extent) return {};
  Count channels = weight->dims[0];
  if (transposed) {
    const auto groups = inputs.integer(op.groups);
    if (!groups) return {};
    channels = Count(weight->dims[1]) * *groups;
  }
  const Count results = batch * channels * product(*extent);
  cost.flops = (each * (transposed ? product(input->dims) : results)).value();
  add_bytes(results);
  return cost;
}

OpCost backward(const BackwardOp& op, const RecordedInputs& inputs) {
  const auto gradient = inputs.tensor(op.gradient);
  const auto input = inputs.tensor(op.input);
  const auto weight = inputs.tensor(2);
  const auto transposed = op.transposed == kNowhere ? std::optional(false) : inputs.flag(op.transposed);
  const auto wanted = inputs.flags(op.wanted);
  if (!gradient || !input || !weight || weight->dims.empty() || !transposed || !wanted || wanted->size() < 2) return {};
  const Count of_input = product(input->dims) * input->type.size;
  const Count of_weight = product(weight->dims) * weight->type.size;
  const Count applied = product(*transposed ? input->dims : gradient->dims);
  const Count forward = product(std::span(weight->dims).subspan(1)) * 2 * applied;
  OpCost cost;
  cost.peak = weight->type.peak;
  Count flops = 0;
  Count bytes = product(gradient->dims) * gradient->type.size;
  for (size_t which = 0; which < 2; ++which) {
    if (!(*wanted)[which]) continue;
    flops = flops + forward;
    bytes = bytes + of_input + of_weight;  // one is read, of the other the gradient is written
  }
  if ((*wanted)[0] || (*wanted)[1]) cost.flops = flops.value();
  cost.bytes = bytes.value();
  cost.settings = (*wanted)[0] ? ((*wanted)[1] ? "gradients of input and weight" : "gradient of input")
                               : ((*wanted)[1] ? "gradient of weight" : "gradient of bias");
  if (*transposed) cost.settings += ", transposed";
  return cost;
}

/// cudnn_convolution_backward_input(shape, gradient, weight, ...)
OpCost backward_input(const RecordedInputs& inputs) {
  const auto gradient = inputs.tensor(1);
  const auto weight = inputs.tensor(2);
  if (!gradient || !weight || weight->dims.empty()) return {};
  OpCost cost;
  cost.flops = (product(std::span(weight->dims).subspan(1)) * 2 * product(gradient->dims)).value();
  cost.peak = weight->type.peak;
  return cost;
}

/// cudnn_convolution_backward_weight(shape, gradient, input, padding, stride, dilation, groups, ...)
OpCost backward_weight(const RecordedInputs& inputs) {
  const auto gradient = inputs.tensor(1);
  const auto input = inputs.tensor(2);
  const auto weight = inputs.integers(0);
  if (!gradient || !input || !weight || weight->empty()) return {};
  OpCost cost;
  cost.flops = (product(std::span(*weight).subspan(1)) * 2 * product(gradient->dims)).value();
  cost.bytes = (product(gradient->dims) * gradient->type.size + product(input->dims) * input->type.size +
                product(*weight) * input->type.size)
                   .value();
  cost.peak = input->type.peak;
  cost.settings = fmt::format("weight [{}]", fmt::join(*weight, ", "));
  return cost;
}

}  // namespace

bool is_convolution(std::string_view op) {
  return find_forward(op) != nullptr || find_backward(op) != nullptr || op == kBackwardInput || op == kBackwardWeight;
}

OpCost convolution_cost(std::string_view name, const RecordedInputs& inputs) {
  if (const BackwardOp* op = find_backward(name)) return backward(*op, inputs);
  if (name == kBackwardInput) return backward_input(inputs);
  if (name == kBackwardWeight) return backward_weight(inputs);
  return forward(*find_forward(name), inputs);
}

}  // namespace cgpu
