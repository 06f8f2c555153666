"""Random numbers without a state: a hash (Philox 4x32) of a seed and of where the number stands.

>>> x = tl.rand(seed, tl.arange(0, 1024))   # the same numbers wherever and whenever it runs

For one place it gives four numbers at once: words whose name ends with 4x give all of them.
"""

from __future__ import annotations

from typing import Any

from tilewright.language import math
from tilewright.language.arithmetic import maximum, minus, xor
from tilewright.language.casts import convert, convert_bits
from tilewright.language.comparisons import less, where
from tilewright.language.context import word
from tilewright.language.tensor import read_constant, tensor, to_tensor
from tilewright.language.types import int32, int64, uint32, uint64

ROUNDS = 10

# Those of the published algorithm: two factors, and what is added to both halves of the key.
_FACTORS = (0xD2511F53, 0xCD9E8D57)
_STEPS = (0x9E3779B9, 0xBB67AE85)

# The largest floats that keep 2**31 - 1 and 2**63 - 1 times them below 1.
_SCALES = {int32: 4.6566127342e-10, int64: 1.0842020432385337e-19}

Four = tuple[tensor, tensor, tensor, tensor]


def _split_words(value: tensor) -> tuple[tensor, tensor]:
    """The low and the high 32 bits of an integer; the sign fills what is not there."""
    wide = convert_bits(convert(value, int64), uint64) if value.dtype.is_int_signed() else value
    wide = convert(wide, uint64)
    return convert(wide, uint32), convert(wide >> 32, uint32)


def _check_integer(value: Any, what: str) -> tensor:
    number = to_tensor(value, what)
    if not number.dtype.is_int():
        raise TypeError(f"{what} is an integer, not {number.dtype}")
    return number


def _check_words(values: tuple[Any, ...], what: str) -> list[tensor]:
    """Integers of 32 bits, without their signs."""
    words = [_check_integer(each, f"a {what} of philox") for each in values]
    for each in words:
        if each.dtype.int_bitwidth != 32:
            raise TypeError(f"the {what}s of philox have 32 bits, not {each.dtype}")
    return [convert(each, uint32) for each in words]


@word
def philox(seed: Any, c0: Any, c1: Any, c2: Any, c3: Any, n_rounds: Any = ROUNDS) -> Four:
    """Four numbers of 32 random bits for each place, which is four integers of 32 bits."""
    low, high = _split_words(_check_integer(seed, "a seed"))
    return philox_impl(c0, c1, c2, c3, low, high, n_rounds)


@word
def philox_impl(
    c0: Any, c1: Any, c2: Any, c3: Any, k0: Any, k1: Any, n_rounds: Any = ROUNDS
) -> Four:
    """The same, of the low and the high half of a seed."""
    a, b, c, d = _check_words((c0, c1, c2, c3), "counter")
    low, high = _check_words((k0, k1), "key")
    for _ in range(read_constant(n_rounds, "n_rounds")):
        a, b, c, d = (
            xor(xor(math.umulhi(c, _FACTORS[1]), b), low),
            c * _FACTORS[1],
            xor(xor(math.umulhi(a, _FACTORS[0]), d), high),
            a * _FACTORS[0],
        )
        low, high = low + _STEPS[0], high + _STEPS[1]
    return a, b, c, d


@word
def randint4x(seed: Any, offset: Any, n_rounds: Any = ROUNDS) -> Four:
    """Four random uint32 for each integer of `offset`."""
    place = _check_integer(offset, "an offset")
    low, high = _split_words(place)
    zero = convert(to_tensor(0), uint32)
    if place.dtype.int_bitwidth <= 32:
        high = zero
    return philox(seed, low, high, zero, zero, n_rounds)


@word
def randint(seed: Any, offset: Any, n_rounds: Any = ROUNDS) -> tensor:
    """A random uint32 for each integer of `offset`."""
    return randint4x(seed, offset, n_rounds)[0]


@word
def uint_to_uniform_float(x: Any) -> tensor:
    """Random bits, 32 or 64 of them, as fp32 from 0 to below 1."""
    bits = _check_integer(x, "what becomes a float")
    if bits.dtype.int_bitwidth not in (32, 64):
        raise TypeError(f"32 or 64 random bits become a float, not those of {bits.dtype}")
    kind = int32 if bits.dtype.int_bitwidth == 32 else int64
    number = convert_bits(bits, kind)
    return where(less(number, 0), minus(number) - 1, number) * _SCALES[kind]


@word
def rand4x(seed: Any, offset: Any, n_rounds: Any = ROUNDS) -> Four:
    """Four random fp32 from 0 to below 1 for each integer of `offset`."""
    a, b, c, d = (uint_to_uniform_float(each) for each in randint4x(seed, offset, n_rounds))
    return a, b, c, d


@word
def rand(seed: Any, offset: Any, n_rounds: Any = ROUNDS) -> tensor:
    """A random fp32 from 0 to below 1 for each integer of `offset`."""
    return uint_to_uniform_float(randint(seed, offset, n_rounds))


@word
def pair_uniform_to_normal(u1: Any, u2: Any) -> tuple[tensor, tensor]:
    """Two uniform random numbers as two of the normal distribution (Box and Muller)."""
    # Not 0, whose logarithm is infinite.
    size = math.sqrt(math.log(maximum(u1, 1.0e-7)) * -2.0)
    angle = to_tensor(u2) * 6.283185307179586
    return size * math.cos(angle), size * math.sin(angle)


@word
def randn4x(seed: Any, offset: Any, n_rounds: Any = ROUNDS) -> Four:
    """Four random fp32 of the normal distribution for each integer of `offset`."""
    u1, u2, u3, u4 = rand4x(seed, offset, n_rounds)
    return (*pair_uniform_to_normal(u1, u2), *pair_uniform_to_normal(u3, u4))


@word
def randn(seed: Any, offset: Any, n_rounds: Any = ROUNDS) -> tensor:
    """A random fp32 of the normal distribution for each integer of `offset`."""
    u1, u2, _, _ = rand4x(seed, offset, n_rounds)
    return pair_uniform_to_normal(u1, u2)[0]
