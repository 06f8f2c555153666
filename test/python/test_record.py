"""The records that benchmarks write while they run."""

import json

import pytest

from bench.record import Record, write_json


def test_a_record_is_written_after_each_case(tmp_path):
    path = tmp_path / "record.json"
    record = Record(path, {"gpu": "a GPU"})
    assert json.loads(path.read_text()) == {"gpu": "a GPU", "complete": False, "cases": []}
    record.add({"microseconds": 2.5})
    assert json.loads(path.read_text())["cases"] == [{"microseconds": 2.5}]
    record.add({"microseconds": 3})
    written = json.loads(path.read_text())
    assert not written["complete"]
    assert [case["microseconds"] for case in written["cases"]] == [2.5, 3]


def test_a_record_says_that_it_is_complete(tmp_path):
    path = tmp_path / "record.json"
    record = Record(path, {}, "results")
    record.add({})
    record.finish(failed=["a case"])
    assert json.loads(path.read_text()) == {"complete": True, "results": [{}], "failed": ["a case"]}
    assert record.content["complete"]


def test_a_record_needs_no_file():
    record = Record(None, {})
    record.add({"right": True})
    record.finish()
    assert record.content["cases"] == [{"right": True}]


def test_what_cannot_be_written_leaves_the_file_before_it(tmp_path):
    path = tmp_path / "record.json"
    write_json(path, {"cases": [1]})
    with pytest.raises(TypeError):
        write_json(path, {"cases": [object()]})
    assert json.loads(path.read_text()) == {"cases": [1]}
    assert [each.name for each in tmp_path.iterdir()] == ["record.json"]
