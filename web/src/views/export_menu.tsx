// The ways out of this page: the run in Perfetto, or as a file.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { openInPerfetto } from "../ui/perfetto";
import type { ViewContext } from "./context";

type Handing = "no" | "yes" | string; // or why it failed

export function ExportMenu({ context }: { context: Pick<ViewContext, "client" | "session"> }): JSX.Element | null {
  const { client, session } = context;
  const [handing, setHanding] = useState<Handing>("no");
  if (!session.views.includes("timeline")) return null;
  if (client.server.copy) {
    return (
      <p class="copy-note">A copy of the viewer, which needs no program. All of it: {client.server.copy.madeBy}</p>
    );
  }
  const open = () => {
    setHanding("yes");
    openInPerfetto(client, session.title).then(
      () => setHanding("no"),
      (error: unknown) => setHanding(error instanceof Error ? error.message : String(error)),
    );
  };
  return (
    <div class="export-menu">
      <button
        onClick={open}
        disabled={handing === "yes"}
        title="In another window. Its page comes from the internet; the profile goes from window to window, over no network."
      >
        {handing === "yes" ? "Opening Perfetto\u2026" : "Open in Perfetto"}
      </button>
      <button
        onClick={() => void client.saveExport("pftrace")}
        title="A file of Perfetto's own format, with all tracks"
      >
        Export .pftrace
      </button>
      <button onClick={() => void client.saveExport("json")} title="A file that Chrome and other viewers open">
        Export Chrome JSON
      </button>
      {client.server.engine?.madeBy && (
        <span class="copy-note">A copy. The profile itself: {client.server.engine.madeBy}</span>
      )}
      {handing !== "no" && handing !== "yes" && <span role="alert">{handing}</span>}
    </div>
  );
}
