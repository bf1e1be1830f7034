// What values of tables are as numbers.
#include "readers/common/table_value.h"

#include <gtest/gtest.h>

#include <limits>

namespace cgpu {
namespace {

TableValue real(double number) {
  return {ValueType::real, 0, number, {}};
}

TEST(TableValues, ARealNumberIsTheNearestIntegerTowardsZero) {
  EXPECT_EQ(integer_of(real(2.9)), 2);
  EXPECT_EQ(integer_of(real(-2.9)), -2);
  EXPECT_EQ(integer_of(real(1e300)), INT64_MAX);
  EXPECT_EQ(integer_of(real(-1e300)), INT64_MIN);
  EXPECT_EQ(integer_of(real(std::numeric_limits<double>::infinity())), INT64_MAX);
  EXPECT_EQ(integer_of(real(-std::numeric_limits<double>::infinity())), INT64_MIN);
}

TEST(TableValues, WhatIsNoNumberIsZero) {
  EXPECT_EQ(integer_of(real(std::numeric_limits<double>::quiet_NaN())), 0);
  EXPECT_EQ(integer_of(TableValue{}), 0);
}

}  // namespace
}  // namespace cgpu
