"""One file a problem; PROBLEMS lists them by name."""

from bench.problem import Problem
from bench.problems.elementwise import Copy, Scale
from bench.problems.gemm import GemmNN, GemmNT, GemmTN, GemmTT
from bench.problems.softmax import Softmax
from bench.problems.transpose import Transpose

PROBLEMS: dict[str, type[Problem]] = {
    problem.name: problem
    for problem in (Copy, Scale, Transpose, Softmax, GemmNN, GemmNT, GemmTN, GemmTT)
}
