"""The words of kernels, with Triton's names, arguments and meaning.

>>> import tilewright.language as tl

Each family is a module: `creation`, `shapes`, `arithmetic`, `math`, `reductions`, `product`,
`memory`, `block_pointer`, `atomics`, `program`. Types are in `types`, the rules by which they meet in
`promotion`.
"""

from tilewright.language import extra, math
from tilewright.language.arithmetic import (
    abs,
    add,
    cast,
    clamp,
    logical_and,
    logical_not,
    logical_or,
    maximum,
    minimum,
    mul,
    sub,
    where,
)
from tilewright.language.atomics import (
    atomic_add,
    atomic_and,
    atomic_cas,
    atomic_max,
    atomic_min,
    atomic_or,
    atomic_xchg,
    atomic_xor,
)
from tilewright.language.block_pointer import advance, block_pointer, make_block_ptr
from tilewright.language.creation import arange, full, zeros, zeros_like
from tilewright.language.extra import libdevice
from tilewright.language.math import (
    ceil,
    cos,
    div_rn,
    erf,
    exp,
    exp2,
    fdiv,
    floor,
    fma,
    log,
    log2,
    rsqrt,
    sigmoid,
    sin,
    softmax,
    sqrt,
    sqrt_rn,
    umulhi,
)
from tilewright.language.memory import load, store
from tilewright.language.product import dot
from tilewright.language.program import (
    PropagateNan,
    assume,
    cdiv,
    debug_barrier,
    device_assert,
    max_constancy,
    max_contiguous,
    multiple_of,
    num_programs,
    program_id,
    range,
    static_assert,
    static_print,
    static_range,
)
from tilewright.language.reductions import (
    argmax,
    argmin,
    associative_scan,
    cumprod,
    cumsum,
    max,
    min,
    reduce,
    reduce_or,
    sum,
    xor_sum,
)
from tilewright.language.shapes import (
    broadcast,
    broadcast_to,
    expand_dims,
    permute,
    ravel,
    reshape,
    trans,
    view,
)
from tilewright.language.tensor import tensor
from tilewright.language.types import (
    bfloat16,
    block_type,
    constexpr,
    dtype,
    float8e4nv,
    float8e5,
    float16,
    float32,
    float64,
    get_int_dtype,
    int1,
    int8,
    int16,
    int32,
    int64,
    pi32_t,
    pointer_type,
    uint8,
    uint16,
    uint32,
    uint64,
    void,
)
