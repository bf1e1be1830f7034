// A partial result as bytes that can be kept and read by another process, also of another version: a message
// (base/message.h) of the name of the table, its options, and what the analysis keeps.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "analysis/analysis.h"

namespace cgpu {

/// `reduced`: of samples no more than their histogram (common/statistics.h).
std::string partial_to_bytes(const Analysis& analysis, const TableOptions& options, const Partial& partial,
                             bool reduced = false);
/// The same from these bytes, or those that were written for version 9 of summaries. Throws Error, beginning with
/// `name`, for those of another table or options, and for damaged ones.
std::unique_ptr<Partial> partial_from_bytes(const Analysis& analysis, const TableOptions& options,
                                            std::string_view bytes, const std::string& name, bool reduced = false);

}  // namespace cgpu
