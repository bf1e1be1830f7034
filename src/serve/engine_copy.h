// A copy of the viewer in one HTML file that has the engine in it (docs/web.md) and answers all that the program does:
// the page of scripts/build-web-site, and in it the profile as a trace of our own (export/export.h). What was left out
// of the session, or hidden, is not in the file.
#pragma once

#include <string>

#include "export/export.h"
#include "model/run.h"

namespace cgpu {

/// The page with the engine (engine_page.html of web/site.mjs): the file that CGPU_ENGINE_PAGE names, else
/// ../share/cgpu/engine_page.html beside the program. Empty where there is none, or CGPU_ENGINE_PAGE is "none".
std::string find_engine_page();

/// Whether a trace holds all of the session: it has a timeline, and no call trees, measured launches or graphs of
/// operators.
bool is_whole_in_trace(const Session& session);

/// The copy, of a session that is whole in a trace. `name`: what the page says that it shows; `made_by`: the command
/// that opens the profile itself. Throws Error where `page`, a path, is no such page. Memory: the copy, and the trace.
std::string make_engine_copy(const Session& session, const std::string& page, const std::string& name,
                             const std::string& made_by, const ExportOptions& options);

}  // namespace cgpu
