#include "table/units.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace cgpu {
namespace {

TEST(Units, Time) {
  EXPECT_EQ(format_ns(int64_t{0}), "0 ns");
  EXPECT_EQ(format_ns(int64_t{789}), "789 ns");
  EXPECT_EQ(format_ns(0.25), "0.2 ns");
  EXPECT_EQ(format_ns(789.5), "789.5 ns");
  EXPECT_EQ(format_ns(999.96), "1.00 us");
  EXPECT_EQ(format_ns(int64_t{45600}), "45.6 us");
  EXPECT_EQ(format_ns(int64_t{999949}), "999.9 us");
  EXPECT_EQ(format_ns(int64_t{999950}), "1.00 ms");
  EXPECT_EQ(format_ns(int64_t{12300000}), "12.3 ms");
  EXPECT_EQ(format_ns(int64_t{1234000000}), "1.234 s");
  EXPECT_EQ(format_ns(int64_t{999950000}), "1.000 s");
  EXPECT_EQ(format_ns(int64_t{-1500}), "-1.50 us");
  EXPECT_EQ(format_ns(int64_t{1700000000123456789}), "1,700,000,000.123 s");
  EXPECT_EQ(format_ns(std::numeric_limits<int64_t>::min()), "-9,223,372,036.855 s");
}

TEST(Units, SizesSharesCountsAndRates) {
  EXPECT_EQ(format_bytes(int64_t{512}), "512 B");
  EXPECT_EQ(format_bytes(int64_t{1023}), "1,023 B");
  EXPECT_EQ(format_bytes(int64_t{1536}), "1.50 KiB");
  EXPECT_EQ(format_bytes(int64_t{1048575}), "1.00 MiB");
  EXPECT_EQ(format_bytes(80 * 1073741824.0), "80.0 GiB");
  EXPECT_EQ(format_percent(45.6), "45.60%");
  EXPECT_EQ(format_percent(0), "0.00%");
  EXPECT_EQ(format_percent(0.001), "<0.01%");
  EXPECT_EQ(format_percent(100), "100.00%");
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(-999), "-999");
  EXPECT_EQ(format_count(-1000), "-1,000");
  EXPECT_EQ(format_count(1234567), "1,234,567");
  EXPECT_EQ(format_count(1, "copy", "copies"), "1 copy");
  EXPECT_EQ(format_count(2000, "copy", "copies"), "2,000 copies");
  EXPECT_EQ(format_rate(2039, "GB/s"), "2.04 TB/s");
  EXPECT_EQ(format_rate(0.0123, "GB/s"), "12.3 MB/s");
  EXPECT_EQ(format_rate(989.4e12, "FLOP/s"), "989.4 TFLOP/s");
  EXPECT_EQ(format_rate(1.5, "TFLOP/s"), "1.50 TFLOP/s");
  EXPECT_EQ(format_rate(12, "tokens/s"), "12 tokens/s");
  EXPECT_EQ(format_real(0), "0");
  EXPECT_EQ(format_real(-3008683275.0), "-3,008,683,275");
  EXPECT_EQ(format_real(3.25), "3.25");
  EXPECT_EQ(format_real(0.012345), "0.0123");
  EXPECT_EQ(format_real(0.99999), "1.00");
  EXPECT_EQ(format_real(1234.5), "1,234.50");
  EXPECT_EQ(format_real(1.5e20), "1.5e+20");
}

TEST(Units, Cells) {
  const auto column = [](const char* unit) { return Column{"x", ColumnType::real, unit, ""}; };
  EXPECT_EQ(format_cell({}, column("ns")), "-");
  EXPECT_EQ(format_cell(std::nan(""), column("ns")), "-");
  EXPECT_EQ(format_cell(HUGE_VAL, column("")), "-");
  EXPECT_EQ(format_cell(int64_t{12345}, column("")), "12345");
  EXPECT_EQ(format_cell(int64_t{12345}, column("count")), "12,345");
  EXPECT_EQ(format_cell(int64_t{12345}, column("ns")), "12.3 us");
  EXPECT_EQ(format_cell(int64_t{2}, column("ms")), "2.00 ms");
  EXPECT_EQ(format_cell(0.5, column("s")), "500.0 ms");
  EXPECT_EQ(format_cell(int64_t{2048}, column("bytes")), "2.00 KiB");
  EXPECT_EQ(format_cell(int64_t{50}, column("%")), "50.00%");
  EXPECT_EQ(format_cell(1.0, column("bytes/s")), "1 B/s");
  EXPECT_EQ(format_cell(1.5, column("FLOP/byte")), "1.50");
  EXPECT_EQ(format_cell("a\x1b[31m\n", column("")), "a\\x1b[31m\\n");
}

TEST(Units, ExactCells) {
  EXPECT_EQ(exact_cell({}), "");
  EXPECT_EQ(exact_cell(-HUGE_VAL), "");
  EXPECT_EQ(exact_cell(std::numeric_limits<int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(exact_cell(0.1), "0.1");
  EXPECT_EQ(exact_cell(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(exact_cell("a\x1b"), "a\x1b");
}

TEST(Units, Headings) {
  const auto heading = [](const char* name, const char* unit) {
    return headings({{name, ColumnType::real, unit, ""}})[0];
  };
  EXPECT_EQ(heading("total_ns", "ns"), "total");
  EXPECT_EQ(heading("exposed_comm_ns", "ns"), "exposed comm");
  EXPECT_EQ(heading("busy_pct", "%"), "busy %");
  EXPECT_EQ(heading("pct", "%"), "%");
  EXPECT_EQ(heading("bytes", "bytes"), "bytes");
  EXPECT_EQ(heading("mean_bytes", "bytes"), "mean");
  EXPECT_EQ(heading("bandwidth", "GB/s"), "bandwidth");
  EXPECT_EQ(heading("intensity", "FLOP/byte"), "intensity (FLOP/byte)");
  EXPECT_EQ(heading("count", "count"), "count");
  EXPECT_EQ(heading("a_ns", ""), "a ns");
  EXPECT_EQ(headings({{"mean_ns", ColumnType::real, "ns", ""}, {"mean_bytes", ColumnType::real, "bytes", ""}}),
            (std::vector<std::string>{"mean_ns", "mean_bytes"}));
}

TEST(Units, ConversionBetweenUnits) {
  EXPECT_EQ(unit_ratio("cycles", "cycles"), 1.0);
  EXPECT_EQ(unit_ratio("sec", "usec"), 1e6);
  EXPECT_EQ(unit_ratio("ms", "s"), 1e-3);
  EXPECT_EQ(unit_ratio("KiB", "bytes"), 1024.0);
  EXPECT_EQ(unit_ratio("", "s"), std::nullopt);
  EXPECT_EQ(unit_ratio("bytes", "s"), std::nullopt);
}

}  // namespace
}  // namespace cgpu
