// What a file or a folder is that no reader takes, and what to do with it: the texts of refusals.
// By the first bytes, as for the formats that are read.
#pragma once

#include <string>
#include <string_view>

namespace cgpu {

/// How a summary of a run begins (session/summaries/summary.h), which is no profile: it is opened before readers are
/// asked.
inline constexpr std::string_view kSummaryMagic =
    "\x89"
    "cgpu run\r\n";

/// What has to be unpacked or converted before anything else is looked for in it: "a tar archive: extract it first (tar
/// -xf FILE)", "" for anything else. `head` is the beginning of the text, with gzip or zstd taken off.
std::string describe_container(std::string_view head);

/// What a file is that begins with `head` and that no reader takes: "an SQLite database (...): what to do", else "".
std::string describe_unread_format(std::string_view head);

/// The same of JSON that the reader of trace events would take, though nothing in it is an event of one.
std::string describe_foreign_json(std::string_view head);

/// The same with what lies beside the file.
std::string describe_unread_file(const std::string& path, std::string_view head);

/// What a folder without a profile is: "a measurement folder of HPCToolkit: ...", else "".
std::string describe_unread_folder(const std::string& folder);

}  // namespace cgpu
