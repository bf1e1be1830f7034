// A table as GitHub-flavoured Markdown: the values of the text form, nothing in them interpreted. O(cells).
//
// Punctuation that Markdown or HTML could take for markup is written as character references, which, unlike
// backslashes and `code spans`, have no way out for backticks and pipes. What the hosting site would act on in the
// finished page (@mentions, #references, $math$, :emoji:) goes into <code> besides, where it does not look.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "table/table.h"

namespace cgpu {

/// The about line and the table; at most `max_rows` rows, 0 for all. `more_rows`: how many there are besides those of
/// the table, which were not made.
std::string render_markdown(const Table& table, size_t max_rows = 0, size_t more_rows = 0);

/// Lines as they are, between fences that nothing in them ends.
std::string markdown_code(std::string_view lines);

/// `text` on one line, safe anywhere in a Markdown paragraph or table cell.
std::string escape_markdown(std::string_view text);

}  // namespace cgpu
