// Bundles the tests, since Node 18 reads no TypeScript, and runs them with node:test.
//   node test/run.mjs [--tap] [NAME...]    all, or those whose file names begin so; --tap: for a program to read
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const words = process.argv.slice(2);
const names = words.filter((word) => word !== "--tap");
const reporter = words.includes("--tap") ? ["--test-reporter=tap"] : [];
const files = readdirSync(here).filter(
  (file) => file.endsWith(".test.ts") && (!names.length || names.some((name) => file.startsWith(name))),
);
const out = mkdtempSync(join(tmpdir(), "cgpu-web-test-"));
try {
  await build({
    entryPoints: files.map((file) => join(here, file)),
    outdir: out,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node18",
    jsx: "automatic",
    jsxImportSource: "preact",
    sourcemap: "inline",
    logLevel: "warning",
  });
  const bundles = files.map((file) => join(out, file.replace(/\.ts$/, ".mjs")));
  const run = spawnSync(process.execPath, ["--enable-source-maps", "--test", ...reporter, ...bundles], {
    stdio: "inherit",
  });
  process.exitCode = run.status ?? 1;
} finally {
  rmSync(out, { recursive: true, force: true });
}
