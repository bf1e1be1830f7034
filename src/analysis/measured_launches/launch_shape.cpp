#include "analysis/measured_launches/launch_shape.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

namespace cgpu {

namespace {

const ArgumentView* find_argument(std::span<const ArgumentView> arguments, std::string_view key) {
  const auto at = std::find_if(arguments.begin(), arguments.end(), [&](const auto& a) { return a.key == key; });
  return at == arguments.end() ? nullptr : &*at;
}

bool read_number(std::string_view& text, uint32_t& number) {
  const size_t begin = text.find_first_of("0123456789");
  if (begin == std::string_view::npos) return false;
  const auto [end, error] = std::from_chars(text.data() + begin, text.data() + text.size(), number);
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return error == std::errc();
}

bool read_list(std::string_view text, std::array<uint32_t, 3>& to) {
  return read_number(text, to[0]) && read_number(text, to[1]) && read_number(text, to[2]);
}

bool read_dimensions(std::span<const ArgumentView> arguments, const std::string& name, std::array<uint32_t, 3>& to) {
  if (const ArgumentView* list = find_argument(arguments, name)) return read_list(list->value, to);
  for (size_t axis = 0; axis < 3; ++axis) {
    const ArgumentView* one = find_argument(arguments, name + "XYZ"[axis]);
    if (one == nullptr) return false;
    std::string_view text = one->value;
    if (!read_number(text, to[axis])) return false;
  }
  return true;
}

}  // namespace

std::vector<std::string> launch_shape_keys() {
  return {"grid", "block", "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ"};
}

std::optional<LaunchShape> launch_shape(std::span<const ArgumentView> arguments) {
  LaunchShape shape;
  if (!read_dimensions(arguments, "grid", shape.grid)) return std::nullopt;
  if (!read_dimensions(arguments, "block", shape.block)) return std::nullopt;
  return shape;
}

}  // namespace cgpu
