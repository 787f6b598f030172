"""A writer killed at any moment leaves whole views only, and never half of an update."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from made_views import made_view

from kg.errors import StoreError
from kg.identifiers import Identifiers
from kg.model import ViewGraph
from kg.store import Store
from kg.terms import lexical

ONTOLOGY = lexical(Identifiers("").graph("ontology"))
KILLS = 10
WRITER = """
import sys
from pathlib import Path
from kg.store import Store
from test_store_killed import state, number

folder = Path(sys.argv[1])
print("ready", flush=True)
while True:
    with Store.writing(folder) as store:
        store.update(state(number(store) + 1))
    print("published", flush=True)
"""


def state(step: int) -> list[ViewGraph]:
    """What the store holds after so many updates: each update replaces every view, and some share triples."""
    when = f"{2000 + step}-01-01T00:00:00Z"
    return [
        made_view("shared", f"only-{step}", *(f"{step}-{row}" for row in range(300)), time=when),
        made_view("shared", f"only-{step - 1}", metric="f1", time=when),
        made_view("shared", metric="mcc", time=when),
    ]


def number(store: Store) -> int:
    """How many updates a store has seen."""
    return max((int(view.modified[:4]) - 2000 for view in store.views()), default=0)


def look(folder: Path) -> int:
    """Check that a store holds exactly one whole state, and return which."""
    with Store.open(folder) as store:
        step = number(store)
        expected = {view.graph: view.lines for view in state(step)}
        assert {view.graph: tuple(store.view_lines(view.graph)) for view in store.views()} == expected
        default = set(store.triples())
        assert default - set(store.view_lines(ONTOLOGY)) == {line for lines in expected.values() for line in lines}
        fresh = Store.in_memory()
        fresh.update(state(step))
        assert store.quads() == fresh.quads()
        return step


@pytest.mark.parametrize("begun", [False, True], ids=["from nothing", "from a store"])
def test_killed_at_random_moments_the_store_holds_whole_states_only(tmp_path: Path, begun: bool):
    folder = tmp_path / "kg-store"
    if begun:
        with Store.writing(folder) as store:
            store.update(state(1))
    here = Path(__file__).parent
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(here), str(here.parent)])}
    seen, chance = [0], random.Random()
    for _ in range(KILLS):
        command = [sys.executable, "-c", WRITER, str(folder)]
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            # After as many updates as chance has it, whatever the machine's speed, and then at any moment of the next.
            for _ in range(1 + chance.randrange(3)):
                assert writer.stdout.readline()
            time.sleep(chance.uniform(0, 0.2))
            assert writer.poll() is None, "the writer ended by itself"
            writer.kill()
        try:
            seen.append(look(folder))
        except StoreError:
            assert seen[-1] == 0, "a store that was there is gone"
            assert not (folder / "current").exists()
    assert seen == sorted(seen), "an older state came back"
    assert seen[-1] > 1, "no update was ever published between two kills"
    with Store.writing(folder) as store:
        store.update(state(seen[-1] + 1))
    assert look(folder) == seen[-1] + 1
    assert len(list((folder / "generations").iterdir())) == 1
