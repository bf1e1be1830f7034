#!/usr/bin/env python3
"""A kind of derived track of the viewer is known in its own file alone: nothing else in the program or the page names it.

Reads the source only.
"""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
LANES = ROOT / "src/tiles/lanes"
KIND = re.compile(r'\.kind = "(\w+)"')


def listed():
    """The names in the list of lanes."""
    text = (LANES / "lane_sources.h").read_text()
    return re.findall(r"LANE\((\w+)\)", text[text.index("#define CGPU_LANES"):text.index("#define CGPU_DECLARE_LANE")])


def sources():
    files = [*ROOT.glob("src/**/*.cpp"), *ROOT.glob("src/**/*.h"), *ROOT.glob("web/src/**/*.ts"), *ROOT.glob("web/src/**/*.tsx")]
    return [file for file in files if file.parent != LANES and not file.name.endswith("_test.cpp")]


class LanesTest(unittest.TestCase):
    def test_each_has_a_file_of_its_own(self):
        for name in listed():
            text = (LANES / (name + "_lane.cpp")).read_text()
            self.assertEqual(KIND.findall(text), [name])
            self.assertIn("LaneDeclaration %s_lane() {" % name, text)
        self.assertEqual(len(listed()), len(list(LANES.glob("*_lane.cpp"))))

    def test_nothing_else_names_it(self):
        of_profile = set(KIND.findall((ROOT / "src/tiles/view_tracks.cpp").read_text()))  # "ranges" is both
        names = "|".join(name for name in listed() if name not in of_profile)
        # lane->kind == "X", track.kind === "X", ({ kind }) => kind === "X"
        asked = re.compile(r'(?:lane->|[tT]rack\w*(?:\[\w+\])?\??\.|=> )kind\s*[!=]==?\s*"(%s)"|\b(%s)_lane\(' % (names, names))
        for file in sources():
            with self.subTest(file=str(file.relative_to(ROOT))):
                self.assertIsNone(asked.search(file.read_text()))

    def test_the_protocol_has_its_sentence(self):
        protocol = (ROOT / "docs/viewer-protocol.md").read_text()
        for name in listed():
            self.assertRegex(protocol, r"(?m)^\* `%s`: " % name)


if __name__ == "__main__":
    unittest.main()
