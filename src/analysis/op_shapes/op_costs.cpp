#include "analysis/op_shapes/op_costs.h"

#include <algorithm>
#include <span>
#include <tuple>

#include "analysis/op_shapes/attention_cost.h"
#include "analysis/op_shapes/convolution_cost.h"
#include "analysis/op_shapes/cost_formula.h"
#include "analysis/op_shapes/expert_cost.h"
#include "base/parse_number.h"

namespace cgpu {

namespace {

using DimsView = std::span<const int64_t>;

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
/// Of a product of 8-bit numbers whose result has elements of this many bytes.
OpCost with_result_of(OpCost cost, const RecordedInputs& inputs, int64_t size) {
  if (!cost.flops) return cost;
  const Tensor a = *inputs.tensor(0);
  const Tensor b = *inputs.tensor(1);
  cost.bytes = (bytes_of(a) + bytes_of(b) + Count(a.dims[0]) * b.dims[1] * size).value();
  return cost;
}
/// Bytes of an element of a type by its number in PyTorch (c10::ScalarType).
std::optional<int64_t> size_of_type_number(int64_t number) {
  constexpr int64_t kHalf = 5;
  constexpr int64_t kFloat = 6;
  constexpr int64_t kBfloat16 = 15;
  if (number == kFloat) return sizeof(float);
  return number == kHalf || number == kBfloat16 ? std::optional<int64_t>(sizeof(int16_t)) : std::nullopt;
}
/// The result is of 32-bit integers.
OpCost int_mm(const RecordedInputs& inputs) {
  return with_result_of(mm(inputs), inputs, sizeof(int32_t));
}
/// _scaled_mm(a, b, scales, bias, scale of the result, type of the result, ...)
OpCost scaled_mm(const RecordedInputs& inputs) {
  constexpr size_t kResultType = 6;
  OpCost cost = mm(inputs);
  const auto type = inputs.integer(kResultType);
  const auto size = type ? size_of_type_number(*type) : std::nullopt;
  return size ? with_result_of(std::move(cost), inputs, *size) : cost;
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

/// Rows of a [T, K], shared out over b [E, K, N]: the weights of one at least are read.
OpCost grouped_mm(const RecordedInputs& inputs) {
  const auto a = inputs.tensor(0);
  const auto b = inputs.tensor(1);
  if (!a || !b || a->dims.size() != 2 || b->dims.size() != 3 || a->dims[1] != b->dims[1]) return {};
  const Dims one(b->dims.begin() + 1, b->dims.end());
  return product_cost({1, a->dims[0], one[1], one[0]}, *a, Tensor{one, b->type}, std::nullopt);
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

/// Of elements of one tensor or another: where(condition, a, b), masked_fill(a, mask, value).
OpCost chosen(const RecordedInputs& inputs) {
  return each_element(inputs, 3, 0);
}
/// The result is a byte for each element.
OpCost compared(const RecordedInputs& inputs) {
  OpCost cost = each_element(inputs, 2, 0);
  const auto a = inputs.tensor(0);
  const auto b = inputs.tensor(1);
  if (!cost.bytes || !a) return {};
  const auto shape = b ? broadcast(a->dims, b->dims) : std::optional(a->dims);
  cost.bytes = (bytes_of(*a) + (b ? bytes_of(*b) : Count(0)) + elements(*shape)).value();
  return cost;
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

/// A collective whose first input is what is sent: it is read once and as much is written.
OpCost all_reduce(const RecordedInputs& inputs) {
  return filled(inputs);
}

// --- The list
// ---------------------------------------------------------------------------------------------------------

const CostFormulas& cost_formulas() {
  static const CostFormulas all = [] {
    CostFormulas list = {
        {"aten::mm", {mm}},
        {"aten::_int_mm", {int_mm}},
        {"aten::_scaled_mm", {scaled_mm, true}},
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
        {"aten::_grouped_mm", {grouped_mm}},
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
        {"vllm::all_reduce", {all_reduce}},
        {"sglang::all_reduce", {all_reduce}},
        {"nccl:all_reduce", {all_reduce}},
        {"gloo:all_reduce", {all_reduce}},
        {"symm_mem::multimem_all_reduce_", {all_reduce}},
    };
    add_normalization_costs(list);
    add_lookup_costs(list);
    add_reduction_costs(list);
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
    for (const char* op : {"aten::eq", "aten::ne", "aten::lt", "aten::le", "aten::gt", "aten::ge"})
      list[op] = {compared};
    for (const char* op : {"aten::where", "aten::masked_fill", "aten::masked_fill_"}) list[op] = {chosen};
    for (const char* op : {"_C::silu_and_mul", "_C::mul_and_silu", "_C::gelu_and_mul", "_C::gelu_tanh_and_mul",
                           "sgl_kernel::silu_and_mul", "sgl_kernel::gelu_and_mul"}) {
      list[op] = {moved_tensors};
    }
    for (const char* op : {"aten::addcmul", "aten::addcmul_", "aten::addcdiv", "aten::addcdiv_"}) list[op] = {ternary};
    return list;
  }();
  return all;
}

}  // namespace

OpCost moved_tensors(const RecordedInputs& inputs) {
  Count bytes = 0;
  bool any = false;
  for (size_t place = 0; place < inputs.size(); ++place) {
    const auto tensor = inputs.tensor(place);
    if (!tensor) continue;
    bytes = bytes + bytes_of(*tensor);
    any = true;
  }
  OpCost cost;
  if (any) cost.bytes = bytes.value();
  return cost;
}

bool has_cost_formula(std::string_view op) {
  return is_attention(op) || is_convolution(op) || is_expert_product(op) || cost_formulas().contains(op);
}

std::vector<bool> have_cost_formula(const StringPool& names) {
  std::vector<bool> have(names.size());
  for (StringId name = 0; name < names.size(); ++name) have[name] = has_cost_formula(names[name]);
  return have;
}

bool cost_depends_on_values(std::string_view op) {
  const auto found = cost_formulas().find(op);
  return (found != cost_formulas().end() && found->second.takes_values) || is_attention(op) || is_convolution(op);
}

OpCost op_cost(std::string_view op, const RecordedInputs& inputs) {
  if (is_attention(op)) return attention_cost(op, inputs);
  if (is_convolution(op)) return convolution_cost(op, inputs);
  if (is_expert_product(op)) return expert_cost(inputs);
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
