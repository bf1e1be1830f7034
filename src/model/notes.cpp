#include "model/notes.h"

namespace cgpu {

void Notes::add(const std::string& code, int64_t count, const std::string& text, bool damage) {
  if (count == 0) return;
  for (Note& note : notes_) {
    if (note.code == code && note.text == text) {
      note.count += count;
      return;
    }
  }
  notes_.push_back({code, count, text, damage});
}

void Notes::merge(const Notes& other) {
  for (const Note& note : other.notes_) add(note.code, note.count, note.text, note.damage);
}

int64_t Notes::count(const std::string& code) const {
  int64_t sum = 0;
  for (const Note& note : notes_) {
    if (note.code == code) sum += note.count;
  }
  return sum;
}

}  // namespace cgpu
