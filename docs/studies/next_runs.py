"""What to run next, so that most methods can be compared: python next_runs.py GRAPH."""

import sys

import kg

with kg.open(sys.argv[1]) as graph:
    missing = graph.analyse("missing")
    runs = {}
    for row in missing:
        if row.run:
            runs.setdefault((-row.settles, row.benchmark_label, row.run_label, row.run, row.group), row)
    for row in [runs[key] for key in sorted(runs)][:5]:
        print(f"{row.settles} pairs: run {row.run_label} on {row.benchmark_label}")
        print(f"  for {row.metric_label}, with {row.configuration}")
    for note in missing.notes:
        print(note)
    bare = sum(row.reason == "no comparable score" for row in missing)
    if not missing:
        print("Nothing to run: all methods on a benchmark share a comparison group.")
        print("To compare more, a page is needed whose Task and Dataset are those of both.")
    elif not runs:
        print("Nothing found: no single run settles a pair.")
    if bare:
        print(f"{bare} pairs wait for a method without a comparable score. The field to look at is")
        print("Recorded evaluation configuration with all its settings known, then the value, Unit and Direction.")
