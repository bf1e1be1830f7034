// The tables of what changed between two runs (comparison/tables/comparison_table.h): schema `compare`.
#pragma once

#include <memory>

#include "comparison/comparison.h"
#include "sql/table_set.h"

namespace cgpu {

inline constexpr const char* kCompareSchema = "compare";

class ComparedTables final : public TableSet {
 public:
  /// Of the facts of two profiles, A before B, which must outlive this.
  ComparedTables(const SessionFacts& a, const SessionFacts& b);

  bool is_of_run() const override { return false; }

 private:
  std::unique_ptr<RowSource> make(const SqlTable& table) override;

  const SessionFacts& a_;
  const SessionFacts& b_;
  std::unique_ptr<const Comparison> comparison_;  // once a table of it is asked for
};

}  // namespace cgpu
