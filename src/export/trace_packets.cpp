#include "export/trace_packets.h"

#include <charconv>

namespace cgpu {

namespace {

template <typename Number>
bool is_whole(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

}  // namespace

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
    int64_t whole = 0;
    double real = 0;
    if (argument.json && is_whole(argument.value, whole)) {
      event.integer(4, whole);
    } else if (argument.json && is_whole(argument.value, real)) {
      event.number(5, real);
    } else if (argument.json && (argument.value == "true" || argument.value == "false")) {
      event.varint(2, argument.value == "true" ? 1 : 0);
    } else {
      event.text(6, argument.value);
    }
  });
}

}  // namespace cgpu
