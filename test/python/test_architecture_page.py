"""docs/architecture.md tells of the passes that there are."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("Dialect/Tile/Transforms", "Conversion")


def find_passes():
    """By the name of their class, as text has it: "TilePersist": "tile-persist"."""
    names = {}
    for folder in FOLDERS:
        for file in (ROOT / "include/tilewright" / folder).rglob("*.td"):
            found = re.findall(r"^def (\w+) : \w*Pass<\"([\w-]+)\"", file.read_text(), re.MULTILINE)
            names.update(found)
    return names


def test_it_names_every_pass_of_ours():
    page = (ROOT / "docs/architecture.md").read_text()
    pipeline = (ROOT / "lib/Compiler/PassPipeline.cpp").read_text()
    names = find_passes()
    assert len(names) > 60
    made = [name for name in re.findall(r"create(\w+?)\(", pipeline) if name in names]
    assert set(made) == set(names), "passes that the pipeline has not"
    assert [names[name] for name in made if f"`{names[name]}`" not in page] == []


def test_its_tables_have_them_in_their_order():
    page = (ROOT / "docs/architecture.md").read_text()
    pipeline = (ROOT / "lib/Compiler/PassPipeline.cpp").read_text()
    names = find_passes()
    made = [names[name] for name in re.findall(r"create(\w+?)\(", pipeline) if name in names]
    rows = [name for name in re.findall(r"^\| `([\w-]+)` \|", page, re.MULTILINE) if name in made]
    assert rows == sorted(rows, key=made.index)
    # The text tells of these two, which run before all others or several times.
    assert set(made) - set(rows) == {"tile-set-target", "tile-canonicalize"}
