// A chart as inline SVG, written element by element.
//
// Horizontal places and widths are percent of the chart, heights are pixels: the chart fills any width while its text
// keeps its size. Texts are escaped; a coordinate that is not finite is written as 0.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cgpu {

enum class Anchor : uint8_t { start, middle, end };

class Svg {
 public:
  /// `title` and `description` are read out where the chart cannot be seen.
  Svg(double height, std::string_view title, std::string_view description);

  /// `style` is a class of the style sheet, `tooltip` what pointing at it shows ("" for nothing).
  void rect(double x, double y, double width, double height, std::string_view style, std::string_view tooltip = "");
  void text(double x, double y, std::string_view text, Anchor anchor = Anchor::start, std::string_view style = "");
  /// A vertical line.
  void vertical(double x, double y1, double y2, std::string_view style);
  /// A horizontal line from x1 to x2.
  void horizontal(double x1, double x2, double y, std::string_view style);

  struct Path {
    std::string data;  // in coordinates of its own: 0..columns from left to right, 0..100 from the top down
    std::string style;
  };
  /// Paths stretched over a box, with a tooltip for all ("" for none).
  void paths(double x, double y, double width, double height, double columns, const std::vector<Path>& paths,
             std::string_view tooltip);

  std::string finish();

 private:
  std::string out_;
};

/// A number for an attribute: at most three decimals, 0 where it is not finite.
std::string svg_number(double value);

/// Round times for an axis from `begin` to `end`: multiples of 1, 2 or 5 times a power of ten; about `most` of them.
std::vector<int64_t> axis_ticks(int64_t begin, int64_t end, int most);
/// What is at a tick: "200 ms", "1.5 s", "0".
std::string tick_text(int64_t nanoseconds);

}  // namespace cgpu
