// The content of a user's file of rules (`--rules FILE`): other thresholds, and rules over tables. docs/diagnosis.md,
// "Rules of your own", describes the format.
#pragma once

#include <string>
#include <vector>

#include "analysis/findings/finding.h"
#include "analysis/findings/thresholds.h"
#include "table/filter.h"

namespace cgpu {

/// A rule over a table: it reports a finding where rows match a filter.
struct TableRule {
  std::string name;
  std::string table;
  Filter where;  // the rows; all of them where not given
  Filter when;   // over the sums of these rows' numbers, and their number `rows`; at least one row where not given
  Severity severity = Severity::info;
  std::string title;  // with {rows}, {COLUMN} of the first row and {sum COLUMN} of all in it
  std::string suggestion;
  std::string place;  // "FILE: line 12", for errors
};

struct Ruleset {
  Thresholds thresholds;
  std::vector<TableRule> rules;
};

/// Throws Error with file and line for what cannot be understood.
Ruleset parse_rules(const std::string& text, const std::string& file);
/// Of a file; the built-in thresholds alone where `file` is "".
Ruleset read_rules(const std::string& file);

}  // namespace cgpu
