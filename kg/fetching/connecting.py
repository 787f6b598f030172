"""Connections to public addresses alone, checked on the address that is connected to.

A name is looked up here, its addresses are checked, and one that passed is connected to: a name that means another
address a moment later (DNS rebinding) gains nothing. What the start of a run itself lies on is allowed with it.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpcore
    import httpx

__all__ = ["ForbiddenAddress", "UnknownHost", "is_public", "private_addresses", "transport"]

_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_V4_BITS = 0xFFFFFFFF


class ForbiddenAddress(Exception):
    """A host lies in a private network, on this machine, or on the link; the message names it."""


class UnknownHost(Exception):
    """No address is known of a host; the message names it."""


def is_public(address: str) -> bool:
    """Tell whether an IP address is one of the public Internet; one in which another is wrapped goes by that as well.

    >>> is_public("93.184.216.34"), is_public("::ffff:10.0.0.1"), is_public("169.254.169.254"), is_public("::1")
    (True, False, False, False)
    """
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour or (found.teredo and found.teredo[1])
        if not inner and found in _NAT64:
            inner = ipaddress.IPv4Address(int(found) & _V4_BITS)
        if inner:
            return is_public(str(inner)) and not found.is_multicast
    return found.is_global and not found.is_multicast


async def _addresses(host: str, port: int) -> list[str]:
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise UnknownHost(f"no address is known of the host {host} ({error})") from error
    return list(dict.fromkeys(str(each[4][0]) for each in found))


async def private_addresses(host: str, port: int) -> frozenset[str]:
    """Return those addresses of a host that are not public."""
    try:
        return frozenset(address for address in await _addresses(host, port) if not is_public(address))
    except UnknownHost:
        return frozenset()


def transport(allowed: frozenset[str], connections: int) -> httpx.AsyncHTTPTransport:
    """Return a way for httpx to public addresses and the ``allowed`` ones, by HTTP/2 where the server speaks it."""
    import httpcore
    import httpx

    class Checked(httpcore.AsyncNetworkBackend):
        """The usual connections, made to addresses that were checked."""

        def __init__(self) -> None:
            self._usual = httpcore.AnyIOBackend()

        async def connect_tcp(
            self,
            host: str,
            port: int,
            timeout: float | None = None,  # noqa: ASYNC109 - the signature is that of httpcore
            local_address: str | None = None,
            socket_options: Iterable[Any] | None = None,
        ) -> httpcore.AsyncNetworkStream:
            found = await _addresses(host, port)
            passed = [address for address in found if address in allowed or is_public(address)]
            if not passed:
                raise ForbiddenAddress(f"{host} lies at {', '.join(found)}, which is no public address")
            for place, address in enumerate(passed, start=1):
                try:
                    stream = await self._usual.connect_tcp(address, port, timeout, local_address, socket_options)
                except (httpcore.ConnectError, httpcore.ConnectTimeout):
                    if place == len(passed):
                        raise
                    continue
                peer = stream.get_extra_info("server_addr")
                if not peer or (str(peer[0]) not in allowed and not is_public(str(peer[0]))):
                    await stream.aclose()
                    raise ForbiddenAddress(f"{host} was connected to at {peer}, which is no public address")
                return stream
            raise AssertionError("one of the addresses answered or the last one failed")

        async def connect_unix_socket(self, path: str, *_: object, **__: object) -> httpcore.AsyncNetworkStream:
            raise ForbiddenAddress(f"{path} is no public address")

        async def sleep(self, seconds: float) -> None:
            await asyncio.sleep(seconds)

    context = httpx.create_ssl_context()
    made = httpx.AsyncHTTPTransport(verify=context, http2=True)
    # httpx has no public way to say how connections are made; httpcore, on which it rests, has one.
    made._pool = httpcore.AsyncConnectionPool(  # noqa: SLF001
        ssl_context=context,
        max_connections=connections * 4,
        max_keepalive_connections=connections,
        keepalive_expiry=5.0,
        http1=True,
        http2=True,
        network_backend=Checked(),
    )
    return made
