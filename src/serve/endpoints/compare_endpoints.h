// The requests about two profiles that are compared (docs/viewer-protocol.md). They throw RequestError for what cannot
// be answered.
#pragma once

#include <string_view>

#include "serve/compared_profiles.h"
#include "serve/http/answer.h"

namespace cgpu {

/// `what`: the path behind "/api/compare", "" or "/times", "/names", "/slice", "/aligned", "/flame" or "/table/NAME".
Answer answer_compare(const ComparedProfiles& compared, const Request& request, std::string_view what);
/// The one that has a file of its own.
Answer answer_compared_flame(const ComparedProfiles& compared, const Request& request);

}  // namespace cgpu
