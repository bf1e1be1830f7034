#!/usr/bin/env python3
"""One summary of a job of many ranks, made by Ray: as dask_summaries.py, with the tasks of Ray.

    ray_summaries.py PROFILES job.cgpu                  # on this machine, or the cluster that RAY_ADDRESS names
    cgpu report job.cgpu

The nodes need the Python package cgpu, and must see the files under these names.
"""
import argparse
import pathlib

import cgpu
import ray

MERGED_AT_ONCE = 8


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("profiles", type=pathlib.Path, help="a folder with a profile a rank")
    parser.add_argument("output", type=pathlib.Path)
    options = parser.parse_args()
    ray.init()
    summarize = ray.remote(cgpu.summarize)
    merge = ray.remote(lambda *parts: cgpu.merge(parts))
    parts = [summarize.remote(str(path)) for path in sorted(options.profiles.resolve().iterdir())]
    while len(parts) > 1:  # a result is sent to where it is merged, not through here
        parts = [merge.remote(*parts[first:first + MERGED_AT_ONCE]) for first in range(0, len(parts), MERGED_AT_ONCE)]
    options.output.write_bytes(ray.get(parts[0]))


if __name__ == "__main__":
    main()
