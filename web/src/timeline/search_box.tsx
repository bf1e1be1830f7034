// The field for what to look for: which of how many is selected, the next and previous of these, and a list of them.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { grouped } from "../model/format";
import { useStore } from "../ui/hooks";
import type { Navigation } from "./navigation";
import type { Direction, Found } from "./search_hits";
import { SearchList } from "./search_list";
import type { TimelineSource } from "./source";

/** "3 of 72", "72", "none", or why there is no answer. */
function countText(found: Found, place: number | null): string {
  if ("error" in found) return found.error;
  if (found.total === 0) return "none";
  return place === null ? grouped(found.total) : `${grouped(place)} of ${grouped(found.total)}`;
}

export function SearchBox({ source, navigation }: { source: TimelineSource; navigation: Navigation }): JSX.Element {
  const text = useStore(source.search);
  const found = useStore(source.hits.found);
  const place = useStore(source.hits.place);
  const [listed, setListed] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const hits = found && "matches" in found && found.total > 0 ? found : null;
  useEffect(() => {
    if (!text) setListed(false);
  }, [text]);
  const step = (direction: Direction) => void navigation.search(direction).catch(() => undefined);
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
      <span class="search-field">
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
          <span class={`search-count ${hits ? "soft" : "bad"}`} aria-live="polite">
            {countText(found, place)}
          </span>
        )}
      </span>
      <button
        class="icon"
        disabled={!text}
        title="Previous (Shift+Enter, Shift+N)"
        aria-label="Previous match"
        onClick={() => step("previous")}
      >
        {"\u2191"}
      </button>
      <button
        class="icon"
        disabled={!text}
        title="Next (Enter, N)"
        aria-label="Next match"
        onClick={() => step("next")}
      >
        {"\u2193"}
      </button>
      <button
        class="icon"
        disabled={!hits}
        title="List the matches"
        aria-label="List the matches"
        aria-expanded={listed && hits !== null}
        onClick={() => setListed(!listed)}
      >
        {"\u2261"}
      </button>
      {listed && hits && <SearchList source={source} {...hits} onClose={() => setListed(false)} />}
    </span>
  );
}
