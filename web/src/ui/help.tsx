// Keys and gestures. The keys come from the commands themselves.
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Command } from "../views/context";

const GESTURES: [string, string][] = [
  ["Click", "Select a slice"],
  ["Double click", "Select a slice and zoom to it"],
  ["Drag", "Select an area: time and tracks"],
  ["Drag the ruler", "Select a time over all tracks"],
  ["Shift + drag", "Move along the axis"],
  ["Wheel", "Scroll the tracks"],
  ["Ctrl + wheel", "Zoom at the pointer"],
  ["Shift + wheel", "Move along the axis"],
  ["Drag the minimap", "Move or choose the window"],
];

export function Help({ commands, onClose }: { commands: readonly Command[]; onClose: () => void }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => box.current?.focus(), []);
  const groups = new Map<string, Command[]>();
  for (const command of commands) {
    if (!command.keys) continue;
    groups.set(command.group, [...(groups.get(command.group) ?? []), command]);
  }
  return (
    <div class="overlay" onClick={(event) => event.target === event.currentTarget && onClose()}>
      <div
        class="help"
        role="dialog"
        aria-label="Keys and gestures"
        tabIndex={-1}
        ref={box}
        onKeyDown={(event) => {
          if (event.key !== "Escape" && event.key !== "?") return;
          onClose();
          event.stopPropagation();
        }}
      >
        <header>
          <h2>Keys and gestures</h2>
          <button onClick={onClose} aria-label="Close">
            {"\u00d7"}
          </button>
        </header>
        <div class="help-columns">
          {[...groups].map(([group, list]) => (
            <section>
              <h3>{group}</h3>
              <dl>
                {list.map((command) => (
                  <div>
                    <dt>
                      <kbd>{command.keys}</kbd>
                    </dt>
                    <dd>{command.title}</dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
          <section>
            <h3>Pointer</h3>
            <dl>
              {GESTURES.map(([keys, what]) => (
                <div>
                  <dt>
                    <kbd>{keys}</kbd>
                  </dt>
                  <dd>{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        </div>
      </div>
    </div>
  );
}
