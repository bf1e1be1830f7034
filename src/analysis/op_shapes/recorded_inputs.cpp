#include "analysis/op_shapes/recorded_inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "base/json_text.h"
#include "base/parse_number.h"

namespace cgpu {

namespace {

constexpr int kDeepest = 8;  // lists in lists; those of tensors are three

void skip_space(std::string_view& text) {
  while (!text.empty() && is_json_space(text.front())) text.remove_prefix(1);
}

bool take(std::string_view& text, char c) {
  skip_space(text);
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<int64_t> take_number(std::string_view& text) {
  skip_space(text);
  const size_t end = std::min(text.find_first_not_of("-0123456789"), text.size());
  const auto number = parse_number(text.substr(0, end));
  text.remove_prefix(end);
  return number;
}

/// The parts between semicolons, as the profilers of Ascend separate inputs.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(';', begin), text.size());
    parts.push_back(trim_json(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return parts;
}

/// The texts of a JSON list of strings, or the parts of another text.
std::vector<std::string> read_texts(std::string_view text) {
  std::vector<std::string> texts;
  if (text.empty()) return texts;
  if (!take(text, '[')) {
    for (const std::string_view part : parts_of(text)) texts.emplace_back(part);
    return texts;
  }
  while (take(text, '"')) {
    size_t end = 0;
    while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
    end = std::min(end, text.size());
    texts.push_back(unescape_json(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!take(text, ',')) break;
  }
  return texts;
}

/// What is between the brackets of "[a, b]" or "(a, b)".
std::optional<std::vector<std::string_view>> list_items(std::string_view text) {
  text = trim_json(text);
  const bool is_list =
      text.size() >= 2 && ((text.front() == '[' && text.back() == ']') || (text.front() == '(' && text.back() == ')'));
  if (!is_list) return std::nullopt;
  text = trim_json(text.substr(1, text.size() - 2));
  std::vector<std::string_view> items;
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    items.push_back(trim_json(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return items;
}

bool has_letters(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
}

constexpr std::array<std::pair<const char*, std::string_view InputTexts::*>, 12> kInputKeys = {{
    {"Input Dims", &InputTexts::shapes},
    {"Input dims", &InputTexts::shapes},  // 2021
    {"inputShapes", &InputTexts::shapes},
    {"Input type", &InputTexts::types},
    {"inputDtypes", &InputTexts::types},
    {"Concrete Inputs", &InputTexts::values},
    {"Input Strides", &InputTexts::strides},
    {"Output dims", &InputTexts::output_shapes},
    {"Collective name", &InputTexts::collective},
    {"In msg nelems", &InputTexts::elements_in},
    {"Out msg nelems", &InputTexts::elements_out},
    {"dtype", &InputTexts::element_type},
}};

std::optional<bool> flag_of(std::string_view text) {
  if (text == "True" || text == "true") return true;
  if (text == "False" || text == "false") return false;
  return std::nullopt;
}

}  // namespace

InputKeys::InputKeys(ArgumentReader& reader) {
  for (const auto& [key, member] : kInputKeys) {
    const uint32_t number = reader.number_of(key);
    if (number >= of_key_.size()) of_key_.resize(number + 1, nullptr);
    of_key_[number] = member;
  }
}

std::vector<std::string> InputKeys::wanted() {
  std::vector<std::string> keys;
  for (const auto& [key, member] : kInputKeys) keys.emplace_back(key);
  return keys;
}

InputTexts InputKeys::texts(std::span<const ArgumentView> arguments) const {
  InputTexts texts;
  for (const ArgumentView& argument : arguments) {
    if (argument.number < of_key_.size() && of_key_[argument.number] != nullptr) {
      texts.*of_key_[argument.number] = argument.value;
    }
  }
  return texts;
}

bool RecordedInputs::read_list(std::string_view& text, Shape& shape, int depth) {
  if (depth > kDeepest || !take(text, '[')) return false;
  if (take(text, ']')) return true;
  do {
    skip_space(text);
    if (!text.empty() && text.front() == '[') {
      shape.is_list = true;
      if (!read_list(text, shape.list.emplace_back(), depth + 1)) return false;
    } else if (const auto number = take_number(text)) {
      shape.dims.push_back(*number);
    } else {
      return false;
    }
  } while (take(text, ','));
  return take(text, ']');
}

std::vector<RecordedInputs::Shape> RecordedInputs::read_shapes(std::string_view text) {
  std::vector<Shape> shapes;
  text = trim_json(text);
  if (text.empty()) return shapes;
  if (text.front() == '[') {
    Shape all;
    return read_list(text, all, 0) ? std::move(all.list) : shapes;
  }
  for (std::string_view part : parts_of(text)) {
    Shape& shape = shapes.emplace_back();
    if (part.empty()) continue;
    do {
      const auto number = take_number(part);
      if (!number) return {};
      shape.dims.push_back(*number);
    } while (take(part, ','));
    if (!part.empty()) return {};
  }
  return shapes;
}

RecordedInputs::RecordedInputs(const InputTexts& texts)
    : values_(read_texts(texts.values)),
      strides_(read_shapes(texts.strides)),
      outputs_(read_shapes(texts.output_shapes)) {
  const bool exchanged = has_letters(texts.shapes) && !has_letters(texts.types);
  const std::string_view shapes = exchanged ? texts.types : texts.shapes;
  const std::string_view types = exchanged ? texts.shapes : texts.types;
  has_shapes_ = !shapes.empty();
  has_types_ = !types.empty();
  shapes_ = read_shapes(shapes);
  types_ = read_texts(types);
}

std::optional<Tensor> RecordedInputs::tensor(size_t place) const {
  if (place >= shapes_.size() || place >= types_.size() || shapes_[place].is_list) return std::nullopt;
  // Numbers that are no tensors have types that look alike: "Int", "Bool", "Double".
  const std::string& name = types_[place];
  const bool is_scalar = shapes_[place].dims.empty() &&
                         (!value(place).empty() || name.empty() || std::isupper(static_cast<unsigned char>(name[0])));
  const std::optional<ElementType> type = element_type(name);
  if (is_scalar || !type) return std::nullopt;
  return Tensor{shapes_[place].dims, *type};
}

std::optional<Dims> RecordedInputs::strides(size_t place) const {
  const auto of = tensor(place);
  if (!of || place >= strides_.size() || strides_[place].is_list) return std::nullopt;
  return strides_[place].dims.size() == of->dims.size() ? std::optional(strides_[place].dims) : std::nullopt;
}

std::optional<bool> RecordedInputs::flag(size_t place) const {
  return flag_of(value(place));
}

std::optional<int64_t> RecordedInputs::integer(size_t place) const {
  return parse_number(value(place));
}

std::optional<Dims> RecordedInputs::integers(size_t place) const {
  const auto items = list_items(value(place));
  if (!items) return std::nullopt;
  Dims numbers;
  for (const std::string_view item : *items) {
    const auto number = parse_number(item);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

std::optional<std::vector<bool>> RecordedInputs::flags(size_t place) const {
  const auto items = list_items(value(place));
  if (!items) return std::nullopt;
  std::vector<bool> flags;
  for (const std::string_view item : *items) {
    const auto flag = flag_of(item);
    if (!flag) return std::nullopt;
    flags.push_back(*flag);
  }
  return flags;
}

std::optional<Dims> RecordedInputs::output() const {
  if (outputs_.size() != 1 || outputs_[0].is_list || outputs_[0].dims.empty()) return std::nullopt;
  return outputs_[0].dims;
}

std::string RecordedInputs::text_of(const Shape& shape) {
  if (!shape.is_list) return fmt::format("[{}]", fmt::join(shape.dims, ", "));
  std::vector<std::string> parts;
  for (const Shape& part : shape.list) parts.push_back(text_of(part));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

std::string RecordedInputs::shapes_text() const {
  if (!has_shapes_) return "";
  std::vector<std::string> parts;
  for (const Shape& shape : shapes_) parts.push_back(text_of(shape));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

std::string RecordedInputs::types_text() const {
  if (!has_types_) return "";
  std::vector<std::string> parts;
  for (const std::string& type : types_) parts.push_back(type == "None" ? "" : type);
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

}  // namespace cgpu
