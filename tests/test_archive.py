"""The archive of pages: what is kept, what is never taken for a page, and stores made anew from it."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from real_pages import CASES, REAL

import kg
from kg.archive import Archive, Retrieval
from kg.errors import ArchiveError, Misuse, NothingRead

CLEAN = (CASES / "clean" / "page.md").read_bytes()
DAYS = ("2026-01-10", "2026-02-20", "2026-03-30")


def state(day: str, value: str = "", head: bytes = CLEAN) -> bytes:
    """The clean page as it was on a day, with another value of its first result if one is given."""
    lines = head.decode().splitlines(keepends=True)
    page = "".join(f"Data updated: {day}T23:59:59.5Z\n" if it.startswith("Data updated: ") else it for it in lines)
    return page.replace("95.3", value).encode() if value else page.encode()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a store of three states of one page, read one after the other, the newest first."""
    for day in reversed(DAYS):
        page = tmp_path / "page.md"
        page.write_bytes(state(day))
        kg.build([page], store=tmp_path / "store").close()
    page.unlink()
    return tmp_path


def modified(graph: kg.KnowledgeGraph) -> list[str]:
    rows = graph.query("SELECT ?at { ?page <https://w3id.org/benchkg/ns#modifiedText> ?at } ORDER BY ?at")
    return [row.at[:10] for row in rows]


def files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_every_page_read_is_kept_byte_for_byte_with_when_and_where(place: Path):
    archive = Archive(place / "store-archive")
    first = archive.first_retrievals()
    assert set(first) == {hashlib.sha256(state(day)).hexdigest() for day in DAYS}
    for day in DAYS:
        sha256 = hashlib.sha256(state(day)).hexdigest()
        assert archive.get(sha256) == state(day)
        retrieval = first[sha256]
        assert retrieval is not None
        assert retrieval.byte_size == len(state(day))
        assert retrieval.name.endswith("page.md")
        assert retrieval.url == ""
        assert retrieval.retrieved.endswith("Z")


def test_a_page_read_again_adds_nothing(place: Path):
    before = files(place / "store-archive")
    page = place / "again.md"
    page.write_bytes(state(DAYS[2]))
    kg.build([page], store=place / "store").close()
    assert files(place / "store-archive") == before


def test_pages_that_could_not_be_loaded_are_kept_and_other_files_are_not(tmp_path: Path):
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "notes.txt").write_text("nothing of the kind\n")
    (folder / "bad.md").write_bytes(CLEAN.replace(b"| Task | ", b"| Taskless | "))
    (folder / "good.md").write_bytes(REAL[0].read_bytes())
    kg.build([folder], store=tmp_path / "store").close()
    kept = Archive(tmp_path / "store-archive").first_retrievals()
    assert {Path(each.name).name for each in kept.values() if each} == {"bad.md", "good.md"}


def test_a_folder_that_is_an_archive_is_no_folder_of_pages(place: Path):
    (place / "page.md").write_bytes(REAL[0].read_bytes())
    report = kg.build([place]).report
    assert report is not None
    assert [Path(state.file).name for state in report.read] == ["page.md"]


def test_a_store_is_made_anew_from_its_archive(place: Path):
    with kg.open(place / "store") as graph:
        graph.export(place / "before.nq")
    with kg.build(store=place / "store") as graph:
        graph.export(place / "after.nq")
        assert modified(graph) == [DAYS[2]]
    assert (place / "after.nq").read_bytes() == (place / "before.nq").read_bytes()


@pytest.mark.parametrize(
    ("day", "expected"),
    [
        (DAYS[0], DAYS[0]),
        ("2026-02-19", DAYS[0]),
        (DAYS[1], DAYS[1]),
        ("2026-03-29", DAYS[1]),
        ("2030-01-01", DAYS[2]),
    ],
)
def test_as_of_a_day_takes_the_newest_state_of_its_end(place: Path, day: str, expected: str):
    with kg.build(store=place / "store", as_of=day) as graph:
        assert modified(graph) == [expected]
    fresh = place / "fresh.md"
    fresh.write_bytes(state(expected))
    exported = {}
    for name, graph in (("past", kg.open(place / "store")), ("fresh", kg.build([fresh]))):
        graph.export(place / f"{name}.nq")
        exported[name] = (place / f"{name}.nq").read_bytes()
        graph.close()
    assert exported["past"] == exported["fresh"]
    with kg.build(store=place / "store") as graph:
        assert modified(graph) == [DAYS[2]], "the archive brings back the present"


def test_before_the_first_state_there_is_nothing_and_the_store_stays(place: Path):
    with pytest.raises(NothingRead, match="updated by the end of 2025-12-31"):
        kg.build(store=place / "store", as_of="2025-12-31")
    with kg.open(place / "store") as graph:
        assert modified(graph) == [DAYS[2]]


def test_retrieved_by_asks_when_a_page_was_first_read(place: Path):
    (log,) = [path for path in (place / "store-archive" / "retrievals").iterdir() if f"{DAYS[2]}" in _days(path, place)]
    record = json.loads(log.read_text())
    record["retrieved"] = "2026-04-01T12:00:00Z"
    log.write_text(json.dumps(record) + "\n")
    with kg.build(store=place / "store", retrieved_by="2026-04-01") as graph:
        assert modified(graph) == [DAYS[2]]
    with pytest.raises(NothingRead, match="was read by 2026-03-31"):
        kg.build(store=place / "store", retrieved_by="2026-03-31")


def _days(log: Path, place: Path) -> set[str]:
    archive = Archive(place / "store-archive")
    shas = [json.loads(line)["sha256"] for line in log.read_text().splitlines()]
    return {day for day in DAYS for sha256 in shas if archive.get(sha256) == state(day)}


@pytest.mark.parametrize("given", [{"as_of": "2026-2-3"}, {"as_of": "yesterday"}, {"retrieved_by": "2026-02-30"}])
def test_what_is_no_day_is_misuse(place: Path, given: dict[str, str]):
    with pytest.raises(Misuse, match="is no day"):
        kg.build(store=place / "store", **given)


def test_a_page_without_a_time_does_not_count_as_of_a_day(place: Path):
    page = place / "timeless.md"
    page.write_bytes(REAL[0].read_bytes().replace(b"Data updated:", b"Data of:"))
    kg.build([page], store=place / "store").close()
    with kg.build(store=place / "store", as_of="2030-01-01") as graph:
        assert graph.info()["pages"] == 1
        assert graph.report is not None
        assert [Path(state.file).name for state in graph.report.update.beyond] == ["timeless.md"]


# Faults


def test_no_archive_says_how_to_make_one(tmp_path: Path):
    with pytest.raises(ArchiveError, match=r"no archive at .*store-archive.*Build from pages"):
        kg.build(store=tmp_path / "store")
    with pytest.raises(Misuse, match="nothing to build from"):
        kg.build()
    assert list(tmp_path.iterdir()) == []


def test_damaged_bytes_are_named_and_the_others_load(place: Path):
    sha256 = hashlib.sha256(state(DAYS[2])).hexdigest()
    path = place / "store-archive" / "objects" / sha256[:2] / sha256
    path.write_bytes(path.read_bytes().replace(b"e", b"x", 1))
    with kg.build(store=place / "store") as graph:
        assert modified(graph) == [DAYS[1]]
        assert graph.report is not None
        (problem,) = graph.report.errors
        assert str(path) in problem.message
        assert graph.report.exit_code == 1


def test_half_a_file_is_never_taken_for_a_page_and_is_made_whole_when_the_page_comes_again(place: Path):
    sha256 = hashlib.sha256(state(DAYS[2])).hexdigest()
    path = place / "store-archive" / "objects" / sha256[:2] / sha256
    os.truncate(path, 100)
    (path.parent / f".{sha256}.1").write_bytes(b"# half")
    with kg.build(store=place / "store") as graph:
        assert modified(graph) == [DAYS[1]]
    page = place / "page.md"
    page.write_bytes(state(DAYS[2]))
    kg.build([page], store=place / "store").close()
    assert Archive(place / "store-archive").get(sha256) == state(DAYS[2])


def test_a_record_that_cannot_be_read_is_named_by_its_line(place: Path):
    log = next((place / "store-archive" / "retrievals").iterdir())
    log.write_text(log.read_text() + "{half\n")
    with pytest.raises(ArchiveError, match=rf"{log.name}:2: is no record"):
        kg.build(store=place / "store")


@pytest.mark.parametrize("name", ["../../etc/passwd", "", "ab", "G" * 64, "a" * 63 + "/"])
def test_only_a_hash_names_bytes(tmp_path: Path, name: str):
    with pytest.raises(ArchiveError, match="is no SHA-256"):
        Archive(tmp_path).get(name)


def test_a_run_that_read_nothing_new_leaves_no_record(tmp_path: Path):
    archive = Archive(tmp_path)
    assert archive.put(hashlib.sha256(b"a").hexdigest(), b"a")
    archive.record([Retrieval(hashlib.sha256(b"a").hexdigest(), 1, "2026-01-01T00:00:00Z")], "one")
    archive.record([], "two")
    assert [path.name for path in (tmp_path / "retrievals").iterdir()] == ["one.jsonl"]


FULL = """
import resource, signal, sys
from pathlib import Path
import kg

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    kg.build([sys.argv[1]], store=sys.argv[2])
except kg.BenchkgError as error:
    print(error)
"""


def test_a_full_disk_leaves_archive_and_store_as_they_were(place: Path):
    page = place / "page.md"
    page.write_bytes(REAL[0].read_bytes())
    before = files(place / "store-archive")
    run = subprocess.run(
        [sys.executable, "-c", FULL, page, place / "store"],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert str(place / "store-archive") in run.stdout
    assert "space" in run.stdout
    assert files(place / "store-archive") == before
    with kg.open(place / "store") as graph:
        assert modified(graph) == [DAYS[2]]
