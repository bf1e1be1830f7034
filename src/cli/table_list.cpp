#include "cli/table_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "cli/terminal.h"
#include "table/text.h"

namespace cgpu {

std::string list_as_text(const std::vector<DeclaredTable>& declared, const std::string& heading) {
  constexpr size_t kIndent = 18;
  const size_t width = std::max<size_t>(text_options().width, 2 * kIndent);
  std::string text = heading + "\n";
  for (const DeclaredTable& table : declared) {
    std::string about = table.about;
    if (!table.aliases.empty()) about += fmt::format(" (also called {})", fmt::join(table.aliases, ", "));
    std::string start = fmt::format("{:<{}}", table.name + " ", kIndent);
    std::istringstream lines(wrap_text(about, width - kIndent));
    for (std::string line; std::getline(lines, line);) {
      text += std::exchange(start, std::string(kIndent, ' ')) + line + "\n";
    }
  }
  return text;
}

}  // namespace cgpu
