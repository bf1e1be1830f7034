// Nsight Compute: its report (.ncu-rep, .ncu-repz) what `ncu --csv` prints (details and raw page), and its
// plain text.
//
// All fill Run::launch_metrics and nothing else. What the fields of the report mean was found out on files of versions
// 2021.2 to 2025.3, all of file version 7; another file version is refused with a line that says what to do. See
// docs/formats/nsight-compute.md.
#pragma once

#include <string>
#include <string_view>

#include "base/text_source.h"
#include "model/run.h"

namespace cgpu::ncu {

bool is_report(std::string_view head);
/// Throws Error where the file is of a version that is not known, or holds no readable launch.
Run read_report(TextSource& source, const std::string& path);

/// Whether a line of `head` is the header of a details or raw page; lines of a log may be before it.
bool is_csv(std::string_view head);
/// Throws Error where there is no header, or no readable launch behind it.
Run read_csv(TextSource& source, const std::string& path);

/// Whether lines of `head` are a log of ncu, or one of its sections with a table. Asked after is_csv.
bool is_text(std::string_view head);
/// Throws Error where no kernel was measured.
Run read_text(TextSource& source, const std::string& path);

}  // namespace cgpu::ncu
