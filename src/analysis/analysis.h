// An analysis: a pure function from the opened runs to one table, and the list of all of them.
#pragma once

#include <string>
#include <vector>

#include "model/run.h"
#include "table/table.h"

namespace cgpu {

struct AnalysisOptions {
  bool base_names = false;           // kernels under their short name (`--names base`)
  bool arguments = false;            // `slices`: read the arguments of every event again (`--args`)
  std::vector<std::string> metrics;  // of a call tree (`--metric`); empty for the default
  std::vector<std::string> scopes;   // `call_tree`: values of these scopes too, as the profile has them (`--scope`)
  double hot_path_pct = 50;          // `hot_path`: how much of its parent's cost a child must have (`--threshold`)
};

struct Analysis {
  std::string name;
  std::string about;  // one line, shown by `cgpu table --list`
  Table (*run)(const Session&, const AnalysisOptions&);
  std::vector<std::string> aliases = {};  // names that other tools give the same table
};

/// All analyses in the order in which they are listed.
const std::vector<Analysis>& all_analyses();
/// The analysis called `name` (or with that alias). Throws Error with the nearest names.
const Analysis& find_analysis(const std::string& name);

}  // namespace cgpu
