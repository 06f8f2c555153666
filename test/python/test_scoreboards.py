"""Code that uses what was not waited for, as ptxas makes it of sums of doubles."""

import scoreboards


def listing_of(*lines):
    """As cuobjdump prints it: each line is what an instruction signals, waits for, and is."""
    listing = ["\t\tFunction : kernel"]
    for place, (signals, waits, text) in enumerate(lines):
        control = (7 if signals is None else signals) << 5 | sum(1 << each for each in waits) << 11
        listing.append(f"        /*{16 * place:04x}*/  {text} ;  /* 0x{0:016x} */")
        listing.append(f"                              /* 0x{control << 41:016x} */")
    return "\n".join(listing)


def faults_of(*lines):
    (code,) = scoreboards.read_listing(listing_of(*lines)).values()
    assert len(code) == len(lines)
    return sorted(scoreboards.Kernel(code).find_faults())


def sums_around_a_loop(*waits):
    return [
        (1, [], "LDS.64 R16, [R2]"),
        (5, [1, *waits], "DMMA.16x8x8 R8, R16, R4, R8"),
        (5, [5], "DMMA.16x8x8 R8, R24, R32, R8"),
        (None, [], "@!P0 BRA 0x10"),
        (None, [5], "STG.E.64 [R40.64], R8"),
        (None, [], "EXIT"),
    ]


def test_a_wait_around_a_loop():
    assert faults_of(*sums_around_a_loop(5)) == []
    # All that follows is behind that one, too.
    assert faults_of(*sums_around_a_loop()) == sorted((0x10, f"R{8 + each}") for each in range(8))


def test_words_of_a_load():
    load = (0, [], "LDG.E.128 R4, [R2.64]")
    assert faults_of(load, (None, [], "FADD R1, R7, R1")) == [(0x10, "R7")]
    assert faults_of(load, (None, [0], "FADD R1, R7, R1")) == []
    assert faults_of(load, (None, [], "FADD R1, R8, R1")) == []
    assert faults_of(load, (None, [], "STG.E.64 [R2.64], R6")) == [(0x10, "R6"), (0x10, "R7")]
    assert faults_of(load, (None, [], "IMAD.MOV.U32 R5, RZ, RZ, R1")) == [(0x10, "R5")]


def test_waits_of_one_path():
    branch = (None, [], "@P1 BRA 0x30")
    use = (None, [], "FADD R1, R4, R1")
    load = (2, [], "LDS R4, [R2]")
    assert faults_of(load, branch, (None, [2], "NOP"), use) == [(0x30, "R4")]
    assert faults_of(load, (None, [], "BRA 0x30"), use, (None, [2], "EXIT")) == []
    assert faults_of(load, (None, [], "BRA.U !UP0, 0x30"), (None, [2], "NOP"), use) == [
        (0x30, "R4")
    ]
    assert faults_of(load, (None, [], "DEPBAR.LE SB2, 0x0"), use) == []


def test_what_writes_no_register():
    assert faults_of((0, [], "FCHK P0, R8, R3"), (None, [], "FADD R1, R8, R8")) == []
    assert faults_of((0, [], "SHFL.BFLY PT, R8, R3, 0x1, 0x1f"), (None, [], "FADD R1, R8, R8")) == [
        (0x10, "R8")
    ]


def test_messages(capsys, tmp_path):
    nothing = tmp_path / "kernel.ptx"
    nothing.write_text("")
    try:
        scoreboards.main([str(nothing)])
    except SystemExit as end:
        assert end.code == 2
    assert "has no line .target" in capsys.readouterr().err


def test_small_products_of_doubles_have_four_words_whatever_they_are_called():
    for name in ("DMMA.884", "DMMA.8x8x4"):
        product = (5, [], f"{name} R8, R16, R18, R8")
        assert faults_of(product, (None, [], "MOV R0, R12"), (None, [], "EXIT")) == []
        (fault,) = faults_of(product, (None, [], "MOV R0, R11"), (None, [], "EXIT"))
        assert fault == (0x10, "R11")
