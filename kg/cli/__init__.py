"""The command line: ``kg``. See ``kg --help``."""

from __future__ import annotations

__all__ = ["INTERRUPTED", "main"]

INTERRUPTED = 130
"""The exit code after Ctrl-C."""


def main() -> None:
    """Run the command line and exit with its code.

    Nothing is imported before this runs, so that Ctrl-C while the program still loads shows no traceback.
    """
    try:
        from kg.cli.interrupts import leaving_at_once

        with leaving_at_once():
            from kg.cli.app import run
        run()
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
