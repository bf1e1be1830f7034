// All commands by name: type some letters, Enter runs the first.
import type { JSX } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Command } from "../views/context";

const MOST_SHOWN = 60;

/** How well a title fits: all words as they are, at the start best; null where it does not. */
export function fits(title: string, text: string): number | null {
  const lower = title.toLowerCase();
  let score = 0;
  for (const word of text.toLowerCase().split(/\s+/).filter(Boolean)) {
    const at = lower.indexOf(word);
    if (at < 0) return null;
    score += at === 0 ? 0 : /[\s:(]/.test(lower[at - 1]!) ? 1 : 2;
  }
  return score;
}

export function CommandPalette({
  commands,
  onClose,
}: {
  commands: readonly Command[];
  onClose: () => void;
}): JSX.Element {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => input.current?.focus(), []); // before the next key is pressed
  const found = useMemo(
    () =>
      commands
        .map((command) => ({ command, score: fits(`${command.group}: ${command.title}`, text) }))
        .filter((entry): entry is { command: Command; score: number } => entry.score !== null)
        .sort((a, b) => a.score - b.score)
        .slice(0, MOST_SHOWN)
        .map((entry) => entry.command),
    [commands, text],
  );
  const run = (command: Command | undefined) => {
    onClose();
    command?.run();
  };
  const keydown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") setAt((i) => Math.min(i + 1, found.length - 1));
    else if (event.key === "ArrowUp") setAt((i) => Math.max(i - 1, 0));
    else if (event.key === "Enter") run(found[at]);
    else if (event.key === "Escape") onClose();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="overlay" onClick={(event) => event.target === event.currentTarget && onClose()}>
      <div class="palette" role="dialog" aria-label="Commands" onKeyDown={keydown}>
        <input
          ref={input}
          type="text"
          placeholder="Type a command or the name of a track"
          value={text}
          aria-label="Command"
          onInput={(event) => {
            setText(event.currentTarget.value);
            setAt(0);
          }}
        />
        <ul role="listbox">
          {found.map((command, i) => (
            <li
              role="option"
              aria-selected={i === at}
              class={i === at ? "at-cursor" : ""}
              onClick={() => run(command)}
              onPointerMove={() => setAt(i)}
            >
              <span class="soft">{command.group}</span>
              <span>{command.title}</span>
              {command.keys && <kbd>{command.keys}</kbd>}
            </li>
          ))}
          {!found.length && <li class="soft">No command has all of these words.</li>}
        </ul>
      </div>
    </div>
  );
}
