#include "report/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "report/svg.h"
#include "table/html.h"
#include "table/unicode.h"

namespace cgpu {

std::string figure(std::string_view title, const std::vector<LegendEntry>& legend, const std::string& svg) {
  std::string out = fmt::format("<figure>\n<figcaption>{}</figcaption>\n<ul class=\"legend\">", escape_html(title));
  for (const LegendEntry& entry : legend) {
    fmt::format_to(std::back_inserter(out), "<li><span class=\"swatch {}\"></span>{}</li>", entry.style,
                   escape_html(entry.name));
  }
  return out + "</ul>\n" + svg + "</figure>\n";
}

std::string bar_figure(std::string_view title, std::string_view description, const std::vector<LegendEntry>& legend,
                       const std::vector<Bar>& bars) {
  constexpr double kRow = 33;
  constexpr size_t kLabel = 62;  // characters beside the value on a narrow page
  double largest = 0;
  for (const Bar& bar : bars) largest = std::max(largest, bar.size);
  if (!(largest > 0)) return "";

  Svg svg(kRow * static_cast<double>(bars.size()), title, description);
  double y = 0;
  for (const Bar& bar : bars) {
    const std::string label = printable(bar.label);
    svg.text(0, y + 13, shorten(label, kLabel), Anchor::start, "label");
    svg.text(100, y + 13, bar.value, Anchor::end, "value");
    svg.rect(0, y + 18, 100, 9, "c-track");
    svg.rect(0, y + 18, 100 * bar.size / largest, 9, bar.style, bar.tooltip.empty() ? label : bar.tooltip);
    y += kRow;
  }
  return figure(title, legend, svg.finish());
}

LegendEntry family_of(std::string_view kernel_class) {
  static const LegendEntry kMatrix = {"c-blue", "matrix products, convolutions"};
  static const LegendEntry kAttention = {"c-purple", "attention, sequence state"};
  static const LegendEntry kCommunication = {"c-orange", "communication"};
  static const LegendEntry kMovement = {"c-green", "copies, layout, indexing"};
  static const LegendEntry kReduction = {"c-yellow", "reductions, norms, softmax, pooling"};
  static const LegendEntry kElementwise = {"c-sky", "element by element, fused"};
  static const LegendEntry kOther = {"c-vermillion", "routing, sorting, optimizer, random"};
  static const LegendEntry kUnknown = {"c-grey", "not classified"};
  static const std::map<std::string_view, const LegendEntry*> families = {
      {"gemm", &kMatrix},
      {"moe_gemm", &kMatrix},
      {"convolution", &kMatrix},
      {"attention", &kAttention},
      {"kv_cache", &kAttention},
      {"rope", &kAttention},
      {"state_space", &kAttention},
      {"collective", &kCommunication},
      {"expert_exchange", &kCommunication},
      {"custom_collective", &kCommunication},
      {"copy", &kMovement},
      {"set", &kMovement},
      {"layout", &kMovement},
      {"indexing", &kMovement},
      {"embedding", &kMovement},
      {"normalization", &kReduction},
      {"softmax_loss", &kReduction},
      {"reduction", &kReduction},
      {"pooling", &kReduction},
      {"elementwise", &kElementwise},
      {"activation", &kElementwise},
      {"quantization", &kElementwise},
      {"fused", &kElementwise},
      {"moe_routing", &kOther},
      {"sort_scan", &kOther},
      {"optimizer", &kOther},
      {"random", &kOther},
  };
  const auto found = families.find(kernel_class);
  return found == families.end() ? kUnknown : *found->second;
}

std::vector<LegendEntry> distinct(const std::vector<LegendEntry>& entries) {
  std::vector<LegendEntry> kept;
  for (const LegendEntry& entry : entries) {
    const bool known =
        std::any_of(kept.begin(), kept.end(), [&](const LegendEntry& k) { return k.name == entry.name; });
    if (!known) kept.push_back(entry);
  }
  return kept;
}

}  // namespace cgpu
