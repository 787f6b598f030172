"""The claim that a method is best, taken apart: what each sentence says, and that each names where it comes from."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from real_pages import REAL

import kg
from kg.claims import TOPICS, Audit, Facts, audit
from kg.cli.tables import marked
from kg.errors import Misuse, UnknownName
from kg.rows import Rows
from kg.vocabulary import BK

CASES = Path(__file__).parent / "cases" / "sota2"
BOARD = "leaf-disease-grading-on-orchardleaves-val"
FIRST = "out-of-distribution-detection-on-imagenet-1k-resnet-50-test"
FROZEN = '{"Backbone":"ConvNeXt-T","Image Size":"320","Training":"Frozen"}'
PAPER = "d41f8e6b20c97a5381be604f"


def page(*changes: tuple[str, str], case: str = "clean") -> str:
    text = (CASES / case / "page.md").read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


def value(old: str, new: str) -> tuple[tuple[str, str], ...]:
    return (f" {old} |", f" {new} |"), (f": {old}. ", f": {new}. ")


def of(section: str, old: str, new: str) -> tuple[str, str]:
    """Change something within the first section that contains a text."""
    text = (CASES / "clean" / "page.md").read_text(encoding="utf-8")
    start = text.index(section)
    part = text[start:].partition("\n### ")[0]
    assert old in part
    return part, part.replace(old, new)


def audits(tmp_path: Path, *pages: str, method: str = "Alder", metric: str = "") -> list[Audit]:
    names = []
    for number, text in enumerate(pages):
        names.append(tmp_path / f"{number}.md")
        names[-1].write_text(text, encoding="utf-8")
    with kg.build(names) as graph:
        return kg.audit(graph, method, BOARD, metric=metric)


def said(audit: Audit, topic: str) -> list[str]:
    return [sentence.text for sentence in audit.sentences if sentence.topic == topic]


def test_best_under_one_configuration_and_alone_under_another(tmp_path):
    (found,) = audits(tmp_path, page())
    assert said(found, "best") == [
        (
            f"Under {FROZEN.replace('Frozen', 'End to end')} Alder is alone, with 90.75: there is no rival to be "
            f"better than."
        ),
        f"Under {FROZEN} Alder has the best recorded of 3 ranked scores: 91.3.",
    ]
    assert (found.method_label, found.metric_label, found.unit_text) == ("Alder", "Balanced Accuracy", "PERCENT")


def test_behind_tells_the_number_and_who_is_before(tmp_path):
    (found,) = audits(tmp_path, page(), method="Hazel")
    assert said(found, "best") == [
        (
            f"Under {FROZEN} Hazel does not have the best recorded of 3 ranked scores: it is number 3 with 85.05, and "
            "Alder has 91.3."
        ),
        (
            "Under 1 other configuration with 1 ranked score Hazel has none: the record does not say how it would "
            "do there."
        ),
    ]


def test_a_tie_is_told_as_a_tie(tmp_path):
    (found,) = audits(tmp_path, page(*value("88.4", "91.3")))
    assert f"Under {FROZEN} Alder shares the best recorded of 3 ranked scores, 91.3, with Birch." in said(found, "best")
    (found,) = audits(tmp_path, page(*value("88.4", "91.3")), method="Hazel")
    assert "it is number 3 with 85.05, and Alder and Birch have 91.3." in said(found, "best")[0]


def test_a_tie_below_the_best_is_told_as_a_tie(tmp_path):
    (found,) = audits(tmp_path, page(*value("88.4", "85.05")), method="Hazel")
    assert said(found, "best")[0] == (
        f"Under {FROZEN} Hazel does not have the best recorded of 3 ranked scores: it shares number 2 with Birch, at "
        "85.05, and Alder has 91.3."
    )
    places = found.sentences[0].evidence
    assert len({place.node for place in places}) == 3


def test_where_lower_is_better_the_least_is_best(tmp_path):
    (found,) = audits(tmp_path, page(("Higher is better", "Lower is better")), method="Hazel")
    assert f"Under {FROZEN} Hazel has the best recorded of 3 ranked scores: 85.05." in said(found, "best")


def test_an_unknown_direction_ranks_nothing(tmp_path):
    (found,) = audits(tmp_path, page(("Higher is better", "Sideways is better")))
    assert said(found, "best") == [
        (
            "Alder's 90.75 is ranked against nothing: the metric's direction or unit is not known, so nothing is "
            "ranked by it."
        ),
        (
            "Alder's 91.3 is ranked against nothing: the metric's direction or unit is not known, so nothing is "
            "ranked by it."
        ),
    ]
    assert said(found, "unlike")[0].startswith("There is no like-for-like number with 2 methods: Birch and Hazel.")


def test_a_score_without_configuration_is_compared_with_nothing(tmp_path):
    bare = page(of("### Hazel", FROZEN, "Not recorded"))
    (found,) = audits(tmp_path, bare, method="Hazel")
    assert said(found, "best")[0] == (
        "Hazel's 85.05 is ranked against nothing: it has no recorded configuration, so it is like nothing."
    )
    assert said(found, "unlike") == [
        (
            "There is no like-for-like number with 2 methods: Alder and Birch. Whether Hazel is better than those is "
            "not known from this leaderboard."
        )
    ]
    (found,) = audits(tmp_path, bare)
    assert said(found, "unlike") == [
        "There are like-for-like numbers with 1 of 2 other methods here.",
        (
            "There is no like-for-like number with 1 method: Hazel. Whether Alder is better than those is not "
            "known from this leaderboard."
        ),
    ]


def test_rivals_from_the_same_paper_are_counted(tmp_path):
    (found,) = audits(tmp_path, page())
    assert said(found, "same-paper") == [
        (
            f"The paper {PAPER} reports 90.75 and 91.3 of Alder, and all 2 numbers of rivals like for like: none of "
            "these rests on a second paper."
        )
    ]
    other = PAPER.replace("d41f", "a41f")
    at = "[Reporting paper](<https://www.sota2.com/research/paper/"
    row = "| Hazel | 85.05 | Not recorded | "
    (found,) = audits(tmp_path, page(of("### Hazel", at + PAPER, at + other), (row + PAPER, row + other)))
    assert "and 1 of 2 numbers of rivals like for like; the others come from 1 other" in said(found, "same-paper")[0]
    bare = page(of("### Hazel", FROZEN, "Not recorded"))
    (found,) = audits(tmp_path, bare)
    assert said(found, "same-paper")[0].endswith(
        "of Alder, and the only rival's number like for like: it does not rest on a second paper."
    )


def test_whose_method_it_is_as_recorded(tmp_path):
    (found,) = audits(tmp_path, page())
    assert said(found, "claim")[0] == (
        "The paper that reports 90.75 and 91.3 is, as recorded, not the one that the method comes from; no page "
        "says whether "
        "it ran the method."
    )
    assert "Of 90.75 and 91.3 the page asserts no independent reproduction." in said(found, "claim")
    (found,) = audits(tmp_path, page(), method="Hazel")
    assert "the one that the method comes from: it reports its own method" in said(found, "claim")[0]
    without = of("### Hazel", f"[Method origin paper](<https://www.sota2.com/research/paper/{PAPER}.md>)\n\n", "")
    (found,) = audits(tmp_path, page(without), method="Hazel")
    assert said(found, "claim")[0] == "Whether 85.05 is reported by the method's own paper is not recorded."


def row_of(result: str, status: str) -> Any:
    columns = ("result", "claim", "reportedIn", "reproductionStatus", "page", "lines", "quotation", "sha256")
    (row,) = Rows(columns, [(f"<{result}>", None, None, status or None, *[None] * 4)])
    return row


def test_no_sentence_says_reproduced(tmp_path):
    for method in ("Alder", "Birch", "Hazel"):
        for found in audits(tmp_path, page(), method=method):
            text = " ".join(sentence.text for sentence in found.sentences if sentence.topic != "caveat")
            assert "was independently reproduced" not in text


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (BK.Reproduced, "the page says that it was independently reproduced"),
        (BK.ReproductionFailed, "the page says that an independent reproduction failed"),
        (BK.ReproductionNotAsserted, "the page asserts no independent reproduction"),
        (BK.NotRecorded, "the page says nothing of reproduction"),
        (BK.Unreadable, "what the page says of reproduction is not understood"),
        ("", "no status of reproduction is recorded"),
    ],
)
def test_reproduction_is_told_as_its_status_has_it_and_not_beyond(tmp_path, status, told):
    (tmp_path / "page.md").write_text(page(), encoding="utf-8")
    with kg.build([tmp_path / "page.md"]) as graph:
        (board,) = graph.leaderboard(BOARD)
    (hazel,) = [it for table in board.tables for it in table.standings if it.method_label == "Hazel"]
    facts = Facts(
        method=hazel.method,
        method_label="Hazel",
        board=board,
        places=[],
        statements=[],
        claims=[],
        results=[row_of(hazel.result, status)],
        findings=[],
    )
    assert said(audit(facts), "claim")[1] == f"Of 85.05 {told}."
    others = dataclasses.replace(facts, results=[row_of("https://example.org/another", BK.Reproduced)])
    assert said(audit(others), "claim")[1] == "Of 85.05 no status of reproduction is recorded."
    both = [row_of(hazel.result, BK.Reproduced), row_of(hazel.result, BK.ReproductionNotAsserted)]
    assert said(audit(dataclasses.replace(facts, results=both)), "claim")[1] == (
        "Of 85.05 pages, or two places of one, disagree about reproduction."
    )


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        (("This record does not assert independent reproduction.", "We ran it twice."), "is not understood"),
        ((" This record does not assert independent reproduction.", ""), "the page says nothing of reproduction"),
    ],
)
def test_other_words_about_reproduction_than_those_known_are_no_status(tmp_path, changed, told):
    (found,) = audits(tmp_path, page(of("### Hazel", *changed)), method="Hazel")
    assert told in said(found, "claim")[1]


def grades(*changes: tuple[str, str]) -> str:
    """The page of another metric of the same benchmark, with the same results."""
    return page(
        *changes,
        ("| Metric | Balanced Accuracy |", "| Metric | Grade Error |"),
        ("| Unit | PERCENT |", "| Unit | SCALAR |"),
        ("| Direction | Higher is better |", "| Direction | Lower is better |"),
        ("| Method | Balanced Accuracy |", "| Method | Grade Error |"),
        ("\nBalanced Accuracy: ", "\nGrade Error: "),
    )


def test_of_a_paper_in_dispute_both_sides_are_told_and_the_result_counts_once(tmp_path):
    at, row, other = (
        "[Reporting paper](<https://www.sota2.com/research/paper/",
        "| Hazel | 85.05 | Not recorded | ",
        "a41f",
    )
    moved = PAPER.replace("d41f", other)
    both = audits(
        tmp_path, page(), grades(of("### Hazel", at + PAPER, at + moved), (row + PAPER, row + moved)), method="Hazel"
    )
    assert [found.metric_label for found in both] == ["Balanced Accuracy", "Grade Error"]
    for found in both:
        assert said(found, "best")[0] == (
            "Hazel's 85.05 is ranked against nothing: pages, or two places of one, disagree about it."
        )
        assert said(found, "same-paper") == [
            (f"Pages, or two places of one, disagree about which paper reports 85.05 of Hazel: {moved} or {PAPER}.")
        ]
        assert said(found, "claim")[0] == (
            "Whether 85.05 is reported by the method's own paper is in dispute: pages, or two places of one, state "
            "another's method and own method."
        )
        assert said(found, "claim")[-1] == (
            "In the whole graph Hazel has 1 result: 0 recorded as reported by its own paper, 0 by another's, 1 of "
            "which that is not known."
        )


def test_a_claim_that_is_not_recorded_is_counted_as_not_known(tmp_path):
    without = of("### Hazel", f"[Method origin paper](<https://www.sota2.com/research/paper/{PAPER}.md>)\n\n", "")
    (found,) = audits(tmp_path, page(without), method="Hazel")
    assert said(found, "claim")[-1].endswith("0 by another's, 1 of which that is not known.")


def test_figures_of_the_whole_graph_rest_on_the_lines_of_every_result():
    with kg.build(REAL) as graph:
        (found,) = kg.audit(graph, "PLF", FIRST)
    (figures,) = [it for it in found.sentences if it.text.startswith("In the whole graph")]
    assert {(place.node.rpartition("/")[2], place.lines) for place in figures.evidence} >= {
        ("6998ed525698665ec451df8d", "line=107,116"),
        ("6998ed525698665ec451df8e", "line=67,76"),
    }


@pytest.mark.parametrize("name", ["origin-equals-reporting-everywhere", "leaderboards-incomplete"])
def test_a_finding_about_a_whole_leaderboard_rests_on_its_counts_and_all_its_rows(tmp_path, name):
    if name == "leaderboards-incomplete":
        (found,) = audits(tmp_path, page(("Results loaded | 4 of 4", "Results loaded | 4 of 100")))
    else:
        with kg.build(REAL) as graph:
            (found,) = kg.audit(graph, "PLF", FIRST)
    (finding,) = [it for it in found.sentences if it.topic == "finding" and it.text.startswith(name)]
    assert all(place.page and place.lines and place.sha256 for place in finding.evidence)
    results = {place.node for place in finding.evidence if place.node != found.metric}
    assert len(results) == (4 if name == "leaderboards-incomplete" else 10)
    assert any(place.node == found.metric for place in finding.evidence)


def test_how_many_of_how_many_results_are_known_is_told(tmp_path):
    (found,) = audits(tmp_path, page(("Results loaded | 4 of 4", "Results loaded | 4 of 100")))
    assert said(found, "coverage")[0] == "4 of 100 recorded results; not a claim about the world."
    (finding,) = [text for text in said(found, "finding") if text.startswith("leaderboards-incomplete")]
    assert "scores: 4; results total: 100" in finding


def test_what_several_pages_say_alike_is_told_once_with_each_place(tmp_path):
    first, second = (page(case=f"{which}-page-of-several") for which in ("first", "second"))
    alike = second.replace("| Coverage | Second page", "| Coverage | First page")
    assert alike != second
    (found,) = audits(tmp_path, first, alike)
    coverage = [it for it in found.sentences if it.topic == "coverage"]
    assert [it.text.partition(":")[0] for it in coverage] == [coverage[0].text, "The page says"]
    assert [len(it.evidence) for it in coverage] == [2, 2]


def test_a_method_without_rivals_and_without_findings_has_places_for_both(tmp_path):
    text = page(("Alder", "Hazel"), ("Birch", "Hazel"), ("27c5a90be3f14d86927ab0c1", PAPER))
    (found,) = audits(tmp_path, text.replace("b8e03d7f5a916c42e7d5081a", PAPER), method="Hazel")
    assert said(found, "unlike") == ["No other method has a score here, so there is nothing to compare it with."]
    assert all(sentence.evidence for sentence in found.sentences)
    (found,) = audits(tmp_path, page(), method="Hazel")
    (nothing,) = [sentence for sentence in found.sentences if sentence.topic == "finding"]
    assert nothing.text == "No quality query finds anything that touches it."
    assert [bool(place.lines and place.page) for place in nothing.evidence] == [True] * len(nothing.evidence) != []


def test_coverage_and_caveats_are_those_of_the_pages_with_their_lines(tmp_path):
    (found,) = audits(tmp_path, page(case="first-page-of-several"))
    assert said(found, "coverage") == [
        "4 of 37 recorded results; 1 of 10 pages read; not a claim about the world.",
        "The page says: First page of the results returned for this benchmark",
    ]
    caveats = [sentence for sentence in found.sentences if sentence.topic == "caveat"]
    assert len(caveats) == 3
    lines = (CASES / "first-page-of-several" / "page.md").read_text(encoding="utf-8").split("\n")
    numbers = []
    for sentence in caveats:
        (place,) = sentence.evidence
        assert place.lines
        numbers.append(int(place.lines.partition(",")[2]))
        assert sentence.text in lines[numbers[-1] - 1]
        assert place.sha256
    assert numbers == sorted(numbers)


def test_findings_that_touch_it_are_told_with_both_places(tmp_path):
    grade = grades(('"Training":"Frozen"', '"Training":"Thawed"'))
    both = audits(tmp_path, page(), grade)
    assert [found.metric_label for found in both] == ["Balanced Accuracy", "Grade Error"]
    finding = next(it for it in both[0].sentences if it.topic == "finding" and it.text.startswith("views-disagree"))
    assert len(finding.evidence) == 2
    assert all(place.page and place.lines for place in finding.evidence)
    assert "Alder's 91.3 is ranked against nothing: pages, or two places of one, disagree about it." in said(
        both[0], "best"
    )
    assert [found.metric_label for found in audits(tmp_path, page(), grade, metric="Grade Error")] == ["Grade Error"]


def test_where_every_paper_is_its_own_the_figures_come_without_those_pages_too():
    with kg.build(REAL) as graph:
        (found,) = kg.audit(graph, "PLF", FIRST)
        (other,) = kg.audit(graph, "MSP", "selective-classification-on-imagenet-v2-original-test")
    assert said(found, "claim")[-1] == (
        "In the whole graph PLF has 2 results: 2 recorded as reported by its own paper, 0 by another's; without the "
        "leaderboards on which every result is recorded as its paper's own (origin-equals-reporting-everywhere) "
        "0 results: "
        "0 recorded as reported by its own paper, 0 by another's."
    )
    assert any(text.startswith("origin-equals-reporting-everywhere") for text in said(found, "finding"))
    assert "without the leaderboards" not in said(other, "claim")[-1]


@pytest.mark.parametrize("method", ["ASH", "PLF", "KNN"])
def test_every_sentence_has_its_trace(method):
    with kg.build(REAL) as graph:
        (found,) = kg.audit(graph, method, FIRST)
        quoted = {str(row.quotation) for row in graph.query("provenance/places-of-scores", benchmark=FIRST)}
    assert {sentence.topic for sentence in found.sentences} == set(TOPICS)
    for sentence in found.sentences:
        assert sentence.evidence, sentence.text
        assert all(place.page and place.lines and place.quotation for place in sentence.evidence), sentence.text
        if sentence.topic in {"best", "unlike", "same-paper"}:
            assert {place.quotation for place in sentence.evidence} <= quoted


# What users type


HOSTILE = "`B` \\| [x](y) <b> *i* \u202edne\u202c \x07"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("audit")
    hostile = (CASES / "clean" / "page.md").read_text(encoding="utf-8").replace("Birch", HOSTILE)
    (folder / "hostile.md").write_text(hostile, encoding="utf-8")
    kg.build([*REAL, folder / "hostile.md"], store=folder / "kg-store").close()
    return folder


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "kg", "audit", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_people_read_questions_sentences_and_places(folder):
    done = run(folder, "PLF", "-b", FIRST)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0].startswith("Is PLF the best on Out-of-Distribution Detection")
    assert [line for line in lines if line in TOPICS.values()] == list(TOPICS.values())
    assert "    [6998ed525698665ec451df8d: line 43, lines 108-116 of https://www.sota2.com/" in done.stdout
    marked = run(folder, "PLF", "-b", FIRST, "-f", "md").stdout
    assert [line for line in marked.splitlines() if line.startswith("## ")] == [
        f"## {text}" for text in TOPICS.values()
    ]


def test_programs_get_every_place(folder):
    (found,) = json.loads(run(folder, "PLF", "-b", FIRST, "-f", "json").stdout)
    assert list(found) == [
        *("method", "methodLabel", "benchmark", "benchmarkLabel", "metric", "metricLabel", "unitText", "directionText"),
        "sentences",
    ]
    assert {tuple(sentence) for sentence in found["sentences"]} == {("topic", "text", "evidence")}
    places = [place for sentence in found["sentences"] for place in sentence["evidence"]]
    assert {tuple(place) for place in places} == {("node", "page", "lines", "quotation", "sha256")}


def test_a_hostile_name_stays_on_its_line(folder):
    done = run(folder, "Alder", "-b", BOARD, "-f", "md")
    assert done.returncode == 0
    assert all(line == "" or line.startswith(("#", "- ", "  - ", "PERCENT")) for line in done.stdout.splitlines())


@pytest.mark.parametrize("form", ["text", "md"])
@pytest.mark.parametrize("method", ["Hazel", "hostile"])
def test_a_hostile_name_stands_for_itself(folder, form, method):
    with kg.open(folder / "kg-store") as graph:
        standings = [it for table in graph.leaderboard(BOARD)[0].tables for it in table.standings]
    (name,) = {it.method_label for it in standings if "[x](y)" in it.method_label}
    (node,) = {it.method for it in standings if it.method_label == name}
    done = run(folder, node if method == "hostile" else method, "-b", BOARD, "-f", form)
    assert done.returncode == 0, done.stderr
    assert all(character.isprintable() for line in done.stdout.split("\n") for character in line)
    assert (r"\[x\](y) \<b\> \*i\*" if form == "md" else "[x](y) <b> *i*") in done.stdout
    assert ("[x](y)" in done.stdout) is (form == "text")
    assert (f"Is {marked(name)} the best on " in done.stdout) is (method == "hostile" and form == "md")


def test_places_in_markdown_are_links_that_work(folder):
    marked_up = run(folder, "PLF", "-b", FIRST, "-f", "md").stdout
    assert f"lines 108-116 of <https://www.sota2.com/research/sota/{FIRST}>]" in marked_up


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ["PLF", "-b", "selective-classification-on-imagenet-v2-original-test"],
            "It has scores on: Out-of-Distribution",
        ),
        (["PLFF", "-b", FIRST], "PLFF"),
        (["Nope", "-b", FIRST], "no method named 'Nope'"),
        (["PLF", "-b", "nowhere"], "nowhere"),
        (["PLF", "-b", FIRST, "-m", "Far-OOD AUROC"], "has no score"),
        (["PLF", "-b", FIRST, "-m", "Far-OOD AUROC"], "It has scores under: Near-OOD AUROC."),
        (["PLF"], "--benchmark"),
        (["PLF", "-b", FIRST, "-f", "csv"], "csv"),
    ],
)
def test_a_wrong_word_gets_a_message_that_mends_it(folder, words, told):
    done = run(folder, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("form", ["text", "md", "json"])
def test_a_reader_that_goes_away_ends_it_quietly(folder, form):
    command = [sys.executable, "-m", "kg", "audit", "PLF", "-b", FIRST, "-f", form]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        assert process.stderr.read() == ""


def test_without_a_store_the_message_says_how_to_make_one(tmp_path):
    done = run(tmp_path, "PLF", "-b", FIRST)
    assert (done.returncode, done.stdout) == (2, "")
    assert "kg build" in done.stderr
    assert "Traceback" not in done.stderr


def test_errors_in_python():
    with kg.build(REAL) as graph:
        with pytest.raises(UnknownName):
            kg.audit(graph, "Nope", FIRST)
        with pytest.raises(Misuse, match="has no score"):
            kg.audit(graph, "MSP", FIRST)
