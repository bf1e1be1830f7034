// simdjson with its kernel of SSE4.2, by the instructions of x86intrin.h here. Elsewhere it asks the processor which one to take.
#include <simdjson.cpp>

[[maybe_unused]] static const bool kernel_is_chosen = [] {
  simdjson::get_active_implementation() = simdjson::get_available_implementations()["westmere"];
  return true;
}();
