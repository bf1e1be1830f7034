#!/usr/bin/env python3
"""Writes the seed corpora of the fuzz targets, one subfolder a target.

The seeds of NAME_fuzz come from NAME_seeds.py beside this file: its function seeds() yields pairs (file name, bytes).
Small files with one of everything, and the kinds of damage that are known from the field. Deterministic, standard
library only.
"""
import argparse
import importlib
import pathlib

HERE = pathlib.Path(__file__).resolve().parent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="is made where it is missing")
    folder = parser.parse_args().folder
    for module in sorted(HERE.glob("*_seeds.py")):
        if module.stem == "make_seeds":
            continue
        corpus = folder / module.stem.removesuffix("_seeds")
        corpus.mkdir(parents=True, exist_ok=True)
        for name, data in importlib.import_module(module.stem).seeds():
            (corpus / name).write_bytes(data)


if __name__ == "__main__":
    main()
