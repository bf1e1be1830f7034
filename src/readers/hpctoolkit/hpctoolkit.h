// Databases of HPCToolkit 4: a folder with meta.db (the call tree), profile.db (the values of every thread and stream,
// and their sum), cct.db (the same values by context) and trace.db (what ran when). docs/formats/hpctoolkit.md.
//
// The files are mapped; opening costs the call tree, the summary's values and the traces. Values of single threads are
// read when they are asked for.
#pragma once

#include "readers/common/input.h"

namespace cgpu::hpctoolkit {

/// A folder whose meta.db begins like one, or such a file itself; also the short-lived format before it.
bool is_database(const Input& input);

/// Throws Error where meta.db cannot be read, or for a database of the format before; what other files lack goes to the
/// notes.
Run read_database(const Input& input, const ReadOptions& options);

}  // namespace cgpu::hpctoolkit
