"""``kg analyse`` from the command line: every measure in every format, what it writes, and what it refuses."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import kg
from kg.measuring import MEASURES

CASES = Path(__file__).parent / "cases/sota2"
SEEDS = [CASES / name for name in ("out-of-distribution-detection", "selective-classification")]
OOD = "out-of-distribution-detection-on-imagenet-1k-resnet-50-test"
TABLES = sorted(set(MEASURES) - {"degree", "components", "pagerank"})


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    made = tmp_path_factory.mktemp("analysing")
    kg.build(SEEDS, store=made / "kg-store", archive=made / "archive").close()
    return made


def analyse(*arguments: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name not in {"KG_STORE", "COLUMNS"}}
    kept["PYTHONPATH"] = str(Path(kg.__file__).parents[1])
    command = [sys.executable, "-m", "kg", "analyse", *map(str, arguments)]
    return subprocess.run(command, cwd=folder, env=kept, capture_output=True, text=True, encoding="utf-8", check=False)


@pytest.mark.parametrize("measure", TABLES)
def test_each_format_holds_each_row(measure, folder):
    done = {form: analyse(measure, "-f", form, folder=folder) for form in ("csv", "json", "table")}
    assert {each.returncode for each in done.values()} == {0}
    rows = json.loads(done["json"].stdout)
    assert list(csv.DictReader(io.StringIO(done["csv"].stdout)))[: len(rows)] == [
        {key: "" if value is None else str(value) for key, value in row.items()} for row in rows
    ]
    assert done["csv"].stdout.count("\n") == len(rows) + 1
    assert done["table"].stdout.count("\n") == min(len(rows), 20) + 2
    assert "http" not in done["table"].stdout
    assert {each.stderr for each in done.values()} == {done["csv"].stderr}


def test_the_notes_say_over_how_many_groups_and_quiet_is_quiet(folder):
    done = analyse("copeland", "--benchmark", OOD, "--top", "1", folder=folder)
    assert "Over 2 comparison groups of 1 metric, 5 methods." in done.stderr
    assert "1 of 5 rows; --top prints more." in done.stderr
    assert "ASH" in done.stdout
    assert analyse("copeland", "--quiet", folder=folder).stderr == ""


def test_a_rank_is_that_of_python_and_takes_the_options_of_the_bootstrap(folder):
    done = analyse("borda", "-b", OOD, "--replicates", "20", "--seed", "5", "-f", "json", folder=folder)
    with kg.open(folder / "kg-store") as graph:
        table = graph.analyse("borda", benchmark=OOD, settings={"replicates": 20, "seed": 5})
    assert [tuple(row.values()) for row in json.loads(done.stdout)] == [tuple(row) for row in table]


def test_longer_cycles_are_looked_for_where_asked(folder):
    done = analyse("cycles", "--longest", "5", "-f", "csv", folder=folder)
    assert done.stdout == "length,methods,margin,groups,nodes\n"
    assert "0 methods on some cycle" in done.stderr


@pytest.mark.parametrize("form", ["graphml", "gexf", "json", "cyjs"])
def test_a_graph_is_written_in_the_format_named(form, folder, tmp_path):
    by_suffix, by_name = tmp_path / f"view.{form}", tmp_path / "view"
    assert analyse("cycles", "--graph", by_suffix, folder=folder).returncode == 0
    done = analyse("cycles", "--graph", by_name, "--graph-format", form, folder=folder)
    assert "Wrote 16 nodes and 75 edges" in done.stderr
    assert by_suffix.read_bytes() == by_name.read_bytes()
    assert b"Near-OOD AUROC" in by_name.read_bytes()


@pytest.mark.parametrize(("measure", "form"), [("stability", "svg"), ("bradley-terry", "png")])
def test_a_plot_is_written(measure, form, folder, tmp_path):
    pytest.importorskip("matplotlib")
    target = tmp_path / f"plot.{form}"
    done = analyse(measure, "-b", OOD, "-m", "Near-OOD AUROC", "--plot", target, folder=folder)
    assert done.returncode == 0, done.stderr
    assert target.read_bytes()[:5] in {b"<?xml", b"\x89PNG\r"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["borda", "--view", "papers"], "'beats'"),
        (["degree", "--view", "friends"], "beats, datasets-tasks"),
        (["degree", "--view", "papers", "-b", OOD], "not narrowed by benchmark"),
        (["degree", "--seed", "1"], "it takes none"),
        (["borda", "--longest", "4"], "no setting 'longest'"),
        (["borda", "-b", "No such board"], "no benchmark"),
        (["borda", "-b", OOD, "-m", "Far"], "no metric"),
        (["coverage", "-b", OOD], "leave it out"),
        (["coverage", "--graph", "x.gexf"], "leave out --graph"),
        (["degree", "--graph", "x.dot"], "cyjs, gexf, graphml, json"),
        (["degree", "--graph", "x.gexf", "--graph-format", "dot"], "cyjs, gexf, graphml, json"),
        (["borda", "--plot", "x.svg"], "name both"),
        (["borda", "--plot", "x.pdf"], "svg, png"),
        (["borda", "--plot", "nowhere/x.svg"], "nowhere"),
        (["missing", "--plot", "x.svg"], "has no plot"),
        (["borda", "-f", "xml"], "'xml'"),
        (["borda", "--replicates", "-1"], "--replicates"),
    ],
    ids=range(17),
)
def test_misuse_is_told_in_words_and_leaves_no_file(arguments, said, folder):
    before = sorted(folder.iterdir())
    done = analyse(*arguments, folder=folder)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("measure", MEASURES)
def test_a_graph_without_scores_is_measured(measure, folder):
    (folder / "empty.ttl").write_text("")
    done = analyse(measure, "--store", "empty.ttl", "-f", "json", folder=folder)
    assert done.returncode == 0, done.stderr
    assert all(not row.get("methods") for row in json.loads(done.stdout))
