"""What the code of a kernel must be: `require` of jit, of launches and of the command."""

import subprocess
import sys

import numpy as np
import pytest

import tilewright
import tilewright.language as tl


@tilewright.jit
def product(
    a, b, c, M, N, K, TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr,
    EXACT: tl.constexpr = False,
):  # fmt: skip
    m, n = tl.program_id(0) * TILE_M, tl.program_id(1) * TILE_N
    left = tl.make_tensor_descriptor(a, [M, K], [K, 1], [TILE_M, TILE_K])
    right = tl.make_tensor_descriptor(b, [K, N], [N, 1], [TILE_K, TILE_N])
    total = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
    for k in range(0, K, TILE_K):
        total = tl.dot(left.load([m, k]), right.load([k, n]), total)
    tl.make_tensor_descriptor(c, [M, N], [N, 1], [TILE_M, TILE_N]).store([m, n], total)


required = tilewright.jit(require=["wgmma", "tma"])(product.fn)


def launch(kernel, m=128, n=128, k=128, tile=(64, 64, 64), offset=0, **options):
    """Runs the kernel in the simulator; `offset`: of elements, where A begins."""
    rng = np.random.default_rng(3)
    store = rng.standard_normal(m * k + 16).astype(np.float16)
    start = (-store.ctypes.data // 2) % 8 + offset
    a = store[start : start + m * k].reshape(m, k)
    b = rng.standard_normal((k, n)).astype(np.float16)
    c = np.empty((m, n), np.float32)
    grid = (tilewright.cdiv(m, tile[0]), tilewright.cdiv(n, tile[1]))
    blocks = dict(zip(("TILE_M", "TILE_N", "TILE_K"), tile, strict=True))
    compiled = kernel[grid](
        a, b, c, m, n, k, **blocks, device="sim", **{"target": "sm_90a", **options}
    )
    expected = a.astype(np.float32) @ b.astype(np.float32)
    assert np.allclose(c, expected, rtol=1e-2, atol=1e-2)
    return compiled


def test_what_is_so_runs():
    report = launch(required).report
    assert [each["instruction"] for each in report["products"]] == ["wgmma"]
    assert [each["by"] for each in report["copies"]] == ["bulk copies"]


def test_a_tile_of_few_rows_is_an_error_at_the_product():
    with pytest.raises(tilewright.CompileError) as error:
        launch(required, tile=(32, 32, 64))
    assert (
        "the kernel requires wgmma, and this product is made by mma.sync: wgmma takes 64 rows or "
        "columns, and the tile is 32x32: use tiles of 64 of either or more"
    ) in str(error.value)
    assert "total = tl.dot(" in str(error.value)
    # Nobody asked this one.
    launch(product, tile=(32, 32, 64))


def test_a_launch_may_require_more_than_its_kernel():
    launch(product, require=["wgmma"])
    for words in (["wgmma"], ("wgmma",), "wgmma"):
        with pytest.raises(tilewright.CompileError, match="wgmma takes 64 rows or columns"):
            launch(product, tile=(32, 32, 64), require=words)
    # The kernel's own words are asked too.
    with pytest.raises(tilewright.CompileError, match="wgmma takes 64 rows or columns"):
        launch(required, tile=(32, 32, 64), require=["roles"])


def test_an_array_that_begins_elsewhere_fails_its_launch_only():
    launch(required)
    with pytest.raises(tilewright.CompileError) as error:
        launch(required, offset=1)
    assert (
        "the kernel requires tma, and threads load this, which is multiplied: its vectors have "
        "fewer bytes than a copy: the base a is only known to be a multiple of 2 bytes"
    ) in str(error.value)
    assert "left.load(" in str(error.value)
    with pytest.raises(tilewright.CompileError) as error:
        launch(required, offset=4)
    assert (
        "threads load this, which is multiplied: base and strides are not known to be multiples of "
        "16 bytes: the base a is only known to be a multiple of 8 bytes"
    ) in str(error.value)
    launch(required)
    launch(product, offset=1)


def test_rows_of_another_length_fail_their_launch_only():
    with pytest.raises(
        tilewright.CompileError, match="the stride K is only known to be a multiple of 4"
    ):
        launch(required, k=68)
    launch(product, k=68)


def test_nothing_to_copy_is_no_fall_back():
    a, b = np.empty((64, 0), np.float16), np.empty((0, 64), np.float16)
    c = np.ones((64, 64), np.float32)
    required[(1, 1)](
        a, b, c, 64, 64, 0, TILE_M=64, TILE_N=64, TILE_K=64, device="sim", target="sm_90a"
    )
    assert not c.any()


def test_a_target_without_it_is_an_error():
    with pytest.raises(
        tilewright.CompileError, match="requires wgmma, and sm_80 has no such instruction"
    ):
        launch(required, target="sm_80")
    with pytest.raises(tilewright.CompileError, match="requires tma, and sm_80 has no bulk copies"):
        launch(product, target="sm_80", require=["tma"])


def test_a_kernel_without_products_is_an_error():
    @tilewright.jit(require="wgmma")
    def double(x):
        i = tl.arange(0, 64)
        tl.store(x + i, tl.load(x + i) * 2)

    with pytest.raises(tilewright.CompileError, match="requires wgmma, and there is no product"):
        double[(1,)](np.zeros(64, np.float32), device="sim", target="sm_90a")


def test_wrong_words():
    unknown = "nothing can require 'wgma': wgmma, tma, roles and persistent are known"
    with pytest.raises(ValueError, match=unknown):
        tilewright.jit(require=["wgma"])(product.fn)
    with pytest.raises(ValueError, match=unknown):
        launch(product, require=["tma", "wgma"])
    for words in (3, [3], ("tma", None)):
        with pytest.raises(TypeError, match="require is to be words"):
            launch(product, require=words)
        with pytest.raises(TypeError, match="require is to be words"):
            tilewright.jit(require=words)(product.fn)


def test_the_words_are_the_compilers():
    """The message of the compiler lists its own."""
    text = 'tile.kernel @k() attributes {require = ["wgma"]} { tile.return }'
    with pytest.raises(tilewright.CompileError, match="wgmma, tma, roles and persistent are known"):
        tilewright.compile(text)


def test_persistent_and_roles():
    large = {"tile": (128, 256, 64), "m": 256, "n": 512, "num_warps": 8, "num_stages": 4}
    report = launch(product, **large, require=["persistent", "roles"]).report
    assert report["persistent"]
    with pytest.raises(
        tilewright.CompileError,
        match="requires persistent, and its blocks run one program each: two blocks have room",
    ):
        launch(product, require=["persistent"])
    with pytest.raises(tilewright.CompileError, match="requires roles, and threads load this"):
        launch(product, k=68, require=["roles"])


def test_compile_and_text_take_words():
    types = {
        "a": "*fp16:16",
        "b": "*fp16:16",
        "c": "*fp32:16",
        "M": "i32:16",
        "N": "i32:16",
        "K": "i32:16",
    }
    types = {name: kind.split(":")[0] for name, kind in types.items()}
    tile = {"TILE_M": 64, "TILE_N": 64, "TILE_K": 64}
    compiled = product.compile(types, tile, target="sm_90a", require=["wgmma"])
    text = compiled.ir("tile")
    assert 'require = ["wgmma"]' in text
    with pytest.raises(tilewright.CompileError, match="requires tma"):
        tilewright.compile(text, target="sm_90a", require=["tma"]).ptx  # noqa: B018
    with pytest.raises(ValueError, match="nothing can require 'wgma'"):
        tilewright.compile(text, target="sm_90a", require="wgma")


def test_the_command_takes_words(tmp_path):
    source = tmp_path / "kernels.py"
    source.write_text(
        "import tilewright\nimport tilewright.language as tl\n\n@tilewright.jit\ndef double(x):\n"
        "    i = tl.arange(0, 64)\n    tl.store(x + i, tl.load(x + i) * 2)\n"
    )
    command = [
        sys.executable,
        "-m",
        "tilewright",
        "compile",
        f"{source}:double",
        "--signature",
        "*fp32",
    ]
    command += ["--target", "sm_90a", "--emit", "ptx"]
    assert subprocess.run(command, check=False, capture_output=True).returncode == 0
    refused = subprocess.run(
        [*command, "--require", "wgmma"], check=False, capture_output=True, text=True
    )
    assert refused.returncode == 1
    assert "requires wgmma, and there is no product" in refused.stderr
