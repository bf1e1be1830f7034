"""Tokens as two public vocabularies of language models have them: those of a package from PyPI that brings them along, which
is installed into a virtual environment in the build folder, once."""
import importlib
import subprocess
import sys
import venv

from oracle.python_package import BUILD, alone, python_in, run, site_packages

PACKAGE = "rs-bpe==0.1.0"
ENVIRONMENT = BUILD / "python-tokens"


def counter():
    """count(text): by the vocabulary that takes more. None where the package cannot be had."""
    complete = ENVIRONMENT / "complete"
    with alone(ENVIRONMENT.name):
        if not complete.exists() or complete.read_text() != PACKAGE:
            try:
                venv.create(ENVIRONMENT, with_pip=True, clear=True)
                run(python_in(ENVIRONMENT), "-m", "pip", "install", "--quiet", "--only-binary", ":all:", PACKAGE, timeout=300)
            except (subprocess.SubprocessError, OSError):
                return None
            complete.write_text(PACKAGE)
    sys.path[:0] = site_packages(ENVIRONMENT)
    openai = importlib.import_module("rs_bpe.bpe").openai
    vocabularies = [openai.o200k_base(), openai.cl100k_base()]
    return lambda text: max(vocabulary.count(text) for vocabulary in vocabularies)
