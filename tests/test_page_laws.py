"""Laws of reading: each line counts, damage is reported, order does not matter, a new result touches nothing else."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg.mapping import to_view_graph
from kg.model import BenchmarkPage, Lines
from kg.restoring import to_pages
from kg.sources import parse
from kg.sources.sota2 import FURNITURE

CASES = Path(__file__).parent / "cases" / "sota2"
REAL = ("out-of-distribution-detection", "selective-classification")
PAGES = [(CASES / name / "page.md").read_text(encoding="utf-8").split("\n") for name in REAL]
NOT_SAID_BY_A_LINE = {"snapshot", "lines", "index", "paging", "file", "message"}


def said(record: object) -> object:
    """Return what a page says, without where it stands: neither line numbers nor the hash of the bytes."""
    if names := getattr(record, "_fields", getattr(record, "__slots__", ())):
        return type(record).__name__, *(said(getattr(record, it)) for it in names if it not in NOT_SAID_BY_A_LINE)
    return tuple(map(said, record)) if isinstance(record, tuple) else record


def rebuilt(lines: list[str]) -> BenchmarkPage | None:
    page = parse("\n".join(lines).encode(), "page.md").page
    if page is None:
        return None
    (again,) = to_pages(to_view_graph(page).lines)
    assert again == page
    return again


def alterations(line: str, random_: random.Random) -> list[str]:
    """Return the line altered in ways that no reader may overlook: at its ends, and a letter within."""
    place = random_.choice([place for place, character in enumerate(line) if character.isalnum()])
    other = "x" if line[place] != "x" else "y"
    return [f"{line}x", f"x{line}", line[:place] + other + line[place + 1 :], line[:place] + line[place + 1 :]]


@pytest.mark.parametrize("lines", PAGES, ids=REAL)
def test_no_line_can_be_altered_or_removed_unseen(lines):
    random_ = random.Random(0)
    whole = said(rebuilt(lines))
    tried = 0
    for number, line in enumerate(lines):
        if FURNITURE.fullmatch(line):
            continue
        for altered in ([], *([text] for text in alterations(line, random_))):
            tried += 1
            assert said(rebuilt([*lines[:number], *altered, *lines[number + 1 :]])) != whole, (
                number + 1,
                line,
                altered,
            )
    assert tried > 5 * len(lines) // 3


def covered(problems, lines: Lines) -> bool:
    return any(place.first <= lines.last and lines.first <= place.last for it in problems for place in it.lines)


def facts(page: BenchmarkPage) -> dict[object, tuple[object, tuple[Lines, ...]]]:
    """Return each fact of a page by what names it: what is said, and the lines that say it."""
    found: dict[object, tuple[object, tuple[Lines, ...]]] = {}
    for name in ("title", "page", "collection", "updated", "description", "value_column"):
        record = getattr(page, name)
        found[name] = said(record), (record.lines,)
    for name, cell in page.scope._asdict().items():
        found["scope", name] = said(cell), (cell.lines,)
    for metric in page.metrics:
        found["metric", metric.name] = said(metric), (metric.lines,)
    for result in page.results:
        found["result", result.identifier] = said(result), (result.lines, result.row.lines)
    found["page number"] = (page.page_number, page.page_count), (page.paging,)
    return found


def damaged(line: bytes, random_: random.Random) -> list[bytes]:
    kind = random_.randrange(6)
    place = random_.randrange(len(line) + 1)
    noise = bytes(random_.randrange(256) for _ in range(random_.randint(1, 12)))
    return [
        [],
        [line[:place] + noise.replace(b"\n", b" ") + line[place:]],
        [line[:place]],
        [line[place:]],
        [line, line],
        [line[:place] + line[place:].swapcase()],
    ][kind]


@settings(max_examples=300)
@given(st.integers(min_value=0), st.sampled_from(range(len(PAGES))), st.integers(min_value=1, max_value=4))
def test_a_damaged_page_loses_nothing_in_silence(seed, which, count):
    random_ = random.Random(seed)
    lines = [line.encode() for line in PAGES[which]]
    page = parse(b"\n".join(lines), "page.md").page
    hit = set(random_.sample(range(1, len(lines)), min(count, len(lines) - 1)))
    pairs = [
        (number + 1, new)
        for number, line in enumerate(lines)
        for new in (damaged(line, random_) if number in hit else [line])
    ]
    reading = parse(b"\n".join(new for _, new in pairs), "page.md")
    if reading.page is None:
        assert any(problem.severity == "error" for problem in reading.problems)
        return
    to_view_graph(reading.page)
    now = {}
    for name in ("title", "page", "collection", "updated", "description", "value_column"):
        now[name] = getattr(reading.page, name)
    now |= {("scope", name): cell for name, cell in reading.page.scope._asdict().items()}
    now |= {("metric", metric.name): metric for metric in reading.page.metrics}
    now |= {("result", result.identifier): result for result in reading.page.results}
    now["page number"] = reading.page.page_number, reading.page.page_count
    for name, (fact, places) in facts(page).items():
        whole = all(number - 1 not in hit for place in places for number in range(place.first, place.last + 1))
        record = now.get(name)
        if name == "description" and record and page.description.text in record.text:
            continue  # a blank line that became text is one more paragraph
        if whole and (record if name == "page number" else said(record)) != fact:
            new_places = [
                Lines(index, index)
                for index, (number, _) in enumerate(pairs, 1)
                if any(place.first <= number <= place.last for place in places)
            ]
            assert any(covered(reading.problems, place) for place in new_places), (name, sorted(hit))


@settings(max_examples=200)
@given(st.binary(max_size=400), st.integers(min_value=0))
def test_any_bytes_give_problems_and_no_traceback(noise, seed):
    random_ = random.Random(seed)
    data = "\n".join(random_.choice(PAGES)).encode()
    start = random_.randrange(len(data))
    for candidate in (noise, data[:start] + noise + data[start + random_.randrange(200) :]):
        reading = parse(candidate, "page.md")
        if reading.page is None:
            assert reading.problems
        else:
            assert to_pages(to_view_graph(reading.page).lines) == [reading.page]


def in_order(lines: list[str], order: list[int]) -> list[str]:
    """Return the page with its results in another order, in the table and in the sections."""
    first_row = next(number for number, line in enumerate(lines) if line.startswith("| Method ")) + 2
    rows = [line for line in lines[first_row:] if line.startswith("| ")]
    starts = [number for number, line in enumerate(lines) if line.startswith("### ")]
    end = next(number for number, line in enumerate(lines) if line.startswith("Page "))
    sections = [lines[start:stop] for start, stop in zip(starts, [*starts[1:], end], strict=True)]
    moved = [line for place in order for line in sections[place]]
    head, between = lines[:first_row], lines[first_row + len(rows) : starts[0]]
    return [*head, *(rows[place] for place in order), *between, *moved, *lines[end:]]


@settings(max_examples=25)
@given(st.sampled_from(range(len(PAGES))), st.randoms(use_true_random=False))
def test_the_order_of_results_changes_only_where_things_stand(which, random_):
    lines = PAGES[which]
    order = list(range(sum(line.startswith("### ") for line in lines)))
    random_.shuffle(order)
    one, other = (parse("\n".join(text).encode(), "page.md") for text in (lines, in_order(lines, order)))
    assert one.page
    assert other.page
    assert not other.problems
    kept = [{line for line in to_view_graph(it.page).lines if "/snapshot/" not in line} for it in (one, other)]
    assert kept[0] == kept[1]
    assert sum("ns#value>" in line for line in kept[0]) == len(order)


def test_the_order_of_rows_alone_is_reported_and_changes_no_value():
    lines = PAGES[0]
    first_row = next(number for number, line in enumerate(lines) if line.startswith("| Method ")) + 2
    swapped = [*lines]
    swapped[first_row], swapped[first_row + 3] = swapped[first_row + 3], swapped[first_row]
    reading = parse("\n".join(swapped).encode(), "page.md")
    assert {problem.code for problem in reading.problems} == {"order-disagrees"}
    values = [line for line in to_view_graph(reading.page).lines if "ns#value>" in line]
    assert values == [line for line in to_view_graph(rebuilt(lines)).lines if "ns#value>" in line]


@pytest.mark.parametrize("lines", PAGES, ids=REAL)
def test_a_new_result_changes_its_own_lines_and_the_snapshot_alone(lines):
    new_id = "6998ed525698665ec451dfff"
    rows = [number for number, line in enumerate(lines) if line.startswith("| ") and line.endswith("4 |")]
    starts = [number for number, line in enumerate(lines) if line.startswith("### ")]
    old_id = lines[starts[0] + 2].partition("Result ID: ")[2].rstrip(".")
    value = lines[starts[0] + 2].partition(": ")[2].partition(". Result")[0]
    section = [
        line.replace(old_id, new_id).replace(f": {value}. ", ": 50.5. ") for line in lines[starts[0] : starts[1]]
    ]
    row = lines[rows[0]].replace(f"| {value} |", "| 50.5 |")
    count = len(starts)
    more = [line.replace(f"{count} of {count}", f"{count + 1} of {count + 1}") for line in lines]
    more[starts[1] : starts[1]] = section
    more.insert(rows[0] + 1, row)
    reading = parse("\n".join(more).encode(), "page.md")
    assert not reading.problems
    before, after = (set(to_view_graph(page).lines) for page in (rebuilt(lines), reading.page))
    assert all("/snapshot/" in line for line in before - after)
    assert all("/snapshot/" in line or new_id in line for line in after - before)
    assert any(f"result/{new_id}>" in line and "/snapshot/" not in line for line in after - before)
