// The engine answers as the server does: of the examples, and of profiles of every format that built_profiles.py writes.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, test } from "node:test";
import { CGPU, ROOT, scratch } from "../browser/support.mjs";
import { compare } from "./equality.mjs";
import { skipEngine } from "./support.mjs";

const REQUESTS = 20; // at least, of each profile

/** What built_profiles.py has written, or why it has not. */
function builtProfiles() {
  const script = join(ROOT, "web/test/engine/built_profiles.py");
  const { status, stdout, stderr, error } = spawnSync("python3", [script, CGPU, scratch()], { encoding: "utf8" });
  if (status !== 0) throw new Error(`${script}: ${error ?? stderr}`);
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

const examples = readdirSync(join(ROOT, "examples"), { recursive: true })
  .filter((name) => /\.json(\.gz)?$/.test(name))
  .map((name) => join(ROOT, "examples", name));
const skipBuilt =
  skipEngine ||
  (["trace_builder", "job_builder", "hpctoolkit_builder"].every((name) => existsSync(join(dirname(CGPU), name)))
    ? false
    : `no builders beside ${CGPU}: configure with -DCGPU_TESTS=ON`);

describe("the engine answers as the server does", { skip: skipEngine }, () => {
  for (const path of examples) test(relative(ROOT, path), () => compare([path]));
});

describe("the same of profiles of every format", { skip: skipBuilt }, () => {
  for (const { name, inputs, against } of skipBuilt ? [] : builtProfiles())
    test(name, async () => {
      const count = await compare(inputs, against);
      assert.ok(count === 0 || count >= REQUESTS, `${count} requests`);
    });
});
