// The ways out of this page: the run in Perfetto, or as a file; the report, and the page itself, as one file.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { openInPerfetto } from "../ui/perfetto";
import type { ViewContext } from "./context";

/** What takes its time now: the text of its button. */
type Busy = string | null;

interface Way {
  name: string;
  whileBusy: string;
  title: string;
  run: () => Promise<void>;
}

export function ExportMenu({ context }: { context: Pick<ViewContext, "client" | "session"> }): JSX.Element | null {
  const { client, session } = context;
  const [busy, setBusy] = useState<Busy>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const { copy, engine } = client.server;
  if (copy) {
    return <p class="copy-note">A copy of the viewer, which needs no program. All of it: {copy.madeBy}</p>;
  }
  const ways = waysOut({ client, session });
  if (!ways.length && !engine?.madeBy) return null;
  const start = (way: Way) => {
    setBusy(way.name);
    setFailure(null);
    way.run().then(
      () => setBusy(null),
      (error: unknown) => {
        setBusy(null);
        setFailure(error instanceof Error ? error.message : String(error));
      },
    );
  };
  return (
    <div class="export-menu">
      {ways.map((way) => (
        <button key={way.name} title={way.title} disabled={busy !== null} onClick={() => start(way)}>
          {busy === way.name ? way.whileBusy : way.name}
        </button>
      ))}
      {engine?.madeBy && <span class="copy-note">A copy. The profile itself: {engine.madeBy}</span>}
      {failure !== null && <span role="alert">{failure}</span>}
    </div>
  );
}

/** All that there are; none in a copy with recorded answers. */
export function waysOut(of: Pick<ViewContext, "client" | "session">): Way[] {
  return of.client.server.copy ? [] : [...exports(of), ...files(of)];
}

/** Of a timeline. */
function exports({ client, session }: Pick<ViewContext, "client" | "session">): Way[] {
  if (!session.views.includes("timeline")) return [];
  return [
    {
      name: "Open in Perfetto",
      whileBusy: "Opening Perfetto\u2026",
      title:
        "In another window. Its page comes from the internet; the profile goes from window to window, over no network.",
      run: () => openInPerfetto(client, session.title),
    },
    {
      name: "Export .pftrace",
      whileBusy: "Exporting\u2026",
      title: "A file of Perfetto's own format, with all tracks",
      run: () => client.saveExport("pftrace"),
    },
    {
      name: "Export Chrome JSON",
      whileBusy: "Exporting\u2026",
      title: "A file that Chrome and other viewers open",
      run: () => client.saveExport("json"),
    },
  ];
}

/** What the program makes of the profile anew; only a server has one. */
function files({ client, session }: Pick<ViewContext, "client" | "session">): Way[] {
  const ways: Record<string, Omit<Way, "run">> = {
    report: {
      name: "Save report",
      whileBusy: "Making the report\u2026",
      title: "One HTML file with findings, charts and tables, as cgpu report -o writes it",
    },
    copy: {
      name: "Save this page",
      whileBusy: "Making the copy\u2026",
      title: "One HTML file with the viewer and the profile in it, which opens without the program",
    },
  };
  return (session.files ?? [])
    .filter((kind) => ways[kind])
    .map((kind) => ({ ...ways[kind]!, run: () => client.saveFile(kind) }));
}
