"""What the text of a configuration makes a result state, and the nodes of the configuration itself."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from kg import identifiers as keys
from kg.identifiers import Identifiers
from kg.mapping.nodes import remembered, typed
from kg.terms import Node, boolean, decimal, integer, literal, stated
from kg.values import Parameter, Unreadable, read_configuration, read_value
from kg.vocabulary import BK, SCHEMA

__all__ = ["Configured", "configured"]

_CONFIGURATION = typed(BK.Configuration)
_PROPERTY_VALUE = typed(SCHEMA.PropertyValue)


class Configured(NamedTuple):
    """What a result with a configuration states, and the nodes that this mentions.

    ``key`` is that of the configuration, or empty where nothing can be compared under it.
    """

    key: str
    statements: tuple[str, ...]
    nodes: tuple[Node, ...] = ()


@remembered
def configured(text: str | None, base: str) -> Configured:
    """Return what a text of a configuration, None where there is none, comes to under a base."""
    as_printed = () if text is None else (f"{BK.configurationText} {literal(text)}",)
    try:
        configuration = read_configuration(text or "")
    except Unreadable:
        return Configured("", (*as_printed, f"{BK.configurationStatus} {BK.Unreadable}"))
    if configuration is None:
        return Configured("", (*as_printed, f"{BK.configurationStatus} {BK.NotRecorded}"))
    ids = Identifiers("", base)
    key = keys.configuration_key(configuration.canonical)
    node = ids.configuration(key)
    parameters = [stated(ids.parameter(key, it.pointer), _parameter(it)) for it in configuration.parameters]
    statements = (
        *_CONFIGURATION,
        f"{BK.canonicalJson} {literal(configuration.canonical)}",
        *(f"{BK.parameter} {parameter}" for parameter, _ in parameters),
    )
    return Configured(
        "" if configuration.unknown else key,
        (*as_printed, f"{BK.configuration} {node}"),
        (stated(node, statements), *parameters),
    )


def _parameter(parameter: Parameter) -> list[str]:
    value = parameter.value
    return [
        *_PROPERTY_VALUE,
        f"{SCHEMA.name} {literal(parameter.name)}",
        f"{BK.pointer} {literal(parameter.pointer)}",
        f"{BK.valueStatus} {BK.NotRecorded}" if value is None else f"{SCHEMA.value} {_value(value)}",
    ]


def _value(value: str | float | bool) -> str:  # noqa: FBT001 - the value is the argument
    """Return a leaf of a configuration as a literal; a number beyond ``xsd:decimal`` in Oxigraph stays text."""
    if isinstance(value, bool):
        return boolean(value)
    if isinstance(value, int):
        return integer(value)
    if isinstance(value, float):
        text = format(Decimal(repr(value)), "f")
        try:
            return decimal(read_value(text).value)
        except Unreadable:
            return literal(repr(value))
    return literal(value)
