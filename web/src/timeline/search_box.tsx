// The field for what to look for: how often it is there, and the next and previous of these.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { grouped } from "../model/format";
import { readSearch } from "../model/search_text";
import { useStore } from "../ui/hooks";
import type { Navigation } from "./navigation";
import type { TimelineSource } from "./source";

const TYPED_MS = 150;
const TYPED_ARGUMENT_MS = 700; // the server reads the arguments of all slices

export function SearchBox({ source, navigation }: { source: TimelineSource; navigation: Navigation }): JSX.Element {
  const text = useStore(source.search);
  const [found, setFound] = useState<{ text: string; bad: boolean } | null>(null);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const wanted = text.trim();
    setFound(null);
    if (!wanted) return undefined;
    const stop = new AbortController();
    const { q, ...argument } = readSearch(wanted);
    const timer = setTimeout(
      () => {
        source.client.search(q, { ...argument, limit: 1 }, stop.signal).then(
          (answer) => setFound({ bad: answer.total === 0, text: answer.total ? grouped(answer.total) : "none" }),
          (error: unknown) =>
            !stop.signal.aborted && setFound({ bad: true, text: error instanceof Error ? error.message : "failed" }),
        );
      },
      argument.argument === undefined ? TYPED_MS : TYPED_ARGUMENT_MS,
    );
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [text]);
  const step = (direction: "next" | "previous") => void navigation.search(direction).catch(() => undefined);
  const keydown = (event: KeyboardEvent) => {
    if (event.key === "Enter") step(event.shiftKey ? "previous" : "next");
    // The text stays, and N goes on with it; Escape once more, outside, drops it.
    else if (event.key === "Escape") input.current?.blur();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <span class="search" role="search">
      <input
        ref={input}
        class="search-input"
        type="text"
        placeholder="Search slices, or key = value  /"
        title="A part of the name; or an argument: stream = 7, External id = 12, shape ~ 4096"
        aria-label="Search slices"
        value={text}
        maxLength={1000}
        spellcheck={false}
        onInput={(event) => source.search.set(event.currentTarget.value)}
        onKeyDown={keydown}
      />
      {found && (
        <span class={`search-count ${found.bad ? "bad" : "soft"}`} aria-live="polite">
          {found.text}
        </span>
      )}
      <button
        class="icon"
        disabled={!text}
        title="Previous (Shift+Enter)"
        aria-label="Previous match"
        onClick={() => step("previous")}
      >
        {"\u2191"}
      </button>
      <button class="icon" disabled={!text} title="Next (Enter)" aria-label="Next match" onClick={() => step("next")}>
        {"\u2193"}
      </button>
    </span>
  );
}
