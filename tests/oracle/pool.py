"""Tests that are computed side by side, in as many processes as there are cores."""
import concurrent.futures
import multiprocessing
import os
import re
import traceback
import unittest


def _told(function, arguments):
    try:
        return list(function(*arguments))
    except Exception:  # told as a failure of the test that asked
        return [traceback.format_exc()]


class Pool:
    def __init__(self):
        self.executor = concurrent.futures.ProcessPoolExecutor(os.cpu_count() or 1,
                                                               mp_context=multiprocessing.get_context("fork"))
        self.futures = {}

    def start(self, key, function, *arguments):
        """`function` returns the lines of what is wrong."""
        self.futures[key] = self.executor.submit(_told, function, arguments)

    def close(self):
        self.executor.shutdown(cancel_futures=True)


def test_name(text):
    text = re.sub(r"(\.pt\.trace)?\.json(\.gz)?$|\.tar\.gz$", "", text)
    return "test_" + re.sub(r"\W+", "_", text)


class Case(unittest.TestCase):
    """A test a key of its pool: nothing may be wrong."""
    pool = None

    @classmethod
    def add(cls, name, key):
        setattr(cls, test_name(name), lambda self: self.expect_nothing_wrong(key))

    def expect_nothing_wrong(self, key):
        wrong = Case.pool.futures[key].result()
        if wrong:
            self.fail("\n" + "\n".join(wrong))
