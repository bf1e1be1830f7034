// The page that needs neither a server nor an installation: one gives it files, and the engine in it opens them.
import { render, type JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Engine } from "../api/engine";
import { start } from "../app";
import { percent } from "../model/format";
import "../styles";
import "../style/site.css";
import { editor } from "../ui/editor";
import { ErrorPage, Logo, OpeningPage } from "../ui/pages";
import { addressesOf, shown } from "./addresses";
import { fileOfEditor } from "./editor";
import { beside, chosenFiles, droppedFiles, type Given } from "./given_files";
import { hearProfiles } from "./given_messages";
import { fileAt } from "./given_urls";
import { engineOfPage, exampleOfPage, licencesOfPage, profileOfPage, workerOfPage } from "./parts";

const host = document.getElementById("app")!;

async function open(opening: { files: Given["files"]; profiles: string[][] }, madeBy = ""): Promise<void> {
  render(null, host);
  const engine = new Engine(workerOfPage(), await engineOfPage(), opening, madeBy);
  await start(host, engine);
}

/** One profile, or two to compare. */
const openGiven = ([a, b]: readonly Given[]): Promise<void> =>
  open(b ? beside(a!, b) : { files: a!.files, profiles: [a!.inputs] });

interface DropProps {
  title: string;
  note: string;
  given: Given | null;
  take(given: Given): void;
  say(problem: string): void;
}

/** A place to drop files or a folder on, or to choose them. */
function Drop({ title, note, given, take, say }: DropProps): JSX.Element {
  const [isOver, setOver] = useState(false);
  const takeSome = (some: Given): void =>
    some.inputs.length > 0 ? take(some) : say("There is no file in what was given.");
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    if (event.dataTransfer) droppedFiles(event.dataTransfer).then(takeSome, (error: Error) => say(error.message));
  };
  const choice = (label: string, isFolder: boolean): JSX.Element => (
    <label class="button">
      {label}
      <input
        type="file"
        multiple
        ref={(input) => {
          if (input) input.webkitdirectory = isFolder;
        }}
        onChange={(event) => takeSome(chosenFiles(event.currentTarget))}
      />
    </label>
  );
  return (
    <section
      class={`drop ${isOver ? "over" : ""}`}
      aria-label={title}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <h2>{title}</h2>
      <p class="soft">{given ? given.inputs.join(", ") : note}</p>
      <p>
        {choice("Files", false)} {choice("A folder", true)}
      </p>
    </section>
  );
}

const EXAMPLES = [
  { text: "Training of a language model", files: ["generated_training.json.gz"] },
  {
    text: "Two runs compared: without data-loading workers, and with four",
    files: ["cnn_workers0.json.gz", "cnn_workers4.json.gz"],
  },
];

function Examples(): JSX.Element {
  const show = (names: readonly string[]): void => {
    const files = names.map((name) => ({ path: name, blob: exampleOfPage(name)! }));
    void open({ files, profiles: names.map((name) => [name]) });
  };
  return (
    <p>
      Examples:
      {EXAMPLES.map(({ text, files }) => (
        <>
          {" "}
          <button onClick={() => show(files)}>{text}</button>
        </>
      ))}
    </p>
  );
}

const { urls, problem: problemOfUrls } = addressesOf(location);
const shownUrls = urls.map(shown).join(" and ");
const isServed = /^https?:$/.test(location.protocol);

/** What the page may connect to, and what it sends. */
function Policy(): JSX.Element {
  const policy = <code>{document.querySelector<HTMLMetaElement>("#connections")!.content}</code>;
  const look = "look at the network tab of the developer tools";
  const areTwo = new Set(urls.map(({ host }) => host)).size > 1;
  return (
    <p class="soft">
      No profile leaves this machine.{" "}
      {urls.length > 0 ? (
        <>
          This page asks for {shownUrls}: {areTwo ? "each host" : "the host"} gets the whole address, with what follows{" "}
          <code>?</code> in it, and nothing else. The policy of the page lets it connect to{" "}
          {areTwo ? "those hosts" : "that host"} and no other ({policy}): {look}.
        </>
      ) : (
        <>
          The page has its whole program in it, and a policy under which the browser lets it connect to nothing (
          {policy}): {look}, or cut the network before you open a file.
        </>
      )}
      {isServed && (urls.length > 0 || problemOfUrls) && ` ${location.host} got the address of this page, with ?url=.`}
      {isServed && ` The browser may keep the page for use without a network; it asks ${location.host} for newer ones.`}
    </p>
  );
}

function Licences(): JSX.Element {
  const [text, setText] = useState("");
  return (
    <details onToggle={() => void licencesOfPage().then(setText)}>
      <summary class="soft">Licences of the libraries in this page</summary>
      <pre>{text}</pre>
    </details>
  );
}

function Site(): JSX.Element {
  const [before, setBefore] = useState<Given | null>(null);
  const [after, setAfter] = useState<Given | null>(null);
  const [problem, say] = useState(problemOfUrls);
  const [loading, setLoading] = useState(urls.length > 0);
  useEffect(() => {
    if (before && after) void openGiven([before, after]);
  }, [before, after]);
  useEffect(() => hearProfiles((given) => void openGiven(given), say), []);
  useEffect(() => {
    if (urls.length === 0) return;
    let isWanted = true; // until another profile is opened
    Promise.all(urls.map(fileAt)).then(
      (given) => isWanted && void openGiven(given),
      (error: Error) => {
        setLoading(false);
        say(error.message);
      },
    );
    return () => {
      isWanted = false;
    };
  }, []);
  return (
    <main class="page site">
      <Logo />
      <h1>Where did the time of your GPU program go?</h1>
      <Drop
        title="Open a profile"
        note="Drop it here: a file, a folder, or one file for each rank."
        given={null}
        take={(given) => void openGiven([given])}
        say={say}
      />
      <div class="drops">
        <Drop title="Compare: before" note="The first of two runs" given={before} take={setBefore} say={say} />
        <Drop title="Compare: after" note="The second one" given={after} take={setAfter} say={say} />
      </div>
      {loading && <p role="status">Loading {shownUrls}</p>}
      {problem && <p role="alert">{problem}</p>}
      <Examples />
      <p class="soft">
        Profiles of PyTorch, JAX, Nsight Systems, Nsight Compute, ROCm, Perfetto, HPCToolkit, Caliper, Chakra and others
        are read, plain or compressed; up to about 1 GB.
      </p>
      <Policy />
      <Licences />
    </main>
  );
}

function openInEditor(): void {
  const progress = (name: string, share: number): void =>
    render(<OpeningPage status={null} title={name} what={`Reading \u00b7 ${percent(share * 100)}`} />, host);
  fileOfEditor(progress).then(
    (given) => void openGiven([given]),
    (error: Error) => render(<ErrorPage text={error.message} inputs={[]} isServed={false} />, host),
  );
}

const own = profileOfPage();
if (editor) {
  openInEditor();
} else if (own) {
  void open({ files: [{ path: own.name, blob: own.bytes }], profiles: [[own.name]] }, own.made_by);
} else {
  render(<Site />, host);
}

/** Without a network the browser then opens what service_worker.js keeps. */
async function keepPage(): Promise<void> {
  try {
    await navigator.serviceWorker?.register("sw.js");
  } catch {
    // Refused, as in a frame without storage, or there is no such file: the page needs its server.
  }
}
if (isServed && !own && !editor) void keepPage();
