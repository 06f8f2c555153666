# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps through the bank maps of a page in a browser, and checks what is highlighted.

    step_page.py BROWSER PAGE.html

A script at the end of a copy of the page presses its buttons, as a person would, and notes the
highlighted cells after each; the browser prints the page that comes of it.
"""

import html
import json
import pathlib
import re
import subprocess
import sys
import tempfile

RECORDER = """<pre id="record"></pre><script>
const record = [];
const press = id => document.getElementById(id).click();
const marked = (grid, name) => [...grid.children].flatMap(
  (cell, index) => cell.classList.contains(name) ? [index] : []);
function note(scene, step) {
  const maps = [...document.querySelectorAll(".grid")].map(grid =>
    ({now: marked(grid, "now"), past: marked(grid, "past"), wait: marked(grid, "wait")}));
  record.push({scene, step, maps, where: document.getElementById("where").textContent});
}
const choice = document.getElementById("scene");
for (const option of choice.options) {
  choice.value = option.value;
  choice.dispatchEvent(new Event("change"));
  note(option.value, 0);
  press("next"); note(option.value, 1);
  press("next"); note(option.value, 2);
  press("back"); note(option.value, 1);
  document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true}));
  note(option.value, 2);
  press("all"); note(option.value, -1);
}
document.getElementById("record").textContent = JSON.stringify(record);
</script>"""


def data_of(page):
    """The accesses that a page has, from the script element that holds them."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found, "the page has no bank maps"
    return json.loads(found[1])


def browse(browser, page):
    """The page after its scripts and ours have run."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "page.html"
        path.write_text(page.replace("</body>", RECORDER + "</body>"))
        command = [
            browser,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            f"--user-data-dir={folder}/profile",
            "--dump-dom",
            path.as_uri(),
        ]
        finished = subprocess.run(command, capture_output=True, text=True, timeout=300)
    found = re.search(r'<pre id="record">(.+?)</pre>', finished.stdout, re.DOTALL)
    assert found, f"the page's script did not end:\n{finished.stderr[-2000:]}"
    return json.loads(html.unescape(found[1]))


def expected(lanes, step):
    """The cells that are highlighted after so many lanes."""
    shown = lanes[:step]
    marks = {"now": set(), "past": set(), "wait": set()}
    for index, lane in enumerate(shown):
        name = "now" if index + 1 == len(shown) else "wait" if lane["conflicts"] else "past"
        marks[name].update(lane["elements"])
    return {name: sorted(cells) for name, cells in marks.items()}


def main():
    browser, path = sys.argv[1:]
    page = pathlib.Path(path).read_text()
    data = data_of(page)
    record = browse(browser, page)
    assert len(record) == 6 * len(data["scenes"]) > 0
    changes = 0
    for entry in record:
        maps = data["scenes"][int(entry["scene"])]["maps"]
        most = max(len(each["lanes"]) for each in maps)
        step = most if entry["step"] == -1 else entry["step"]
        assert entry["where"] == f"{step} of {most} lanes", entry["where"]
        assert len(entry["maps"]) == len(maps)
        for shown, of in zip(entry["maps"], maps, strict=True):
            assert shown == expected(of["lanes"], step), (entry["scene"], step, shown)
            changes += bool(shown["now"])
    print(f"{len(data['scenes'])} accesses, {changes} maps with a lane in them")


if __name__ == "__main__":
    main()
