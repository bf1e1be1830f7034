// A number computed from others by arithmetic, such as 100 a / b: steps in postfix order.
//
// An operand may be absent (kNoValue). Sums and differences leave it out; every other operation with it is absent too,
// and so is a quotient whose divisor is not above 0. O(steps) a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace cgpu {

/// The value where there is none: of a node without a measurement, or of a ratio whose divisor is 0.
inline constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

class Formula {
 public:
  enum class Op : uint8_t {
    sum,
    subtract,
    product,
    divide,
    power,
    square_root,
    logarithm,  // natural, or to the base that is the second argument
    minimum,
    maximum,
    floor,
    ceil,
    strict_floor,
    strict_ceil,
  };
  /// How many arguments an operation takes at least and at most.
  struct Arity {
    uint32_t least;
    uint32_t most;
  };
  static Arity arity(Op op);

  void push_constant(double value) { steps_.push_back({Step::Kind::constant, Op::sum, 0, value}); }
  void push_operand(uint32_t operand) { steps_.push_back({Step::Kind::operand, Op::sum, operand, 0}); }
  /// Takes the last `arguments` values and leaves one. The number must be one that `arity` allows and that is there.
  void push(Op op, uint32_t arguments) { steps_.push_back({Step::Kind::operation, op, arguments, 0}); }

  /// Appends the steps of another formula, which leave one more value.
  void append(const Formula& other) { steps_.insert(steps_.end(), other.steps_.begin(), other.steps_.end()); }
  /// number(operand) gives the new numbers of the operands.
  template <typename Number>
  void renumber(Number number) {
    for (Step& step : steps_) {
      if (step.kind == Step::Kind::operand) step.count = number(step.count);
    }
  }

  bool empty() const { return steps_.empty(); }
  /// Whether it is a single operand, unchanged.
  bool is_operand() const { return steps_.size() == 1 && steps_[0].kind == Step::Kind::operand; }

  /// value_of(operand) gives the operands.
  template <typename ValueOf>
  double value(ValueOf value_of) const {
    std::vector<double> stack;
    for (const Step& step : steps_) {
      if (step.kind == Step::Kind::operation) {
        const size_t first = stack.size() - step.count;
        const double result = apply(step.op, stack.data() + first, step.count);
        stack.resize(first);
        stack.push_back(result);
      } else {
        stack.push_back(step.kind == Step::Kind::constant ? step.constant : value_of(step.count));
      }
    }
    return stack.size() == 1 ? stack.back() : kNoValue;
  }

  bool operator==(const Formula& other) const = default;

 private:
  struct Step {
    enum class Kind : uint8_t { constant, operand, operation } kind;
    Op op;
    uint32_t count;  // the operand, or how many arguments
    double constant;
    bool operator==(const Step& other) const = default;
  };
  static double apply(Op op, const double* arguments, uint32_t count);

  std::vector<Step> steps_;
};

}  // namespace cgpu
