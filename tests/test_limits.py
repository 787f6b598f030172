"""A query that takes too long ends at its limit and on Ctrl-C, and so does the work."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import kg
from kg.cli.limits import answer_within, check_limit
from kg.errors import Misuse

ROOT = Path(__file__).parents[1]
FOUR = "?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l"
NEVER = 'FILTER(CONCAT(STR(?a), STR(?d), STR(?g), STR(?j)) = "x")'
SLOW = {
    "aggregate": f"SELECT (COUNT(*) AS ?n) WHERE {{ {FOUR} }}",
    "no row": f"SELECT ?a WHERE {{ {FOUR} {NEVER} }}",
    "too many rows": f"SELECT ?a WHERE {{ {FOUR} }}",
    "ask": f"ASK {{ {FOUR} {NEVER} }}",
    "construct": f"CONSTRUCT {{ ?a ?e ?i }} WHERE {{ {FOUR} }}",
    "paths": "SELECT (COUNT(*) AS ?n) WHERE { ?a (!<urn:x>)* ?b . ?c (!<urn:x>)* ?d . ?e (!<urn:x>)* ?f }",
    "views": f"SELECT (COUNT(*) AS ?n) WHERE {{ GRAPH ?graph {{ {FOUR} }} }}",
}
START = 10
"""Seconds in which the program has begun, also on a busy machine."""

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A folder with the store of one page."""
    made = tmp_path_factory.mktemp("user")
    kg.build([ROOT / "tests" / "cases" / "sota2" / "clean" / "page.md"], store=made / "kg-store").close()
    return made


def started(folder: Path, query: str, *words: str) -> subprocess.Popen[str]:
    (folder / "asked.rq").write_text(query, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("KG_STORE", None)
    return subprocess.Popen(
        [sys.executable, "-m", "kg", "query", "asked.rq", *words],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("query", SLOW.values(), ids=SLOW)
def test_a_query_of_any_form_stops_at_its_limit(folder, query):
    began = time.monotonic()
    with started(folder, query, "--time-limit", "0.5", "-o", "answer") as asked:
        out, err = asked.communicate(timeout=60)
    assert 0.5 < time.monotonic() - began < START + 0.5
    assert (asked.returncode, out) == (2, "")
    assert err.startswith("Error: no answer within 0.5 s, and the query was stopped.")
    assert not (folder / "answer").exists()


def test_what_is_answered_in_time_is_answered_as_ever(folder):
    answers = []
    for words in ((), ("--time-limit", "60")):
        with started(folder, "SELECT ?s WHERE { ?s ?p ?o } ORDER BY ?s ?p ?o LIMIT 3", *words) as asked:
            answers.append((*asked.communicate(timeout=60), asked.returncode))
    assert answers[0] == answers[1]
    assert answers[0][1:] == ("", 0)
    assert len(answers[0][0].splitlines()) == 5, "a head, a rule and three rows"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="what a process has used is read in /proc")
def test_ctrl_c_stops_a_query_that_the_database_evaluates(folder):
    with started(folder, SLOW["aggregate"]) as asked:
        while _processor(asked.pid) < 1:  # the program has begun long before, and the database is at work
            assert asked.poll() is None
            time.sleep(0.05)
        asked.send_signal(signal.SIGINT)
        _, err = asked.communicate(timeout=START)
    assert (asked.returncode, err) == (130, "Interrupted; what was there before is as it was.\n")


def _processor(pid: int) -> float:
    """Return how many seconds of a processor a process has used (proc(5), fields 14 and 15)."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("limit", ["0", "-1", "nan", "inf", "-inf", "1e300", "soon", ""])
def test_a_limit_that_is_no_time_is_refused(folder, limit):
    with started(folder, "ASK { ?s ?p ?o }", "--time-limit", limit) as asked:
        out, err = asked.communicate(timeout=60)
    assert (asked.returncode, out) == (2, "")
    assert "--time-limit" in err
    assert "Traceback" not in err


def test_what_a_question_raises_is_raised_where_it_is_asked():
    def ask() -> None:
        raise fault

    for fault in (Misuse("why"), TimeoutError("of the question itself"), KeyError("x")):
        with pytest.raises(type(fault)) as raised:
            answer_within(60, ask)
        assert raised.value is fault
    assert answer_within(None, lambda: 7) == 7
    check_limit(None)
