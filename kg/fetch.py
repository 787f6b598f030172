"""Reading one page over HTTP: within a time, up to a size, by http(s) alone."""

from __future__ import annotations

import time

from kg.errors import FetchError
from kg.resources import version

__all__ = ["fetch"]

MAX_BYTES = 32 * 1024 * 1024
"""The decoded size beyond which an answer is taken for no benchmark page."""

_SECONDS_A_STEP = 20.0
_SECONDS_IN_ALL = 120.0
_REDIRECTS = 5


def fetch(url: str, *, seconds: float = _SECONDS_IN_ALL, max_bytes: int = MAX_BYTES) -> bytes:
    """Return the decoded bytes of the page at an http(s) address.

    ``seconds`` bounds the whole exchange, ``max_bytes`` the decoded body. Redirects are followed
    to http(s) only, five at the most. Raises ``FetchError`` with the reason for anything else.
    """
    import httpx

    deadline = time.monotonic() + seconds
    step = min(_SECONDS_A_STEP, seconds)
    body = bytearray()
    try:
        with (
            httpx.Client(
                follow_redirects=True,
                max_redirects=_REDIRECTS,
                timeout=step,
                headers={"User-Agent": f"benchkg/{version()}", "Accept": "text/markdown, text/plain;q=0.9, */*;q=0.1"},
            ) as client,
            client.stream("GET", url) as response,
        ):
            response.raise_for_status()
            for chunk in response.iter_bytes():
                body += chunk
                if len(body) > max_bytes:
                    raise FetchError(f"{url}: the answer is larger than {max_bytes >> 20} MiB, so it is no page.")
                if time.monotonic() > deadline:
                    raise FetchError(f"{url}: no whole answer within {seconds:g} seconds; try again later.")
    except httpx.HTTPStatusError as error:
        status = error.response
        raise FetchError(f"{url}: the server answered {status.status_code} {status.reason_phrase}.") from error
    except httpx.UnsupportedProtocol as error:
        raise FetchError(f"{url}: leads to an address that is neither http nor https.") from error
    except httpx.TooManyRedirects as error:
        raise FetchError(f"{url}: was redirected more than {_REDIRECTS} times.") from error
    except httpx.TimeoutException as error:
        raise FetchError(f"{url}: no answer within {step:g} seconds; try again later.") from error
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
        raise FetchError(f"{url}: could not be fetched ({str(error) or type(error).__name__}).") from error
    return bytes(body)
