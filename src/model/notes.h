// What was lost, repaired or doubtful while a profile was read and analysed: the `notes` table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cgpu {

struct Note {
  std::string code;  // orphan_device_op, truncated_input, ...
  int64_t count = 0;
  std::string text;     // what it means for the numbers
  bool damage = false;  // part of the input was lost: a warning, and exit 2 under --strict
  bool kept = false;    // an export of cgpu brought it along
};

/// Notes with the same code and text are one note with the sum of their counts. Order of first appearance.
class Notes {
 public:
  void add(const std::string& code, int64_t count, const std::string& text, bool damage = false);
  /// A note of the profile that this one was exported from. What is found again in the export is counted once.
  void keep(Note note);
  void merge(const Notes& other);
  void erase(const std::string& code);
  /// Takes credentials out of the texts, which may quote the profile (base/credentials.h).
  void hide_secrets();
  const std::vector<Note>& all() const { return notes_; }
  /// Sum of the counts of one code.
  int64_t count(const std::string& code) const;

 private:
  std::vector<Note> notes_;
};

/// Notes that a file goes on behind the end of its document, at a byte of its uncompressed text.
void note_trailing_data(Notes& notes, uint64_t position);

}  // namespace cgpu
