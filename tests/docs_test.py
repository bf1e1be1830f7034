#!/usr/bin/env python3
"""The documents agree with the program and with each other: commands print what the page shows, links lead to a file and
a heading that exist, every table is defined.

--write-docs writes the output of the commands into the pages.

Environment: CGPU (the binary).
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import docs, tool  # noqa: E402

ROOT = pathlib.Path(tool.ROOT)
INDEX = ROOT / "docs/definitions.md"
CONSOLES = [ROOT / "README.md", ROOT / "docs/tutorial.md", ROOT / "docs/comparison.md"]
MOST_WORDS = 3000  # of a page of definitions


def documents():
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        return [ROOT / name for name in listed.stdout.split()]
    return [page for folder in ("docs", "examples", "src") for page in (ROOT / folder).rglob("*.md")] + list(ROOT.glob("*.md"))


def without_code(text):
    return re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)


def anchors(page):
    """The anchors of a page's headings as GitHub makes them."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", without_code(page.read_text(encoding="utf-8")), flags=re.M):
        found.add(re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-"))
    return found


def links(page):
    """(file, anchor) of the links to files of the repository."""
    text = re.sub(r"`[^`\n]*`", "", without_code(page.read_text(encoding="utf-8")))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not re.match(r"[a-z]+:", target):
            path, _, anchor = target.partition("#")
            yield (page.parent / path).resolve() if path else page, anchor


class Links(unittest.TestCase):
    def test_every_link_leads_somewhere(self):
        pages = documents()
        self.assertGreater(len(pages), 40)
        for page in pages:
            for target, anchor in links(page):
                with self.subTest("%s: %s#%s" % (page.relative_to(ROOT), target.name, anchor)):
                    self.assertTrue(target.exists())
                    if anchor:
                        self.assertIn(anchor, anchors(target))

    def test_documents_that_the_source_names_exist(self):
        for folder in ("src", "tests", "web/src", "python", "bench", "fuzz", "examples"):
            for path in (ROOT / folder).rglob("*"):
                if path.suffix not in (".h", ".cpp", ".py", ".ts", ".ipynb") or "node_modules" in path.parts:
                    continue
                for name in set(re.findall(r"\bdocs/[\w/-]+\.md", path.read_text(encoding="utf-8"))):
                    self.assertTrue((ROOT / name).exists(), "%s names %s" % (path.relative_to(ROOT), name))


class Commands(unittest.TestCase):
    def test_they_print_what_the_page_shows(self):
        for page in CONSOLES:
            with self.subTest(page.name):
                text = page.read_text(encoding="utf-8")
                self.assertRegex(text, docs.CONSOLE)
                self.assertEqual(docs.with_outputs(text), text, "tests/docs_test.py --write-docs writes it again")

    def test_recordings_of_the_tutorial_are_accepted(self):
        text = (ROOT / "docs/tutorial.md").read_text(encoding="utf-8")
        recordings = re.findall(r"^ *cgpu (record .*)$", text, flags=re.M)
        self.assertGreaterEqual(len(recordings), 2)
        for line in recordings:
            done = tool.run(["record", "--dry-run", "--with", "torch", *line.split()[1:]])
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(b"python train.py", done.stdout)


class Words(unittest.TestCase):
    """CONTRIBUTING.md, "Words": what is not written anywhere else."""
    AVOIDED = re.compile(r"\b(?:stands?|stood) (?:in|on|at|under|beside|behind|before|below|above|between|there|here|together|idle)\b(?! for)"
                         r"|\bMind:|\bTo mind\b|\bthat nothing hides\b|\bgives? back\b.*\bstep|\b(?:is|are) told\b|\bof which (?:there|nothing|no)\b")
    IN_TEXTS = re.compile(r"\bof which\b|\bcould give back\b|\ball \d+ letters\b")  # not in pages or messages; comments may have them
    FOLDERS = ("docs", "src", "python", "web/src", "examples")

    def test_the_worst_idioms_are_gone(self):
        for folder in self.FOLDERS:
            for path in (ROOT / folder).rglob("*"):
                if path.suffix not in (".h", ".cpp", ".md", ".py", ".ts", ".tsx", ".txt") or "node_modules" in path.parts:
                    continue
                found = self.AVOIDED.search(path.read_text(encoding="utf-8"))
                self.assertIsNone(found, "%s: %s" % (path.relative_to(ROOT), found and found.group(0)))


    def test_texts_of_users_have_none_of_the_list(self):
        """Pages, and what is between quotes in the program and the page."""
        for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
            found = self.IN_TEXTS.search(path.read_text(encoding="utf-8"))
            self.assertIsNone(found, "%s: %s" % (path.relative_to(ROOT), found and found.group(0)))
        checked = 0
        for folder in ("src", "web/src", "python"):
            for path in (ROOT / folder).rglob("*"):
                if path.suffix not in (".h", ".cpp", ".py", ".ts", ".tsx") or path.stem.endswith("_test"):
                    continue
                for line in path.read_text(encoding="utf-8").splitlines():
                    if line.strip().startswith(("//", "#", "*", "/*")):
                        continue
                    for text in re.findall(r'"((?:[^"\\]|\\.)*)"', line.split("// ")[0]):
                        checked += 1
                        self.assertIsNone(self.IN_TEXTS.search(text), "%s: %s" % (path.relative_to(ROOT), text))
        self.assertGreater(checked, 10000)

    def test_the_style_page_has_thirty_pairs(self):
        text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
        table = text.split("| not | but |", 1)[1].split("\n\n", 1)[0]
        self.assertGreaterEqual(len([row for row in table.splitlines() if row.startswith("| ") and "---" not in row]), 30)


class Definitions(unittest.TestCase):
    def test_the_index_leads_to_every_section_and_every_table(self):
        index = INDEX.read_text(encoding="utf-8")
        linked = {(path.name, anchor) for path, anchor in links(INDEX)}
        for page in (ROOT / "docs/definitions").glob("*.md"):
            for heading in re.findall(r"^## (.*)$", page.read_text(encoding="utf-8"), flags=re.M):
                anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
                self.assertIn((page.name, anchor), linked, heading)
        declared = json.loads(tool.run(["table", "--list", "--format", "json"]).stdout)["tables"]["tables"]["rows"]
        for row in declared:
            self.assertRegex(index, r"[\[`]%s[\]`]" % row[0])

    def test_a_page_is_short_enough_to_be_read(self):
        for page in (ROOT / "docs/definitions").glob("*.md"):
            self.assertLessEqual(len(page.read_text(encoding="utf-8").split()), MOST_WORDS, page.name)

    def test_sections_that_the_source_names_exist(self):
        named = 0
        for path in list((ROOT / "src").rglob("*.h")) + list((ROOT / "src").rglob("*.cpp")):
            text = re.sub(r"\n//+", "", path.read_text(encoding="utf-8"))
            for page, section in re.findall(r'docs/definitions/([\w-]+\.md)(?:, | \()"([^"]+)"', text):
                headings = re.findall(r"^## (.*)$", (ROOT / "docs/definitions" / page).read_text(encoding="utf-8"), flags=re.M)
                self.assertIn(section.lower(), [name.lower() for heading in headings for name in heading.split(", ")], path.name)
                named += 1
        self.assertGreater(named, 20)


if __name__ == "__main__":
    if "--write-docs" in sys.argv:
        tool.must_exist()
        for document in CONSOLES:
            docs.write(document, docs.with_outputs)
    else:
        unittest.main()
