// Tables as text for the clipboard. RFC 4180; values as the server gave them, not as they are shown. Names come from
// anywhere: before a text that a spreadsheet would take for a formula is an apostrophe, which it does not show.
import type { Cell } from "../api/protocol";

function field(value: Cell): string {
  if (value === null) return "";
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

export function csv(columns: readonly string[], rows: Iterable<readonly Cell[]>): string {
  const lines = [columns.map(field).join(",")];
  for (const row of rows) lines.push(row.map(field).join(","));
  return lines.join("\r\n") + "\r\n";
}
