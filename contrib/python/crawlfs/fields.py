# fields.py - the fields of rows, and the types of their values.
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fields of rows, in the order of crawlfs-export(1)."""
from __future__ import annotations

import difflib
from typing import Dict, Iterable, List, Optional, Sequence, Union

#: The type of each field. A ``time`` is an instant: in a dict the text
#: ``2024-02-29T12:34:56Z``, with a fraction if the archive has one, and in
#: columns microseconds of UTC; a ``struct`` has texts; ``json`` is any value
#: that JSON has; ``pairs`` are lists of names and values, and ``links`` objects,
#: which in columns are structs with the members of STRUCTS.
FIELDS: Dict[str, str] = {
    "url": "string",
    "surt": "string",
    "host": "string",
    "domain": "string",
    "timestamp": "time",
    "record_type": "string",
    "record_id": "string",
    "revisit_of": "struct<url,timestamp,record_id>",
    "ip": "string",
    "status": "int",
    "redirect": "string",
    "mime": "string",
    "mime_detected": "string",
    "charset": "string",
    "html_lang": "string",
    "languages": "list<string>",
    "language_score": "double",
    "digest": "string",
    "archive": "string",
    "offset": "long",
    "length": "long",
    "path": "string",
    "canonical": "string",
    "title": "string",
    "author": "string",
    "published": "string",
    "description": "string",
    "robots": "json",
    "text": "string",
    "markdown": "string",
    "main": "string",
    "html": "string",
    "body": "binary",
    "headers": "pairs",
    "links": "links",
    "meta": "json",
    "request": "string",
    "simhash": "long",
    "cluster": "long",
    "truncated": "string",
    "selection": "json",
    "error": "string",
}

#: The members of structs, which are strings.
STRUCTS: Dict[str, Sequence[str]] = {
    "pairs": ("name", "value"),
    "links": ("href", "type", "text", "rel", "title", "alt"),
}

#: What rows have when no fields are named.
DEFAULT_FIELDS: Sequence[str] = tuple(
    name for name in FIELDS
    if name not in ("html_lang", "path", "canonical", "author", "published",
                    "description", "robots", "main", "markdown", "html", "body",
                    "headers", "links", "meta", "request", "simhash",
                    "cluster", "truncated", "selection", "language_score"))


def unknown(what: str, name: str, names: Iterable[str]) -> str:
    """A message about a name that is none of these, with the nearest one."""
    near = difflib.get_close_matches(name, list(names), 1)
    return "unknown %s %r%s" % (
        what, name, " (did you mean %r?)" % near[0] if near else "")


def field_names(fields: Union[None, str, Iterable[str]]) -> Optional[List[str]]:
    """A list of names, of one that may also be text with commas.

    ``error`` is left out, which every row may have without being asked for.
    Raises ValueError if a name is unknown.
    """
    if fields is None:
        return None
    if isinstance(fields, str):
        fields = fields.split(",")
    names = [name.strip() for name in fields]
    for name in names:
        if name not in FIELDS:
            raise ValueError(unknown("field", name, FIELDS))
    return [name for name in names if name != "error"]


def schema(fields: Union[None, str, Iterable[str]] = None) -> Dict[str, str]:
    """The type of each field of rows that have these fields, by name.

    Rows have their fields in the order of :data:`FIELDS`, whatever the order
    in which they are named; ``error`` is always among them. A row lacks those
    that are unknown.

    >>> schema("url,status")
    {'url': 'string', 'status': 'int', 'error': 'string'}
    """
    names = set(field_names(fields) or DEFAULT_FIELDS) | {"error"}
    return {name: kind for name, kind in FIELDS.items() if name in names}
