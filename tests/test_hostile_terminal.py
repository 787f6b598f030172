"""The command line where things are not as it would like them: closed streams, devices, links, interrupts."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

import kg
from kg.errors import Misuse, StoreError
from kg.files import replacing

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "tests" / "cases" / "sota2" / "clean" / "page.md"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
ENVIRONMENT.pop("KG_STORE", None)
ROWS = "SELECT ?s WHERE { ?s ?p ?o }"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="closed streams, devices and signals as POSIX has them")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A folder with the store of one page."""
    made = tmp_path_factory.mktemp("user")
    kg.build([PAGE], store=made / "kg-store").close()
    return made


def shell(text: str, folder: Path, **options) -> subprocess.CompletedProcess[str]:
    """Run a line of shell in which ``kg`` is the command line."""
    script = f'kg() {{ "{sys.executable}" -m kg "$@"; }}; {text}'
    done = subprocess.run(
        ["bash", "-c", script],
        check=False,
        capture_output=True,
        text=True,
        cwd=folder,
        env=ENVIRONMENT,
        timeout=60,
        **options,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


def children(process: int) -> list[str]:
    """Return the ids of the processes that a process has started."""
    done = subprocess.run(["ps", "-A", "-o", "ppid=,pid="], check=True, capture_output=True, text=True)
    pairs = (line.split() for line in done.stdout.splitlines())
    return [own for parent, own in pairs if int(parent) == process]


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("kg info >&-", 2, "cannot go on"),
        ("kg query - <&-", 2, "cannot be read"),
        (f"kg build '{PAGE}' >&- <&-", 0, "unchanged"),
        ("kg export -o out.nt <&- >&- 2>&-", 0, ""),
        ("kg trace x 2>/dev/full", 2, ""),
        ("printf '\\xe9' | kg query -", 2, "not UTF-8"),
        ("kg query comparison/leaderboard -p allow_service=1", 2, "--allow-service"),
        ("kg query comparison/leaderboard -p metric=1 -p metric=2", 2, "twice"),
        ("ln -s loop loop && kg export -f nt -o loop", 2, "loop"),
        ("kg analyse degree --graph nowhere/x.gexf", 2, "nowhere/x.gexf"),
    ],
)
def test_what_cannot_be_done_is_told_in_words_with_the_exit_code(folder, text, code, said):
    done = shell(text, folder)
    assert done.returncode == code, done.stderr
    assert said in done.stderr


@pytest.mark.parametrize("command", ["export -f nt", "info", f"build '{PAGE}' -o /dev/stdout -f nt"])
def test_a_reader_that_has_seen_enough_gives_exit_code_0(folder, command):
    done = shell(f"kg {command} | true; echo ${{PIPESTATUS[0]}}", folder)
    assert done.stdout == "0\n", done.stderr


@pytest.mark.parametrize(
    "base", ["https://a:b:c/", "https://a/../", "https://é.org/", "https://a.org/x", "https://a.org/#/", "a b"]
)
def test_a_base_that_makes_no_iris_is_misuse(base):
    with pytest.raises(Misuse, match="base"):
        kg.build([PAGE], base=base)


def test_a_base_may_hold_the_words_of_our_own_names(tmp_path):
    with kg.build([PAGE], store=tmp_path / "store", base="https://example.org/view/") as graph:
        graph.export(tmp_path / "all.nt", meta=True)
    used = [line for line in (tmp_path / "all.nt").read_text().splitlines() if "prov#used>" in line]
    assert [line.split()[2].rsplit("/", 1)[0] for line in used] == ["<https://example.org/view/sota2/snapshot"]


def test_a_name_that_is_empty_or_too_long_is_misuse(folder):
    with kg.open(folder / "kg-store") as graph, pytest.raises(Misuse, match="empty name"):
        graph.leaderboard("")
    with pytest.raises(Misuse, match="empty name"):
        kg.build([""])
    with pytest.raises(Misuse, match="too long"):
        kg.open("x" * 300)


def test_a_link_stays_and_the_file_it_leads_to_is_replaced(tmp_path):
    (tmp_path / "link.ttl").symlink_to("file.ttl")
    with replacing(tmp_path / "link.ttl") as file:
        file.write(b"new")
    assert (tmp_path / "link.ttl").is_symlink()
    assert (tmp_path / "file.ttl").read_bytes() == b"new"


@pytest.mark.parametrize("command", [f"query '{ROWS}' -f csv -o", "export -f nt -o", "analyse degree --graph"])
def test_a_pipe_or_a_device_is_written_into_and_never_replaced(folder, tmp_path, command):
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    done = shell(f"kg {command} '{pipe}' >/dev/null & cat '{pipe}' | wc -l; wait $!", folder)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 100
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_store_that_is_deleted_while_open_is_an_error_and_no_endless_query(folder, tmp_path):
    shutil.copytree(folder / "kg-store", tmp_path / "store")
    with kg.open(tmp_path / "store") as graph:
        shutil.rmtree(tmp_path / "store")
        with pytest.raises(StoreError, match="deleted"):
            graph.info()


def test_an_interrupt_ends_every_process_in_silence_and_leaves_the_store(tmp_path):
    text = PAGE.read_text(encoding="utf-8")
    for number in range(400):
        page = text.replace("/sota/leaf-disease-grading-on-orchardleaves-val", f"/sota/board-{number}")
        (tmp_path / f"{number}.md").write_text(page, encoding="utf-8")
    kg.build([PAGE], store=tmp_path / "store").close()
    pointer = (tmp_path / "store" / "current").read_bytes()
    command = [sys.executable, "-m", "kg", "build", str(tmp_path), "--workers", "2", "--store", str(tmp_path / "store")]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT, text=True, start_new_session=True
    ) as build:
        while build.poll() is None and len(children(build.pid)) < 2:
            time.sleep(0.01)
        os.killpg(build.pid, signal.SIGINT)
        _, said = build.communicate(timeout=10)
    assert (build.returncode, said.count("Traceback")) == (130, 0), said
    assert (tmp_path / "store" / "current").read_bytes() == pointer
