// What the virtual tables of SQLite have in common: a class for the table, a class for the cursor, and exceptions that
// become errors of SQL. https://www.sqlite.org/vtab.html.
#pragma once

#include <sqlite3.h>

#include <exception>
#include <new>
#include <span>

namespace cgpu {

/// Calls `work`, which returns a result code; what it throws becomes the message at `message`.
template <typename Work>
int without_exceptions(char** message, Work work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  } catch (const std::exception& error) {
    sqlite3_free(*message);
    *message = sqlite3_mprintf("%s", error.what());
    return SQLITE_ERROR;
  }
}

/// A module of read-only tables, which no SQL statement creates. `connect` makes a TableType, which derives from
/// sqlite3_vtab. CursorType derives from sqlite3_vtab_cursor, is made of a TableType, and has
///   filter(int number, const char* text, values)  begins: what xBestIndex chose, and the values that it asked for
///   at_end(), next(), row_number(), give(context, column)
template <typename TableType, typename CursorType>
sqlite3_module module_of(decltype(sqlite3_module::xConnect) connect, decltype(sqlite3_module::xBestIndex) best_index) {
  static constexpr auto cursor_of = [](sqlite3_vtab_cursor* cursor) -> CursorType& {
    return *static_cast<CursorType*>(cursor);
  };
  sqlite3_module module{};
  module.xCreate = [](sqlite3*, void*, int, const char* const*, sqlite3_vtab**, char**) { return SQLITE_READONLY; };
  module.xConnect = connect;
  module.xBestIndex = best_index;
  module.xDisconnect = module.xDestroy = [](sqlite3_vtab* table) {
    delete static_cast<TableType*>(table);
    return SQLITE_OK;
  };
  module.xOpen = [](sqlite3_vtab* table, sqlite3_vtab_cursor** made) {
    return without_exceptions(&table->zErrMsg, [&] {
      *made = new CursorType(*static_cast<TableType*>(table));
      return SQLITE_OK;
    });
  };
  module.xClose = [](sqlite3_vtab_cursor* cursor) {
    delete &cursor_of(cursor);
    return SQLITE_OK;
  };
  module.xFilter = [](sqlite3_vtab_cursor* cursor, int number, const char* text, int count, sqlite3_value** values) {
    return without_exceptions(&cursor->pVtab->zErrMsg, [&] {
      cursor_of(cursor).filter(number, text, std::span(values, static_cast<size_t>(count)));
      return SQLITE_OK;
    });
  };
  module.xNext = [](sqlite3_vtab_cursor* cursor) {
    return without_exceptions(&cursor->pVtab->zErrMsg, [&] {
      cursor_of(cursor).next();
      return SQLITE_OK;
    });
  };
  module.xEof = [](sqlite3_vtab_cursor* cursor) { return cursor_of(cursor).at_end() ? 1 : 0; };
  module.xColumn = [](sqlite3_vtab_cursor* cursor, sqlite3_context* context, int column) {
    return without_exceptions(&cursor->pVtab->zErrMsg, [&] {
      cursor_of(cursor).give(context, column);
      return SQLITE_OK;
    });
  };
  module.xRowid = [](sqlite3_vtab_cursor* cursor, sqlite3_int64* number) {
    *number = cursor_of(cursor).row_number();
    return SQLITE_OK;
  };
  return module;
}

}  // namespace cgpu
