// Scalars of a JSON text as they are written.
#pragma once

#include <simdjson.h>

#include <string_view>

#include "base/json_text.h"

namespace cgpu::trace_event {

/// The text of a scalar without quotes; a bracket for arrays and objects.
inline std::string_view text_of(simdjson::ondemand::value& value) {
  std::string_view token = value.raw_json_token();
  while (!token.empty() && is_json_space(token.back())) token.remove_suffix(1);
  return unquote_json(token);
}

}  // namespace cgpu::trace_event
