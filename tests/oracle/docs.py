"""Parts of a document that a test writes anew: what stands between two comments."""
import sys
import unittest


def with_part(text, begin, end, part):
    before, rest = text.split(begin)
    return before + begin + part + end + rest.split(end)[1]


def write(path, anew):
    """The document as anew(its text) has it."""
    with open(path, encoding="utf-8") as handle:
        written = anew(handle.read())
    with open(path, "w", encoding="utf-8") as handle:
        handle.write(written)


def main(path, anew):
    """Runs the tests of the program; with --write-docs writes the document instead."""
    if "--write-docs" in sys.argv:
        write(path, anew)
    else:
        unittest.main()
