// Table `notes`: what was lost, repaired or doubtful, over all runs.

#include <algorithm>

#include "analysis/common/columns.h"
#include "analysis/tables.h"

namespace cgpu {

namespace {

Table notes_table(const Analysis& analysis, const SessionFacts& facts, const TableOptions&) {
  Table table = analysis.empty_table();
  Notes merged;
  for (const Run& run : facts.session().runs) merged.merge(notes_of(run));
  std::vector<Note> notes = merged.all();
  std::ranges::stable_sort(
      notes, [](const Note& a, const Note& b) { return a.damage != b.damage ? a.damage : a.count > b.count; });
  for (const Note& note : notes) table.append({note.code, note.count, note.text});
  return table;
}

}  // namespace

Analysis notes_analysis() {
  return {
      .name = "notes",
      .about = "what was lost, repaired or doubtful while the profile was read; losses come first",
      .subject = Subject::profile,
      .columns = {key_column("code", "kind of loss or repair"), count_column("count", "how many events it concerns"),
                  text_column("text", "what it means for the numbers")},
      .applies = [](const ProfileCounts& counts) { return counts.notes > 0; },
      .made_of = MadeOf::records,
      .whole = notes_table};
}

}  // namespace cgpu
