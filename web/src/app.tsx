// From the first request to the running page: wait until the profile is open, then show the bar and the views.
import { render } from "preact";
import { ApiError, Client } from "./api/client";
import { Names } from "./api/names";
import type { Session, Status } from "./api/protocol";
import { AppState } from "./model/app_state";
import { TokenPage } from "./panels/token_page";
import { Shell } from "./shell";
import { ErrorPage, OpeningPage } from "./ui/pages";
import { viewsFor } from "./views/registry";

const ASK_AGAIN_MS = 200;
const ASK_AGAIN_LOST_MS = 1000;

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

export async function start(host: HTMLElement): Promise<void> {
  const client = new Client();
  try {
    const status = await opened(client, host);
    const session = await client.session();
    document.title = `${session.title || "cgpu"} \u2013 cgpu`;
    run(host, client, session, status);
  } catch (error) {
    const noToken = error instanceof ApiError && error.status === 401;
    const text = error instanceof Error ? error.message : String(error);
    render(noToken ? <TokenPage /> : <ErrorPage text={text} inputs={[]} />, host);
    void reloadWhenAnother(client, null);
  }
}

/** Shows how far the opening is until it is done; stays on the error page where it fails. */
async function opened(client: Client, host: HTMLElement): Promise<Status> {
  let status: Status | null = null;
  for (;;) {
    try {
      status = await client.status();
      if (status.state === "ready") return status;
      if (status.state === "error") {
        render(
          <ErrorPage text={status.error ?? "No reason was given."} inputs={status.inputs} version={status.version} />,
          host,
        );
        await reloadWhenAnother(client, status.session);
      }
      render(<OpeningPage status={status} />, host);
      await pause(ASK_AGAIN_MS);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) throw error;
      render(<OpeningPage status={null} />, host);
      await pause(ASK_AGAIN_LOST_MS);
    }
  }
}

/** Waits for another session of the server, then loads the page again. */
async function reloadWhenAnother(client: Client, session: string | null): Promise<never> {
  for (;;) {
    await pause(ASK_AGAIN_LOST_MS);
    try {
      const status = await client.status();
      if (session === null ? status.state === "ready" : status.session !== session) location.reload();
    } catch {
      // Not there yet.
    }
  }
}

function run(host: HTMLElement, client: Client, session: Session, status: Status): void {
  const views = viewsFor(session);
  const state = new AppState(
    session,
    views.map((view) => view.id),
    {
      read: () => location.hash,
      write: (hash, newEntry) => {
        if (`#${hash}` === location.hash) return;
        if (newEntry) history.pushState(null, "", `#${hash}`);
        else history.replaceState(null, "", `#${hash}`);
      },
    },
    client,
  );
  window.addEventListener("popstate", () => state.readAddress());
  const watch = () => client.watch(() => document.visibilityState === "visible");
  document.addEventListener("visibilitychange", watch);
  watch();
  render(
    <Shell
      client={client}
      names={new Names(client)}
      session={session}
      state={state}
      views={views}
      version={status.version}
    />,
    host,
  );
}
