// What the charts share: the frame around a chart, bars with their labels above, and the colours.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "table/table.h"

namespace cgpu {

/// A colour of the page (a class of the style sheet) and what it stands for.
struct LegendEntry {
  std::string style;
  std::string name;
};

std::string figure(std::string_view title, const std::vector<LegendEntry>& legend, const std::string& svg);

/// A horizontal bar under its label.
struct Bar {
  std::string label;    // shortened to fit
  std::string value;    // at the right end of the label
  std::string tooltip;  // "" for the label in full
  double size = 0;      // of any unit; the largest bar fills the width
  std::string style;
};
std::string bar_figure(std::string_view title, std::string_view description, const std::vector<LegendEntry>& legend,
                       const std::vector<Bar>& bars);

/// The family of kernels of a class, which has a colour of its own: matrix products, attention, ...
LegendEntry family_of(std::string_view kernel_class);
/// `entries` without repetition, in order of first appearance.
std::vector<LegendEntry> distinct(const std::vector<LegendEntry>& entries);

/// The style sheet of the page.
std::string_view page_style();

}  // namespace cgpu
