// Makes the page that needs neither a server nor an installation: one file with the page, the engine and examples in it.
//   node site.mjs ENGINE.wasm FOLDER COPYRIGHT NAME=LICENCE...
// FOLDER/index.html       the page
// FOLDER/sw.js            by which it works offline
// FOLDER/engine_page.html the same without examples, into which `cgpu view -o` puts a profile (src/serve/engine_copy.h)
// FOLDER/licences.txt     of what the page and the engine contain: COPYRIGHT has those of the program, NAME is a library. The pages have it, too
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const EXAMPLES = ["generated_training.json.gz", "cnn_workers0.json.gz", "cnn_workers4.json.gz"];
const [engine, out, copyright, ...licences] = process.argv.slice(2);
if (!copyright) throw new Error("node site.mjs ENGINE.wasm FOLDER COPYRIGHT NAME=LICENCE...");

/** What esbuild makes of one entry: its files, by their endings. */
async function bundle(entry, define = {}) {
  const { outputFiles } = await build({
    absWorkingDir: here,
    entryPoints: { site: entry },
    outdir: "out",
    write: false,
    bundle: true,
    define,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    jsx: "automatic",
    jsxImportSource: "preact",
    minify: true,
    legalComments: "none",
    logLevel: "warning",
  });
  return Object.fromEntries(outputFiles.map(({ path, text }) => [/\w+$/.exec(path)[0], text]));
}

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const part = (id, bytes) => `<script type="text/plain" id="${id}">${Buffer.from(bytes).toString("base64")}</script>\n`;
const packed = (path) => gzipSync(readFileSync(path), { level: 9 });

/** The text of a script as it is in its element; the policy has its hash. */
const inline = ({ js }) => js.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");

const [site, worker] = [await bundle("src/site/main.tsx"), await bundle("src/engine/worker.ts")];
const [first, script] = [inline(await bundle("src/site/policy.ts")), inline(site)];
const texts = [
  readFileSync(copyright, "utf8").trim(),
  ...licences.map((each) => {
    const [name, path] = each.split("=");
    return `${name} (in the engine for browsers):\n\n${readFileSync(path, "utf8").trim()}`;
  }),
].join("\n\n\n");
// Both policies hold: the second one, `connect-src`, is what policy.ts makes of it.
const policy =
  `default-src 'none'; script-src ${hash(first)} ${hash(script)} 'wasm-unsafe-eval'; worker-src blob: 'self'; ` +
  `style-src ${hash(site.css)}; img-src data:; connect-src http: https:; base-uri 'none'; form-action 'none'`;

/** `contents`: what the page has besides the engine. */
const pageWith = (contents) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta http-equiv="Content-Security-Policy" content="${policy}" />
<script>${first}</script>
<meta id="connections" http-equiv="Content-Security-Policy" content="connect-src 'none'" /><!-- -->
<meta name="viewport" content="width=device-width, initial-scale=1" />
<title>cgpu</title>
<link rel="icon" href="data:image/svg+xml;base64,${readFileSync(join(here, "static/favicon.svg")).toString("base64")}" />
<style>${site.css}</style>
</head>
<body>
<div id="app"></div>
<noscript>The viewer needs JavaScript.</noscript>
${part("engine", packed(engine))}${part("worker", worker.js)}${contents}${part("licences", gzipSync(texts))}<script>${script}</script>
</body>
</html>
`;
const examples = EXAMPLES.map((name) => part(`example:${name}`, readFileSync(join(here, "../examples", name)))).join(
  "",
);
const page = pageWith(examples);
mkdirSync(resolve(out), { recursive: true });
writeFileSync(join(out, "engine_page.html"), pageWith("<!-- profile -->"));
writeFileSync(join(out, "index.html"), page);
const pageHash = createHash("sha256").update(page).digest("hex");
const { js: serviceWorker } = await bundle("src/site/service_worker.js", { PAGE_HASH: JSON.stringify(pageHash) });
writeFileSync(join(out, "sw.js"), serviceWorker);
writeFileSync(join(out, "licences.txt"), `${texts}\n`);
console.log(`${join(out, "index.html")}: ${(page.length / 1e6).toFixed(1)} MB`);
