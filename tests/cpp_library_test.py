#!/usr/bin/env python3
"""The libraries for other programs in C++ (docs/cpp.md): the build is installed into a folder of its own, examples/cpp is
built against it away from these sources, and its figures are held against those of the program.

Environment: CGPU (the binary in its build folder).
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from oracle import tool  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("CGPU", ROOT / "build/cgpu")).resolve().parent
EXAMPLE = ROOT / "examples/generated_training.json.gz"
VERSION = re.search(r"project\(cgpu VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
WARNINGS = "-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Werror"
FOLDER = None


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300, check=False, **options)
    if done.returncode:
        raise AssertionError("%s\n%s%s" % (" ".join(map(str, words)), done.stdout, done.stderr))
    return done.stdout


def setUpModule():
    global FOLDER
    if not shutil.which("cmake"):
        raise unittest.SkipTest("not installed: cmake")
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    FOLDER = pathlib.Path(folder.name)
    run("cmake", "--install", BUILD, "--prefix", FOLDER / "prefix", "--component", "development")
    shutil.copytree(ROOT / "examples/cpp", FOLDER / "examples")
    configure("examples", "-DCMAKE_CXX_FLAGS=" + WARNINGS)
    run("cmake", "--build", FOLDER / "examples/build", "-j", os.cpu_count())


def configure(project, *options):
    return run("cmake", "-S", FOLDER / project, "-B", FOLDER / project / "build", "-DCMAKE_PREFIX_PATH=%s" % (FOLDER / "prefix"),
               *options)


def write_project(name, *lines, **files):
    """A project that asks for cgpu."""
    folder = FOLDER / name
    folder.mkdir()
    (folder / "CMakeLists.txt").write_text("\n".join(
        ["cmake_minimum_required(VERSION 3.25)", "project(%s LANGUAGES CXX)" % name, *lines]))
    for file, text in files.items():
        (folder / (file + ".cpp")).write_text(text)


def example(name, *words):
    return run(FOLDER / "examples/build" / name, *words)


class Installed(unittest.TestCase):
    def test_nothing_leads_back_to_the_sources(self):
        files = [file for file in (FOLDER / "prefix").rglob("*") if file.is_file()]
        self.assertTrue(files)
        for file in files:
            self.assertNotIn(str(ROOT).encode(), file.read_bytes(), file)

    def test_the_public_headers_stand_on_each_other_alone(self):
        include = FOLDER / "prefix/include"
        headers = sorted(str(file.relative_to(include)) for file in include.rglob("*.h"))
        self.assertIn("cgpu/session/opened_profile.h", headers)
        for header in headers:
            text = (include / header).read_text()
            for inner in re.findall(r'#\s*include "(.*)"', text):
                self.assertIn(inner, headers, header)
            for inner in re.findall(r"#\s*include <(.*)>", text):
                self.assertRegex(inner, r"^[a-z_]+$", "%s: no header of the standard library" % header)

    def test_every_public_header_compiles_by_itself(self):
        include = FOLDER / "prefix/include"
        for header in include.rglob("*.h"):
            run("c++", "-std=c++20", "-fsyntax-only", *WARNINGS.split(), "-I", include, "-x", "c++", "-include", header, os.devnull)

    def test_the_document_names_them(self):
        document = (ROOT / "docs/cpp.md").read_text()
        for header in (FOLDER / "prefix/include").rglob("*.h"):
            self.assertIn("`%s`" % header.relative_to(FOLDER / "prefix/include"), document)

    def test_versions(self):
        major, minor, _ = map(int, VERSION.split("."))
        for number, (version, fits) in enumerate(((VERSION, True), ("%d.%d" % (major, minor), True),
                                                  ("%d.%d" % (major, minor + 1), False), ("%d.%d" % (major + 1, 0), False))):
            write_project("version%d" % number, "find_package(cgpu %s CONFIG)" % version, 'message("found ${cgpu_FOUND}")')
            done = subprocess.run(["cmake", "-S", str(FOLDER / ("version%d" % number)), "-B", str(FOLDER / ("version%d/build" % number)),
                                   "-DCMAKE_PREFIX_PATH=%s" % (FOLDER / "prefix")], capture_output=True, text=True, check=True)
            self.assertIn("found %d" % fits, done.stderr, version)

    def test_table_and_analysis_are_enough_for_what_is_in_them(self):
        write_project("parts", "find_package(cgpu CONFIG REQUIRED)", "add_executable(table table.cpp)",
                      "target_link_libraries(table cgpu::table)", "add_executable(analysis analysis.cpp)",
                      "target_link_libraries(analysis cgpu::analysis)", table=r"""
#include <cgpu/table/csv.h>
#include <iostream>
int main() {
  cgpu::Table table("mine", "a table of one's own", {{"name", cgpu::ColumnType::text}, {"n", cgpu::ColumnType::integer}});
  table.append({"one", int64_t{1}});
  table.append({"none", cgpu::Cell()});
  cgpu::write_csv(std::cout, table);
}
""", analysis=r"""
#include <cgpu/analysis/table_list.h>
#include <cgpu/table/json.h>
#include <iostream>
int main() { cgpu::write_json(std::cout, "table --list", {}, cgpu::whole_list(cgpu::declared_tables())); }
""")
        configure("parts")
        run("cmake", "--build", FOLDER / "parts/build", "-j", os.cpu_count())
        self.assertEqual(run(FOLDER / "parts/build/table"), "name,n\none,1\nnone,\n")
        listed = json.loads(run(FOLDER / "parts/build/analysis"))["tables"]
        self.assertEqual(listed, json.loads(tool.run(["table", "--list", "--format", "json"]).stdout)["tables"])


class PkgConfig(unittest.TestCase):
    @unittest.skipUnless(shutil.which("pkg-config"), "not installed: pkg-config")
    def test_a_program_is_built_without_cmake(self):
        """Also from a place that is not where it was installed first."""
        moved = FOLDER / "moved"
        shutil.copytree(FOLDER / "prefix", moved)
        self.addCleanup(shutil.rmtree, moved)
        (file,) = moved.rglob("cgpu.pc")
        words = run("pkg-config", "--cflags", "--libs", "cgpu", env=dict(os.environ, PKG_CONFIG_PATH=str(file.parent))).split()
        self.assertIn(VERSION, run("pkg-config", "--modversion", "cgpu", env=dict(os.environ, PKG_CONFIG_PATH=str(file.parent))))
        program = FOLDER / "by_pkg_config"
        run("c++", ROOT / "examples/cpp/top_kernels.cpp", "-o", program, *words)
        self.assertEqual(run(program, EXAMPLE), example("top_kernels", EXAMPLE))


class Examples(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.built = os.path.join(folder.name, "built.json")
        run(BUILD / "trace_builder", self.built, "--seed", "7")

    def test_nightly(self):
        """The verdict, the words, the rows and the summary are those of the program."""
        words = [str(self.built), str(EXAMPLE)]
        summary = self.built + ".cgpu"
        done = subprocess.run([str(FOLDER / "examples/build/nightly"), *words, summary], capture_output=True, text=True, timeout=300, check=False)
        check = tool.run(["check", "--baseline", words[0], "--candidate", words[1], "--tolerance", "3%"])
        self.assertEqual(done.returncode, check.returncode, done.stderr)
        self.assertIn(done.stdout.splitlines()[0], " ".join(check.stdout.decode().split()))
        for line in tool.run(["compare", *words]).stdout.decode().splitlines()[:1]:
            self.assertIn(line + "\n", done.stdout)
        rows = tool.rows_of(json.loads(tool.run(["sql", "before=" + words[0], "after=" + words[1], "--format", "json",
            "SELECT name FROM after.kernels a LEFT JOIN before.kernels b USING (name) "
            "ORDER BY a.total_ns - coalesce(b.total_ns, 0) DESC LIMIT 1"]).stdout))["result"]
        self.assertIn("\n" + rows[0]["name"][:8], done.stdout)
        other = self.built + ".program.cgpu"
        tool.run(["summarize", words[1], "-o", other])
        self.assertEqual(pathlib.Path(summary).read_bytes(), pathlib.Path(other).read_bytes())
        self.assertEqual(subprocess.run([str(FOLDER / "examples/build/nightly"), "/no/file", words[1], summary], capture_output=True,
                                        timeout=60, check=False).returncode, 2)

    def test_top_kernels(self):
        for profile in (self.built, EXAMPLE):
            rows = tool.table(str(profile), "kernels", "--sort", "total_ns", "--top", "10")
            self.assertEqual(len(rows), 10)
            self.assertIn("sum of total_ns: %d\n" % sum(row["total_ns"] for row in rows), example("top_kernels", profile))
            some = tool.table(str(profile), "kernels", "--where", "count > 100", "--sort", "total_ns", "--top", "10")
            self.assertIn("sum of total_ns: %d\n" % sum(row["total_ns"] for row in some),
                          example("top_kernels", profile, "count > 100"))

    def test_two_runs(self):
        found = json.loads(example("two_runs", EXAMPLE, self.built))
        (table,) = found["tables"].values()
        sums = [{}, {}]
        for side, profile in enumerate((EXAMPLE, self.built)):
            for row in tool.table(str(profile), "kernel_classes"):
                sums[side][row["class"]] = sums[side].get(row["class"], 0) + row["total_ns"]
        expected = {name: [sums[0].get(name, 0), sums[1].get(name, 0)] for name in {**sums[0], **sums[1]}}
        self.assertEqual({row[0]: row[1:3] for row in table["rows"]}, expected)
        changes = [row[3] for row in table["rows"]]
        self.assertEqual(changes, [after - before for _, before, after, _ in table["rows"]])
        self.assertEqual(sorted(changes, key=abs, reverse=True), changes)

    def test_slices_by_kind(self):
        for profile in (self.built, EXAMPLE):
            sums = {}
            for row in tool.table(str(profile), "slices"):
                slices, total = sums.get(row["kind"], (0, 0))
                sums[row["kind"]] = (slices + 1, total + row["duration_ns"])
            found = {kind: (int(slices), int(total)) for kind, slices, total in
                     (line.split("\t") for line in example("slices_by_kind", profile).splitlines())}
            self.assertEqual(found, sums)

    def test_errors_are_one_line(self):
        for words in (["top_kernels", "no such file"], ["top_kernels", EXAMPLE, "total_ns >"], ["top_kernels", EXAMPLE, "x = 1"]):
            done = subprocess.run([FOLDER / "examples/build" / words[0], *words[1:]], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr, r"^top_kernels: [^\n]+\n$")


if __name__ == "__main__":
    unittest.main()
