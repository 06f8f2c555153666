"""What benchmarks/kernels have that memory limits: what people write beside what examples/python
compute. Shapes are aligned, odd and small, and types of 1, 2 and 4 bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from bench.memory_work import WARPS, Arrays, Kernels, configs_of, list_cases, warps_of_tiles
from bench.work import Work, count_bytes

BLOCK = 1024
# Numbers that share a scale.
GROUP = 128


def grid_of(n: int) -> tuple[int]:
    return (-(-n // BLOCK),)


def next_power_of_2(n: int) -> int:
    return 1 << (n - 1).bit_length()


def _by_elements(
    kernel: str, problem: Callable[..., Any], tolerance: float = 0, **constants: int
) -> Callable[..., Work]:
    """A program for each block of elements. `problem` has what is passed in front of how many there
    are, what is stored with what it should be, and peers. `tolerance`: in those of the type."""

    def by_elements(make: Arrays, n: int) -> Work:
        arguments, results, peers = problem(make, n)
        return Work(
            "elementwise",
            lambda module, **options: getattr(module, kernel)[grid_of(n)](
                *arguments, n, **constants, BLOCK=BLOCK, **options
            ),
            results,
            count_bytes(*filter(make.torch.is_tensor, arguments)),
            tolerance=tolerance * make.tolerance,
            configs=WARPS,
            peers=peers,
        )

    return by_elements


def _gelu(make: Arrays, n: int) -> Any:
    x, out = make.random(n), make.empty(n)
    function = make.torch.nn.functional.gelu
    return (
        [x, out], [(out, lambda: function(x.float(), approximate="tanh"))],
        {"torch": lambda: function(x, approximate="tanh")},
    )  # fmt: skip


def _gelu_backward(make: Arrays, n: int) -> Any:
    grad, x, out = make.random(n), make.random(n), make.empty(n)
    backward = make.torch.ops.aten.gelu_backward
    return (
        [grad, x, out], [(out, lambda: backward(grad.float(), x.float(), approximate="tanh"))],
        {"torch": lambda: backward(grad, x, approximate="tanh")},
    )  # fmt: skip


def adam(make: Arrays, n: int) -> Work:
    """Weights and moments of f32, gradients and a copy of the weights of the type."""
    torch = make.torch
    grads, copies = make.random(n), make.empty(n)
    before = [make.f32(n).normal_(), make.f32(n).normal_(), make.f32(n).uniform_()]
    w, first, second = (torch.empty_like(each) for each in before)
    numbers = (1e-3, 0.9, 0.999, 1e-8, 0.01, 1.5, 1.1)

    def reset() -> None:
        for each, number in zip((w, first, second), before, strict=True):
            each.copy_(number)

    def expected() -> list[Any]:
        rate, beta1, beta2, epsilon, decay, one, two = numbers
        m = beta1 * before[1] + (1 - beta1) * grads.float()
        v = beta2 * before[2] + (1 - beta2) * grads.float() ** 2
        step = m * one / ((v * two).sqrt() + epsilon)
        return [before[0] - rate * (step + decay * before[0]), m, v]

    reset()
    return Work(
        "elementwise",
        lambda module, **options: module.adam_kernel[grid_of(n)](
            w, grads, first, second, copies, n, *numbers, BLOCK=BLOCK, **options
        ),
        [
            (w, lambda: expected()[0]), (first, lambda: expected()[1]),
            (second, lambda: expected()[2]), (copies, lambda: expected()[0]),
        ],
        2 * count_bytes(w, first, second) + count_bytes(grads, copies),
        tolerance=make.tolerance,
        configs=WARPS,
        reset=reset,
    )  # fmt: skip


def _where(make: Arrays, n: int) -> Any:
    torch = make.torch
    x, y, out = make.random(n), make.random(n), make.empty(n)
    condition = torch.rand(n, device="cuda") < 0.5
    return (
        [condition, x, y, out], [(out, lambda: torch.where(condition, x, y))],
        {"torch": lambda: torch.where(condition, x, y, out=out)},
    )  # fmt: skip


def _masked_fill(make: Arrays, n: int) -> Any:
    x, out = make.random(n), make.empty(n)
    hidden = make.torch.rand(n, device="cuda") < 0.5
    return (
        [x, hidden, out, -50.0], [(out, lambda: x.masked_fill(hidden, -50.0))],
        {"torch": lambda: x.masked_fill(hidden, -50.0)},
    )  # fmt: skip


def _interleave(make: Arrays, n: int) -> Any:
    stack = make.torch.stack
    x, y, out = make.random(n), make.random(n), make.empty(2 * n)
    return (
        [x, y, out], [(out, lambda: stack([x, y], 1).view(-1))],
        {"torch": lambda: stack([x, y], 1)},
    )  # fmt: skip


def _deinterleave(make: Arrays, n: int) -> Any:
    pairs, x, y = make.random(2 * n), make.empty(n), make.empty(n)
    return [pairs, x, y], [(x, lambda: pairs[::2]), (y, lambda: pairs[1::2])], {}


def _unpack(make: Arrays, n: int) -> Any:
    torch = make.torch
    packed = torch.randint(0, 256, (n,), device="cuda", dtype=torch.uint8)
    scales, out = make.f32(-(-2 * n // GROUP)).uniform_(), make.empty(2 * n)

    def expected() -> Any:
        numbers = torch.stack([packed & 15, packed >> 4], 1).view(-1).float() - 8
        return numbers * scales.repeat_interleave(GROUP)[: 2 * n]

    return [packed, out, scales], [(out, expected)], {}


def histogram(make: Arrays, n: int) -> Work:
    torch, bins = make.torch, 256
    x = torch.randint(0, bins, (n,), device="cuda", dtype=torch.uint8)
    counts = torch.zeros(bins, device="cuda", dtype=torch.int32)
    return Work(
        "elementwise",
        lambda module, block, **options: module.histogram_kernel[(-(-n // block),)](
            x, counts, n, BINS=bins, BLOCK=block, **options
        ),
        [(counts, lambda: torch.bincount(x, minlength=bins))],
        count_bytes(x, counts),
        configs=[{"num_warps": 8, "block": block} for block in (4096, 16384, 32768, 65536)],
        reset=counts.zero_,
        peers={"torch": lambda: torch.bincount(x, minlength=bins)},
    )


def _along_rows(
    kernel: str, results: Callable[..., Any], inputs: int = 1, tolerance: float = 1,
    off_by_one: tuple[int, ...] = (),
) -> Callable[..., Work]:  # fmt: skip
    """A program for each row. `results` makes of the inputs what is stored, and what it should be;
    some of them may be off by one."""

    def along_rows(make: Arrays, rows: int, columns: int) -> Work:
        given = [make.random(rows, columns) for _ in range(inputs)]
        made, peers = results(make, *given)
        outs = [out for out, _ in made]
        return Work(
            "rows_and_columns",
            lambda module, **options: getattr(module, kernel)[(rows,)](
                *given, *outs, columns, BLOCK=next_power_of_2(columns), **options
            ),
            made,
            count_bytes(*given, *outs),
            tolerance=tolerance * make.tolerance,
            scales={number: lambda: 1 / (tolerance * make.tolerance) for number in off_by_one},
            configs=configs_of(columns),
            peers=peers,
        )

    return along_rows


def _argmax(make: Arrays, x: Any) -> Any:
    torch = make.torch
    # Each row has one largest.
    x[torch.arange(len(x), device="cuda"), torch.randint(x.shape[1], (len(x),), device="cuda")] = 50
    out = torch.empty(len(x), device="cuda", dtype=torch.int32)
    return [(out, lambda: x.argmax(1))], {"torch": lambda: x.argmax(1)}


def _variance(make: Arrays, x: Any) -> Any:
    out = make.f32(len(x))
    return [(out, lambda: x.double().var(1, correction=0))], {
        "torch": lambda: make.torch.var(x, 1, correction=0)
    }


def _dot(make: Arrays, x: Any, y: Any) -> Any:
    x.abs_(), y.abs_()
    return [(make.f32(len(x)), lambda: (x.double() * y).sum(1))], {}


def _quantize(make: Arrays, x: Any) -> Any:
    torch = make.torch
    out = torch.empty_like(x, dtype=torch.int8)
    scales = make.f32(len(x))

    def expected() -> Any:
        scale = x.float().abs().amax(1, keepdim=True) / 127
        return (x.float() / scale + 0.5).floor()

    # What is half way between two numbers may become either.
    return [(out, expected), (scales, lambda: x.float().abs().amax(1) / 127)], {}


def _sort(make: Arrays, x: Any) -> Any:
    torch = make.torch
    return [(torch.empty_like(x), lambda: x.sort(1).values)], {"torch": lambda: x.sort(1)}


def argmax_columns(make: Arrays, rows: int, columns: int) -> Work:
    torch, x = make.torch, make.random(rows, columns)
    x[torch.randint(rows, (columns,), device="cuda"), torch.arange(columns, device="cuda")] = 50
    out = torch.empty(columns, device="cuda", dtype=torch.int32)
    return Work(
        "rows_and_columns",
        lambda module, tile, **options: module.argmax_columns_kernel[(-(-columns // tile[1]),)](
            x, out, rows, columns, ROWS=tile[0], COLUMNS=tile[1], **options
        ),
        [(out, lambda: x.argmax(0))],
        count_bytes(x, out),
        configs=[{"num_warps": 4, "tile": tile} for tile in ((64, 32), (32, 128))],
        peers={"torch": lambda: x.argmax(0)},
    )


def _in_tiles(
    kernel: str, problem: Callable[..., Any], most: Sequence[int] = (512,)
) -> Callable[..., Work]:
    """A tile of the result for each program, of at most so many columns. `problem` has what is
    passed, the result, what it should be, and how many bytes are moved."""

    def in_tiles(make: Arrays, rows: int, columns: int) -> Work:
        arguments, out, expected, count, peers = problem(make, rows, columns)
        wide = next_power_of_2(out.shape[1])
        tiles = [(max(4096 // n, 1), n) for n in sorted({min(wide, each) for each in most})]

        def launch(module: Any, tile: tuple[int, int] = tiles[0], **options: Any) -> None:
            grid = (-(-rows // tile[0]), -(-out.shape[1] // tile[1]))
            getattr(module, kernel)[grid](*arguments, ROWS=tile[0], COLUMNS=tile[1], **options)

        configs = [{**each, "tile": tile} for tile in tiles for each in warps_of_tiles(wide)]
        return Work(
            "rows_and_columns", launch, [(out, expected)], count, tolerance=make.tolerance,
            configs=configs if len(tiles) > 1 else warps_of_tiles(wide), peers=peers,
        )  # fmt: skip

    return in_tiles


def _dequantize(make: Arrays, m: int, n: int) -> Any:
    x = make.torch.randint(-128, 128, (m, n), device="cuda", dtype=make.torch.int8)
    scales, out = make.f32(m).uniform_(), make.empty(m, n)
    return (
        [x, scales, out, m, n], out, lambda: x * scales[:, None], count_bytes(x, scales, out), {},
    )  # fmt: skip


def _slice(make: Arrays, m: int, n: int) -> Any:
    x, out = make.random(m, 2 * n), make.empty(m, n)
    return (
        [x, out, m, n, 2 * n, 2, 1], out, lambda: x[:, 1::2], count_bytes(x, out),
        {"torch": lambda: out.copy_(x[:, 1::2])},
    )  # fmt: skip


def _flip(make: Arrays, m: int, n: int) -> Any:
    x, out = make.random(m, n), make.empty(m, n)
    return [x, out, m, n], out, lambda: x.flip(1), count_bytes(x, out), {"torch": lambda: x.flip(1)}


def _pad(make: Arrays, m: int, n: int) -> Any:
    x, out = make.random(m, n), make.empty(m, n + 5)
    pad = make.torch.nn.functional.pad
    return (
        [x, out, m, n, 2, 3, 7.0], out, lambda: pad(x, (2, 3), value=7.0), count_bytes(x, out),
        {"torch": lambda: pad(x, (2, 3), value=7.0)},
    )  # fmt: skip


def _concat(make: Arrays, m: int, n: int) -> Any:
    x, y, out = make.random(m, n), make.random(m, n // 2), make.empty(m, n + n // 2)
    cat = make.torch.cat
    return (
        [x, y, out, m, n, n // 2], out, lambda: cat([x, y], 1), count_bytes(x, y, out),
        {"torch": lambda: cat([x, y], 1, out=out)},
    )  # fmt: skip


def _select_columns(make: Arrays, m: int, n: int) -> Any:
    torch = make.torch
    x, out = make.random(m, n), make.empty(m, n)
    places = torch.randperm(n, device="cuda", dtype=torch.int32)
    return (
        [x, places, out, m, n, n], out, lambda: x[:, places.long()], count_bytes(x, places, out),
        {"torch": lambda: torch.index_select(x, 1, places, out=out)},
    )  # fmt: skip


_gelu_gradients = _by_elements("gelu_backward_kernel", _gelu_backward, 4)
_masked_fills = _by_elements("masked_fill_kernel", _masked_fill)
_interleaved = _by_elements("interleave_kernel", _interleave)
_deinterleaved = _by_elements("deinterleave_kernel", _deinterleave)
_variances = _along_rows("variance_kernel", _variance, tolerance=4)
_quantizations = _along_rows("quantize_kernel", _quantize, off_by_one=(0,))
# What a program reads of a row is all over it, so that it had better have the whole row.
_selections = _in_tiles("select_columns_kernel", _select_columns, most=(512, 8192))

VECTORS = [(2**25,), (50000003,), (3001,)]
MATRICES = [(8192, 4096), (8191, 4097), (100003, 333), (257, 129)]
TILES = [(8192, 4096), (8191, 4097), (1000003, 33), (257, 129)]
SORTED = [(300007, 64), (131072, 256), (100003, 333), (32768, 1024)]

KERNELS: Kernels = {
    "gelu": (_by_elements("gelu_kernel", _gelu, 4), ["f32", "bf16"], VECTORS, [0]),
    "gelu_backward": (_gelu_gradients, ["f32", "bf16"], VECTORS[:2], [0]),
    "adam": (adam, ["f32", "bf16"], VECTORS[:2], [0]),
    "where": (_by_elements("where_kernel", _where), ["f32", "f16", "i8"], VECTORS, [0]),
    "masked_fill": (_masked_fills, ["f32", "f16"], VECTORS[:2], [0]),
    "interleave": (_interleaved, ["f32", "f16", "i8"], VECTORS[:2], [0]),
    "deinterleave": (_deinterleaved, ["f32", "f16", "i8"], VECTORS[:2], [0]),
    "unpack": (_by_elements("unpack_kernel", _unpack, 1, GROUP=GROUP), ["f16"], VECTORS, [0]),
    "histogram": (histogram, ["i8"], VECTORS, [0]),
    "argmax_rows": (_along_rows("argmax_rows_kernel", _argmax), ["f32", "f16"], MATRICES, [0]),
    "argmax_columns": (argmax_columns, ["f32", "f16"], [(4096, 32768), (4097, 20011)], [0]),
    "variance": (_variances, ["f32", "f16"], MATRICES, [0]),
    "dot_of_rows": (_along_rows("dot_kernel", _dot, 2), ["f32", "f16"], MATRICES, [0]),
    "quantize": (_quantizations, ["f32", "bf16"], MATRICES, [0]),
    "sort": (_along_rows("sort_kernel", _sort), ["f32", "f16"], SORTED, [0]),
    "dequantize": (_in_tiles("dequantize_kernel", _dequantize), ["f16"], TILES, [0]),
    "slice": (_in_tiles("slice_kernel", _slice), ["f32", "f16", "i8"], TILES, [0]),
    "flip": (_in_tiles("flip_kernel", _flip), ["f32", "f16", "i8"], TILES, [0]),
    "pad": (_in_tiles("pad_kernel", _pad), ["f32", "f16"], TILES, [0]),
    "concat": (_in_tiles("concat_kernel", _concat), ["f32", "f16"], TILES, [0]),
    "select_columns": (_selections, ["f32", "f16"], TILES, [0]),
}

CASES = list_cases(KERNELS)
