"""Which claims of papers about their own methods survive like for like: python claims.py GRAPH."""

import sys
from collections import Counter
from itertools import permutations

import kg

SIGNS = {"Higher is better": 1, "Lower is better": -1}
VERDICTS = {(1, 0): "survive", (0, 1): "are reversed", (1, 1): "depend on the configuration"}

with kg.open(sys.argv[1]) as graph:
    beaten = {(it["metric"], *edge) for *edge, it in graph.to_networkx("beats").edges(data=True) if it["weight"]}
    total = Counter()
    for board in graph.query("provenance/coverage"):
        best = {}  # as a table without configurations has it: the best number of each method in each paper
        for row in graph.query("comparison/leaderboard", benchmark=board.benchmark, metric=board.metric):
            if row.value is not None and row.reportedIn and row.directionText in SIGNS:
                key = row.reportedIn, str(row.claim).rpartition("#")[2], row.method
                best[key] = max(row.value * SIGNS[row.directionText], best.get(key, float("-inf")))
        for (paper, claim, method), (other_paper, other_claim, other) in permutations(best, 2):
            claimed = best[paper, claim, method] > best[other_paper, other_claim, other]
            if paper == other_paper and (claim, other_claim) == ("OwnMethod", "OthersMethod") and claimed:
                wins, losses = (board.metric, method, other) in beaten, (board.metric, other, method) in beaten
                total[VERDICTS.get((wins, losses), "cannot be compared")] += 1
    print("Claims that a paper's own method beats another's:", total.total())
    for verdict, count in sorted(total.items()):
        print(f"- {verdict}: {count}")
    if not total:
        print("Nothing found: it takes a paper with better numbers for a method of its own than for another's.")
        print("The fields needed are Reporting paper, Method origin paper and Direction.")
    if total["cannot be compared"]:
        print("The field missing or different there is Recorded evaluation configuration.")
    for row in graph.query("quality/origin-equals-reporting-everywhere"):
        print(f"No claim on {row.benchmarkLabel}: Method origin paper is the reporting paper everywhere.")
    for row in graph.query("quality/direction-in-doubt"):
        print(f"In doubt on {row.benchmarkLabel}: Direction of {row.metricLabel}.")
