#include "readers/nsys/export_tool.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <vector>

#include "base/error.h"

namespace cgpu::nsys {

namespace {

/// `path` as one word of a shell.
std::string shell_word(const std::string& path) {
  if (path.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+=:@%,") ==
      std::string::npos) {
    return path;
  }
  std::string word = "'";
  for (const char c : path) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

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

bool is_on_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::stringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (::access(((folder.empty() ? "." : folder) + "/" + program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

/// Runs a program without a shell, its output thrown away; returns its exit status, -1 where it could not be run.
int run_quietly(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return -1;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
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
