#include "report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "table/html.h"
#include "table/units.h"

namespace cgpu {

namespace {

std::string_view text_of(Anchor anchor) {
  switch (anchor) {
    case Anchor::start:
      return "start";
    case Anchor::middle:
      return "middle";
    case Anchor::end:
      return "end";
  }
  return "start";
}

}  // namespace

Svg::Svg(double height, std::string_view title, std::string_view description) {
  out_ =
      fmt::format("<svg class=\"chart\" role=\"img\" width=\"100%\" height=\"{}\"><title>{}</title><desc>{}</desc>\n",
                  svg_number(height), escape_html(title), escape_html(description));
}

void Svg::rect(double x, double y, double width, double height, std::string_view style, std::string_view tooltip) {
  fmt::format_to(std::back_inserter(out_), "<rect class=\"{}\" x=\"{}%\" y=\"{}\" width=\"{}%\" height=\"{}\"", style,
                 svg_number(x), svg_number(y), svg_number(width), svg_number(height));
  out_ += tooltip.empty() ? "/>\n" : "><title>" + escape_html(tooltip) + "</title></rect>\n";
}

void Svg::text(double x, double y, std::string_view text, Anchor anchor, std::string_view style) {
  fmt::format_to(std::back_inserter(out_), "<text class=\"{}\" x=\"{}%\" y=\"{}\" text-anchor=\"{}\">{}</text>\n",
                 style, svg_number(x), svg_number(y), text_of(anchor), escape_html(text));
}

void Svg::vertical(double x, double y1, double y2, std::string_view style) {
  fmt::format_to(std::back_inserter(out_), "<line class=\"{}\" x1=\"{}%\" y1=\"{}\" x2=\"{}%\" y2=\"{}\"/>\n", style,
                 svg_number(x), svg_number(y1), svg_number(x), svg_number(y2));
}

void Svg::horizontal(double x1, double x2, double y, std::string_view style) {
  fmt::format_to(std::back_inserter(out_), "<line class=\"{}\" x1=\"{}%\" y1=\"{}\" x2=\"{}%\" y2=\"{}\"/>\n", style,
                 svg_number(x1), svg_number(y), svg_number(x2), svg_number(y));
}

void Svg::paths(double x, double y, double width, double height, double columns, const std::vector<Path>& paths,
                std::string_view tooltip) {
  fmt::format_to(std::back_inserter(out_),
                 "<svg x=\"{}%\" y=\"{}\" width=\"{}%\" height=\"{}\" viewBox=\"0 0 {} 100\" "
                 "preserveAspectRatio=\"none\">",
                 svg_number(x), svg_number(y), svg_number(width), svg_number(height), svg_number(columns));
  out_ += tooltip.empty() ? "\n" : "<title>" + escape_html(tooltip) + "</title>\n";
  for (const Path& path : paths) {
    if (path.data.empty()) continue;
    fmt::format_to(std::back_inserter(out_), "<path class=\"{}\" d=\"{}\"/>\n", path.style, path.data);
  }
  out_ += "</svg>\n";
}

std::string Svg::finish() {
  out_ += "</svg>\n";
  return std::move(out_);
}

std::string svg_number(double value) {
  if (!std::isfinite(value)) return "0";
  std::string text = fmt::format("{:.3f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

std::vector<int64_t> axis_ticks(int64_t begin, int64_t end, int most) {
  std::vector<int64_t> ticks;
  if (end <= begin || most < 1) return ticks;
  const double least = static_cast<double>(end - begin) / most;
  double step = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {2.0, 2.5, 2.0}) {  // 1, 2, 5, 10
    if (step < least) step *= factor;
  }
  const auto pitch = std::max<int64_t>(1, std::llround(step));
  const int64_t before = begin >= 0 ? begin - begin % pitch : begin - (begin % pitch + pitch) % pitch;
  for (int64_t tick = before; tick <= end; tick += pitch) {
    if (tick >= begin) ticks.push_back(tick);
  }
  return ticks;
}

std::string tick_text(int64_t nanoseconds) {
  if (nanoseconds == 0) return "0";
  std::string text = format_ns(nanoseconds);
  const size_t point = text.find('.');
  const size_t space = text.find(' ');
  if (point == std::string::npos) return text;
  size_t kept = text.find_last_not_of('0', space - 1);
  if (kept != point) ++kept;
  return text.erase(kept, space - kept);
}

}  // namespace cgpu
