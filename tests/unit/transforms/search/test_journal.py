"""Journals: outcomes found before an interruption are not computed again, and other files are rejected."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from programs.searches import evaluation_of, problem_of, uniform

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.lowering.options import PipelineOptions
from tinyml.tools.driver.request import SearchRequest
from tinyml.tools.driver.stages import compile_stages, load_program
from tinyml.transforms.formats.evaluation.reference import CandidateOutcome
from tinyml.transforms.search.engine.status import STATUS_LISTENER

ANOTHER = f'{{"problem": "{64 * "0"}"}}\n'
"""The head of a journal of another problem."""


@pytest.fixture
def head() -> str:
    return f'{{"problem": "{problem_of("protonn").digest}"}}\n'


def test_a_search_goes_on_from_its_journal(tmp_path: Path):
    journal = str(tmp_path / "journal")
    with evaluation_of("protonn", journal=journal) as evaluation:
        first = evaluation.outcomes(uniform(evaluation, 8, 4))
    Path(journal).write_text(Path(journal).read_text() + '{"formats": ["half a line')
    with evaluation_of("protonn", journal=journal, resume=True) as evaluation:
        again = evaluation.outcomes(uniform(evaluation, 8, 4, 16))
        assert evaluation.evaluated == 1
    assert again[:2] == first
    assert len(Path(journal).read_text().splitlines()) == 1 + 3
    with evaluation_of("protonn", journal=journal) as evaluation:
        assert evaluation.known == {}


@pytest.mark.parametrize("resume", [False, True])
@pytest.mark.parametrize("data", [b"[]\n", b"PK\x03\x04", b'{"problem": "x"}\n', ANOTHER[:-1].encode() + b" \n", b"\n"])
def test_no_other_file_is_written_to(data: bytes, resume: bool, tmp_path: Path):
    (tmp_path / "file").write_bytes(data)
    with pytest.raises(InputError, match="file: is not a journal of a search"):
        evaluation_of("protonn", journal=str(tmp_path / "file"), resume=resume)
    assert (tmp_path / "file").read_bytes() == data


@pytest.mark.parametrize("resume", [False, True])
@pytest.mark.parametrize("text", ["", ANOTHER[:1], ANOTHER[:40], ANOTHER[:-1]])
def test_a_journal_without_a_whole_line_is_begun_anew(text: str, resume: bool, head: str, tmp_path: Path):
    (tmp_path / "journal").write_text(text)
    with evaluation_of("protonn", journal=str(tmp_path / "journal"), resume=resume) as evaluation:
        assert evaluation.known == {}
    assert (tmp_path / "journal").read_text() == head


def test_the_journal_of_another_problem_is_begun_anew_but_not_resumed(head: str, tmp_path: Path):
    (tmp_path / "journal").write_text(ANOTHER)
    with pytest.raises(InputError, match="journal: is the journal of another program"):
        evaluation_of("protonn", journal=str(tmp_path / "journal"), resume=True)
    with evaluation_of("protonn", journal=str(tmp_path / "journal")):
        assert (tmp_path / "journal").read_text() == head


ENTRY = {
    "formats": ["!fixed.q<8, 5>"],
    "seen": 200,
    "differ": 3,
    "wrong": 2,
    "error": 0.5,
    "margin": 1.5,
    "fault": None,
}
DAMAGES: dict[str, dict[str, object]] = {
    "no format": {"formats": ["!foo.bar<"]},
    "width of no format": {"formats": ["!fixed.q<99, 5>"]},
    "another type": {"formats": ["i8"]},
    "more than a format": {"formats": ["!fixed.q<8, 5> i8"]},
    "deep format": {"formats": ["tensor<" * 10_000]},
    "number for formats": {"formats": 8},
    "numbers for formats": {"formats": [8]},
    "text for a number": {"error": "x"},
    "integer for a real": {"margin": 10**400},
    "truth for a number": {"seen": True},
    "more than float holds": {"seen": 10**400, "differ": 10**400},
    "more than were seen": {"differ": 201},
    "less than none": {"wrong": -1},
    "number for text": {"fault": 1},
    "another field": {"more": 1},
    "no number": {"error": float("nan")},
    "no number for the margin": {"margin": float("nan")},
    "a string without an end": {"formats": ['"' + 60 * "a"]},
}
LINES = {
    **{name: json.dumps(ENTRY | damage) for name, damage in DAMAGES.items()},
    **{f"no {missing}": json.dumps({name: ENTRY[name] for name in ENTRY if name != missing}) for missing in ENTRY},
    "no object": "[]",
    "no JSON": "nonsense",
    "no text": "\udcff",
    "nothing": "",
    "deep": "[" * 100_000,
}


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_a_damaged_journal_is_not_resumed(line: str, head: str, tmp_path: Path):
    whole = json.dumps(ENTRY)
    text = f"{head}{whole}\n{line}\n{whole}\n".encode(errors="surrogateescape")
    (tmp_path / "journal").write_bytes(text)
    with pytest.raises(InputError, match="journal:3: is not a line of a journal"):
        evaluation_of("protonn", journal=str(tmp_path / "journal"), resume=True)
    assert (tmp_path / "journal").read_bytes() == text


def test_an_entry_is_taken_up(head: str, tmp_path: Path):
    (tmp_path / "journal").write_text(f"{head}{json.dumps(ENTRY)}\n{json.dumps(ENTRY | {'fault': 'none'})}\n")
    with evaluation_of("protonn", journal=str(tmp_path / "journal"), resume=True) as evaluation:
        assert list(evaluation.known.values()) == [CandidateOutcome(200, 3, 2, 0.5, 1.5, "none")]


def test_without_a_journal_nothing_is_resumed():
    with pytest.raises(InputError, match="resume needs a journal"):
        evaluation_of("protonn", resume=True)


@pytest.mark.long
def test_programs_with_scales_per_row_have_a_journal_of_their_own(tmp_path: Path):
    random = np.random.default_rng(1)
    np.save(tmp_path / "W.npy", random.normal(0.0, [[1.0], [0.1], [0.01]], (3, 4)).astype("f4"))
    np.savez(tmp_path / "val.npz", x=random.normal(0.0, 1.0, (50, 4)).astype("f4"))
    (tmp_path / "model.sd").write_text("let X = (4, 1) in [-4, 4] in let W = (3, 4) in [-4, 4] in argmax(tanh(W * X))")
    given = {"journal": str(tmp_path / "a journal"), "jobs": 1}
    told: list[int] = []
    token = STATUS_LISTENER.set(lambda status: told.append(status.candidates))
    for options in (given, given | {"resume": True}):
        told.clear()
        asked = PipelineOptions(data=str(tmp_path / "val.npz"), row_scales=True)
        compile_stages(
            load_program(tmp_path / "model.sd", context()),
            context(),
            asked,
            SearchRequest("demote", options).search_pass(asked),
        )
        assert (max(told) == 0) == ("resume" in options)
    STATUS_LISTENER.reset(token)
    heads = {(tmp_path / name).read_text().splitlines()[0] for name in ("a journal", "a journal.rows")}
    assert len(heads) == 2
