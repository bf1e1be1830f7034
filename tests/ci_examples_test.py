#!/usr/bin/env python3
"""The examples for continuous integration (examples/ci/): their YAML is read, and their commands are run, on a repository of
a program that became slower and of one that did not, and over nights.

Environment: CGPU (the binary).
"""
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

try:
    import yaml
except ImportError:
    yaml = None

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples/ci"
ACTION = EXAMPLES / "github/cgpu-check"
PASS, REGRESSION, UNREADABLE = 0, 1, 2


def load(name):
    return yaml.safe_load((EXAMPLES / name).read_text(encoding="utf-8"))


def github_steps():
    return (load("github/cgpu-check/action.yml")["runs"]["steps"] + load("github/workflow.yml")["jobs"]["performance"]["steps"] +
            load("github/history.yml")["jobs"]["history"]["steps"])


def slowed(profile, factor):
    """The same run with all times multiplied."""
    document = json.loads(gzip.decompress(profile))
    for event in document["traceEvents"]:
        for key in ("ts", "dur"):
            if key in event:
                event[key] *= factor
    return gzip.compress(json.dumps(document).encode(), 1)


def git(*words, folder):
    own = ["-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "init.defaultBranch=main"]
    done = subprocess.run(["git", *own, *words], cwd=folder, check=True, capture_output=True, text=True, timeout=60)
    return done.stdout.strip()


class Repository:
    """A program whose second commit takes `factor` times as long; its record.sh writes the profile."""

    def __init__(self, test, factor):
        self.work = tempfile.TemporaryDirectory()
        test.addCleanup(self.work.cleanup)
        self.folder = pathlib.Path(self.work.name, "repository")
        self.folder.mkdir()
        git("init", folder=self.folder)
        profile = (ROOT / "examples/generated_training.json.gz").read_bytes()
        script = self.folder / "record.sh"
        script.write_text('#!/bin/sh\ncp recorded "$1"\n')
        script.chmod(0o755)
        shutil.copytree(ACTION, self.folder / ".github/actions/cgpu-check")
        self.before = self.commit(profile)
        self.after = self.commit(slowed(profile, factor) if factor else b"no profile")

    def commit(self, profile):
        (self.folder / "recorded").write_bytes(profile)
        git("add", "-A", folder=self.folder)
        git("commit", "-m", "change", "--allow-empty", folder=self.folder)
        return git("rev-parse", "HEAD", folder=self.folder)

    def checkout(self, name, commit):
        path = pathlib.Path(self.work.name, name)
        git("clone", "--quiet", self.folder, path, folder=self.work.name)
        git("checkout", "--quiet", commit, folder=path)
        return path


def bash(script, folder, **variables):
    path = os.path.dirname(tool.binary()) + os.pathsep + os.environ["PATH"]
    return subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script], cwd=folder,
                          env=dict(os.environ, PATH=path, **variables), capture_output=True, text=True, timeout=120,
                          check=False)


@unittest.skipIf(yaml is None, "not installed: PyYAML")
class GitHubTest(unittest.TestCase):
    def run_job(self, factor):
        """Exit status of the job, what it printed, and its summary, with the checkouts done by hand."""
        repository = Repository(self, factor)
        work = pathlib.Path(repository.work.name)
        for path, commit in (("before", repository.before), ("after", repository.after)):
            repository.checkout(path, commit)
        summary = work / "summary.md"
        (job,) = load("github/workflow.yml")["jobs"].values()
        printed = ""
        for step in job["steps"]:
            if "run" in step:
                done = bash(step["run"], work)
            elif step["uses"].startswith("./"):
                action = yaml.safe_load((work / step["uses"] / "action.yml").read_text())
                self.assertLessEqual(set(step["with"]), set(action["inputs"]))
                inputs = {name: step["with"].get(name, one.get("default")) for name, one in action["inputs"].items()}
                self.assertNotIn(None, inputs.values())
                (only,) = action["runs"]["steps"]
                variables = {name: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda found: inputs[found[1]], text)
                             for name, text in only["env"].items()}
                done = bash(only["run"], work, GITHUB_STEP_SUMMARY=str(summary), **variables)
            else:
                self.assertRegex(step["uses"], r"^actions/(checkout|upload-artifact)@v\d+$")
                continue
            printed += done.stdout + done.stderr
            if done.returncode:
                break
        return done.returncode, printed, summary.read_text() if summary.exists() else ""

    def test_the_same_program_passes(self):
        status, printed, summary = self.run_job(1)
        self.assertEqual(status, PASS, printed)
        self.assertIn("pass", summary)

    def test_a_slower_program_fails_with_annotations(self):
        status, printed, summary = self.run_job(1.2)
        self.assertEqual(status, REGRESSION, printed)
        self.assertRegex(printed, r"(?m)^::error .*step_time")
        self.assertIn("regression", summary)

    def test_what_cannot_be_read_ends_the_job_in_a_line(self):
        status, printed, summary = self.run_job(None)
        self.assertEqual((status, summary), (UNREADABLE, ""))
        self.assertRegex(printed, r"(?m)^cgpu: .*profile")

    def test_no_expression_stands_in_a_script(self):
        """Where somebody else's text would become a command."""
        for step in github_steps():
            self.assertNotIn("${{", step.get("run", ""))


@unittest.skipIf(yaml is None, "not installed: PyYAML")
class GitLabTest(unittest.TestCase):
    def run_job(self, factor):
        repository = Repository(self, factor)
        folder = repository.checkout("checkout", repository.after)
        job = load("gitlab-ci.yml")["performance"]
        done = bash("\n".join(job["script"]), folder, CI_MERGE_REQUEST_DIFF_BASE_SHA=repository.before)
        report = folder / job["artifacts"]["reports"]["junit"]
        failures = len(xml.etree.ElementTree.parse(report).findall(".//failure")) if report.exists() else None
        return done.returncode, done.stdout + done.stderr, failures

    def test_the_same_program_passes(self):
        status, printed, failures = self.run_job(1)
        self.assertEqual((status, failures), (PASS, 0), printed)

    def test_a_slower_program_fails_with_a_report(self):
        status, printed, failures = self.run_job(1.2)
        self.assertEqual(status, REGRESSION, printed)
        self.assertGreater(failures, 0)
        self.assertIn("REGRESSION", printed)

    def test_what_cannot_be_read_ends_the_job_in_a_line(self):
        status, printed, failures = self.run_job(None)
        self.assertEqual((status, failures), (UNREADABLE, None))
        self.assertRegex(printed, r"(?m)^cgpu: .*profile")


@unittest.skipIf(yaml is None, "not installed: PyYAML")
class NightsTest(unittest.TestCase):
    def run_nights(self, script, folder, **variables):
        """Runs three nights, and keeps two: the page, and the names of the summaries."""
        self.assertIn("head -n -100", script)
        repository = Repository(self, 1)
        checkout = repository.checkout("checkout", repository.after)
        for night in range(3):
            done = bash(script.replace("head -n -100", "head -n -2"), checkout,
                        **{name: value % night for name, value in variables.items()})
            self.assertEqual(done.returncode, 0, done.stderr)
        names = sorted(path.name for path in (checkout / folder).glob("*.cgpu"))
        return (checkout / folder / "history.html").read_text(encoding="utf-8"), names

    def judge(self, page, names):
        self.assertEqual([name.rpartition("-")[2] for name in names], ["sha1.cgpu", "sha2.cgpu"])
        self.assertIn("No change of level in 2 runs.", page)
        for name in names:
            self.assertIn('<a href="%s">' % name, page)

    def test_github(self):
        steps = load("github/history.yml")["jobs"]["history"]["steps"]
        (script,) = [step["run"] for step in steps if "run" in step]
        for step in steps:
            self.assertRegex(step.get("uses", "actions/checkout@v4"),
                             r"^actions/(checkout|cache/restore|cache/save|upload-pages-artifact|deploy-pages)@v\d+$")
        self.judge(*self.run_nights(script, "history", GITHUB_SHA="sha%d"))

    def test_gitlab(self):
        job = load("gitlab-ci.yml")["pages"]
        self.assertEqual(job["cache"]["paths"], job["artifacts"]["paths"])
        self.judge(*self.run_nights("\n".join(job["script"]), *job["artifacts"]["paths"], CI_COMMIT_SHORT_SHA="sha%d"))


@unittest.skipIf(yaml is None, "not installed: PyYAML")
class ScriptsTest(unittest.TestCase):
    def scripts(self):
        for step in github_steps():
            if "run" in step:
                yield step["run"]
        for job in load("gitlab-ci.yml").values():
            yield "\n".join(job["script"])

    def test_bash_reads_them(self):
        scripts = list(self.scripts())
        self.assertEqual(len(scripts), 5)
        for script in scripts:
            self.assertEqual(subprocess.run(["bash", "-n"], input=script, text=True, timeout=60, check=False).returncode, 0)

    @unittest.skipUnless(shutil.which("shellcheck"), "not installed: shellcheck")
    def test_shellcheck_finds_nothing(self):
        for script in self.scripts():
            done = subprocess.run(["shellcheck", "-s", "bash", "-"], input=script, capture_output=True, text=True, timeout=60,
                                  check=False)
            self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
