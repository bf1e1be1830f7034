#!/usr/bin/env python3
"""One summary of a job of many ranks, made by Ray: as dask_summaries.py, with the tasks of Ray.

    ray_summaries.py PROFILES job.cgpu                  # on this machine, or the cluster that RAY_ADDRESS names
    cgpu report job.cgpu

The nodes need the Python package cgpu, and must see the files under these names. Profiles that cannot be read are named;
where they are more than --allow-missing, nothing is written.
"""
import argparse
import pathlib
import sys

import cgpu
import ray

MERGED_AT_ONCE = 8


def summary_of(path):
    """(the summary or none, what could not be read)."""
    try:
        return cgpu.summarize(path), []
    except cgpu.Error as error:
        return None, [str(error)]


def merged(*parts):
    """The same of several."""
    summaries = [summary for summary, _ in parts if summary is not None]
    lost = [line for _, lines in parts for line in lines]
    return cgpu.merge(summaries) if summaries else None, lost


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("profiles", type=pathlib.Path, help="a folder with a profile a rank")
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--allow-missing", type=int, default=0, help="as many profiles may be unreadable (default: 0)")
    options = parser.parse_args()
    ray.init()
    summarize = ray.remote(summary_of)
    merge = ray.remote(merged)
    files = sorted(options.profiles.resolve().iterdir())
    parts = [summarize.remote(str(path)) for path in files]
    while len(parts) > 1:  # a result is sent to where it is merged, not through here
        parts = [merge.remote(*parts[first:first + MERGED_AT_ONCE]) for first in range(0, len(parts), MERGED_AT_ONCE)]
    whole, lost = ray.get(parts[0])
    for line in lost:
        print("left out: " + line, file=sys.stderr)
    if whole is None or len(lost) > options.allow_missing:
        sys.exit("%d of %d profiles cannot be read: --allow-missing says how many may be left out" % (len(lost), len(files)))
    options.output.write_bytes(whole)


if __name__ == "__main__":
    main()
