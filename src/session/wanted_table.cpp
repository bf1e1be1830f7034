#include "session/wanted_table.h"

#include <string>

namespace cgpu {

namespace {

/// Where among the wanted tables that one is, without options.
std::optional<size_t> place_of(const std::string& name, const std::vector<WantedTable>& wanted) {
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].analysis->name == name && wanted[i].options.all().empty()) return i;
  }
  return {};
}

}  // namespace

void add_sources(const Analysis& analysis, std::vector<WantedTable>& wanted) {
  for (const std::string& name : analysis.without_timelines->tables) {
    if (!place_of(name, wanted)) wanted.push_back({&find_analysis(name)});
  }
}

std::optional<Table> made_of_sources(const Analysis& analysis, const SessionFacts& facts,
                                     const std::vector<WantedTable>& wanted, const std::vector<Table>& tables) {
  std::vector<const Table*> sources;
  for (const std::string& name : analysis.without_timelines->tables) {
    const std::optional<size_t> place = place_of(name, wanted);
    if (!place) return {};
    sources.push_back(&tables[*place]);
  }
  return analysis.without_timelines->make(analysis, facts, sources);
}

}  // namespace cgpu
