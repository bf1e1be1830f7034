// Profiles of Caliper (docs/formats/caliper.md): its own records (.cali) and json-split.
#pragma once

#include "model/run.h"
#include "readers/common/input.h"

namespace cgpu::caliper {

bool is_profile(const Input& input);
Run read_profile(const Input& input, const ReadOptions& options);

/// Records: lines that begin with "__rec=". Streams; memory is that of the nodes in the file and of the call tree.
bool is_records(std::string_view head);
Run read_records(TextSource& source, const std::string& path);

/// json-split: an object with "data", "columns" and "nodes". Streams; the numbers of "data" are held until "columns"
/// says what they are, 8 bytes each.
bool is_json_split(std::string_view head);
Run read_json_split(TextSource& source, const std::string& path);

}  // namespace cgpu::caliper
