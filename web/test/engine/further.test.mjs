// The engine answers as the server does: of real profiles of at most 1 MB.
//   CGPU_ENGINE_FILES   folders with them, separated by colons
import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { describe, test } from "node:test";
import { compare } from "./equality.mjs";
import { skipEngine } from "./support.mjs";

/** A kernel's name in these is one that GCC's library cannot read or reads otherwise. */
const OTHER_NAMES = new Set([
  "proton.hatchet",
  "AMD-AGI_TraceLens__inference__sglang_prefilldecode__sglang_Qwen3-8B_prefilldecode.json.gz",
]);
const MOST_BYTES = 1e6;
const NO_PROFILE = /\.(md|txt|py|ya?ml|ipynb|sh|html|css|toml|csv|tsv)$/;
/** What the folder of a database of HPCToolkit, of its measurements, or of the Ascend profiler holds. */
const OF_DATABASE = /^(experiment\.xml|meta\.db|.*\.hpcrun|profiler_info.*\.json)$/;

/** The profiles in a folder and in those in it that are small enough: files, and folders of databases, each once. */
function smallProfiles(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  const databases = [...new Set(files.filter((path) => OF_DATABASE.test(basename(path))).map(dirname))];
  const inside = (database) => files.filter((path) => path.startsWith(`${database}/`));
  const inDatabases = new Set(databases.flatMap(inside));
  const isSmall = (paths) => paths.reduce((sum, path) => sum + statSync(path).size, 0) <= MOST_BYTES;
  return [
    ...databases.filter((database) => isSmall(inside(database))),
    ...files.filter(
      (path) => !inDatabases.has(path) && !NO_PROFILE.test(path) && !OTHER_NAMES.has(basename(path)) && isSmall([path]),
    ),
  ].sort();
}

const further = process.env.CGPU_ENGINE_FILES;
const skipFurther = skipEngine || (further ? false : "no further profiles: name folders of them in CGPU_ENGINE_FILES");

describe("the engine answers as the server does of real profiles", { skip: skipFurther }, () => {
  for (const folder of further ? further.split(":") : [])
    for (const path of smallProfiles(folder)) test(relative(folder, path), () => compare([path]));
});
