#include "model/notes.h"

#include <algorithm>
#include <utility>

#include "base/credentials.h"

namespace cgpu {

void Notes::add(const std::string& code, int64_t count, const std::string& text, bool damage) {
  if (count == 0) return;
  for (Note& note : notes_) {
    if (note.code == code && note.text == text) {
      note.count = note.kept ? std::max(note.count, count) : note.count + count;
      return;
    }
  }
  notes_.push_back({code, count, text, damage});
}

void Notes::keep(Note note) {
  note.kept = true;
  notes_.push_back(std::move(note));
}

void Notes::merge(const Notes& other) {
  for (const Note& note : other.notes_) add(note.code, note.count, note.text, note.damage);
}

void Notes::erase(const std::string& code) {
  std::erase_if(notes_, [&](const Note& note) { return note.code == code; });
}

void Notes::hide_secrets() {
  std::string shown;
  for (Note& note : notes_) {
    if (cgpu::hide_secrets(note.text, shown) != 0) note.text = shown;
  }
}

void note_trailing_data(Notes& notes, uint64_t position) {
  notes.add("trailing_data", 1,
            "more follows behind the end of the document, at byte " + std::to_string(position) +
                ": it was not read; if it is another profile, give it a file of its own",
            true);
}

int64_t Notes::count(const std::string& code) const {
  int64_t sum = 0;
  for (const Note& note : notes_) {
    if (note.code == code) sum += note.count;
  }
  return sum;
}

}  // namespace cgpu
