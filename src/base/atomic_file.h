// Writes a file atomically: under a temporary name in the same folder, and renames it when it is complete. Readers see
// the former file or the new one, never a part, also where writing fails or is interrupted. The temporary name is
// random and new, so that programs with the same process number (in containers) do not mix their outputs, and a link of
// that name is not followed.
#pragma once

#include <ext/stdio_filebuf.h>
#include <ostream>
#include <string>

namespace cgpu {

class AtomicFile {
 public:
  /// Throws Error where nothing can be written there. A link is followed; what is no regular file (a pipe, /dev/null)
  /// is written directly. A file that is replaced keeps its permissions.
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();  // without finish(): nothing has happened
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  std::ostream& out() { return out_; }
  /// For code that does not write through out(): the file to write to, which exists and is empty. "" where the target
  /// is no regular file.
  const std::string& temporary_path() const { return temporary_path_; }
  /// Gives the file its name. Throws Error where it could not be written completely.
  void finish();

 private:
  [[noreturn]] void fail(const std::string& why) const;
  /// Opens `target_` (`is_new`: a new file beside it) for out().
  void open(bool is_new);

  const std::string path_;      // as given, for errors
  std::string target_;          // where links lead
  std::string temporary_path_;  // what is written until then; empty: the target itself
  __gnu_cxx::stdio_filebuf<char> buffer_;
  std::ostream out_{nullptr};
};

}  // namespace cgpu
