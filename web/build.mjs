// Makes the page: one script, one style sheet, the HTML and its icon. The script begins with the licences of the packages
// in it, which ask for that in every copy.
//   node build.mjs [FOLDER]     into FOLDER (default: dist/)
//   node build.mjs --dev [...]  not minified, with a source map in the script
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const options = process.argv.slice(2);
const dev = options.includes("--dev");
const out = resolve(options.find((option) => !option.startsWith("--")) ?? join(here, "dist"));

mkdirSync(out, { recursive: true });
const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: { app: "src/main.ts" },
  outdir: out,
  bundle: true,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  jsx: "automatic",
  jsxImportSource: "preact",
  minify: !dev,
  sourcemap: dev ? "inline" : false,
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
});
for (const file of ["index.html", "favicon.svg"]) cpSync(join(here, "static", file), join(out, file));

if (!dev) {
  const packages = Object.keys(metafile.inputs).map((input) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1]);
  const licences = [...new Set(packages.filter(Boolean))].sort().map((name) => {
    const text = readFileSync(join(here, "node_modules", name, "LICENSE"), "utf8").trim();
    return `/* With ${name}:\n\n${text}\n*/\n`;
  });
  const script = join(out, "app.js");
  writeFileSync(script, licences.join("") + readFileSync(script, "utf8"));
}
