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
        import gc

        from kg.cli.loading import loading

        with loading():
            from kg.cli.app import run
        try:
            run()
        finally:
            gc.freeze()  # the process ends: Python need not look through all that is left for what it could free
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
