"""Kernels that use shared memory and nothing else in their loops, as PTX for sm_90a."""

from __future__ import annotations

# Warpgroups have a thread for each row and four for the columns; a last warp copies.
K_STEPS, REPEATS, SLOTS = 4, 4, 4
# As high as a box may be: a copy takes longer than to ask for it.
SLOT_ROWS, SLOT_BYTES = 256, 32768
# Operands, slots of copies, an mbarrier for each slot and a flag, from the start of shared memory.
SLOTS_AT = 48 << 10
BARRIERS_AT = SLOTS_AT + SLOTS * SLOT_BYTES
FLAG_AT = BARRIERS_AT + 8 * SLOTS
PRODUCT_SHARED_BYTES = FLAG_AT + 8
READS, READ_WARPS, READ_SHARED_BYTES = 32, 16, 8192

# Of one block, 64 bits each.
CLOCK_WORDS = 8

_HEAD = """.version 8.3
.target sm_90a
.address_size 64
.extern .shared .align 1024 .b8 memory[];
"""

_FILL = """
mov.u32 %r1, %tid.x;
mov.u32 %r2, %ntid.x;
mov.u32 %r3, memory;
ld.param.u64 %rd1, [image];
ld.param.u32 %r4, [bytes];
shl.b32 %r5, %r1, 4;
shl.b32 %r6, %r2, 4;
FILL:
setp.ge.u32 %p1, %r5, %r4;
@%p1 bra FILLED;
cvt.u64.u32 %rd2, %r5;
add.u64 %rd2, %rd1, %rd2;
ld.global.v4.b32 {%r7, %r8, %r9, %r10}, [%rd2];
add.u32 %r11, %r3, %r5;
st.shared.v4.b32 [%r11], {%r7, %r8, %r9, %r10};
add.u32 %r5, %r5, %r6;
bra FILL;
FILLED:
"""

# %rd3: where the clocks of this block are.
_CLOCKS = f"""
ld.param.u64 %rd3, [clocks];
mov.u32 %r12, %ctaid.x;
mul.wide.u32 %rd4, %r12, {8 * CLOCK_WORDS};
add.u64 %rd3, %rd3, %rd4;
"""


def _registers(prefix: str, count: int) -> str:
    return "{" + ", ".join(f"%{prefix}{i}" for i in range(count)) + "}"


def _init_barriers() -> str:
    init = "".join(
        f"mbarrier.init.shared::cta.b64 [%r3+{BARRIERS_AT + 8 * slot}], 1;\n"
        for slot in range(SLOTS)
    )
    return f"""
setp.ne.u32 %p1, %r1, 0;
@%p1 bra READY;
{init}st.shared.u32 [%r3+{FLAG_AT}], 0;
fence.mbarrier_init.release.cluster;
READY:
fence.proxy.async.shared::cta;
bar.sync 0;
"""


def _products(n: int, a_across: bool, b_across: bool) -> str:
    """What a warpgroup does: products of which one group is under way while the next begins."""
    sums = n // 2
    zeros = "".join(f"mov.f32 %acc{i}, 0f00000000;\n" for i in range(sums))
    descriptors = "".join(
        f"ld.param.u64 %a{k}, [a{k}]; add.u64 %a{k}, %a{k}, %rd6;\n"
        f"ld.param.u64 %b{k}, [b{k}]; add.u64 %b{k}, %b{k}, %rd5;\n"
        for k in range(K_STEPS)
    )
    products = "".join(
        f"wgmma.mma_async.sync.aligned.m64n{n}k16.f32.f16.f16 {_registers('acc', sums)}, "
        f"%a{k}, %b{k}, 1, 1, 1, {int(a_across)}, {int(b_across)};\n"
        for _ in range(REPEATS)
        for k in range(K_STEPS)
    )
    stores = "".join(
        f"st.global.f32 [%rd10], %acc{i};\nadd.u64 %rd10, %rd10, %rd11;\n" for i in range(sums)
    )
    return f"""
shr.u32 %r14, %r1, 7;
shfl.sync.idx.b32 %r14, %r14, 0, 31, -1;
ld.param.u32 %r15, [a_group];
mul.lo.u32 %r15, %r15, %r14;
shr.u32 %r16, %r3, 4;
cvt.u64.u32 %rd5, %r16;
add.u32 %r15, %r15, %r16;
cvt.u64.u32 %rd6, %r15;
{descriptors}{zeros}ld.param.u32 %r17, [iterations];
bar.sync 1, %r13;
mov.u64 %rd7, %clock64;
MULTIPLY:
wgmma.fence.sync.aligned;
{products}wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 1;
sub.u32 %r17, %r17, 1;
setp.ne.u32 %p2, %r17, 0;
@%p2 bra MULTIPLY;
wgmma.wait_group.sync.aligned 0;
mov.u64 %rd8, %clock64;
bar.sync 1, %r13;
setp.ne.u32 %p3, %r1, 0;
@!%p3 st.volatile.shared.u32 [%r3+{FLAG_AT}], 1;
and.b32 %r18, %r1, 127;
setp.ne.u32 %p4, %r18, 0;
mul.wide.u32 %rd9, %r14, 16;
add.u64 %rd9, %rd3, %rd9;
@!%p4 st.global.v2.u64 [%rd9], {{%rd7, %rd8}};
setp.ne.u32 %p5, %r12, 0;
@%p5 exit;
ld.param.u64 %rd10, [out];
mul.wide.u32 %rd9, %r1, 4;
add.u64 %rd10, %rd10, %rd9;
mul.wide.u32 %rd11, %r13, 4;
{stores}exit;
"""


def _wait(label: str, barrier: str, parity: str) -> str:
    return (
        f"{label}: mbarrier.try_wait.parity.shared::cta.b64 %p6, [{barrier}], {parity};\n"
        f"@!%p6 bra {label};\n"
    )


def _copies() -> str:
    """What the last warp does: copies into slots in turn, until all of them are made or the
    products are. The clock is read behind waits for the copy that had the slot before. Branches are
    the warp's, by votes: else ptxas puts a loop over threads around each box, which takes longer
    than the box."""
    slot = f"""and.b32 %r22, %r20, {SLOTS - 1};
mad.lo.u32 %r23, %r22, 8, %r3;
add.u32 %r23, %r23, {BARRIERS_AT};
shr.u32 %r24, %r20, {SLOTS.bit_length() - 1};
and.b32 %r24, %r24, 1;
"""
    return f"""
COPY:
and.b32 %r19, %r1, 31;
mov.u32 %r20, 0;
ld.param.u32 %r21, [copies];
ld.param.u32 %r30, [boxes];
ld.param.u32 %r31, [columns];
ld.param.u32 %r32, [box_bytes];
ld.param.u32 %r33, [pace];
cvt.u64.u32 %rd22, %r33;
mul.lo.u32 %r34, %r12, {SLOTS * SLOT_ROWS};
mov.b64 %rd23, map;
cvta.param.u64 %rd23, %rd23;
mov.u64 %rd12, 0;
mov.u64 %rd13, 0;
mov.u64 %rd20, %clock64;
NEXT:
setp.ge.u32 %p3, %r20, %r21;
@%p3 bra DRAIN;
ld.volatile.shared.u32 %r25, [%r3+{FLAG_AT}];
setp.ne.u32 %p3, %r25, 0;
vote.sync.any.pred %p3, %p3, -1;
@%p3 bra DRAIN;
{slot}setp.lt.u32 %p4, %r20, {SLOTS};
@%p4 bra PACE;
xor.b32 %r24, %r24, 1;
{_wait("FREE", "%r23", "%r24")}mov.u64 %rd13, %clock64;
setp.eq.u32 %p4, %r20, {2 * SLOTS};
@%p4 mov.u64 %rd12, %rd13;
PACE:
setp.eq.u32 %p4, %r33, 0;
@%p4 bra ISSUE;
mov.u64 %rd21, %clock64;
setp.lt.u64 %p4, %rd21, %rd20;
vote.sync.any.pred %p4, %p4, -1;
@%p4 bra PACE;
add.u64 %rd20, %rd20, %rd22;
ISSUE:
mad.lo.u32 %r26, %r22, {SLOT_ROWS}, %r34;
mad.lo.u32 %r27, %r22, {SLOT_BYTES}, %r3;
add.u32 %r27, %r27, {SLOTS_AT};
mov.u32 %r28, 0;
mov.u32 %r29, 0;
elect.sync _|%p5, -1;
@!%p5 bra ISSUED;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r23], {SLOT_BYTES};
BOX:
cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r27], \
[%rd23, {{%r29, %r26}}], [%r23];
add.u32 %r27, %r27, %r32;
add.u32 %r29, %r29, %r31;
add.u32 %r28, %r28, 1;
setp.lt.u32 %p4, %r28, %r30;
@%p4 bra BOX;
ISSUED:
bar.warp.sync -1;
add.u32 %r20, %r20, 1;
bra NEXT;
DRAIN:
setp.ne.u32 %p2, %r19, 0;
@!%p2 st.global.v2.u64 [%rd3+32], {{%rd12, %rd13}};
cvt.u64.u32 %rd14, %r20;
@!%p2 st.global.u64 [%rd3+48], %rd14;
mov.u32 %r21, %r20;
max.u32 %r20, %r20, {SLOTS};
sub.u32 %r20, %r20, {SLOTS};
LATE:
setp.ge.u32 %p3, %r20, %r21;
@%p3 bra COPIED;
{slot}{_wait("WAIT", "%r23", "%r24")}add.u32 %r20, %r20, 1;
bra LATE;
COPIED:
bar.warp.sync -1;
"""


def _dump() -> str:
    """Block 0's slots, where somebody asks for them."""
    return f"""
ld.param.u64 %rd15, [dump];
setp.eq.u64 %p3, %rd15, 0;
setp.ne.or.u32 %p3, %r12, 0, %p3;
@%p3 exit;
shl.b32 %r20, %r19, 4;
DUMP:
setp.ge.u32 %p3, %r20, {SLOTS * SLOT_BYTES};
@%p3 exit;
add.u32 %r21, %r3, %r20;
ld.shared.v4.b32 {{%r7, %r8, %r9, %r10}}, [%r21+{SLOTS_AT}];
cvt.u64.u32 %rd16, %r20;
add.u64 %rd16, %rd15, %rd16;
st.global.v4.b32 [%rd16], {{%r7, %r8, %r9, %r10}};
add.u32 %r20, %r20, 512;
bra DUMP;
"""


def product_ptx(n: int, a_across: bool, b_across: bool) -> str:
    """`products`: warpgroups that multiply A and B in shared memory over and over, 64 rows of A
    each, and a warp that copies boxes beside them. Its clocks: the first and last of two
    warpgroups, those of copies from the third round of slots on, and the copies."""
    steps = "".join(f".param .u64 {name}{k}, " for name in "ab" for k in range(K_STEPS))
    return f"""{_HEAD}
.visible .entry products(
.param .u64 image, .param .u32 bytes, .param .u64 out, .param .u64 clocks, {steps}
.param .u32 a_group, .param .u32 iterations, .param .u32 copies, .param .u32 boxes,
.param .u32 columns, .param .u32 box_bytes, .param .u32 pace, .param .u64 dump,
.param .align 64 .b8 map[128]) .maxntid 288, 1, 1
{{
.reg .pred %p<8>;
.reg .b32 %r<40>;
.reg .b64 %rd<24>;
.reg .b64 %a<{K_STEPS}>;
.reg .b64 %b<{K_STEPS}>;
.reg .f32 %acc<{n // 2}>;
{_FILL}{_CLOCKS}{_init_barriers()}
sub.u32 %r13, %r2, 32;
setp.ge.u32 %p1, %r1, %r13;
@%p1 bra COPY;
{_products(n, a_across, b_across)}{_copies()}{_dump()}
}}
"""


def read_ptx() -> str:
    """`reads`: sixteen warps that read four 8 x 8 matrices by ldmatrix, at 32 offsets of `offsets`,
    over and over, each time `step` further: 0, of which ptxas knows nothing. What they have read
    first is in `out`, four words a thread, with all that they have read later XORed to it."""
    reads = "".join(
        "add.u32 %r13, %r13, %r16;\n"
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r20, %r21, %r22, %r23}, [%r13];\n"
        + "".join(f"xor.b32 %r{24 + i}, %r{24 + i}, %r{20 + i};\n" for i in range(4))
        for _ in range(READS)
    )
    return f"""{_HEAD}
.visible .entry reads(.param .u64 image, .param .u32 bytes, .param .u64 out, .param .u64 clocks,
.param .u64 offsets, .param .u32 step, .param .u32 iterations) .maxntid {32 * READ_WARPS}, 1, 1
{{
.reg .pred %p<4>;
.reg .b32 %r<40>;
.reg .b64 %rd<16>;
{_FILL}{_CLOCKS}
bar.sync 0;
and.b32 %r14, %r1, 31;
mul.wide.u32 %rd5, %r14, 4;
ld.param.u64 %rd6, [offsets];
add.u64 %rd6, %rd6, %rd5;
ld.global.u32 %r13, [%rd6];
add.u32 %r13, %r13, %r3;
ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{%r24, %r25, %r26, %r27}}, [%r13];
ld.param.u32 %r15, [iterations];
ld.param.u32 %r16, [step];
bar.sync 0;
mov.u64 %rd7, %clock64;
READ:
{reads}sub.u32 %r15, %r15, 1;
setp.ne.u32 %p2, %r15, 0;
@%p2 bra READ;
bar.sync 0;
mov.u64 %rd8, %clock64;
setp.eq.u32 %p3, %r1, 0;
@%p3 st.global.v2.u64 [%rd3], {{%rd7, %rd8}};
setp.ne.u32 %p3, %r12, 0;
@%p3 exit;
ld.param.u64 %rd9, [out];
mul.wide.u32 %rd10, %r1, 16;
add.u64 %rd9, %rd9, %rd10;
st.global.v4.b32 [%rd9], {{%r24, %r25, %r26, %r27}};
exit;
}}
"""
