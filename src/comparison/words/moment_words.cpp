#include "comparison/words/moment_words.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>

#include "table/units.h"

namespace cgpu {

namespace {

std::optional<int64_t> number(const Table& times, const RowView& row, const char* column) {
  const Cell cell = row[times.column(column)];
  const auto* found = std::get_if<int64_t>(&cell);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

/// How far off it may be: the bounds as distances from it.
std::string error_words(int64_t time, std::optional<int64_t> low, std::optional<int64_t> high) {
  if (!low) return "before all that both have, if time goes alike there";
  if (!high) return "behind all that both have, if time goes alike there";
  if (*low == time && *high == time) return "where the same work begins";
  return fmt::format("at most {} before and {} after that", format_ns(time - *low), format_ns(*high - time));
}

std::string iteration_words(std::optional<int64_t> a, std::optional<int64_t> b) {
  if (a && b && *a == *b) return fmt::format("; in iteration {} of both", *a);
  std::string words;
  if (a) words += fmt::format("; in iteration {} of A", *a);
  if (b) words += fmt::format("; in iteration {} of B", *b);
  return words;
}

}  // namespace

std::string moment_words(const Table& times) {
  if (times.empty()) return "No work is in both, so that no moment of A is known in B.\n";
  bool has_ranks = false;
  for (const RowView row : times.rows()) {
    for (const char* column : {"rank_a", "rank_b"}) {
      has_ranks = has_ranks || number(times, row, column) != number(times, times.row(0), column);
    }
  }
  std::string words;
  for (const RowView row : times.rows()) {
    const auto of = [&](const char* column) { return number(times, row, column); };
    if (has_ranks) {
      words += of("rank_a") == of("rank_b") ? fmt::format("Rank {}: ", *of("rank_a"))
                                            : fmt::format("Rank {} of A, rank {} of B: ", *of("rank_a"), *of("rank_b"));
    }
    words += fmt::format("{} in A is {} in B: {}{}.\n", format_ns(*of("a_ns")), format_ns(*of("b_ns")),
                         error_words(*of("b_ns"), of("low_ns"), of("high_ns")),
                         iteration_words(of("iteration_a"), of("iteration_b")));
  }
  return words;
}

}  // namespace cgpu
