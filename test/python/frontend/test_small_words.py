"""Words of Triton's that are a line or two: of the GPU, of tuples, of shapes."""

from __future__ import annotations

import importlib
import inspect

import numpy as np
import pytest

import tilewright
import tilewright.language as tl
from tilewright.language.extra import libdevice


@tilewright.jit
def asks(out):
    tl.store(out, tl.target_info.cuda_capability_geq(9, 0))
    tl.store(out + 1, tl.target_info.cuda_capability_geq(8, 9))
    tl.store(out + 2, tl.target_info.is_cuda() and not tl.target_info.is_hip())
    tl.store(out + 3, tl.extra.cuda.smid() >= 0)


def test_facts_of_the_gpu(target: str) -> None:
    out = np.zeros(4, np.int32)
    asks[(1,)](out, target=target)
    number = int(target.removeprefix("sm_").removesuffix("a"))
    assert out.tolist() == [number >= 90, number >= 89, 1, 1]


def test_libdevice_by_its_longer_name() -> None:
    """As of files that import it from the folder of NVIDIA's GPUs."""
    assert importlib.import_module("tilewright.language.extra.cuda.libdevice") is libdevice


@tilewright.jit
def early(x, WAITS: tl.constexpr):
    tl.store(x, 1)
    if WAITS:
        tl.extra.cuda.gdc_wait()
    else:
        tl.extra.cuda.gdc_launch_dependents()


@pytest.mark.parametrize("waits_for", [False, True])
def test_either_word_makes_a_kernel_begin_early(waits_for: bool) -> None:
    code = {
        target: early.compile("*i32", {"WAITS": waits_for}, target=target).ptx
        for target in ("sm_89", "sm_90a", "sm_120a")
    }
    assert "griddepcontrol" not in code.pop("sm_89")
    for ptx in code.values():
        first, _, behind = ptx.partition("griddepcontrol.wait;")
        assert "griddepcontrol.launch_dependents;" in first
        assert "st.global" not in first and "st.global" in behind


@tilewright.jit
def waits(x, out, N: tl.constexpr):
    """A loop with barriers in it: all threads must leave it in the same round."""
    i = tl.arange(0, N)
    first = tl.extra.cuda.globaltimer()
    passed = tl.extra.cuda.globaltimer() - first
    rounds = 0
    total = 0.0
    while (passed < 5000) | (rounds < 3):
        total = tl.sum(tl.load(x + i), 0)
        rounds += 1
        passed = tl.extra.cuda.globaltimer() - first
    tl.store(out, total)
    tl.store(out + 1, rounds >= 3)
    tl.store(out + 2, passed >= 5000)


@pytest.mark.parametrize("num_warps", [1, 8])
def test_a_loop_that_ends_by_the_clock(num_warps: int) -> None:
    x = np.ones(512, np.float32)
    out = np.zeros(3, np.float32)
    waits[(4,)](x, out, N=512, num_warps=num_warps)
    assert out.tolist() == [512, 1, 1]


@tilewright.jit
def shapes(x: tl.const, out, N: tl.constexpr):
    i = tl.arange(0, N)
    pair = tl.tuple([tl.load(x + i).unsqueeze(1), tl.unsqueeze(i, 0)])
    table = pair[0] * pair[1]
    tl.static_assert(pair[0].shape == (N, 1) and pair[0].squeeze(-1).shape == (N,))
    tl.static_assert(table.numel < tl.TRITON_MAX_TENSOR_NUMEL)
    tl.store(out + i, tl.squeeze(tl.sum(table, 1, keep_dims=True), 1))


def test_dimensions_of_extent_one() -> None:
    x, out = np.arange(16, dtype=np.int32), np.zeros(16, np.int32)
    shapes[(1,)](x, out, N=16)
    assert np.array_equal(out, x * 120)


@tilewright.jit
def too_large(x):
    i = tl.arange(0, 2048)
    tl.store(x, tl.sum(i[:, None] * i[None, :]))


@tilewright.jit
def no_extent_of_one(x):
    tl.store(x + tl.arange(0, 4), tl.squeeze(tl.arange(0, 4), 0))


@pytest.mark.parametrize(
    ("kernel", "line", "told"),
    [
        (too_large, "i[:, None] * i[None, :]", "a shape has 4194304 elements; a tile has at most"),
        (no_extent_of_one, "tl.squeeze", r"squeeze of \[4\] along 0: the extent there is not 1"),
    ],
)
def test_refusals(kernel: tilewright.JITFunction, line: str, told: str) -> None:
    with pytest.raises(tilewright.CompileError, match=told) as caught:
        kernel[(1,)](np.zeros(4, np.int32))
    assert line in str(caught.value)


@tilewright.jit
def fills(x, N: tl.constexpr):
    tl.store(x + tl.arange(0, N), tl.sum(tl.arange(0, N), 0))


def test_facts_of_compiled_kernels() -> None:
    x = np.zeros(256, np.int32)
    kernel = fills[(1,)](x, N=256, num_warps=np.int64(8), num_stages=np.int32(2))
    assert kernel is fills[(1,)](x, N=256, num_warps=8, num_stages=2)
    facts = kernel.metadata
    assert (facts.name, facts.num_warps, facts.num_ctas) == ("fills", 8, 1)
    assert facts.shared == kernel.shared_bytes > 0
    resources = kernel.report.get("resources")
    registers = None if resources is None else resources["registers"]
    assert kernel.n_regs == registers
    assert kernel.n_spills == (None if resources is None else 0)


@pytest.mark.parametrize("grid", [1.0, (2.5,), [np.float32(1)]])
def test_grids_are_whole(grid: object) -> None:
    with pytest.raises(TypeError, match=r"fills: a grid has whole numbers of blocks, .*cdiv"):
        fills[grid](np.zeros(4, np.int32), N=4)


@pytest.mark.parametrize("num_warps", [True, np.True_, 4.0, "4"])
def test_numbers_of_warps_are_integers(num_warps: object) -> None:
    with pytest.raises(TypeError, match="num_warps is to be int"):
        fills[(1,)](np.zeros(4, np.int32), N=4, num_warps=num_warps)


@tilewright.jit
def parts(x, out, counts):
    i = tl.arange(0, 16)
    first, second = tl.load(x + i).reshape(8, 2).split()
    tl.store(out + tl.arange(0, 8), first - second)
    tl.store(counts + tl.arange(0, 4), tl.load(x + i).histogram(4, mask=i < 10))


def test_words_as_methods(target: str) -> None:
    x = np.random.default_rng(3).integers(0, 4, 16).astype(np.int32)
    out, counts = np.zeros(8, np.int32), np.zeros(4, np.int32)
    parts[(1,)](x, out, counts, target=target)
    assert out.tolist() == (x[::2] - x[1::2]).tolist()
    assert counts.tolist() == np.bincount(x[:10], minlength=4).tolist()


def test_methods_take_what_words_take() -> None:
    for name in set(dir(tl.tensor)) & set(tl.__all__) - {"dtype", "store"}:
        method, word = getattr(tl.tensor, name), inspect.unwrap(getattr(tl, name))
        taken = [
            [(each.name, each.default) for each in inspect.signature(taker).parameters.values()][1:]
            for taker in (method, word)
        ]
        assert taken[0] == taken[1], name


@tilewright.jit
def shuffles(out, seed, low, high):
    i = tl.arange(0, 16)
    one = tl.philox(seed, i, 0, 5, 0)
    other = tl.philox_impl(i, 0, 5, 0, low.to(tl.uint32), high.to(tl.uint32))
    for k in tl.static_range(4):
        tl.store(out + 16 * k + i, one[k] == other[k])


@pytest.mark.parametrize("seed", [7, 2**40 + 5, -3])
def test_philox_of_the_halves_of_a_seed(seed: int) -> None:
    out = np.zeros(64, np.int32)
    shuffles[(1,)](out, seed, seed & 0xFFFFFFFF, (seed >> 32) & 0xFFFFFFFF)
    assert np.all(out == 1)


def test_names_of_triton_that_are_others_here() -> None:
    assert tilewright.CompilationError is tilewright.CompileError
    with pytest.raises(AttributeError, match="'knobs': settings are options of launches"):
        tilewright.knobs  # noqa: B018
    with pytest.raises(AttributeError, match=r"has no attribute 'nothing'$"):
        tilewright.nothing  # noqa: B018
