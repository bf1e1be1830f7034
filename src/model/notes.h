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
};

/// Notes with the same code and text are one note with the sum of their counts. Order of first appearance.
class Notes {
 public:
  void add(const std::string& code, int64_t count, const std::string& text, bool damage = false);
  void merge(const Notes& other);
  const std::vector<Note>& all() const { return notes_; }
  /// Sum of the counts of one code.
  int64_t count(const std::string& code) const;

 private:
  std::vector<Note> notes_;
};

}  // namespace cgpu
