"""How fast the road from pages to answers is, as ratios against stated baselines: ``python -m tests.benchmarks``."""
