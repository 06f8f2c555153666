"""The instructions that ptxas makes of PTX for sm_90a: those that matter to order, read from its
cubin, as nvdisasm names them. It comes with CUDA and not with ptxas, so it is not asked."""

import os
import struct
import subprocess

import pytest

from gputools.tools import ToolError, find_nvidia

# By the lowest nine bits of an instruction; the three above them say what kind its operands are.
OPCODES = {
    0x02F: "ELECT",
    0x03B: "LDSM",
    0x147: "BRA",
    0x14D: "EXIT",
    0x181: "LDG",
    0x186: "STG",
    0x192: "MEMBAR",
    0x1A7: "SYNCS",
    0x1BD: "STAS",
    0x1F0: "HGMMA",
}
# The number of the predicate that is always true.
ALWAYS = 7


def assemble(ptx, folder):
    """The cubin."""
    try:
        ptxas = os.environ.get("TILEWRIGHT_PTXAS") or find_nvidia("ptxas")
    except ToolError:
        pytest.skip("there is no ptxas")
    source, target = folder / "kernel.ptx", folder / "kernel.cubin"
    source.write_text(ptx)
    subprocess.run([ptxas, "-arch=sm_90a", "-o", target, source], check=True)
    return target.read_bytes()


def find_code(cubin):
    """The section of its one kernel, by the headers of ELF."""
    assert cubin[:6] == b"\x7fELF\x02\x01"
    table = struct.unpack_from("<Q", cubin, 0x28)[0]
    size, count, names = struct.unpack_from("<HHH", cubin, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", cubin, table + size * i) for i in range(count)]
    of_names = headers[names][4]
    found = [
        cubin[offset : offset + length]
        for name, _, _, _, offset, length in headers
        if cubin[of_names + name :].startswith(b".text.")
    ]
    assert len(found) == 1
    return found[0]


def instructions(ptx, folder):
    """Their names, in the order of the code; a thread leaves at each EXIT."""
    names = []
    for word, _ in struct.iter_unpack("<QQ", find_code(assemble(ptx, folder))):
        name = OPCODES.get(word & 0x1FF)
        if name and (name != "EXIT" or word >> 12 & 0xF == ALWAYS):
            names.append(name)
    return names


def working_fences(names):
    """Fences behind which the program does not simply end, by their places."""

    def ends(index):
        rest = names[index:]
        return "EXIT" in rest and {*rest[: rest.index("EXIT")]} == {"MEMBAR"}

    return [i for i, name in enumerate(names) if name == "MEMBAR" and not ends(i)]
