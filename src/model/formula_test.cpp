#include "model/formula.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace cgpu {
namespace {

using Op = Formula::Op;

/// op(operand 0, operand 1, ...).
double applied(Op op, const std::vector<double>& operands) {
  Formula formula;
  for (uint32_t i = 0; i < operands.size(); ++i) formula.push_operand(i);
  formula.push(op, static_cast<uint32_t>(operands.size()));
  return formula.value([&](uint32_t operand) { return operands[operand]; });
}

TEST(Formula, Operations) {
  EXPECT_EQ(applied(Op::sum, {1, 2, 4}), 7);
  EXPECT_EQ(applied(Op::subtract, {1, 2}), -1);
  EXPECT_EQ(applied(Op::product, {2, 3, 4}), 24);
  EXPECT_EQ(applied(Op::divide, {1, 4}), 0.25);
  EXPECT_EQ(applied(Op::power, {2, 10}), 1024);
  EXPECT_EQ(applied(Op::square_root, {9}), 3);
  EXPECT_DOUBLE_EQ(applied(Op::logarithm, {8, 2}), 3);
  EXPECT_DOUBLE_EQ(applied(Op::logarithm, {std::exp(2.0)}), 2);
  EXPECT_EQ(applied(Op::minimum, {3, 1, 2}), 1);
  EXPECT_EQ(applied(Op::maximum, {3, 1, 2}), 3);
  EXPECT_EQ(applied(Op::floor, {2.5}), 2);
  EXPECT_EQ(applied(Op::floor, {2}), 2);
  EXPECT_EQ(applied(Op::strict_floor, {2}), 1);
  EXPECT_EQ(applied(Op::strict_floor, {2.5}), 2);
  EXPECT_EQ(applied(Op::ceil, {2.5}), 3);
  EXPECT_EQ(applied(Op::strict_ceil, {2}), 3);
  EXPECT_EQ(applied(Op::strict_ceil, {2.5}), 3);
}

TEST(Formula, WhatIsAbsent) {
  EXPECT_EQ(applied(Op::sum, {1, kNoValue}), 1);
  EXPECT_EQ(applied(Op::subtract, {kNoValue, 3}), -3);
  EXPECT_TRUE(std::isnan(applied(Op::sum, {kNoValue, kNoValue})));
  EXPECT_TRUE(std::isnan(applied(Op::product, {1, kNoValue})));
  EXPECT_TRUE(std::isnan(applied(Op::minimum, {100, kNoValue})));
  EXPECT_TRUE(std::isnan(applied(Op::divide, {1, 0})));
  EXPECT_TRUE(std::isnan(applied(Op::divide, {1, -2})));
  EXPECT_TRUE(std::isnan(applied(Op::power, {1e300, 2})));  // no number any more
  EXPECT_TRUE(std::isnan(applied(Op::square_root, {-1})));
  EXPECT_TRUE(std::isnan(Formula().value([](uint32_t) { return 1.0; })));
}

TEST(Formula, PartsJoinAndOperandsAreRenumbered) {
  Formula part;
  part.push_operand(5);
  EXPECT_TRUE(part.is_operand());
  Formula whole = part;
  whole.append(part);
  whole.push(Op::sum, 2);
  whole.push_constant(3);
  whole.push(Op::product, 2);
  EXPECT_FALSE(whole.is_operand());
  whole.renumber([](uint32_t operand) { return operand - 5; });
  EXPECT_EQ(whole.value([](uint32_t operand) { return operand == 0 ? 7.0 : 1000.0; }), 42);
}

}  // namespace
}  // namespace cgpu
