#include "base/decimal.h"

#include <gtest/gtest.h>

namespace cgpu {
namespace {

TEST(Decimal, MicrosecondsToNanosecondsAreExact) {
  EXPECT_EQ(nanoseconds_from_microseconds("1712195495519689.001"), 1712195495519689001);
  EXPECT_EQ(nanoseconds_from_microseconds("1623212388426902"), 1623212388426902000);
  EXPECT_EQ(nanoseconds_from_microseconds("0"), 0);
  EXPECT_EQ(nanoseconds_from_microseconds("-1.5"), -1500);
  EXPECT_EQ(nanoseconds_from_microseconds("1.5e3"), 1500000);
  EXPECT_EQ(nanoseconds_from_microseconds("1E-3"), 1);
}

TEST(Decimal, RoundsHalfToEvenOnce) {
  EXPECT_EQ(nanoseconds_from_microseconds("0.0005"), 0);
  EXPECT_EQ(nanoseconds_from_microseconds("0.0015"), 2);
  EXPECT_EQ(nanoseconds_from_microseconds("0.0025"), 2);
  EXPECT_EQ(nanoseconds_from_microseconds("0.00250000000000000000000000000000000000000000000001"), 3);
  EXPECT_EQ(nanoseconds_from_microseconds("-0.0025"), -2);
  EXPECT_EQ(nanoseconds_from_microseconds("0.0024999"), 2);
  EXPECT_EQ(nanoseconds_from_microseconds("0.0000000001"), 0);
}

TEST(Decimal, AddsBeforeRounding) {
  const auto sum = *Decimal::parse("0.0003") + *Decimal::parse("1000000.0003");
  EXPECT_EQ(sum.scaled(3), 1000000001);
  const auto far = *Decimal::parse("1e30") + *Decimal::parse("1e-30");
  EXPECT_TRUE(far.sticky);
}

TEST(Decimal, RefusesWhatIsNoFiniteNumber) {
  for (const char* text : {"", "-", "NaN", "inf", "N/A", "1e", "1.2.3", "0x10", "1 ", "\"1\"", "."}) {
    EXPECT_FALSE(Decimal::parse(text)) << text;
  }
  EXPECT_FALSE(nanoseconds_from_microseconds("9223372036854775808"));
  EXPECT_FALSE(nanoseconds_from_microseconds("1e400"));
  EXPECT_EQ(nanoseconds_from_microseconds("9223372036854775.807"), INT64_MAX);
  EXPECT_EQ(nanoseconds_from_microseconds("1e-99999999999"), 0);
}

}  // namespace
}  // namespace cgpu
