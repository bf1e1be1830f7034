// The list of tables that a verb can show, for people (as tables: analysis/table_list.h).
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "analysis/table_list.h"

namespace cgpu {

/// Each table with its whole description; `call`, like "cgpu table INPUT... NAME", shows one.
std::string list_as_text(const std::vector<DeclaredTable>& declared, const std::string& call);
/// All that is declared: a section for each table, with its columns and options.
std::string list_as_markdown(const std::vector<DeclaredTable>& declared, const std::string& call);

/// Either, or as JSON, in the name of the verb.
void write_table_list(std::ostream& out, const std::string& format, const std::string& verb,
                      const std::vector<DeclaredTable>& declared, const std::string& call);

}  // namespace cgpu
