# pushed.py - turns conditions on columns into options that pick captures.
# SPDX-License-Identifier: GPL-3.0-or-later
"""Conditions on columns as options of ``crawlfs export``.

The options pick at least the captures for which all conditions hold: the engine
applies them again. A condition that no option expresses is left to the engine.
Filters are recognised by the names of Spark's classes, which older versions do
not have.
"""
from __future__ import annotations

import datetime
import re
from typing import (Any, Callable, Dict, Iterable, Iterator, List, Optional,
                    Sequence, Set, Tuple)

STATUSES = range(100, 1000)
# What has no meaning of its own in a list or pattern of types.
TYPE = re.compile(r"[A-Za-z0-9.+-]+/[A-Za-z0-9.+-]+")
# Whole parts of a time, as text that sorts like it.
TIME = re.compile(r"\d{4}(-\d\d(-\d\d(T\d\d(:\d\d(:\d\dZ?)?)?)?)?)?")
FULL = "00000101000000"
# What is in a URL as it is in the name of its page.
URL = re.compile(r"https?://[a-z0-9-]+(\.[a-z0-9-]+)+/[A-Za-z0-9/._-]*")


def pushed(how: Dict[str, Any], filters: Iterable[Any]) -> Dict[str, Any]:
    """Parameters of :func:`crawlfs.read` that pick less: what is given already
    is left as it is."""
    known = [f for f in map(condition, filters) if f is not None]
    more: Dict[str, Any] = {}
    for column, options in (("status", of_status), ("mime", of_mime),
                            ("timestamp", of_timestamp), ("url", of_url)):
        of_column = [(what, value) for name, what, value in known
                     if name == column]
        if of_column:
            more.update(options(of_column))
    given = {name for name, value in how.items() if value}
    if given & {"from_", "to", "at"}:
        given |= {"from_", "to"}
    return {**how, **{name: value for name, value in more.items()
                      if name not in given}}


def condition(f: Any) -> Optional[Tuple[str, str, Any]]:
    """(column, what, value) of a filter on one column, else None."""
    what = type(f).__name__
    attribute: Sequence[str] = getattr(f, "attribute", ())
    if len(attribute) != 1 or not hasattr(f, "value"):
        return None
    return attribute[0], what, f.value


Conditions = List[Tuple[str, Any]]


def values_of(conditions: Conditions) -> Optional[Set[Any]]:
    """The values that a column must have one of, if they are known."""
    found: Optional[Set[Any]] = None
    for what, value in conditions:
        if what in ("EqualTo", "EqualNullSafe"):
            values = {value}
        elif what == "In":
            values = set(value)
        else:
            continue
        found = values if found is None else found & values
    return found


COMPARE: Dict[str, Callable[[Any, Any], bool]] = {
    "EqualTo": lambda a, b: a == b,
    "EqualNullSafe": lambda a, b: a == b,
    "In": lambda a, b: a in b,
    "GreaterThan": lambda a, b: a > b,
    "GreaterThanOrEqual": lambda a, b: a >= b,
    "LessThan": lambda a, b: a < b,
    "LessThanOrEqual": lambda a, b: a <= b,
}


def of_status(conditions: Conditions) -> Dict[str, Any]:
    fulfilled = [s for s in STATUSES
                 if all(COMPARE[what](s, value) for what, value in conditions
                        if what in COMPARE and value is not None)]
    if not fulfilled or len(fulfilled) == len(STATUSES):
        return {}
    return {"status": ",".join(ranges(fulfilled))}


def ranges(numbers: List[int]) -> Iterator[str]:
    """Ascending numbers as 200 or 300-399."""
    first = last = numbers[0]
    for n in numbers[1:] + [-1]:
        if n != last + 1:
            yield str(first) if first == last else "%d-%d" % (first, last)
            first = n
        last = n


def of_mime(conditions: Conditions) -> Dict[str, Any]:
    values = values_of(conditions)
    if not values or not all(isinstance(v, str) and TYPE.fullmatch(v)
                             for v in values):
        return {}
    return {"mime": ",".join(sorted(v.lower() for v in values))}


def digits_of(value: Any) -> Optional[str]:
    """A time as 4 to 14 digits; None, if it is none. The fraction of a second
    is cut: the options know whole seconds, and mean all of each."""
    if isinstance(value, datetime.datetime):
        if value.tzinfo is None:    # of a zone that is not known here
            return None
        return value.astimezone(datetime.timezone.utc).strftime(
            "%Y%m%d%H%M%S").rjust(14, "0")
    if not isinstance(value, str) or not TIME.fullmatch(value):
        return None
    digits = re.sub(r"\D", "", value)
    try:
        datetime.datetime.strptime(digits + FULL[len(digits):],
                                   "%Y%m%d%H%M%S")
    except ValueError:
        return None
    return digits


def of_timestamp(conditions: Conditions) -> Dict[str, Any]:
    """Incomplete times stand for their first second in `from`, for their last
    one in `to`, which is never less than what the comparison of texts takes."""
    first: List[str] = []
    last: List[str] = []
    for what, value in conditions:
        digits = digits_of(value)
        if digits is None:
            continue
        if what in ("EqualTo", "GreaterThan", "GreaterThanOrEqual"):
            first.append(digits)
        if what in ("EqualTo", "LessThan", "LessThanOrEqual"):
            last.append(digits)
    options = {}
    if first:
        options["from_"] = max(first, key=lambda d: d + FULL[len(d):])
    if last:
        options["to"] = min(last, key=lambda d: d + "9" * (14 - len(d)))
    return options


def of_url(conditions: Conditions) -> Dict[str, Any]:
    values = values_of(conditions)
    if values:
        if all(isinstance(v, str) and URL.fullmatch(v) for v in values):
            # behind a URL without * the name of an archive would be opened
            return {"prefix": [v + "*" for v in sorted(values)]}
        return {}
    begins = [value for what, value in conditions
              if what == "StringStartsWith" and URL.fullmatch(value)]
    if not begins:
        return {}
    return {"prefix": [max(begins, key=len) + "*"]}
