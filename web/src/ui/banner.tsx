// Says that the server is gone or another one; loads the page again by itself in the second case.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Connection } from "../api/server";
import type { Readable } from "../model/store";
import { useStore } from "./hooks";

const RELOADED = "cgpu.reloaded";
const READ_MS = 1200;
const STAYS_MS = 6000;

const TEXTS: Record<Exclude<Connection, "ok">, string> = {
  lost: "The server does not answer. What is here already can still be looked at; asking again every second.",
  restarted: "The server was restarted. Loading again\u2026",
  replaced: "The server was started again with another profile. Loading that\u2026",
  released: "The server has let this timeline go for others. Opening it again\u2026",
};
const RELOADED_TEXTS: Record<string, string> = {
  restarted: "The server was restarted; this page was loaded again.",
  replaced: "The server was started again with another profile: this is it.",
  released: "The server had let this timeline go for others; it was opened again.",
};

/** What the page was loaded again for. */
function takeReloaded(): string | null {
  try {
    const why = sessionStorage.getItem(RELOADED);
    sessionStorage.removeItem(RELOADED);
    return why;
  } catch {
    return null;
  }
}

function reload(why: Connection): void {
  try {
    sessionStorage.setItem(RELOADED, why);
  } catch {
    // Then the page does not say it afterwards.
  }
  // Places in one profile are none in another.
  if (why === "replaced") history.replaceState(null, "", location.pathname + location.search);
  location.reload();
}

export function Banner({ connection }: { connection: Readable<Connection> }): JSX.Element | null {
  const state = useStore(connection);
  const [reloaded, setReloaded] = useState(takeReloaded);
  useEffect(() => {
    if (!reloaded) return undefined;
    const timer = setTimeout(() => setReloaded(null), STAYS_MS);
    return () => clearTimeout(timer);
  }, [reloaded]);
  useEffect(() => {
    if (state === "ok" || state === "lost") return undefined;
    const timer = setTimeout(() => reload(state), READ_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const text = state !== "ok" ? TEXTS[state] : reloaded ? RELOADED_TEXTS[reloaded] : undefined;
  return text ? (
    <div class={`banner ${state}`} role="status">
      {text}
    </div>
  ) : null;
}
