// What was lost, repaired or doubtful when the profile was read.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Session } from "../api/protocol";
import { grouped } from "../model/format";

export function NotesButton({ notes }: { notes: Session["notes"] }): JSX.Element | null {
  const [open, setOpen] = useState(false);
  if (!notes.length) return null;
  const leave = (event: FocusEvent) => {
    if (!(event.currentTarget as HTMLElement).contains(event.relatedTarget as Node | null)) setOpen(false);
  };
  return (
    <span class="notes" onFocusOut={leave}>
      <button
        aria-expanded={open}
        title="What was lost or doubtful when the profile was read"
        onClick={() => setOpen(!open)}
      >
        {notes.length} {notes.length === 1 ? "note" : "notes"}
      </button>
      {open && (
        <div
          class="notes-list"
          role="dialog"
          tabIndex={-1}
          aria-label="Notes"
          onKeyDown={(event) => event.key === "Escape" && setOpen(false)}
        >
          <header>
            <h3>Notes on the profile</h3>
            <button aria-label="Close" onClick={() => setOpen(false)}>
              {"\u00d7"}
            </button>
          </header>
          <ul>
            {notes.map((note) => (
              <li>
                <b>{note.text}</b>
                <span class="soft">
                  {note.code} {"\u00d7"} {grouped(note.count)}
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </span>
  );
}
