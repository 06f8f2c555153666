"""ptxas takes the code of the examples, for whose code and reports other tests here ask without
it: rows in clusters, in phases, kept in slots and in turns, short ones, and permutations. Blocks of
a cluster exchange results without a fence for global memory, which would wait for the rows that are
under way: the code of ptxas has none but where the kernel ends."""

import numpy as np
import pytest
from code_support import instructions, working_fences
from examples_support import compile_again, several_rows_kernel
from shapes.arrays import as_on_gpus

import layer_norm
import permute
import rms_norm
import softmax
import tilewright
import tilewright.language as tl


def zeros(*shape):
    return as_on_gpus(np.zeros(shape, np.float32))


def halves(*shape):
    return as_on_gpus(np.zeros(shape, np.float16))


def compile_softmax(n):
    kernel = tilewright.heuristics(softmax.WHOLE_ROWS)(tilewright.jit(softmax.softmax_kernel.fn.fn))
    return kernel.warmup(halves(2, n), halves(2, n), n, n, n, grid=(2,))


def compile_norm(n):
    block, sums = tilewright.next_power_of_2(n), zeros(2, 2)
    return tilewright.jit(layer_norm.forward_kernel.fn).warmup(
        halves(2, n), halves(2, n), halves(n), halves(n), *sums, n, n, n, 1e-5, BLOCK=block,
        grid=(2,),
    )  # fmt: skip


def compile_gradients(n):
    block, sums = tilewright.next_power_of_2(n), zeros(1, n)
    rows = (halves(4, n) for _ in range(3))
    return tilewright.jit(rms_norm.backward_kernel.fn).warmup(
        next(rows), next(rows), halves(n), next(rows), sums, n, n, n, 4, n, 1e-6, AHEAD=True,
        ROWS=1, BLOCK=block, num_warps=16, grid=(1,),
    )  # fmt: skip


def compile_turns(n):
    block = tilewright.next_power_of_2(n)
    kernel = tilewright.jit(several_rows_kernel.fn)
    return kernel.warmup(halves(3, n), halves(3, n), 3, n, BLOCK=block, grid=(1,))


CASES = [
    (compile_softmax, 20001),
    (compile_softmax, 300),
    (compile_norm, 8191),
    (compile_gradients, 16384),
    (compile_gradients, 3001),
    (compile_turns, 5000),
]


def check(kernel):
    resources = kernel.variants[-1]["report"].get("resources")
    if not resources:
        pytest.skip("there is no ptxas")
    assert resources["registers"] > 0


@pytest.mark.parametrize(("compile_for", "n"), CASES)
def test_rows(target, compile_for, n):
    check(compile_for(n))


PERMUTATIONS = [
    ((33, 131), (1, 0), np.int8),
    ((36, 7, 121), (1, 0, 2), np.float16),
    ((12, 20, 3, 5, 44), (4, 3, 2, 1, 0), np.float32),
    ((9, 40, 24), (2, 0, 1), np.complex128),
]


@pytest.mark.parametrize(("shape", "order", "dtype"), PERMUTATIONS)
def test_permutations(target, monkeypatch, shape, order, dtype):
    kernel = compile_again(monkeypatch, permute, "permute_kernel")
    x = np.zeros(shape, dtype)
    permute.permute(as_on_gpus(x), as_on_gpus(x.transpose(order)), order)
    check(kernel.kernels[-1])


@tilewright.jit
def turn_kernel(x, n, block: tl.constexpr):
    """A row, turned in place: barriers of the cluster order memory, too."""
    columns = tl.arange(0, block)
    values = tl.load(x + n - 1 - columns, mask=columns < n, other=0.0)
    tl.store(x + columns, values + tl.sum(values, axis=0), mask=columns < n)


def compile_turned(n):
    return turn_kernel.warmup(np.zeros(n, np.float32), n, block=65536, grid=(1,))


def code_of(monkeypatch, compile_for, n):
    monkeypatch.setenv("TILEWRIGHT_TARGET", "sm_90a")
    return compile_for(n).variants[-1]["ptx"]


# That a block has read what others sent (docs/decisions/0038-rows-one-after-the-other.md).
ARRIVAL = "mbarrier.arrive.shared::cluster.b64"
FENCED_ARRIVAL = "mbarrier.arrive.release.cluster.shared::cluster.b64"

EXCHANGES = [
    (compile_softmax, 40000),
    (compile_softmax, 131072),
    (compile_norm, 40000),
    (compile_norm, 50257),
    (compile_norm, 300032),
]


@pytest.mark.parametrize(("compile_for", "n"), EXCHANGES)
def test_exchanges_have_no_fence(monkeypatch, tmp_path, compile_for, n):
    ptx = code_of(monkeypatch, compile_for, n)
    assert ARRIVAL in ptx
    found = instructions(ptx, tmp_path)
    assert found.count("STAS") >= ptx.count("st.async") == 2
    assert working_fences(found) == []


def test_a_fence_is_found_where_an_arrival_has_one(monkeypatch, tmp_path):
    ptx = code_of(monkeypatch, compile_softmax, 40000)
    assert working_fences(instructions(ptx.replace(ARRIVAL, FENCED_ARRIVAL), tmp_path))


def test_a_fence_is_found_where_memory_is_ordered(monkeypatch, tmp_path):
    found = instructions(code_of(monkeypatch, compile_turned, 40000), tmp_path)
    assert "STAS" not in found
    assert working_fences(found)
