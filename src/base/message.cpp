#include "base/message.h"

#include <algorithm>

namespace cgpu {

MessageReader::MessageReader(std::string_view bytes, std::string name, bool reduced)
    : bytes_(bytes), name_(std::move(name)), reduced_(reduced) {
  level_.fields = protozero::pbf_reader(bytes_.data(), bytes_.size());
  guarded([&] { next(); });
}

void MessageReader::fail(const std::string& what) const {
  const size_t left = level_.fields.data().size();
  const char* const at = left > 0 ? level_.fields.data().data() : bytes_.data() + bytes_.size();
  throw Error(name_, what + " at byte " + std::to_string(at - bytes_.data()));
}

void MessageReader::seek(protozero::pbf_tag_type number) {
  while (level_.has_field && level_.fields.tag() < number) {
    level_.fields.skip();
    next();
  }
}

size_t MessageReader::varints_in_field() const {
  expect(protozero::pbf_wire_type::length_delimited);
  protozero::pbf_reader field = level_.fields;
  const protozero::data_view view = field.get_view();
  return static_cast<size_t>(std::count_if(view.data(), view.data() + view.size(),
                                           [](char byte) { return static_cast<uint8_t>(byte) < 0x80; }));
}

std::string_view MessageReader::bytes_of_field() {
  expect(protozero::pbf_wire_type::length_delimited);
  const protozero::data_view view = level_.fields.get_view();
  next();
  return {view.data(), view.size()};
}

}  // namespace cgpu
