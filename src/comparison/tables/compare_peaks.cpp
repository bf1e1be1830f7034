// Table `compare_peaks`: what the devices of both sides could reach.
#include <map>
#include <optional>
#include <string>

#include "comparison/tables/compared_columns.h"
#include "comparison/tables/comparison_table.h"
#include "comparison/words/device_words.h"

namespace cgpu {

namespace {

void append_peaks(const Comparison& comparison, const TableOptions&, Table& table) {
  const PerSide<DeviceModels> models{models_of(comparison, Side::a), models_of(comparison, Side::b)};
  const PerSide<std::optional<DevicePeaks>> peaks{models.a.peaks(), models.b.peaks()};
  const auto text = [](const std::string& one) { return one.empty() ? Cell() : Cell(one); };
  const auto append = [&](const std::string& rate, const char* unit, std::optional<double> a, std::optional<double> b) {
    if (!a && !b) return;
    const auto source = [&](Side side) { return peaks[side] ? text(peaks[side]->source) : Cell(); };
    const auto in_tera = [](std::optional<double> value) { return value ? Cell(*value / 1e12) : Cell(); };
    table.append({rate, cell(std::string_view(unit)), in_tera(a), in_tera(b), a && b ? Cell(*b / *a) : Cell(),
                  text(models.a.only()), text(models.b.only()), source(Side::a), source(Side::b)});
  };
  const auto bandwidth = [&](Side side) { return peaks[side] ? peaks[side]->memory_bandwidth : std::nullopt; };
  append("memory bandwidth", "TB/s", bandwidth(Side::a), bandwidth(Side::b));
  std::map<std::string, PerSide<std::optional<double>>> rates;
  for (const Side side : kSides) {
    if (!peaks[side]) continue;
    for (const PeakRate& rate : peaks[side]->flops) rates[rate.type][side] = rate.flops;
  }
  for (const auto& [type, rate] : rates) append(type, "TFLOP/s", rate.a, rate.b);
}

}  // namespace

ComparisonTable compare_peaks_table() {
  return {
      .name = "compare_peaks",
      .about =
          "peak rates of the devices of both runs, dense and at boost clock, as their makers publish them; of a side "
          "whose devices are of one known model",
      .columns =
          {key_column(
               "rate",
               "memory bandwidth, or the type of the operands; fp32 and fp64 without _tensor are the vector units"),
           text_column("unit", "TB/s or TFLOP/s"), real_column("a", "", "of A"), real_column("b", "", "of B"),
           main_column(real_column("ratio", "", "b / a")), text_column("model_a", "model of A's devices"),
           text_column("model_b", "of B's"), text_column("source_a", "document that states A's rates"),
           text_column("source_b", "B's")},
      .append_rows = append_peaks,
      .on_request = true};
}

}  // namespace cgpu
