#include "export/trace_packets.h"

#include "base/parse_number.h"

namespace cgpu {

uint64_t TracePackets::define(uint32_t field, Interned& table, std::string_view text) {
  bool is_new = false;
  const uint64_t number = table.number_of(text, is_new);
  if (is_new) {
    definitions_.message(field, [&] {
      definitions_.varint(1, number);  // iid
      definitions_.text(2, text);      // name
    });
  }
  return number;
}

void TracePackets::annotation(ProtoWriter& event, uint64_t name, const ArgumentView& argument) {
  event.message(4, [&] {
    event.varint(1, name);
    if (const auto whole = argument.json ? parse_number(argument.value) : std::nullopt) {
      event.integer(4, *whole);
    } else if (const auto real = argument.json ? parse_number<double>(argument.value) : std::nullopt) {
      event.number(5, *real);
    } else if (argument.json && (argument.value == "true" || argument.value == "false")) {
      event.varint(2, argument.value == "true" ? 1 : 0);
    } else {
      event.text(6, argument.value);
    }
  });
}

}  // namespace cgpu
