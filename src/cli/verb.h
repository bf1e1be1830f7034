// What every verb is made of.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace cgpu {

/// Each adds one subcommand to `app`; when it is parsed, `action` becomes what to run.
using Action = std::function<void()>;

void add_report_verb(CLI::App& app, Action& action);
void add_info_verb(CLI::App& app, Action& action);
void add_table_verb(CLI::App& app, Action& action);
void add_export_verb(CLI::App& app, Action& action);
void add_view_verb(CLI::App& app, Action& action);
void add_completion_verb(CLI::App& app, Action& action);

}  // namespace cgpu
