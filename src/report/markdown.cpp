// The report as GitHub-flavoured Markdown, for an issue, a pull request or a wiki.
#include "table/markdown.h"

#include "report/phrases.h"
#include "report/report.h"

namespace cgpu {

std::string render_report_markdown(const Report& report) {
  std::string out = "# " + escape_markdown(report.title) + "\n\n";
  if (!report.verdict.empty()) out += escape_markdown(report.verdict) + "\n\n";
  for (const std::string& line : report.headline) out += "- " + escape_markdown(line) + "\n";
  for (const Section& section : report.sections) {
    if (section.page.empty()) continue;
    out += "\n## " + escape_markdown(section.title) + "\n\n";
    if (!section.summary.empty()) out += escape_markdown(section.summary) + "\n\n";
    Table page = section.page;
    page.about.clear();
    if (page.name == "kernels") make_names_brief(page);
    out += render_markdown(page);
    if (!section.cut.empty()) {
      out += "\n" + escape_markdown(section.table.name + ": " + section.cut) + "\n";
    }
  }
  return out;
}

}  // namespace cgpu
