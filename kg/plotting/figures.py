"""What all plots share: settings that no one else's change, and how a figure becomes bytes."""

from __future__ import annotations

import io
import json
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from kg.errors import Misuse

__all__ = ["FORMATS", "figure", "parts", "saved", "settings", "settled", "unit", "width_of"]

FORMATS = ("svg", "png")

_DOTS_PER_INCH = 150


@contextmanager
def settled() -> Iterator[None]:
    """Draw with matplotlib's own settings in the block; raises Misuse where matplotlib is missing.

    What a person has set for other plots must not change the bytes of this one; a name may hold a dollar sign.
    """
    try:
        import matplotlib as mpl
    except ModuleNotFoundError as error:
        raise Misuse("Plots need matplotlib: pip install 'benchkg[plot]'.") from error
    with mpl.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        mpl.rcdefaults()
        mpl.rcParams.update({"svg.hashsalt": "benchkg", "text.parse_math": False})
        yield


def figure(width: float, height: float) -> Any:  # noqa: ANN401 - matplotlib's
    """Return an empty figure of a size in inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height))


def width_of(text: str, size: float = 8) -> float:
    """Return how wide a line of text is at a size of the font in points, in inches."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextToPath

    points, _, _ = TextToPath().get_text_width_height_descent(text, FontProperties(size=size), ismath=False)
    return float(points) / 72


def saved(drawn: Any, form: str) -> bytes:  # noqa: ANN401 - a figure of matplotlib
    """Return a figure as ``svg`` or ``png``, cut to what is drawn."""
    stream = io.BytesIO()
    metadata = {"Date": None} if form == "svg" else {"Software": None}
    drawn.savefig(stream, format=form, dpi=_DOTS_PER_INCH, metadata=metadata, bbox_inches="tight", pad_inches=0.15)
    return stream.getvalue()


def unit(text: str) -> str:
    """Return a unit as an axis tells it.

    >>> unit("PERCENT"), unit("")
    ('%', 'unit not stated')
    """
    return {"PERCENT": "%", "SCALAR": "no unit", "": "unit not stated"}.get(text, text)


def settings(configuration: str) -> dict[str, str]:
    """Return the settings of a configuration as texts; all of it as one where it is no JSON object."""
    try:
        read = json.loads(configuration, parse_float=str, parse_int=str)
        return {key: it if isinstance(it, str) else json.dumps(it, ensure_ascii=False) for key, it in read.items()}
    except (ValueError, AttributeError, RecursionError):
        return {"": configuration}


def parts(read: Mapping[str, str]) -> str:
    """Return settings as a person reads them.

    >>> parts({"Backbone": "ViT", "Shots": "5"})
    'Backbone: ViT; Shots: 5'
    """
    return "; ".join(f"{key}: {text}" if key else text for key, text in read.items())
