"""Whose methods other papers have evaluated too: python re_evaluated.py GRAPH."""

import sys

import kg

with kg.open(sys.argv[1]) as graph:
    influence = graph.analyse("influence")
    for row in graph.analyse("coverage"):
        print(f"{row.by_others} of {row.methods} methods have a number from a paper other than their own: {row.scope}")
        print(f"  of {row.results} results, recorded as reproduced {row.reproduced}, as failed {row.failed}")
    names = {}
    for row in graph.query("provenance/methods-reported-by-others"):
        names.setdefault(row.originPaper, []).append(row.methodLabel)
    for row in influence[:5]:
        if row.papers:
            told = ", ".join(sorted(names[row.node]))
            print(f"{row.label} ({told}): in other papers {row.papers}, results {row.results}")
    if not any(row.papers for row in influence):
        print("Nothing found: no paper reports a method of another.")
        print("The fields needed are Reporting paper and Method origin paper, and they have to differ.")
    for note in influence.notes:
        print(note)
