# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks a JSON report from standard input, of the kernels that are named, or of any."""

import json
import math
import sys

PLACE = {"file": str, "line": int, "column": int}
TILE = {
    "index": int,
    "place": PLACE,
    "type": str,
    "layout": str,
    "reason": str,
    "bytes": int,
    "offset": int,
}
# Of one whose layout was chosen.
CHOICE = {
    "candidates": list,
    "lower_bound": int,
    "is_proven": bool,
    "proof": str,
}
CANDIDATE = {
    "name": str,
    "wavefronts": int,
    "ideal_wavefronts": int,
    "instructions": int,
    "bytes": int,
    "cost": int,
    "index_instructions": int,
    "move_instructions": int,
    "blocks_per_sm": int,
    "obstacle": str,
}
ACCESS = {
    "place": PLACE,
    "op": str,
    "vector_elements": int,
    "vector_bytes": int,
    "limit": str,
    "no_block": str,
    "why_not_ahead": str,
    "trips": int,
    "trips_known": bool,
    "instructions": int,
}
WAVEFRONTS = {"wavefronts": int, "ideal_wavefronts": int}
SHARED = WAVEFRONTS | {
    "tile": int,
    "conflict_degree": int,
    "cost": int,
}
# Where the tile's layout was chosen.
LEAST = {"least_cost": int, "why_not_least": str}
BULK_COPIES = ("tile.copy_tma", "tile.store_tma")
# Between both memories, past the registers.
COPIES_OF_THREADS = (
    "tile.copy_async",
    "tile.copy_row",
    "tile.copy_rows",
    "tile.copy_sectors",
    "tile.store_row",
    "tile.store_rows",
    "tile.store_sectors",
    "tile.walk_rows",
)
# By pointers, which may be anywhere, as the elements of a row may in some views: then nobody knows
# what sectors they touch.
BY_POINTERS = ("tile.load", "tile.store", "tile.atomic_rmw", "tile.atomic_cas")
ANY_STRIDE = "no stride of the view is the constant 1"
CONVERSION = {
    "place": PLACE,
    "type": str,
    "trips": int,
    "trips_known": bool,
    "warps": int,
    "shuffles_per_warp": int,
    "selects_per_warp": int,
    "moves_per_warp": int,
    "cycles": (int, float),
    "shared_wavefronts": int,
    "shared_cycles": (int, float),
    "reason": str,
}
COPIES = {
    "place": PLACE,
    "stages": int,
    "slot_bytes": int,
    "bytes_in_flight": int,
    "by": str,
    "copy_warps": int,
    "why_not_bulk": str,
    "why_no_roles": str,
}
ROLE = {"name": str, "warps": int}
NUMBER = (int, float)
LOOP = {
    "index": int,
    "place": PLACE,
    "trips": int,
    "trips_known": bool,
    "instruction": str,
    "copies_by": str,
    "stages": int,
    "bytes_in_flight": int,
    "why_not_bulk": str,
    "why_no_roles": str,
    "tensor_cores": NUMBER,
    "arithmetic": NUMBER,
    "shared_memory": NUMBER,
    "l2": NUMBER,
    "memory": NUMBER,
    "limit": str,
    "limit_with_l2": str,
}
GLOBAL = {"sectors": int, "ideal_sectors": int}
PRODUCT = {
    "place": PLACE,
    "batch": int,
    "m": int,
    "n": int,
    "k": int,
    "operand_type": str,
    "accumulator_type": str,
    "instruction": str,
    "exchanged": bool,
    "turned": str,
    "engine_reason": str,
    "operand_bytes": int,
    "operand_wavefronts": int,
    "operations": int,
    "operations_per_byte": (int, float),
    "trips": int,
    "trips_known": bool,
}
TIME = {
    "tensor_cores": NUMBER,
    "arithmetic": NUMBER,
    "shared_memory": NUMBER,
    "l2": NUMBER,
    "memory": NUMBER,
    "operations": int,
    "global_bytes": int,
    "device": str,
    "limit": str,
    "limit_with_l2": str,
}
SUMMARY = {
    "time_bound": list,
    "shared_memory": list,
    "global_memory": list,
    "narrow_accesses": list,
    "barriers": list,
    "registers": list,
}
KERNEL = {
    "kernel": str,
    "target": str,
    "num_warps": int,
    "shared_bytes": int,
    "barriers": int,
    "barriers_in_loops": int,
    "persistent": bool,
    "teams": int,
    "why_not_persistent": str,
    "why_fewer_stages": str,
    "programs_per_block": int,
    "blocks_per_program": int,
    "summary": dict,
    "time_bound": TIME,
    "shared_load_wavefronts": int,
    "shared_store_wavefronts": int,
    "tiles": list,
    "accesses": list,
    "conversions": list,
    "roles": list,
    "loops": list,
    "copies": list,
    "products": list,
    "launch": {
        "threads": int,
        "static_shared_bytes": int,
        "dynamic_shared_bytes": int,
        "tensor_maps": list,
        "persistent": bool,
        "block_programs": list,
        "cluster_blocks": int,
        "begins_early": bool,
        "even_axes": int,
    },
    "arguments": list,
    "shapes": list,
    "grid": list,
    "reference": list,
}
RESOURCES = {
    "registers": int,
    "spill_store_bytes": int,
    "why_serialized": str,
    "spill_load_bytes": int,
    "stack_bytes": int,
    "static_shared_bytes": int,
}


def check(value, schema, where):
    if isinstance(schema, type | tuple):
        assert isinstance(value, schema), f"{where} is {value!r}"
        return
    assert isinstance(value, dict), f"{where} is {value!r}"
    assert set(value) == set(schema), f"{where} has {sorted(value)}"
    for key, inner in schema.items():
        check(value[key], inner, f"{where}.{key}")


def check_candidates(tile):
    """The first is the winner; of those that can be chosen the others are sorted."""
    for candidate in tile["candidates"]:
        check(candidate, CANDIDATE, "candidate")
    winner, *others = tile["candidates"]
    assert not winner["obstacle"]
    assert winner["bytes"] <= tile["bytes"]
    assert winner["cost"] == winner["wavefronts"] + winner["instructions"]
    assert tile["lower_bound"] <= winner["cost"]
    legal = [other["cost"] for other in others if not other["obstacle"]]
    assert legal == sorted(legal)
    assert all(cost >= tile["lower_bound"] for cost in legal)


def with_loop(record, schema):
    """What stands in a loop says in which."""
    return schema | {"loop": int} if "loop" in record else schema


def check_tile(tile, blocks_per_sm):
    """A layout that nobody chose has no candidates: that of mbarriers, and of rows that lie as in
    memory."""
    if "candidates" not in tile:
        check(tile, TILE, "tile")
        assert tile["bytes"] % 16 == 0
        return
    check(tile, TILE | CHOICE, "tile")
    check_candidates(tile)
    if blocks_per_sm is not None:
        assert tile["candidates"][0]["blocks_per_sm"] == blocks_per_sm


def check_access(access, tiles):
    """What it costs on the side of shared memory, of global memory, or of both."""
    op = access["op"]
    is_moved = op in BULK_COPIES + COPIES_OF_THREADS
    sides = {}
    if "tile" in access:
        has_choice = "candidates" in tiles[access["tile"]]
        sides |= SHARED | LEAST if has_choice else SHARED
    elif is_moved:
        sides |= WAVEFRONTS
    if is_moved or "tile" not in access:
        sides |= GLOBAL
    if "sectors" not in access and (op in BY_POINTERS or access["limit"] == ANY_STRIDE):
        sides = {}
    check(access, ACCESS | sides, "access")
    assert access["vector_elements"] >= 1 and access["place"]["line"] > 0
    for fewest, count in (("ideal_wavefronts", "wavefronts"), ("ideal_sectors", "sectors")):
        assert count not in sides or access[count] >= access[fewest] > 0
    if "least_cost" in access:
        assert (access["cost"] > access["least_cost"]) == bool(access["why_not_least"])


def check_product(product):
    in_loop = {"barriers_in_loop": int} if "loop" in product else {}
    check(product, with_loop(product, PRODUCT | in_loop), "product")


def check_copies(copies):
    check(copies, with_loop(copies, COPIES), "copies")
    assert copies["bytes_in_flight"] == copies["stages"] * copies["slot_bytes"] > 0
    assert copies["by"] in ("bulk copies", "cp.async")
    if copies["by"] == "bulk copies":
        assert not copies["why_not_bulk"]
        assert (copies["copy_warps"] == 0) == bool(copies["why_no_roles"])
    else:
        assert copies["copy_warps"] == 0 and not copies["why_no_roles"]


def check_roles(kernel):
    """Those that compute come first; numbers of registers are there for all or for none."""
    roles = kernel["roles"]
    names = ["main", "copy"] if any(each["copy_warps"] for each in kernel["copies"]) else ["main"]
    assert [role["name"] for role in roles] == names
    has_registers = "blocks_of_roles" in kernel
    for role in roles:
        check(role, ROLE | ({"registers": int} if has_registers else {}), "role")
    assert roles[0]["warps"] == kernel["num_warps"] * kernel["teams"]
    assert kernel["launch"]["threads"] == 32 * sum(role["warps"] for role in roles)


def check_loops(kernel):
    """What a loop says is what its products and copies say."""
    for index, loop in enumerate(kernel["loops"]):
        check(loop, LOOP, "loop")
        assert loop["index"] == index
        copies = [each for each in kernel["copies"] if each.get("loop") == index]
        products = [each for each in kernel["products"] if each.get("loop") == index]
        assert copies or products
        assert loop["bytes_in_flight"] == sum(each["bytes_in_flight"] for each in copies)
        assert loop["stages"] == max((each["stages"] for each in copies), default=0)
        assert all(each["instruction"] in loop["instruction"] for each in products)
        assert all(each["by"] in loop["copies_by"] for each in copies)
        assert loop["tensor_cores"] <= kernel["time_bound"]["tensor_cores"]
        assert loop["l2"] <= kernel["time_bound"]["l2"]


def check_kernel(kernel):
    # Of ptxas, where there is one.
    schema = dict(KERNEL)
    if "resources" in kernel:
        schema["resources"] = RESOURCES
        schema["occupancy"] = {"blocks_per_sm": int, "warps_per_sm": int, "limiter": str}
    if "blocks_of_roles" in kernel:
        schema["blocks_of_roles"] = int
    check(kernel, schema, "kernel")
    blocks_per_sm = kernel.get("occupancy", {}).get("blocks_per_sm")
    for tile in kernel["tiles"]:
        check_tile(tile, blocks_per_sm)
    optional = {key: list for key in ("copies", "products") if kernel[key]}
    check(kernel["summary"], {**SUMMARY, **optional}, "summary")
    for product in kernel["products"]:
        check_product(product)
    for access in kernel["accesses"]:
        check_access(access, kernel["tiles"])
    for conversion in kernel["conversions"]:
        check(conversion, CONVERSION, "conversion")
        assert conversion["cycles"] <= conversion["shared_cycles"]
    for copies in kernel["copies"]:
        check_copies(copies)
    check_roles(kernel)
    check_loops(kernel)
    assert kernel["launch"]["persistent"] == kernel["persistent"]
    assert not (kernel["persistent"] and kernel["why_not_persistent"])
    assert math.prod(kernel["launch"]["block_programs"]) == kernel["programs_per_block"]
    assert kernel["launch"]["cluster_blocks"] == kernel["blocks_per_program"]
    copy_warps = max((copies["copy_warps"] for copies in kernel["copies"]), default=0)
    loads = any(access["op"] == "tile.copy_tma" for access in kernel["accesses"])
    assert loads == any(copies["by"] == "bulk copies" for copies in kernel["copies"])
    assert kernel["launch"]["threads"] == 32 * (kernel["num_warps"] * kernel["teams"] + copy_warps)
    names = [argument["name"] for argument in kernel["arguments"]]
    assert len(names) == len(set(names)) > 0


report = json.load(sys.stdin)
assert list(report) == ["kernels"]
assert sys.argv[1:] in ([], [kernel["kernel"] for kernel in report["kernels"]])
for kernel in report["kernels"]:
    check_kernel(kernel)
