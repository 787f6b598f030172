"""The store's folder: generations that never change, readers and one writer at a time, faults of the disk."""

from __future__ import annotations

import fcntl
import hashlib
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from made_views import made_view

from kg.errors import Misuse, StoreBusy, StoreError
from kg.identifiers import Identifiers
from kg.model import ViewGraph
from kg.store import Store, UpdateReport, ViewState
from kg.store import filling as inside
from kg.terms import lexical, literal
from kg.vocabulary import DEFAULT_BASE, RDFS

LATE = "2027-01-01T00:00:00Z"
META = lexical(Identifiers("", DEFAULT_BASE).graph("meta"))
RUN = ["<urn:run> <urn:at> <urn:now> ."]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "kg-store"


def update(folder: Path, *views: ViewGraph) -> UpdateReport:
    with Store.writing(folder) as store:
        return store.update(views, meta=RUN)


def dump(folder: Path) -> list[str]:
    with Store.open(folder) as store:
        return store.quads()


def written(store: Store, *, graphs: bool) -> set[str]:
    """Return the lines that an export is made from."""
    stream = io.BytesIO()
    store.write_lines(stream, graphs=graphs, meta=True)
    assert stream.getvalue().endswith(b"\n")
    return set(stream.getvalue().decode().split("\n")[:-1])


def in_memory(*views: ViewGraph) -> list[str]:
    store = Store.in_memory()
    store.update(views)
    return store.quads()


def generations(folder: Path) -> set[str]:
    return {path.name for path in (folder / "generations").iterdir()}


def hashes(folder: Path) -> dict[Path, str]:
    """Every file of a folder but the lock that the database takes, by its content."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_disk_and_memory_give_the_same_dump(folder: Path):
    first, second, newer = made_view("a", "b"), made_view("b", metric="f1"), made_view("c", time=LATE)
    update(folder, first, second)
    assert dump(folder) == in_memory(first, second)
    update(folder, newer)
    assert dump(folder) == in_memory(newer, second)
    with Store.writing(folder) as store:
        store.remove_views([second.graph])
    assert dump(folder) == in_memory(newer)


def test_a_bulk_build_gives_the_same_dump(folder: Path, monkeypatch: pytest.MonkeyPatch):
    views = [made_view("a", *map(str, range(number)), metric=f"m{number}") for number in range(9)]
    newer = [made_view("b", metric=f"m{number}", time=LATE) for number in range(3)]
    monkeypatch.setattr(inside, "_BULK", 20)
    update(folder, *views)
    assert dump(folder) == in_memory(*views)
    update(folder, *newer)
    assert dump(folder) == in_memory(*newer, *views[3:])


def test_the_same_again_writes_nothing(folder: Path):
    update(folder, made_view("a"))
    before = hashes(folder)
    assert update(folder, made_view("a")).unchanged == (ViewState.of(made_view("a")),)
    assert hashes(folder) == before
    with Store.open(folder) as store:
        assert store.generation == "00000001"


def test_all_changes_of_a_block_are_one_generation(folder: Path):
    with Store.writing(folder) as store:
        store.update([made_view("a")])
        store.update([made_view("b", metric="f1")])
        store.remove_views([made_view("a").graph])
        assert not (folder / "current").exists()
    assert dump(folder) == in_memory(made_view("b", metric="f1"))
    assert generations(folder) == {"00000001"}


def test_a_published_generation_never_changes(folder: Path):
    update(folder, *(made_view("a", "b", metric=f"m{number}") for number in range(5)))
    with Store.open(folder) as reader:
        published = folder / "generations" / "00000001"
        before, quads = hashes(published), reader.quads()
        for number in range(5):
            update(folder, made_view("c", metric=f"m{number}", time=LATE))
        assert hashes(published) == before
        assert reader.quads() == quads


def test_a_reader_answers_from_its_generation_while_others_write(folder: Path):
    update(folder, made_view("a"))
    with Store.open(folder) as reader:
        old = reader.quads()
        with Store.writing(folder) as writer:
            writer.update([made_view("b", time=LATE)])
            assert reader.quads() == dump(folder) == old
        assert reader.quads() == old
        assert dump(folder) == in_memory(made_view("b", time=LATE))
        update(folder, made_view("c", time="2028-01-01T00:00:00Z"))
        assert reader.quads() == old
        assert generations(folder) == {"00000001", "00000003"}
    update(folder, made_view("d", time="2029-01-01T00:00:00Z"))
    assert generations(folder) == {"00000004"}


def test_a_reader_that_is_gone_without_closing_holds_nothing(folder: Path):
    update(folder, made_view("a"))
    reader = Store.open(folder)
    assert reader.views()
    del reader
    update(folder, made_view("b", time=LATE))
    assert generations(folder) == {"00000002"}


def test_a_second_writer_is_told_and_changes_nothing(folder: Path):
    with Store.writing(folder) as writer:
        writer.update([made_view("a")])
        with pytest.raises(StoreBusy, match="Another process is writing"), Store.writing(folder):
            pytest.fail("two writers at once")
        script = "import sys, pathlib, kg.store\nwith kg.store.Store.writing(pathlib.Path(sys.argv[1])): pass"
        other = subprocess.run([sys.executable, "-c", script, folder], capture_output=True, text=True, check=False)
        assert "StoreBusy" in other.stderr
    assert dump(folder) == in_memory(made_view("a"))


def interrupted(folder: Path, view: ViewGraph) -> None:
    with Store.writing(folder) as store:
        assert store.update([view]).changed
        raise KeyboardInterrupt


def test_an_exception_leaves_the_store_as_it_was(folder: Path):
    update(folder, made_view("a"))
    with pytest.raises(KeyboardInterrupt):
        interrupted(folder, made_view("b", time=LATE))
    assert dump(folder) == in_memory(made_view("a"))
    assert generations(folder) == {"00000001"}
    update(folder, made_view("b", time=LATE))
    assert dump(folder) == in_memory(made_view("b", time=LATE))


def test_an_exception_in_the_first_build_leaves_no_store(folder: Path):
    with pytest.raises(KeyboardInterrupt):
        interrupted(folder, made_view("a"))
    with pytest.raises(StoreError, match="There is no store"):
        Store.open(folder)
    assert not folder.exists()


def test_what_a_killed_writer_left_is_cleaned_up(folder: Path):
    update(folder, made_view("a"))
    left = folder / "generations" / "00000002"
    left.mkdir()
    (left / "000009.sst").write_bytes(b"half")
    (folder / "current.new").write_text("0000")
    assert dump(folder) == in_memory(made_view("a"))
    update(folder, made_view("b", time=LATE))
    assert dump(folder) == in_memory(made_view("b", time=LATE))
    assert generations(folder) == {"00000002"}
    assert not (folder / "current.new").exists()


def test_a_reader_starts_again_when_its_generation_goes_between_looking_and_locking(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    update(folder, made_view("a"))
    lock, late = fcntl.flock, [made_view("c", time="2028-01-01T00:00:00Z"), made_view("b", time=LATE)]

    def slow(descriptor: int, operation: int) -> None:
        if operation & fcntl.LOCK_SH and late:
            view = late.pop()
            update(folder, view)
        lock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", slow)
    with Store.open(folder) as reader:
        assert reader.quads() == in_memory(made_view("c", time="2028-01-01T00:00:00Z"))
        assert reader.generation == "00000003"


# Misuse


def test_a_store_open_for_reading_refuses_changes(folder: Path):
    update(folder, made_view("a"))
    with Store.open(folder) as store:
        for change in (lambda: store.update([made_view("b", time=LATE)]), lambda: store.remove_views([])):
            with pytest.raises(Misuse, match="reading only"):
                change()
    for use in (store.triples, lambda: store.update([]), lambda: store.query("ASK {}")):
        with pytest.raises(Misuse, match="closed"):
            use()


def test_a_store_is_closed_after_its_block(folder: Path):
    with Store.writing(folder) as store:
        store.update([made_view("a")])
    with pytest.raises(Misuse, match="closed"):
        store.update([made_view("b", time=LATE)])
    assert dump(folder) == in_memory(made_view("a"))


# Faults


def test_no_store_says_how_to_make_one(folder: Path, tmp_path: Path):
    with pytest.raises(StoreError, match=r"There is no store at .*kg-store.*kg build"):
        Store.open(folder)
    with pytest.raises(StoreError, match="holds no store"):
        Store.open(tmp_path)
    assert not folder.exists()


def test_a_folder_with_other_files_is_not_written_to(tmp_path: Path):
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(StoreError, match="no store and not empty"), Store.writing(tmp_path):
        pytest.fail("written among other files")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path):
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "kg-store"):
        with pytest.raises(StoreError, match=str(place)), Store.writing(place):
            pytest.fail("written under a file")
        with pytest.raises(StoreError, match=str(place)):
            Store.open(place)


def pointer(text: bytes):
    return lambda folder: (folder / "current").write_bytes(text)


def each_file(pattern: str, change):
    def damage(folder: Path) -> None:
        found = list((folder / "generations" / "00000001").glob(pattern))
        assert found
        for path in found:
            change(path)

    return damage


DAMAGE = {
    "pointer to nothing": pointer(b"00000007\n"),
    "pointer out of the folder": pointer(b"../../elsewhere\n"),
    "pointer of random bytes": pointer(b"\xff\xfe"),
    "empty pointer": pointer(b""),
    "table cut short": each_file("*.sst", lambda path: os.truncate(path, path.stat().st_size // 2)),
    "table gone": each_file("*.sst", Path.unlink),
    "table of other bytes": each_file("*.sst", lambda path: path.write_bytes(bytes(path.stat().st_size))),
    "manifest gone": each_file("MANIFEST*", Path.unlink),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_store_is_reported_with_the_mend(folder: Path, damage):
    update(folder, made_view("a"))
    damage(folder)
    for use in (lambda: Store.open(folder).quads(), lambda: update(folder, made_view("b", time=LATE))):
        with pytest.raises(StoreError, match=r"kg-store.*kg build"):
            use()


FULL = """
import resource, signal, sys
from pathlib import Path
from made_views import made_view
from kg.errors import StoreError
from kg.store import Store

# No file may grow beyond this many bytes: a write fails as it does on a full disk.
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
try:
    with Store.writing(Path(sys.argv[1])) as store:
        store.update([made_view(*(f"{a}{b}" for a in range(100) for b in range(100)), time="2027-01-01T00:00:00Z")])
except StoreError as error:
    print(error)
"""


@pytest.mark.parametrize("room", [0, 5, 2_000, 20_000, 200_000])
def test_a_full_disk_leaves_the_store_as_it_was(folder: Path, room: int):
    update(folder, made_view("a"))
    before = hashes(folder)
    path = os.pathsep.join([str(Path(__file__).parent), str(Path(__file__).parents[1])])
    run = subprocess.run(
        [sys.executable, "-c", FULL, folder, str(room)],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert str(folder) in run.stdout
    assert "store is as it was" in run.stdout
    assert hashes(folder) == before
    assert dump(folder) == in_memory(made_view("a"))


def test_the_lines_for_an_export_are_those_of_the_database(folder):
    """They come from what is kept of each view, and must say what queries find."""
    other = made_view("b", "c", metric="recall", count=3, also=(f"<urn:x> {RDFS.label} {literal('. .é😀')} .",))
    for views in ([made_view("a", "b"), other], [made_view("a", time=LATE)], [made_view(page=2, time=LATE, count=2)]):
        update(folder, *views)
        with Store.open(folder) as store:
            assert written(store, graphs=False) == {*store.triples(), *store.view_lines(META)}
            quads = {
                f"{line.removesuffix('.')}<{v.graph}> ." for v in store.views() for line in store.view_lines(v.graph)
            }
            assert quads
            assert written(store, graphs=True) >= {*store.triples(), *quads}
            again = Store.from_rdf("\n".join(store.quads(meta=True)).encode(), "nq")
            assert written(again, graphs=True) == written(store, graphs=True)
            assert again.triples() == store.triples()
