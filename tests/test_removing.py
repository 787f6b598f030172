"""Taking pages out of a store: what goes, what other pages keep, and what brings it back."""

from __future__ import annotations

from pathlib import Path

import pytest
from real_pages import CASES, REAL

import kg
from kg.cli import main

BOARD = "out-of-distribution-detection-on-imagenet-1k-resnet-50-test"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    kg.build([*REAL, CASES / "far-ood-auroc" / "page.md"], store=tmp_path / "store").close()
    return tmp_path / "store"


def exported(graph: kg.KnowledgeGraph, place: Path) -> bytes:
    with graph:
        graph.export(place)
    return place.read_bytes()


@pytest.mark.parametrize(
    ("name", "gone", "left"),
    [
        pytest.param(BOARD, 2, [REAL[1]], id="a benchmark by its slug"),
        pytest.param("Selective Classification on ImageNet V2 Original (test)", 1, [REAL[0], None], id="by its label"),
        pytest.param("metric-a-014c33d9b9", 1, [REAL[0], None], id="a view by the last part of its IRI"),
        pytest.param("sota2-view:metric-a-014c33d9b9", 1, [REAL[0], None], id="a view by its prefixed name"),
        pytest.param(
            "https://w3id.org/benchkg/id/sota2/view/metric-a-014c33d9b9", 1, [REAL[0], None], id="a view by its IRI"
        ),
    ],
)
def test_what_is_left_is_what_a_build_without_it_gives(store: Path, name: str, gone: int, left: list[Path | None]):
    prefix = next(iter(p for p, ns in kg.open(store).prefixes.items() if ns.endswith("/sota2/view/")))
    removed = kg.remove(store, name.replace("sota2-view:", f"{prefix}:"))
    assert len(removed) == gone
    pages = [page or CASES / "far-ood-auroc" / "page.md" for page in left]
    folder = store.parent
    assert exported(kg.open(store), folder / "a.nq") == exported(kg.build(pages), folder / "b.nq")


def test_the_archive_brings_back_what_was_removed(store: Path):
    before = exported(kg.open(store), store.parent / "before.nq")
    assert len(kg.remove(store, BOARD, "metric-a-014c33d9b9")) == 3
    assert kg.open(store).info()["pages"] == 0
    assert exported(kg.build(store=store), store.parent / "after.nq") == before


def test_an_unknown_name_removes_nothing(store: Path):
    before = exported(kg.open(store), store.parent / "before.nq")
    with pytest.raises(kg.UnknownName):
        kg.remove(store, BOARD, "no such benchmark")
    assert exported(kg.open(store), store.parent / "after.nq") == before


def test_the_command_names_what_went_and_refuses_a_file(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("sys.argv", ["kg", "remove", BOARD, "--store", str(store)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    said = capsys.readouterr()
    assert said.out.count("/sota2/view/") == 2
    assert "Removed 2 views" in said.err
    (tmp_path / "graph.ttl").write_text("")
    monkeypatch.setattr("sys.argv", ["kg", "remove", BOARD, "--store", str(tmp_path / "graph.ttl")])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
