// The tables of `cgpu check` with one run a side (gate/check/check.h): schema `gate`.
#pragma once

#include <memory>
#include <string>

#include "analysis/session_facts.h"
#include "gate/check/check.h"
#include "sql/table_set.h"

namespace cgpu {

inline constexpr const char* kGateSchema = "gate";

/// With the default tolerance and options. `check`, which is a word of SQL, is also `check_rules`.
class CheckedTables final : public TableSet {
 public:
  struct Side {
    std::string name;
    const SessionFacts& facts;  // which must outlive this
  };
  CheckedTables(Side baseline, Side candidate);

  bool is_of_run() const override { return false; }

 private:
  std::unique_ptr<RowSource> make(const SqlTable& table) override;

  const Side baseline_;
  const Side candidate_;
  std::unique_ptr<const CheckResult> result_;  // once a table of it is asked for
};

}  // namespace cgpu
