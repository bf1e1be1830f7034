// What the page shows when there is no profile to show: it is being opened, or cannot be.
import type { JSX } from "preact";
import type { ProfileStatus } from "../api/protocol";
import { percent } from "../model/format";
import { editor } from "./editor";
import { summaryAddress } from "./way_back";

export const fileName = (path: string): string => path.split("/").pop() || path;

interface OpeningPageProps {
  status: ProfileStatus | null;
  /** What is opened, where that is not its inputs. */
  title?: string;
  /** What is done while there is no status. */
  what?: string;
}

export function OpeningPage({ status, title, what = "Waiting for the server" }: OpeningPageProps): JSX.Element {
  const share = Math.min(1, Math.max(0, status?.share ?? 0));
  return (
    <main class="page">
      <Logo />
      <h1>
        {title ??
          (status?.inputs.length === 1
            ? fileName(status.inputs[0]!)
            : status?.inputs.length
              ? `${status.inputs.length} files`
              : "Connecting")}
      </h1>
      <div
        class="progress"
        role="progressbar"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
      >
        <i style={{ width: `${share * 100}%` }} />
      </div>
      <p class="soft" aria-live="polite">
        {status ? `${status.what || "Opening"} \u00b7 ${percent(share * 100)}` : what}
      </p>
    </main>
  );
}

/** Whether another file can be opened in this page: an editor opens it in another one. */
export const canStartAgain = editor === null;

/** Of a page with the engine in it: lets go of the profile, and of what the address says of it. */
export function startAgain(): void {
  history.replaceState(null, "", location.pathname);
  location.reload();
}

export function ErrorPage({
  text,
  inputs,
  version,
  isServed,
}: {
  text: string;
  inputs: string[];
  version?: string;
  isServed: boolean;
}): JSX.Element {
  return (
    <main class="page error-page">
      <Logo />
      <h1>This profile cannot be shown</h1>
      <pre role="alert">{text}</pre>
      {inputs.length > 0 && (
        <ul>
          {inputs.map((input) => (
            <li>{input}</li>
          ))}
        </ul>
      )}
      {isServed ? (
        <p class="soft">
          The same message is in the terminal where <code>cgpu view</code> was started. End it there with Ctrl-C and
          start it again with another file; this page then loads by itself.{version ? ` cgpu ${version}` : ""}
        </p>
      ) : (
        canStartAgain && (
          <p>
            <button onClick={startAgain}>Open another file</button>
          </p>
        )
      )}
    </main>
  );
}

/** Ranks of a summary that cannot be opened. */
export function RanksErrorPage({
  title,
  text,
  summary,
}: {
  title: string;
  text: string;
  summary: string;
}): JSX.Element {
  return (
    <main class="page error-page">
      <Logo />
      <h1>No timeline of {title}</h1>
      <pre role="alert">{text}</pre>
      <p>
        <a class="button" href={summaryAddress()}>
          Back to {summary}
        </a>{" "}
        <button onClick={() => location.reload()}>Try again</button>
      </p>
      <p class="soft">
        The profiles of ranks are looked for in the folders that <code>cgpu view SUMMARY --traces FOLDER</code> names,
        else in that of the summary, and directly in the folders there.
      </p>
    </main>
  );
}

export function Logo(): JSX.Element {
  return (
    <svg class="logo" viewBox="0 0 32 32" width="20" height="20" aria-hidden="true">
      <rect x="3" y="5" width="16" height="5" rx="1" class="logo-a" />
      <rect x="8" y="13.5" width="21" height="5" rx="1" class="logo-b" />
      <rect x="3" y="22" width="8" height="5" rx="1" class="logo-c" />
      <rect x="15" y="22" width="11" height="5" rx="1" class="logo-d" />
    </svg>
  );
}
