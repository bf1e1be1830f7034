"""All cases, by name."""
from . import cuda_cases, cuda_thread_cases, mpi_cases, torch_cases, torch_rank_cases, torch_serving_cases  # noqa: F401
from .case import CASES  # noqa: F401
