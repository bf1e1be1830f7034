// A check as machines and people want it: text, Markdown for a pull request, JUnit's XML for CI systems that show test
// results (one test a rule), annotations of GitHub's workflows. JSON is that of its tables (table/json.h).
#pragma once

#include <string>

#include "gate/check/check.h"
#include "table/text.h"

namespace cgpu {

/// The verdict in the first line.
std::string check_as_text(const CheckResult& check, const TextOptions& options);
std::string check_as_markdown(const CheckResult& check);
/// `inconclusive`: whether such rules count as failed, as skipped, or as passed. Elements as Jenkins' junit-10.xsd and
/// its relatives have them.
std::string check_as_junit(const CheckResult& check, CheckOptions::Inconclusive inconclusive);
/// One line a rule that did not pass, and one for the outcome: ::error, ::warning or ::notice.
std::string check_as_annotations(const CheckResult& check, CheckOptions::Inconclusive inconclusive);

}  // namespace cgpu
