// perf.data: only perf itself, on the machine where it was recorded or one with the same programs, can tell the names
// of functions.
#include <array>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "base/text_source.h"
#include "readers/common/outside_program.h"
#include "readers/common/temporary_folder.h"
#include "readers/perf_script/perf_script.h"

namespace cgpu::perf_script {

namespace {

constexpr std::string_view kMagic = "PERFILE2";
constexpr std::string_view kSwappedMagic = "2ELIFREP";  // of a machine with the other order of bytes

bool begins_like_one(std::string_view head) {
  return head.starts_with(kMagic) || head.starts_with(kSwappedMagic);
}

/// Whether the file itself, not only its uncompressed text, is a recording.
bool is_recording_file(const std::string& path) {
  try {
    std::array<char, kMagic.size()> start{};
    const File file(path);
    return file.is_regular() && file.read_at(0, start.data(), start.size()) == start.size() &&
           begins_like_one({start.data(), start.size()});
  } catch (const Error&) {
    return false;  // "-"
  }
}

std::string printed_name(const std::string& recording) {
  return recording + ".txt";
}

std::string command_by_hand(std::string recording) {
  if (recording == "-") recording = "perf.data";  // what came through a pipe has to be saved first
  const std::string file = printed_name(recording);
  return "`perf script --header -F +pid -i " + shell_word(recording) + " > " + shell_word(file) + "` and open " +
         shell_word(file);
}

}  // namespace

bool is_recording(const Input& input) {
  return begins_like_one(input.head);
}

Run read_recording(const Input& input, const ReadOptions& options) {
  const std::string what = "is a recording of perf, which only perf can read";
  std::error_code ignored;
  // In a folder, both would be read, and all would count twice.
  if (std::filesystem::exists(printed_name(input.path), ignored)) {
    throw Error(input.path, what + "; it has been printed: open " + shell_word(printed_name(input.path)));
  }
  if (find_program("perf").empty()) {
    throw Error(input.path, what + ": where it is installed, run " + command_by_hand(input.path));
  }
  TemporaryFolder folder;
  std::string recording = input.path.starts_with("-") ? "./" + input.path : input.path;
  if (!is_recording_file(input.path)) {  // it is compressed, or comes through a pipe
    recording = folder.file("perf.data");
    copy_to_file(*input.source, recording, input.path);
  }
  const std::string text = folder.file("perf.txt");
  const int status = run_quietly({"perf", "script", "--header", "-F", "+pid", "-i", recording}, text);
  if (status != 0) {
    throw Error(input.path, what + ", and `perf script` failed here (exit " + std::to_string(status) +
                                "; the recording may be of a newer perf or of another user): run " +
                                command_by_hand(input.path));
  }
  if (std::filesystem::file_size(text, ignored) == 0)
    throw Error(input.path, "is a recording of perf without a sample");
  Run run = read_script({input.path, false, open_text(text), ""}, options);
  run.format = "perf-data";
  run.input_bytes = input.source->stored_bytes();
  return run;
}

}  // namespace cgpu::perf_script
