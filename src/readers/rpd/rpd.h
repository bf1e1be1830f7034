// `.rpd`: the SQLite database of rocmProfileData, plain or compressed. docs/formats/rpd.md.
//
// O(rows); strings and what joins calls with ops are kept while it is read.
#pragma once

#include "model/run.h"
#include "readers/common/input.h"

namespace cgpu::rpd {

bool is_database(const Input& input);
/// Throws Error where the file is no such database.
Run read_database(const Input& input, const ReadOptions& options);

}  // namespace cgpu::rpd
