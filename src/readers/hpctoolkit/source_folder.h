// The folder src/ of a database: copies of the program's sources, named in the call tree as `src/FOLDERS/FILE`.
//
// Names are walked folder by folder without following symbolic links, and ".." is no name: whatever a database calls
// its files, nothing outside of its src/ is read. One look at a few folders a file name.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "model/call_tree.h"
#include "model/source_files.h"
#include "readers/common/input.h"

namespace cgpu::hpctoolkit {

/// The folder of a database that is opened by its name or by that of a file in it.
std::filesystem::path folder_of(const Input& input);

/// The files of the tree that the database in this folder has; null where it has none. A file that is not under its
/// folders is looked for under fewer of them: published databases are often without.
std::shared_ptr<SourceFiles> source_folder(const std::string& database, const CallTree& tree);

}  // namespace cgpu::hpctoolkit
