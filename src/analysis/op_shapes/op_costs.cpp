#include "analysis/op_shapes/op_costs.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <unordered_map>

#include "analysis/op_shapes/attention_cost.h"
#include "analysis/op_shapes/convolution_cost.h"
#include "analysis/op_shapes/count.h"
#include "base/parse_number.h"

namespace cgpu {

namespace {

using DimsView = std::span<const int64_t>;

Count elements(const Dims& dims) {
  return product(dims);
}
Count bytes_of(const Tensor& tensor) {
  return elements(tensor.dims) * tensor.type.size;
}

/// The shape that two shapes are repeated to; absent where they do not fit.
std::optional<Dims> broadcast(DimsView a, DimsView b) {
  if (a.size() < b.size()) std::swap(a, b);
  Dims both(a.begin(), a.end());
  for (size_t i = 0; i < b.size(); ++i) {
    int64_t& size = both[a.size() - b.size() + i];
    if (size != b[i] && size != 1 && b[i] != 1) return std::nullopt;
    if (size == 1) size = b[i];
  }
  return both;
}

// --- Products of matrices: 2 M N K for each matrix of the batch
// -------------------------------------------------------

struct Product {
  Count batch = 1;
  int64_t m = 1;
  int64_t n = 1;
  int64_t k = 1;
};

OpCost product_cost(const Product& of, const Tensor& a, const Tensor& b, const std::optional<Tensor>& added) {
  OpCost cost;
  cost.flops = (of.batch * of.m * of.n * of.k * 2).value();
  Count bytes = bytes_of(a) + bytes_of(b) + of.batch * of.m * of.n * a.type.size;
  if (added) bytes = bytes + bytes_of(*added);
  // 8-bit numbers are multiplied into wider ones, whose type the profile does not say.
  if (a.type.size > 1) cost.bytes = bytes.value();
  cost.peak = a.type.peak;
  return cost;
}

/// a [M, K] times b [K, N], or matrices of a batch of them.
OpCost matrix_product(const RecordedInputs& inputs, size_t first, bool is_batch, std::optional<size_t> added) {
  const auto a = inputs.tensor(first);
  const auto b = inputs.tensor(first + 1);
  const size_t rank = is_batch ? 3 : 2;
  if (!a || !b || a->dims.size() != rank || b->dims.size() != rank) return {};
  const Dims& left = a->dims;
  const Dims& right = b->dims;
  if (left[rank - 1] != right[rank - 2] || (is_batch && left[0] != right[0])) return {};
  const Product of{is_batch ? left[0] : 1, left[rank - 2], right[rank - 1], left[rank - 1]};
  return product_cost(of, *a, *b, added ? inputs.tensor(*added) : std::nullopt);
}

OpCost mm(const RecordedInputs& inputs) {
  return matrix_product(inputs, 0, false, std::nullopt);
}
OpCost addmm(const RecordedInputs& inputs) {
  return matrix_product(inputs, 1, false, 0);
}
OpCost bmm(const RecordedInputs& inputs) {
  return matrix_product(inputs, 0, true, std::nullopt);
}
OpCost baddbmm(const RecordedInputs& inputs) {
  return matrix_product(inputs, 1, true, 0);
}

/// Rows of x [..., K] times the rows of weight [N, K].
OpCost linear(const RecordedInputs& inputs) {
  const auto x = inputs.tensor(0);
  const auto weight = inputs.tensor(1);
  if (!x || !weight || x->dims.empty() || weight->dims.size() != 2 || x->dims.back() != weight->dims[1]) return {};
  const Count rows = product(DimsView(x->dims).first(x->dims.size() - 1));
  if (!rows.value()) return {};
  return product_cost({1, *rows.value(), weight->dims[0], weight->dims[1]}, *x, *weight, inputs.tensor(2));
}

/// As torch.matmul: a vector stands for a matrix of one row (left) or column (right), batches are repeated to fit.
OpCost matmul(const RecordedInputs& inputs) {
  const auto a = inputs.tensor(0);
  const auto b = inputs.tensor(1);
  if (!a || !b || a->dims.empty() || b->dims.empty()) return {};
  const DimsView left = a->dims;
  const DimsView right = b->dims;
  const int64_t k = left.back();
  if (k != (right.size() == 1 ? right[0] : right[right.size() - 2])) return {};
  const auto batch_of = [](DimsView dims) { return dims.first(dims.size() < 2 ? 0 : dims.size() - 2); };
  const auto batch = broadcast(batch_of(left), batch_of(right));
  if (!batch) return {};
  return product_cost(
      {elements(*batch), left.size() == 1 ? 1 : left[left.size() - 2], right.size() == 1 ? 1 : right.back(), k}, *a, *b,
      std::nullopt);
}

// --- Element by element: one operation for each element of the result
// -------------------------------------------------

/// The type of what two inputs are combined to: a number has no say beside a tensor, an integer none beside a fraction.
/// Absent where it is neither of the two.
std::optional<ElementType> common_type(const Tensor& a, const Tensor& b) {
  const auto rank = [](const Tensor& tensor) {
    return std::tuple(!tensor.dims.empty(), tensor.type.is_floating, tensor.type.size);
  };
  if (rank(a) == rank(b) && a.type.peak != b.type.peak) return std::nullopt;  // float16 and bfloat16
  return rank(a) < rank(b) ? b.type : a.type;
}

OpCost each_element(const RecordedInputs& inputs, size_t arguments, int64_t operations) {
  Dims shape;
  std::optional<Tensor> result;
  Count bytes = 0;
  for (size_t i = 0; i < arguments; ++i) {
    const auto tensor = inputs.tensor(i);
    if (!tensor) continue;
    bytes = bytes + bytes_of(*tensor);
    const auto both = broadcast(shape, tensor->dims);
    const auto type = result ? common_type(*result, *tensor) : tensor->type;
    if (!both || !type) return {};
    shape = *both;
    result.emplace(Tensor{shape, *type});
  }
  if (!result) return {};
  OpCost cost;
  if (operations > 0 && result->type.is_floating) cost.flops = (elements(shape) * operations).value();
  cost.bytes = (bytes + bytes_of(*result)).value();
  return cost;
}

OpCost unary(const RecordedInputs& inputs) {
  return each_element(inputs, 1, 1);
}
OpCost binary(const RecordedInputs& inputs) {
  return each_element(inputs, 2, 1);
}
/// self + value * a * b, or / b.
OpCost ternary(const RecordedInputs& inputs) {
  return each_element(inputs, 3, 3);
}
OpCost copied(const RecordedInputs& inputs) {
  return each_element(inputs, 1, 0);
}

/// copy_(to, from): the first is only written.
OpCost copy_into(const RecordedInputs& inputs) {
  const auto to = inputs.tensor(0);
  const auto from = inputs.tensor(1);
  if (!to || !from) return {};
  OpCost cost;
  cost.bytes = (bytes_of(*to) + bytes_of(*from)).value();
  return cost;
}

OpCost filled(const RecordedInputs& inputs) {
  const auto to = inputs.tensor(0);
  if (!to) return {};
  OpCost cost;
  cost.bytes = bytes_of(*to).value();
  return cost;
}

// --- Softmax and normalisation: operations for each element
// -----------------------------------------------------------

OpCost softmax(const RecordedInputs& inputs) {
  return each_element(inputs, 1, 5);  // greatest, subtract, exponential, sum, divide (or subtract the logarithm)
}
OpCost softmax_backward(const RecordedInputs& inputs) {
  return each_element(inputs, 2, 4);  // multiply (or exponential), sum, subtract, multiply
}

/// x of `inputs.tensor(place)` is read and a result of its shape written, with vectors for weight, bias and the like.
OpCost normalisation(const RecordedInputs& inputs, int64_t operations, std::span<const size_t> vectors) {
  const auto x = inputs.tensor(0);
  if (!x) return {};
  Count bytes = bytes_of(*x) * 2;
  for (const size_t place : vectors) {
    if (const auto vector = inputs.tensor(place)) bytes = bytes + bytes_of(*vector);
  }
  OpCost cost;
  if (x->type.is_floating) cost.flops = (elements(x->dims) * operations).value();
  cost.bytes = bytes.value();
  return cost;
}

/// How many of these inputs there are.
int64_t given(const RecordedInputs& inputs, size_t a, size_t b) {
  return (inputs.tensor(a) ? 1 : 0) + (inputs.tensor(b) ? 1 : 0);
}

// Mean (one operation), variance (subtract, multiply, add), normalise (subtract, multiply), weight, bias.
OpCost layer_norm(const RecordedInputs& inputs) {
  constexpr size_t kVectors[] = {2, 3};
  return normalisation(inputs, 6 + given(inputs, 2, 3), kVectors);
}
OpCost group_norm(const RecordedInputs& inputs) {
  constexpr size_t kVectors[] = {2, 3};
  return normalisation(inputs, 6 + given(inputs, 2, 3), kVectors);
}
OpCost native_group_norm(const RecordedInputs& inputs) {
  constexpr size_t kVectors[] = {1, 2};
  return normalisation(inputs, 6 + given(inputs, 1, 2), kVectors);
}
/// Mean of squares (multiply, add), normalise (multiply), weight.
OpCost rms_norm(const RecordedInputs& inputs) {
  constexpr size_t kVectors[] = {2};
  return normalisation(inputs, 3 + (inputs.tensor(2) ? 1 : 0), kVectors);
}
/// Only training takes mean and variance of the batch; `training` says where the flag is.
OpCost batch_norm(const RecordedInputs& inputs, size_t training) {
  constexpr size_t kVectors[] = {1, 2, 3, 4};
  const auto trains = inputs.flag(training);
  OpCost cost = normalisation(inputs, (trains.value_or(false) ? 6 : 2) + given(inputs, 1, 2), kVectors);
  if (!trains) cost.flops.reset();
  if (trains) cost.settings = *trains ? "training" : "inference";
  return cost;
}
OpCost batch_norm_5(const RecordedInputs& inputs) {
  return batch_norm(inputs, 5);
}

// --- Tables of vectors
// ------------------------------------------------------------------------------------------------

/// embedding(weight [rows, D], indices): a row is read and written for each index.
OpCost embedding(const RecordedInputs& inputs) {
  const auto weight = inputs.tensor(0);
  const auto indices = inputs.tensor(1);
  if (!weight || !indices || weight->dims.size() != 2) return {};
  OpCost cost;
  cost.bytes = (elements(indices->dims) * weight->dims[1] * weight->type.size * 2 + bytes_of(*indices)).value();
  return cost;
}

/// embedding_dense_backward(gradient, indices, rows, ...): a whole table is written.
OpCost embedding_backward(const RecordedInputs& inputs) {
  const auto gradient = inputs.tensor(0);
  const auto indices = inputs.tensor(1);
  const auto rows = inputs.integer(2);
  if (!gradient || !indices || !rows || gradient->dims.empty()) return {};
  OpCost cost;
  cost.bytes =
      (bytes_of(*gradient) + bytes_of(*indices) + Count(*rows) * gradient->dims.back() * gradient->type.size).value();
  cost.settings = std::to_string(*rows) + " rows";
  return cost;
}

/// A collective whose first input is what is sent: it is read once and as much is written.
OpCost all_reduce(const RecordedInputs& inputs) {
  return filled(inputs);
}

// --- The list
// ---------------------------------------------------------------------------------------------------------

struct CostFormula {
  OpCost (*cost)(const RecordedInputs& inputs);
  bool takes_values = false;
};

const std::unordered_map<std::string_view, CostFormula>& cost_formulas() {
  static const std::unordered_map<std::string_view, CostFormula> all = [] {
    std::unordered_map<std::string_view, CostFormula> list = {
        {"aten::mm", {mm}},
        {"aten::_int_mm", {mm}},
        {"aten::_scaled_mm", {mm}},
        {"aten::addmm", {addmm}},
        {"aten::addmm_", {addmm}},
        {"aten::_addmm_activation", {addmm}},
        {"aten::bmm", {bmm}},
        {"aten::baddbmm", {baddbmm}},
        {"aten::baddbmm_", {baddbmm}},
        {"aten::linear", {linear}},
        {"aiter::gemm_a16w16", {linear}},
        {"aten::matmul", {matmul}},
        {"aten::mv", {matmul}},
        {"aten::dot", {matmul}},
        {"aten::vdot", {matmul}},
        {"aten::copy_", {copy_into}},
        {"aten::_copy_from", {copy_into}},
        {"aten::clone", {copied}},
        {"aten::fill_", {filled}},
        {"aten::zero_", {filled}},
        {"aten::softmax", {softmax}},
        {"aten::_softmax", {softmax}},
        {"aten::log_softmax", {softmax}},
        {"aten::_log_softmax", {softmax}},
        {"aten::_softmax_backward_data", {softmax_backward}},
        {"aten::_log_softmax_backward_data", {softmax_backward}},
        {"aten::layer_norm", {layer_norm}},
        {"aten::native_layer_norm", {layer_norm}},
        {"aten::group_norm", {group_norm}},
        {"aten::native_group_norm", {native_group_norm}},
        {"aten::rms_norm", {rms_norm}},
        {"aten::_fused_rms_norm", {rms_norm}},
        {"aten::batch_norm", {batch_norm_5, true}},
        {"aten::_batch_norm_impl_index", {batch_norm_5, true}},
        {"aten::native_batch_norm", {batch_norm_5, true}},
        {"aten::cudnn_batch_norm", {batch_norm_5, true}},
        {"aten::miopen_batch_norm", {batch_norm_5, true}},
        {"aten::embedding", {embedding}},
        {"aten::embedding_dense_backward", {embedding_backward, true}},
        {"vllm::all_reduce", {all_reduce}},
        {"sglang::all_reduce", {all_reduce}},
        {"nccl:all_reduce", {all_reduce}},
        {"gloo:all_reduce", {all_reduce}},
        {"symm_mem::multimem_all_reduce_", {all_reduce}},
    };
    for (const char* op :
         {"aten::neg",         "aten::abs",    "aten::sqrt",      "aten::sqrt_",      "aten::rsqrt",
          "aten::exp",         "aten::exp_",   "aten::log",       "aten::sin",        "aten::cos",
          "aten::tanh",        "aten::tanh_",  "aten::sigmoid",   "aten::sigmoid_",   "aten::relu",
          "aten::relu_",       "aten::gelu",   "aten::silu",      "aten::silu_",      "aten::leaky_relu",
          "aten::leaky_relu_", "aten::elu",    "aten::hardtanh",  "aten::hardtanh_",  "aten::hardswish",
          "aten::hardswish_",  "aten::mish",   "aten::softplus",  "aten::reciprocal", "aten::square",
          "aten::clamp",       "aten::clamp_", "aten::clamp_min", "aten::clamp_min_", "aten::clamp_max",
          "aten::erf"}) {
      list[op] = {unary};
    }
    for (const char* op : {"aten::add", "aten::add_", "aten::sub", "aten::sub_", "aten::rsub", "aten::mul",
                           "aten::mul_", "aten::div", "aten::div_", "aten::pow", "aten::pow_", "aten::maximum",
                           "aten::minimum", "aten::sigmoid_backward", "aten::tanh_backward", "aten::threshold_backward",
                           "aten::gelu_backward", "aten::silu_backward", "aten::leaky_relu_backward"}) {
      list[op] = {binary};
    }
    for (const char* op : {"aten::addcmul", "aten::addcmul_", "aten::addcdiv", "aten::addcdiv_"}) list[op] = {ternary};
    return list;
  }();
  return all;
}

}  // namespace

bool cost_depends_on_values(std::string_view op) {
  const auto found = cost_formulas().find(op);
  return (found != cost_formulas().end() && found->second.takes_values) || is_attention(op) || is_convolution(op);
}

OpCost op_cost(std::string_view op, const RecordedInputs& inputs) {
  if (is_attention(op)) return attention_cost(op, inputs);
  if (is_convolution(op)) return convolution_cost(op, inputs);
  const auto found = cost_formulas().find(op);
  return found == cost_formulas().end() ? OpCost() : found->second.cost(inputs);
}

OpCost collective_cost(const InputTexts& texts) {
  OpCost cost;
  const auto in = parse_number(texts.elements_in);
  const auto out = parse_number(texts.elements_out);
  cost.settings = std::string(texts.collective) + ", " + std::string(texts.elements_in) + " elements in, " +
                  std::string(texts.elements_out) + " out, " + std::string(texts.element_type);
  const auto size = element_size(texts.element_type);
  if (in && out && size) cost.bytes = (Count(std::max(*in, *out)) * *size).value();
  return cost;
}

}  // namespace cgpu
