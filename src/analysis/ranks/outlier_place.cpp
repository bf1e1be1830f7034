#include "analysis/ranks/outlier_place.h"

#include <fmt/format.h>

#include <variant>

#include "analysis/ranks/parallel_groups.h"

namespace cgpu {

std::string outlier_place(const Table& rank_outliers, size_t row) {
  const auto text = [&](const char* column) {
    const Cell cell = rank_outliers.cell(row, rank_outliers.column(column));
    return std::holds_alternative<std::string>(cell) ? std::get<std::string>(cell) : "";
  };
  const std::string scope = text("scope");
  if (scope == "stage") {
    return fmt::format(" of pipeline stage {}",
                       std::get<int64_t>(rank_outliers.cell(row, rank_outliers.column("stage"))));
  }
  if (scope == "rack") return " in rack " + text("rack");
  if (scope == "group") return " of " + group_in_words(text("group"), text("group_kind"));
  const std::string host = text("host");
  return host.empty() ? "" : " on " + host;
}

}  // namespace cgpu
