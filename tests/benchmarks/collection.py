"""A made collection of benchmarks: who measured which method on what, and under which configuration.

Everything is drawn by rank from a seed, so that the n-th benchmark is the same however many there
are. Ranks of tasks, datasets, methods, papers and configurations are Zipf-distributed (exponent 1),
as popularity is in real collections: a few are everywhere, most stand on one page.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from math import cos, exp, log, pi, sqrt
from random import Random

__all__ = ["Benchmark", "Metric", "Result", "benchmark"]

_METHODS = 200_000
_PAPERS = 60_000
_CONFIGURATIONS = 20_000
_MOST_RESULTS = 60
_TYPICAL_RESULTS = 8.9  # the median of the log-normal distribution of the results on a page
_SPREAD_OF_RESULTS = 0.78

_SYLLABLES = ("ba", "cor", "du", "fen", "gra", "hil", "jo", "kem", "lu", "mir", "no", "pra", "qui", "rus", "tal", "vex")
_TASKS = (
    "Out-of-Distribution Detection", "Selective Classification", "Image Classification", "Question Answering",
    "Machine Translation", "Semantic Segmentation", "Node Classification", "Speech Recognition",
)  # fmt: skip
_DATASETS = (
    "ImageNet-1K", "CIFAR-100", "Méréville", "COCO", "Česká Corpus", "GLUE", "Ogbn-Arxiv", "LibriSpeech",
    "東京 Streets",
)  # fmt: skip
_SPLITS = (" (test)", " (test)", " (test)", " (val)", " (validation)", "")
_METHOD_FORMS = (
    "{}", "{}", "{}", "{}-L", "Δ-{}", "{} (32×8d)", "{}++", "{} + {}", "Müller–{}", "{}’s Ω", "{} & co.", 'the "{}"',
)  # fmt: skip
_METRICS = (
    ("Accuracy", "PERCENT", True), ("Near-OOD AUROC", "PERCENT", True), ("F1", "PERCENT", True),
    ("Top-1 Error", "PERCENT", False), ("mAP@0.5:0.95", "PERCENT", True), ("BLEU", "SCALAR", True),
    ("Perplexity", "SCALAR", False), ("Δ-Score", "SCALAR", True), ("FID ↓", "SCALAR", False), ("R²", "SCALAR", True),
)  # fmt: skip
_KEYS = (
    ("Backbone", ("ResNet-50", "ViT-B/16", "ConvNeXt-T", "Swin-S", "BERT-base", "LLaMA 7B", "GIN")),
    ("Training Dataset", ("ImageNet-1K", "JFT-300M", "Česká Corpus", "C4", None)),
    ("Pre-training Source", ("Official PyTorch Repository", "timm", "Not recorded", "from scratch")),
    ("Tuning Method", ("OpenOOD Tuning (OpenImage-O)", "LoRA", "Proposed tuning without OOD data", "none")),
    ("Prompt", ('Say "yes" or "no".', "Let's think step by step.", "A photo of a {}.", "Réponds “oui”: C:\\temp")),
    ("Shots", (0, 1, 5, 16)),
    ("Learning Rate", (0.1, 0.001, 3e-05)),
    ("Extra Data", (True, False)),
    ("Optimizer", ({"Name": "AdamW", "Betas": [0.9, 0.999]}, {"Name": "SGD", "Momentum": 0.9})),
)


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric as the pages of its benchmark list it."""

    name: str
    unit: str
    higher_is_better: bool

    @property
    def direction(self) -> str:
        return "Higher is better" if self.higher_is_better else "Lower is better"


@dataclass(frozen=True, slots=True)
class Result:
    """A recorded result: what all pages of its benchmark say of it, and one value a metric."""

    identifier: str
    label: str
    paper: str
    origin: str
    implementations: tuple[str, ...]
    configuration: str
    date: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A benchmark with its results; each metric has its own pages, of ``page_size`` results but for the last."""

    task: str
    dataset: str
    slug: str
    updated: str
    metrics: tuple[Metric, ...]
    results: tuple[Result, ...]
    page_size: int

    @property
    def page_count(self) -> int:
        """The number of pages of each metric."""
        return max(1, -(-len(self.results) // self.page_size))

    def ranking(self, metric: int) -> list[Result]:
        """Return the results, best first, as the pages of a metric print them."""
        sign = -1 if self.metrics[metric].higher_is_better else 1
        return sorted(self.results, key=lambda it: (sign * float(it.values[metric].split(" ")[0]), it.identifier))


def _rank(draw: Random, most: int) -> int:
    """Draw a rank from 0 up to ``most``, the n-th with a chance in proportion to 1/(n+1)."""
    return int(exp(draw.random() * log(most + 1))) - 1


def _pick(draw: Random, options):
    return options[int(draw.random() * len(options))]


def _identifier(kind: int, number: int) -> str:
    """Return 24 hexadecimal digits, another for each number of a kind, as the source's ids look."""
    return f"{((number * 8 + kind) * 0x9E3779B97F4A7C15F39CC061 + 0x6998ED525698665EC451DF8A) % (1 << 96):024x}"


def _word(number: int) -> str:
    """Return a name that stands for one number alone."""
    word = ""
    number += len(_SYLLABLES)
    while number:
        number, index = divmod(number, len(_SYLLABLES))
        word = _SYLLABLES[index] + word
    return word.capitalize()


@lru_cache(1 << 16)
def _method(rank: int) -> tuple[str, str, tuple[str, ...]]:
    """Return the name of a method, its origin paper and the addresses of its code."""
    form = _METHOD_FORMS[rank * 7 % len(_METHOD_FORMS)]
    word = _word(rank)
    code = f"https://github.com/{_word(rank // 5).lower()}-lab/{word.lower()}"
    addresses = {0: (code, f"https://gitlab.com/mirrors/{word.lower()}"), 1: (f"https://www.sota2.com/{code[8:]}",)}
    return form.format(word, _word(rank // 3)), _identifier(1, rank % _PAPERS), addresses.get(rank % 20, (code,))


@lru_cache(1 << 15)
def _configuration(rank: int) -> str:
    """Return the JSON text of a configuration; one in 25 says that none is recorded."""
    draw = Random(rank)  # the same whatever the seed of the collection: a rank is one configuration
    if rank % 25 == 11:
        return _pick(draw, ("{}", "Not recorded"))
    keys = sorted({int(draw.random() * len(_KEYS)) for _ in range(1 + rank % 4)})
    made: dict[str, object] = {_KEYS[key][0]: _pick(draw, _KEYS[key][1]) for key in keys}
    made["Variant"] = _word(rank)
    return json.dumps(made, ensure_ascii=False, separators=(",", ":"))


_pairs: list[tuple[int, int]] = []


def _pair(number: int) -> tuple[int, int]:
    """Return the task and the dataset of a benchmark, by rank.

    Pairs are numbered by their product, so no two benchmarks are the same and both ranks are
    Zipf-distributed: the n-th task has one n-th of the datasets of the first.
    """
    while len(_pairs) <= number:
        product = (_pairs[-1][0] + 1) * (_pairs[-1][1] + 1) + 1 if _pairs else 1
        roots = [it for it in range(1, int(sqrt(product)) + 1) if product % it == 0]
        divisors = sorted({*roots, *(product // it for it in roots)})
        _pairs.extend((divisor - 1, product // divisor - 1) for divisor in divisors)
    return _pairs[number]


def _named(rank: int, names: tuple[str, ...]) -> str:
    series, index = divmod(rank, len(names))
    return f"{names[index]} {_word(series)}" if series else names[index]


def _results_on_a_page(draw: Random) -> int:
    normal = sqrt(-2 * log(1 - draw.random())) * cos(2 * pi * draw.random())  # Box-Muller
    return min(_MOST_RESULTS, max(1, round(_TYPICAL_RESULTS * exp(_SPREAD_OF_RESULTS * normal))))


def _value(draw: Random) -> str:
    text = f"{draw.random() * 100:.{1 + int(draw.random() * 2)}f}"
    return f"{text} ± {draw.random():.2f}" if draw.random() < 0.04 else text


def _date(draw: Random) -> str:
    if draw.random() >= 0.2:
        return "Not recorded"
    text = f"{2012 + int(draw.random() * 14)}-{1 + int(draw.random() * 12):02d}-{1 + int(draw.random() * 28):02d}"
    return text[: _pick(draw, (10, 10, 10, 7, 4))]


def benchmark(seed: int, number: int) -> Benchmark:
    """Draw the benchmark with this number: the same one in every collection with this seed."""
    draw = Random(f"{seed}:{number}")
    task, dataset = _pair(number)
    chosen = int(draw.random() * len(_METRICS))
    metrics = tuple(
        Metric(*_METRICS[(chosen + step * 3) % len(_METRICS)]) for step in range(_pick(draw, (1, 1, 2, 2, 3, 4)))
    )
    size = _results_on_a_page(draw)
    count = size
    if draw.random() < 0.06:
        count += 1 + int(draw.random() * size * 2.5)
    papers = [_rank(draw, _PAPERS) for _ in range(_pick(draw, (1, 1, 2, 3)))]
    configurations = [_configuration(_rank(draw, _CONFIGURATIONS)) for _ in range(_pick(draw, (1, 1, 2, 3)))]
    results = []
    for index in range(count):
        reporting = _pick(draw, papers)
        paper = _identifier(1, reporting)
        if draw.random() < 0.3:  # a paper's own method
            own = _METHODS + reporting * 4 + int(draw.random() * 4)
            label, _, code = _method(own)
            origin = paper
        else:
            label, origin, code = _method(_rank(draw, _METHODS))
        results.append(
            Result(
                identifier=_identifier(2, number * 512 + index),
                label=label,
                paper=paper if draw.random() < 0.99 else "Not recorded",
                origin=origin if draw.random() < 0.97 else "",
                implementations=code if draw.random() < 0.35 else (),
                configuration=_pick(draw, configurations),
                date=_date(draw),
                values=tuple(_value(draw) for _ in metrics),
            )
        )
    day = number * 7919 % 28 + 1
    return Benchmark(
        task=_named(task, _TASKS),
        dataset=_named(dataset, _DATASETS) + _SPLITS[dataset % len(_SPLITS)],
        slug=f"{_word(task)}-on-{_word(dataset)}-{number}".lower(),
        updated=f"2026-{number % 3 + 1:02d}-{day:02d}T05:{number % 60:02d}:{number * 7 % 60:02d}.{number % 1000:03d}Z",
        metrics=metrics,
        results=tuple(results),
        page_size=size,
    )
