#include "readers/nsys/export_tool.h"

#include <unistd.h>

#include <filesystem>

#include "base/error.h"
#include "readers/common/outside_program.h"

namespace cgpu::nsys {

namespace {

/// Where nsys puts an export by default: the report's name with another ending.
std::string export_of(const std::string& report) {
  return std::filesystem::path(report).replace_extension(".sqlite").string();
}

std::string command_by_hand(std::string report) {
  if (report == "-") report = "report.nsys-rep";  // what came through a pipe has to be saved first
  const std::string file = export_of(report);
  return "`nsys export --type sqlite --lazy=false -o " + shell_word(file) + " " + shell_word(report) + "` and open " +
         shell_word(file);
}

}  // namespace

void export_report(const std::string& report, const std::string& database) {
  const std::string what = "is an Nsight Systems report, which only nsys can read";
  std::error_code ignored;
  // In a folder, both would be read, and all would count twice.
  if (std::filesystem::exists(export_of(report), ignored)) {
    throw Error(report, what + "; it has been exported: open " + shell_word(export_of(report)));
  }
  if (report == "-" || !is_on_path("nsys")) {
    throw Error(report, what + ": where it is installed, run " + command_by_hand(report));
  }
  const std::string file = report.starts_with("-") ? "./" + report : report;
  const int status = run_quietly({"nsys", "export", "--type", "sqlite", "--lazy=false", "-o", database, file});
  if (status != 0 || ::access(database.c_str(), R_OK) != 0) {
    throw Error(report, what + ", and `nsys export` failed here (exit " + std::to_string(status) +
                            "; the report may be newer than this nsys): run " + command_by_hand(report));
  }
}

}  // namespace cgpu::nsys
