// What a profile records of the inputs of a framework op: shapes, types, and values of what is no tensor.
//
// PyTorch writes lists ("Input Dims": [[16, 8], []], "Input type": ["float", "Scalar"], "Concrete Inputs": ["", "1"]),
// the profilers of Ascend texts ("16,8;\r\n", "float;\r\nScalar"; their databases have the two under each other's
// name). O(length of the texts).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/argument_reader.h"
#include "model/element_types.h"

namespace cgpu {

using Dims = std::vector<int64_t>;

/// The texts in an event's arguments; empty where the profile has none. They point into these. Shapes and types may
/// are under each other's name.
struct InputTexts {
  std::string_view shapes;
  std::string_view types;
  std::string_view values;
  std::string_view strides;
  std::string_view output_shapes;
  // Of a collective.
  std::string_view collective;
  std::string_view elements_in;
  std::string_view elements_out;
  std::string_view element_type;

  bool has_inputs() const { return !shapes.empty() || !elements_in.empty(); }
};

/// The numbers of the keys under which a reader of arguments has them.
class InputKeys {
 public:
  /// `reader` need not read other keys than wanted().
  explicit InputKeys(ArgumentReader& reader);
  static std::vector<std::string> wanted();
  InputTexts texts(std::span<const ArgumentView> arguments) const;

 private:
  std::vector<std::string_view InputTexts::*> of_key_;  // by number of the key; null for others
};

/// A tensor among the inputs.
struct Tensor {
  const Dims& dims;
  ElementType type;
};

class RecordedInputs {
 public:
  explicit RecordedInputs(const InputTexts& texts);

  size_t size() const { return shapes_.size(); }
  /// The input at a place; absent where there is none, or something that is no tensor, or a list of tensors.
  std::optional<Tensor> tensor(size_t place) const;
  /// Of that tensor, in elements, a number for each dimension; absent where they are not recorded.
  std::optional<Dims> strides(size_t place) const;
  /// The value of an input that is no tensor, as recorded; empty where it is not.
  std::string_view value(size_t place) const { return place < values_.size() ? values_[place] : std::string_view(); }
  std::optional<bool> flag(size_t place) const;
  std::optional<int64_t> integer(size_t place) const;
  /// [1, 1] or (1, 1)
  std::optional<Dims> integers(size_t place) const;
  /// [True, False]
  std::optional<std::vector<bool>> flags(size_t place) const;
  /// The shape of the only result, which some old profiles have.
  std::optional<Dims> output() const;

  /// As listed: the shapes in the spelling of PyTorch, the types as recorded; empty where there are none recorded.
  std::string shapes_text() const;
  std::string types_text() const;

 private:
  struct Shape {
    Dims dims;
    std::vector<Shape> list;  // of the tensors of a list
    bool is_list = false;
  };
  static std::vector<Shape> read_shapes(std::string_view text);
  static bool read_list(std::string_view& text, Shape& shape, int depth);
  static std::string text_of(const Shape& shape);

  bool has_shapes_ = false;
  bool has_types_ = false;
  std::vector<Shape> shapes_;
  std::vector<std::string> types_;
  std::vector<std::string> values_;
  std::vector<Shape> strides_;
  std::vector<Shape> outputs_;
};

}  // namespace cgpu
