// All verbs.
#pragma once

#include "cli/command_line.h"

namespace cgpu {

class Exchange;

/// Each adds one verb with its options and its action. `exchange`: other processes that open ranks, too; null for none.
void add_report_verb(CommandLine& line, Exchange* exchange);
void add_info_verb(CommandLine& line);
void add_table_verb(CommandLine& line, Exchange* exchange);
void add_diagnose_verb(CommandLine& line, Exchange* exchange);
void add_whatif_verb(CommandLine& line);
void add_compare_verb(CommandLine& line);
/// `exit_code` takes what the check says.
void add_check_verb(CommandLine& line, int& exit_code);
void add_summarize_verb(CommandLine& line, Exchange* exchange);
/// `exit_code` takes whether the merge lacks more than was allowed.
void add_merge_verb(CommandLine& line, int& exit_code);
void add_scale_verb(CommandLine& line);
void add_history_verb(CommandLine& line);
/// `exit_code` takes the worst verdict.
void add_watch_verb(CommandLine& line, int& exit_code);
void add_sql_verb(CommandLine& line);
void add_export_verb(CommandLine& line);
void add_view_verb(CommandLine& line);
/// `exit_code` takes that of the recorded program.
void add_record_verb(CommandLine& line, int& exit_code);
void add_completion_verb(CommandLine& line);
void add_manpage_verb(CommandLine& line);

}  // namespace cgpu
