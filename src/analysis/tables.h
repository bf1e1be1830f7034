// The analyses, one function a table. Each is pure: it reads completed runs (links/complete.h) and answers with one
// table, computed as docs/definitions.md says. The list of them, with what each is for, is in analysis.cpp.
#pragma once

#include "analysis/analysis.h"

namespace cgpu {

Table info_table(const Session& session, const AnalysisOptions& options);
Table notes_table(const Session& session, const AnalysisOptions& options);
Table devices_table(const Session& session, const AnalysisOptions& options);
Table gpu_time_table(const Session& session, const AnalysisOptions& options);
Table ascend_overlap_table(const Session& session, const AnalysisOptions& options);
Table streams_table(const Session& session, const AnalysisOptions& options);
Table kernels_table(const Session& session, const AnalysisOptions& options);
Table kernel_classes_table(const Session& session, const AnalysisOptions& options);
Table ops_table(const Session& session, const AnalysisOptions& options);
Table api_table(const Session& session, const AnalysisOptions& options);
Table os_calls_table(const Session& session, const AnalysisOptions& options);
Table transfers_table(const Session& session, const AnalysisOptions& options);
Table launches_table(const Session& session, const AnalysisOptions& options);
Table queue_table(const Session& session, const AnalysisOptions& options);
Table idle_table(const Session& session, const AnalysisOptions& options);
Table idle_streams_table(const Session& session, const AnalysisOptions& options);
Table steps_table(const Session& session, const AnalysisOptions& options);
Table ranges_table(const Session& session, const AnalysisOptions& options);
Table collectives_table(const Session& session, const AnalysisOptions& options);
Table stragglers_table(const Session& session, const AnalysisOptions& options);
Table clocks_table(const Session& session, const AnalysisOptions& options);
Table memory_table(const Session& session, const AnalysisOptions& options);
Table launch_metrics_table(const Session& session, const AnalysisOptions& options);
Table launch_rules_table(const Session& session, const AnalysisOptions& options);
Table launch_values_table(const Session& session, const AnalysisOptions& options);
Table metrics_table(const Session& session, const AnalysisOptions& options);
Table call_tree_table(const Session& session, const AnalysisOptions& options);
Table profiles_table(const Session& session, const AnalysisOptions& options);
Table hot_path_table(const Session& session, const AnalysisOptions& options);
Table functions_table(const Session& session, const AnalysisOptions& options);
Table callers_table(const Session& session, const AnalysisOptions& options);
Table imbalance_table(const Session& session, const AnalysisOptions& options);
Table stalls_table(const Session& session, const AnalysisOptions& options);
Table et_ops_table(const Session& session, const AnalysisOptions& options);
Table et_shapes_table(const Session& session, const AnalysisOptions& options);
Table device_ops_table(const Session& session, const AnalysisOptions& options);
Table activities_table(const Session& session, const AnalysisOptions& options);
Table kernel_grids_table(const Session& session, const AnalysisOptions& options);
Table api_trace_table(const Session& session, const AnalysisOptions& options);
Table device_trace_table(const Session& session, const AnalysisOptions& options);
Table launch_trace_table(const Session& session, const AnalysisOptions& options);
Table range_trace_table(const Session& session, const AnalysisOptions& options);
Table range_kernels_table(const Session& session, const AnalysisOptions& options);
Table slices_table(const Session& session, const AnalysisOptions& options);

}  // namespace cgpu
