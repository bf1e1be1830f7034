#!/usr/bin/env python3
"""What `cmake --install` and cpack make: the program runs away from its sources, the manual page and the completions are
those of its options, the Debian package says what it needs.

Environment: CGPU (the binary in its build folder).
"""
import glob
import gzip
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = pathlib.Path(os.environ.get("CGPU", ROOT / "build/cgpu")).resolve()
BUILD = PROGRAM.parent
EXAMPLE = ROOT / "examples/generated_training.json.gz"
COMMON = {"share/bash-completion/completions/cgpu", "share/fish/vendor_completions.d/cgpu.fish", "share/doc/cgpu/copyright"}
if (ROOT / "build-web/site/engine_page.html").exists():
    COMMON |= {"share/cgpu/engine_page.html", "share/doc/cgpu/licences_of_engine_page.txt"}
FOLDERS = {}  # by what they hold; made once


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True, timeout=120, **options)


def needs(*tools):
    missing = [tool for tool in tools if not shutil.which(tool)]
    return unittest.skipIf(missing, "not installed: " + ", ".join(missing))


def files_under(folder):
    return {str(path.relative_to(folder)) for path in pathlib.Path(folder).rglob("*") if not path.is_dir()}


def tearDownModule():
    for folder in FOLDERS.values():
        folder.cleanup()


def made_once(name, make):
    if name not in FOLDERS:
        FOLDERS[name] = tempfile.TemporaryDirectory()
        make(FOLDERS[name].name)
    return pathlib.Path(FOLDERS[name].name)


def installed():
    return made_once("installed", lambda folder: run("cmake", "--install", BUILD, "--prefix", folder))


def debian_package():
    folder = made_once("package", lambda folder: run("cpack", "-G", "DEB", "-B", folder, cwd=BUILD))
    (package,) = glob.glob(str(folder / "cgpu_*.deb"))
    return package


@needs("cmake")
class InstalledTest(unittest.TestCase):
    def test_files_lie_in_the_folders_of_gnu(self):
        self.assertEqual(files_under(installed()), COMMON | {
            "bin/cgpu", "share/doc/cgpu/LICENSE", "share/man/man1/cgpu.1", "share/zsh/site-functions/_cgpu"})

    def test_what_needs_mpi_is_installed_by_itself(self):
        if not (BUILD / "cgpu-mpi").exists():
            self.skipTest("built without MPI")
        with tempfile.TemporaryDirectory() as folder:
            run("cmake", "--install", BUILD, "--component", "mpi", "--prefix", folder)
            self.assertEqual(files_under(folder), {"bin/cgpu-mpi"})
            version = run(PROGRAM, "--version").stdout
            self.assertEqual(run(pathlib.Path(folder, "bin/cgpu-mpi"), "--version").stdout, version.replace("cgpu", "cgpu-mpi", 1))

    def test_the_program_runs_without_its_sources(self):
        program = installed() / "bin/cgpu"
        self.assertNotIn(str(ROOT).encode(), program.read_bytes())
        with tempfile.TemporaryDirectory() as folder:
            trace = shutil.copy(EXAMPLE, folder)
            plain = {"PATH": "/usr/bin:/bin"}
            report = run(program, trace, cwd=folder, env=plain).stdout
            self.assertEqual(report, run(PROGRAM, trace, cwd=folder, env=plain).stdout)
            self.assertIn("fused_moe_kernel", report)
            run(program, "view", trace, "-o", "copy.html", cwd=folder, env=plain)
            self.assertIn("fused_moe_kernel", run(program, "sql", trace, "SELECT name FROM kernels", cwd=folder).stdout)

    def test_the_licences_of_what_the_page_contains_are_there(self):
        script = (BUILD / "web/app.js").read_text() if (BUILD / "web/app.js").exists() else self.skipTest("built without npm")
        with_names = re.findall(r"/\* With (\S+):\n(.*?)\n\*/\n", script, re.S)
        self.assertIn("preact", dict(with_names))
        copyright = " ".join((installed() / "share/doc/cgpu/copyright").read_text().split())
        for name, licence in with_names:
            self.assertIn(" ".join(licence.split()), copyright, name)

    def test_the_version_says_what_it_was_built_with(self):
        first, built, libraries = run(PROGRAM, "--version").stdout.splitlines()
        version = re.search(r"project\(cgpu VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
        self.assertEqual(first, "cgpu " + version)
        self.assertRegex(built, r"^built by \w+ [0-9.]+ for \w+, \w+")
        self.assertRegex(libraries, r"^with (\S+ [0-9.]+, )+\S+ [0-9.]+$")


@needs("cmake")
class ManualPageTest(unittest.TestCase):
    def setUp(self):
        self.file = installed() / "share/man/man1/cgpu.1"
        self.page = self.file.read_text()

    def section(self, heading):
        return re.search(r'^\.S[SH] "?%s.*?(?=^\.S[SH] |\Z)' % re.escape(heading), self.page, re.M | re.S)[0]

    def test_it_is_that_of_the_program(self):
        self.assertEqual(self.page, run(PROGRAM, "manpage").stdout)

    @needs("groff")
    def test_groff_has_nothing_to_say(self):
        self.assertEqual(run("groff", "-man", "-ww", "-z", "-Tutf8", self.file).stderr, "")

    @needs("man")
    def test_man_shows_it(self):
        shown = run("man", "--warnings", "-P", "cat", "-l", self.file, env=dict(os.environ, MANWIDTH="100", MANPAGER="cat"))
        self.assertEqual(shown.stderr, "")
        self.assertIn("cgpu table [OPTIONS] [INPUT... NAME]", shown.stdout)

    def test_it_has_every_command_and_option_of_the_help(self):
        commands = re.findall(r"^  (\w+) ", run(PROGRAM, "--help").stdout.split("Subcommands:")[1], re.M)
        self.assertIn("check", commands)
        common = self.section("COMMON OPTIONS")
        options = 0
        for command in commands:
            section = self.section("cgpu " + command)
            for names in re.findall(r"^  (-\S+)", run(PROGRAM, command, "--help").stdout, re.M):
                *short, name = [r"\fB%s\fR" % each.replace("-", r"\-") for each in names.split(",")]
                self.assertIn(name, common if names == "-h,--help" else section, command)
                for each in short:
                    self.assertIn(each, section + common, command)
                options += 1
        self.assertGreater(options, 150)

    def test_it_has_every_table(self):
        names = re.findall(r"^(\w+)  ", run(PROGRAM, "table", "--list").stdout, re.M)
        self.assertIn("kernels", names)
        described = re.findall(r"^\\fB(\w+)\\fR$", self.section("TABLES"), re.M)
        self.assertLessEqual(set(names), set(described))

    def test_its_examples_run(self):
        commands = re.findall(r"^\.TP\n\\fB(.*)\\fR$", self.section("EXAMPLES"), re.M)
        self.assertGreater(len(commands), 6)
        with tempfile.TemporaryDirectory() as folder:
            for name in ("trace", "before", "after"):
                shutil.copy(EXAMPLE, os.path.join(folder, name + ".json.gz"))
            for command in commands:
                for escape, text in ((r"\-", "-"), (r"\(aq", "'"), (r"\(ti", "~"), (r"\(ha", "^"), (r"\e", "\\")):
                    command = command.replace(escape, text)
                program, *words = shlex.split(command)
                self.assertEqual(program, "cgpu")
                if words[0] == "view":
                    words += ["-o", "copy.html"]  # else it serves until it is told to end
                self.assertTrue(run(PROGRAM, *words, cwd=folder).returncode == 0, command)


@needs("cmake")
class CompletionTest(unittest.TestCase):
    def test_bash_completes_from_the_installed_file(self):
        script = installed() / "share/bash-completion/completions/cgpu"
        done = run("bash", "-euc", '. "$0"; COMP_WORDS=(cgpu check --tol); COMP_CWORD=2; _cgpu; echo "${COMPREPLY[@]}"', script)
        self.assertEqual(done.stdout.split(), ["--tolerance"])

    @needs("zsh")
    def test_zsh_reads_it(self):
        script = installed() / "share/zsh/site-functions/_cgpu"
        run("zsh", "-n", script)
        done = run("zsh", "-fc", "compdef() { print -- $* }; source $1; functions _cgpu", "zsh", script)
        self.assertTrue(done.stdout.startswith("_cgpu cgpu\n"))

    @needs("fish")
    def test_fish_completes_from_the_installed_file(self):
        script = installed() / "share/fish/vendor_completions.d/cgpu.fish"
        with tempfile.TemporaryDirectory() as home:
            done = run("fish", "-c", "source %s; complete -C 'cgpu check --format '" % shlex.quote(str(script)),
                       env=dict(os.environ, HOME=home))
        self.assertEqual([line.split("\t")[0] for line in done.stdout.splitlines()], ["github", "json", "junit", "md", "text"])


@needs("cpack", "dpkg-deb", "dpkg-shlibdeps", "file")
class DebianPackageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.package = debian_package()
        cls.unpacked = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.unpacked.cleanup)
        run("dpkg-deb", "-x", cls.package, cls.unpacked.name)

    def field(self, name):
        return run("dpkg-deb", "-f", self.package, name).stdout.strip()

    def test_contents(self):
        root = pathlib.Path(self.unpacked.name)
        self.assertEqual(files_under(root / "usr"), COMMON | {
            "bin/cgpu", "share/doc/cgpu/changelog.gz", "share/doc/cgpu/changelog.Debian.gz", "share/man/man1/cgpu.1.gz",
            "share/zsh/vendor-completions/_cgpu"})
        self.assertEqual([path.name for path in root.iterdir()], ["usr"])
        page = gzip.decompress((root / "usr/share/man/man1/cgpu.1.gz").read_bytes()).decode()
        self.assertEqual(page, run(PROGRAM, "manpage").stdout)
        self.assertIn("built by", run(root / "usr/bin/cgpu", "--version").stdout)

    def test_control_fields(self):
        self.assertEqual(self.field("Package"), "cgpu")
        self.assertIn(self.field("Version").split("-")[0], run(PROGRAM, "--version").stdout.splitlines()[0])
        self.assertEqual(self.field("Architecture"), run("dpkg", "--print-architecture").stdout.strip())
        self.assertRegex(self.field("Maintainer"), r"^.+ <.+@.+>$")
        summary, *text = self.field("Description").splitlines()
        self.assertLess(len(summary), 80)
        self.assertTrue(text and all(re.match(r" (\.|\S.*)$", line) for line in text), text)

    @needs("objdump")
    def test_it_depends_on_every_library_that_the_program_is_linked_with(self):
        program = os.path.join(self.unpacked.name, "usr/bin/cgpu")
        libraries = re.findall(r"NEEDED +(\S+)", run("objdump", "-p", program).stdout)
        self.assertIn("libsqlite3.so.0", libraries)
        depends = set(re.findall(r"(?:^|, )([^ ,]+)", self.field("Depends")))
        for library in libraries:
            owners = {line.split(":")[0] for line in run("dpkg", "-S", "*/" + library).stdout.splitlines()}
            self.assertTrue(owners & depends, "%s of %s" % (library, owners))

    @needs("lintian")
    def test_lintian_finds_nothing(self):
        # Nobody publishes it from here, and no bug of Debian asks for it.
        tags = "bogus-mail-host,bogus-mail-host-in-debian-changelog,initial-upload-closes-no-bugs"
        done = subprocess.run(["lintian", "--allow-root", "--suppress-tags", tags, "--fail-on", "error,warning", self.package],
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
