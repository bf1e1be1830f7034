// The page: headline, then each section with its sentences, its charts and its table. No script, nothing from outside.
#include "table/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "report/cells.h"
#include "report/charts.h"
#include "report/figure.h"
#include "report/phrases.h"
#include "report/report.h"
#include "table/units.h"

namespace cgpu {

namespace {

class Page {
 public:
  explicit Page(const Report& report) : report_(report) {}

  std::string render() {
    add("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<header>\n<h1>{0}</h1>\n",
        escape_html(report_.title), page_style());
    if (!report_.verdict.empty()) add("<p class=\"verdict\">{}</p>\n", escape_html(report_.verdict));
    if (const Table* findings = report_.find("findings")) add_first_findings(*findings);
    if (!report_.viewer.href.empty()) {
      add("<p><a href=\"{}\">Open the timeline</a>, with searches and SQL over the whole profile.</p>\n",
          escape_html(report_.viewer.href));
    }
    add_headline();
    add("<nav>\n");
    for (const Section& section : report_.sections) {
      if (section.page.empty()) continue;
      add("<a href=\"#{}\">{}</a>\n", escape_html(section.table.name), escape_html(section.title));
    }
    add("</nav>\n</header>\n<main>\n");
    if (const Table* history = report_.find("history")) {
      out_ += draw_history(*history, *report_.find("history_changes"));
    }
    for (const Section& section : report_.sections) {
      if (!section.page.empty()) add_section(section);
    }
    add("</main>\n<footer>All rows and columns of a table: <code>{}</code>. Made by cgpu.</footer>\n</body>\n</html>\n",
        escape_html(report_.tables_command));
    return std::move(out_);
  }

 private:
  template <typename... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Arguments>(arguments)...);
  }

  /// The first findings with a bar of what each could save.
  void add_first_findings(const Table& findings) {
    constexpr size_t kMost = 3;
    if (findings.empty()) return;
    add("<ol class=\"first-findings\">\n");
    for (const RowView row : findings.rows()) {
      if (row.index() == kMost) break;
      add("<li class=\"{0}\"><b>{1}</b>", escape_html(text_of(findings, row, "severity")),
          escape_html(text_of(findings, row, "title")));
      if (has_value(findings, row, "recoverable_pct")) {
        const double pct = number_of(findings, row, "recoverable_pct");
        add("<span class=\"saving\"><i style=\"width:{:.1f}%\"></i></span>potential saving {}",
            std::clamp(pct, 0.5, 100.0), format_percent(pct));
      }
      add_place(findings, row);
      add("</li>\n");
    }
    add("</ol>\n");
  }

  /// The link to where a finding shows most, in the timeline.
  void add_place(const Table& findings, RowView row) {
    if (report_.viewer.href.empty() || !report_.viewer.same_times || !has_value(findings, row, "start_ns") ||
        !has_value(findings, row, "end_ns")) {
      return;
    }
    const int64_t start = integer_of(findings, row, "start_ns");
    const int64_t end = integer_of(findings, row, "end_ns");
    const int64_t margin = std::max<int64_t>((end - start) / 4, 1);  // to see what is around it
    add(" <a href=\"{}#view=timeline&amp;t={}~{}\">in the timeline</a>", escape_html(report_.viewer.href),
        std::max<int64_t>(start - margin, 0), end + margin);
  }

  /// Lines that are indented are a list below the line before them; two spaces or more part their figures.
  void add_headline() {
    if (report_.headline.empty()) return;
    add("<ul class=\"headline\">\n");
    for (auto line = report_.headline.begin(); line != report_.headline.end();) {
      add("<li>{}", escape_html(*line++));
      const auto end =
          std::find_if(line, report_.headline.end(), [](const std::string& next) { return !next.starts_with(' '); });
      if (line != end) out_ += "\n<ul>\n";
      for (auto below = line; below != end; ++below) add("<li>{}</li>\n", figures_and_words(*below));
      if (line != end) out_ += "</ul>\n";
      out_ += "</li>\n";
      line = end;
    }
    out_ += "</ul>\n";
  }

  static std::string figures_and_words(std::string_view line) {
    constexpr std::string_view kBetween = "  ";
    std::string html;
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    for (size_t end = line.find(kBetween); end != std::string_view::npos; end = line.find(kBetween)) {
      html += fmt::format("<span>{}</span> ", escape_html(line.substr(0, end)));
      line.remove_prefix(std::min(line.find_first_not_of(' ', end), line.size()));
    }
    return html + escape_html(line);
  }

  void add_section(const Section& section) {
    const std::string name = escape_html(section.table.name);
    add("<section id=\"{0}\">\n<h2>{1}<code>{0}</code></h2>\n", name, escape_html(section.title));
    if (!section.summary.empty()) add("<p class=\"summary\">{}</p>\n", escape_html(section.summary));
    // A narrow table is beside its chart where there is room.
    const bool narrow = section.table.name == "kernel_classes";
    if (narrow) out_ += "<div class=\"beside\">\n";
    out_ += charts_of(section);
    Table page = section.page;
    if (page.name == "kernels") make_names_brief(page);
    add("<div class=\"scroll\">\n{}</div>\n", render_html_table(page, 0, report_.links));
    if (narrow) out_ += "</div>\n";
    if (page.name == "kernels") add_full_names(section.page);
    if (!section.cut.empty()) add("<p class=\"cut\">Shown: {}.</p>\n", escape_html(section.cut));
    add("</section>\n");
  }

  void add_full_names(const Table& kernels) {
    add("<details><summary>Full names of these kernels</summary>\n<ol>\n");
    for (const RowView row : kernels.rows()) add("<li>{}</li>\n", escape_html(text_of(kernels, row, "name")));
    add("</ol></details>\n");
  }

  std::string charts_of(const Section& section) const {
    const std::string& name = section.table.name;
    if (name == "gpu_time")
      return draw_device_time(section.table, report_.idle_word()) +
             draw_deviations(section.table, report_.find("idle")) +
             draw_timeline(report_.histories, report_.rank_activity, section.table, report_.find("steps"));
    if (name == "steps") return draw_steps(section.table);
    if (name == "idle") return draw_idle(section.page);
    if (name == "kernel_classes") return draw_kernel_classes(section.table);
    if (name == "kernels") return draw_kernels(section.table);
    if (name == "ops" && !report_.find("gpu_time")) return draw_ops(section.table);
    if (name == "transfers") return draw_transfers(section.table);
    if (name == "memory") return draw_memory(report_.histories);
    return "";
  }

  const Report& report_;
  std::string out_;
};

}  // namespace

std::string render_report_html(const Report& report) {
  return Page(report).render();
}

}  // namespace cgpu
