// Says that the server is gone or another one; loads the page again by itself in the second case.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Connection } from "../api/client";
import type { Readable } from "../model/store";
import { useStore } from "./hooks";

const RELOADED = "cgpu.reloaded";
const READ_MS = 1200;
const STAYS_MS = 6000;

function takeReloaded(): boolean {
  try {
    const was = sessionStorage.getItem(RELOADED) !== null;
    sessionStorage.removeItem(RELOADED);
    return was;
  } catch {
    return false;
  }
}

export function Banner({ connection }: { connection: Readable<Connection> }): JSX.Element | null {
  const state = useStore(connection);
  const [reloaded, setReloaded] = useState(takeReloaded);
  useEffect(() => {
    if (!reloaded) return undefined;
    const timer = setTimeout(() => setReloaded(false), STAYS_MS);
    return () => clearTimeout(timer);
  }, [reloaded]);
  useEffect(() => {
    if (state !== "restarted") return undefined;
    const timer = setTimeout(() => {
      try {
        sessionStorage.setItem(RELOADED, "1");
      } catch {
        // Then the page does not say it afterwards.
      }
      location.reload();
    }, READ_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const text =
    state === "lost"
      ? "The server does not answer. What is here already can still be looked at; asking again every second."
      : state === "restarted"
        ? "The server was restarted. Loading again\u2026"
        : reloaded
          ? "The server was restarted; this page was loaded again."
          : null;
  return (
    text && (
      <div class={`banner ${state}`} role="status">
        {text}
      </div>
    )
  );
}
