// Hands the run to ui.perfetto.dev in another window, as its page asks for it: PING until it answers PONG, then the
// trace in one message. The trace goes from this browser's window to that one, over no network; only Perfetto's own
// page comes from the internet.
import type { Client } from "../api/client";

const PERFETTO = "https://ui.perfetto.dev";
const PING_MS = 100;
const PATIENCE_MS = 60_000;

/** Must be called by a click or key press, else browsers open no window. Resolves when the trace was handed over. */
export async function openInPerfetto(client: Client, title: string): Promise<void> {
  const other = window.open(PERFETTO);
  if (!other) throw new Error("The browser opened no window: allow this page to do so.");
  const buffer = await client.export("pftrace").then(
    (answer) => answer.arrayBuffer(),
    (error: unknown) => {
      other.close();
      throw error;
    },
  );
  await ready(other);
  other.postMessage({ perfetto: { buffer, title, fileName: `${title}.pftrace` } }, PERFETTO, [buffer]);
}

function ready(other: Window): Promise<void> {
  return new Promise((done, failed) => {
    const began = performance.now();
    const stop = () => {
      clearInterval(timer);
      window.removeEventListener("message", listen);
    };
    const listen = (event: MessageEvent) => {
      if (event.origin !== PERFETTO || event.source !== other || event.data !== "PONG") return;
      stop();
      done();
    };
    const timer = setInterval(() => {
      if (other.closed || performance.now() - began > PATIENCE_MS) {
        stop();
        failed(new Error("Perfetto's page did not answer."));
      } else {
        other.postMessage("PING", PERFETTO);
      }
    }, PING_MS);
    window.addEventListener("message", listen);
  });
}
