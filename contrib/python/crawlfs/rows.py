# rows.py - runs `crawlfs export` and reads its JSON lines.
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of a crawl, read from the program."""
from __future__ import annotations

import base64
import functools
import importlib.metadata
import json
import os
import signal
import subprocess
import tempfile
import warnings
from typing import (IO, TYPE_CHECKING, Any, Dict, Iterable, Iterator, List,
                    Literal, Optional, Sequence, Set, Tuple, TypedDict, Union,
                    cast)

from .fields import field_names, unknown

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: One row: the names of fields, and their values.
Row = Dict[str, Any]
#: A word, or several.
Words = Union[None, str, "os.PathLike[str]",
              Iterable[Union[str, "os.PathLike[str]"]]]
#: The k-th of n parts: ``(k, n)`` or ``"k/n"``; k begins with 1.
Part = Union[None, str, Tuple[int, int]]

PIPE_BYTES = 1 << 20        # read at a time
COMPLAINT_BYTES = 4096      # of what the program says last, for an exception
HAS_ERRORS = 1              # the program's status if rows have an error
FAILED = 3                  # and if it failed


class CrawlfsError(RuntimeError):
    """The program failed; the text is what it said.

    ``status`` is its exit status: 3 if it failed, 2 if an argument is wrong,
    negative if a signal ended it; 1 for a row with an error that was to be
    raised.
    """

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message, status)
        self.message = message
        self.status = status

    def __str__(self) -> str:
        return self.message


class CrawlfsWarning(UserWarning):
    """Rows were left out, which ``errors="skip"`` asked for."""


def place_of(row: Row) -> str:
    """Where the record of a row is: "ARCHIVE at OFFSET", or what is known."""
    place = str(row.get("archive") or row.get("url") or "an archive")
    return ("%s at %d" % (place, row["offset"])
            if row.get("offset") is not None else place)


class Skipped:
    """Counts rows that are left out because of their error."""

    def __init__(self) -> None:
        self.rows = 0
        self.first = ""
        self.archives: Set[str] = set()

    def add(self, row: Row) -> None:
        self.rows += 1
        self.first = self.first or "%s: %s" % (place_of(row), row["error"])
        if row.get("archive"):
            self.archives.add(row["archive"])

    def warn(self) -> None:
        """Warns once, with numbers, if there are any."""
        if self.rows:
            of = (" of %d archive%s" % (len(self.archives),
                                        "s"[:len(self.archives) != 1])
                  if self.archives else "")
            warnings.warn("crawlfs: left out %d row%s with an error%s: %s%s" % (
                self.rows, "s"[:self.rows != 1], of, self.first,
                ", ..." if self.rows > 1 else ""), CrawlfsWarning,
                stacklevel=2)


def words_of(value: Words) -> List[str]:
    """A list of what is one word, several, or None."""
    if value is None:
        return []
    if isinstance(value, (str, os.PathLike)):
        return [os.fspath(value)]
    return [os.fspath(word) for word in value]


def _list(value: Any) -> str:
    """A list with commas, of text or of numbers."""
    if isinstance(value, (str, int)):
        return str(value)
    return ",".join(str(v) for v in value)


def _part(part: Part) -> Optional[str]:
    if part is None or isinstance(part, str):
        return part
    k, n = part
    return "%d/%d" % (k, n)


class Picks(TypedDict, total=False):
    """Parameters of :func:`command`, which all that reads rows has, too."""

    fields: Union[None, str, Iterable[str]]
    part: Part
    order: Optional[Literal["auto", "archive", "index"]]
    status: Union[None, str, int, Iterable[Union[str, int]]]
    mime: Union[None, str, Iterable[str]]
    language: Union[None, str, Iterable[str]]
    from_: Optional[str]
    to: Optional[str]
    at: Optional[str]
    dedup: Optional[str]
    threads: Union[None, int, str]
    options: Sequence[str]
    program: Optional[str]


class Options(Picks, total=False):
    """Parameters of :func:`read`, and of what reads rows by it."""

    errors: Literal["keep", "skip", "raise"]


#: Parameters that are options of the program, with their names there.
PICKING = {"order": "order", "status": "status", "mime": "mime",
           "language": "language", "from_": "from", "to": "to", "at": "at",
           "dedup": "dedup", "threads": "threads"}


@functools.lru_cache(maxsize=1)
def _program() -> str:
    """The program that a wheel brought with this package, or its name."""
    below = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    places = [os.path.join(below, "bin", "crawlfs")]
    try:
        places += [str(file.locate())
                   for file in importlib.metadata.files("crawlfs") or ()
                   if file.name == "crawlfs" and file.parent.name == "bin"]
    except importlib.metadata.PackageNotFoundError:
        pass
    return next((p for p in places if os.access(p, os.X_OK)), "crawlfs")


def command(source: Words, prefix: Words = None,
            **how: Unpack[Picks]) -> List[str]:
    """The words of the command that :func:`read` runs, with the same
    parameters."""
    for name in how:
        if name not in Picks.__annotations__:
            raise TypeError(unknown("parameter", name,
                                    Picks.__annotations__))
    words = [how.get("program") or os.environ.get("CRAWLFS") or _program(),
             "export", "--format=jsonl"]
    names = field_names(how.get("fields"))
    if names is not None:
        words.append("--fields=" + ",".join(names))
    part = _part(how.get("part"))
    if part is not None:
        words.append("--part=" + part)
    for name, option in PICKING.items():
        value = how.get(name)
        if value is not None:
            words.append("--%s=%s" % (option, _list(value)))
    words += how.get("options") or ()
    sources = words_of(source)
    if not sources:
        raise ValueError("no source is given")
    words += ["--prefix=" + word for word in words_of(prefix)]
    return words + ["--"] + sources


def planned(source: Words, prefix: Words,
            how: Options) -> Tuple[List[str], str]:
    """The words of the command, and what becomes of rows with an error."""
    picks = dict(how)
    errors = picks.pop("errors", "keep")
    if errors not in ("keep", "skip", "raise"):
        raise ValueError("errors is 'keep', 'skip' or 'raise', not %r"
                         % errors)
    words = command(source, prefix, **cast(Picks, picks))
    check_sources(source)
    return words, str(errors)


def check_sources(source: Words) -> None:
    """Raises CrawlfsError if the program would take a source for a prefix: behind
    the first, operands that exist are sources."""
    for word in words_of(source)[1:]:
        if "://" not in word and not os.path.exists(word):
            raise CrawlfsError("%s: No such file or directory" % word, FAILED)


class Rows(Iterator[bytes]):
    """A running ``crawlfs export``: its lines, each one row as JSON.

    It is an iterator and a context manager. :meth:`close` ends the program if
    it still runs; so does the end of the object. Once all lines were read it
    raises :class:`CrawlfsError` if the program failed, except that rows with
    an ``error`` are no failure.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._said: IO[bytes] = tempfile.TemporaryFile()
        try:
            self._child = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=self._said, bufsize=PIPE_BYTES)
        except BaseException as e:
            self._said.close()
            if isinstance(e, FileNotFoundError):
                raise CrawlfsError("the program '%s' is not there (CRAWLFS "
                                   "names it)" % words[0], 127) from e
            raise
        assert self._child.stdout is not None
        self.out: IO[bytes] = self._child.stdout

    def __enter__(self) -> "Rows":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "_child"):
            self.close()

    def __next__(self) -> bytes:
        line = self.out.readline()
        if line.endswith(b"\n"):
            return line
        self.end()
        if line:
            raise CrawlfsError("the last row is not complete", FAILED)
        raise StopIteration

    def blocks(self, size: int) -> Iterator[bytes]:
        """The lines in blocks of whole lines, each of about so many bytes or
        of one longer line."""
        begun: List[bytes] = []
        while True:
            data = self.out.read(size)
            if not data:
                break
            cut = data.rfind(b"\n") + 1
            if cut == 0:
                begun.append(data)
                continue
            begun.append(data[:cut])
            block = b"".join(begun)
            yield block
            begun = [data[cut:]] if cut < len(data) else []
        self.end()
        if begun:
            raise CrawlfsError("the last row is not complete", FAILED)

    def end(self) -> None:
        """Waits for the program's end. Raises CrawlfsError if it failed."""
        status = self._child.wait()
        if status in (0, HAS_ERRORS) or self._said.closed:
            return
        size = self._said.seek(0, os.SEEK_END)
        self._said.seek(max(0, size - COMPLAINT_BYTES))
        said = self._said.read().decode("utf-8", "replace").strip()
        raise CrawlfsError(said or ended(status), status)

    def close(self) -> None:
        """Ends the program if it runs, and what it has open."""
        self.out.close()
        if self._child.poll() is None:
            self._child.terminate()
        self._child.wait()
        self._said.close()


def ended(status: int) -> str:
    """What is said of a program that said nothing."""
    if status < 0:
        return "crawlfs was ended by %s" % signal.Signals(-status).name
    return "crawlfs ended with status %d" % status


def decoded(line: bytes) -> Row:
    """The row of one line; its ``body`` is bytes."""
    row: Row = json.loads(line)
    if "body" in row:
        row["body"] = base64.b64decode(row["body"])
    return row


class Reader(Iterator[Row]):
    """The rows of a crawl, each as a dict: an iterator and a context manager.

    ``rows`` and ``errors`` count the rows so far, and those of them that have
    an error, whatever becomes of these: with ``errors="skip"`` they are not
    yielded. The program ends when the rows are exhausted, or by :meth:`close`.
    """

    def __init__(self, words: Sequence[str], errors: str) -> None:
        self.rows = self.errors = 0
        self._on_error = errors
        self._skipped = Skipped()
        self._words = words
        self._lines: Optional[Rows] = None
        self._is_closed = False

    def __enter__(self) -> "Reader":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "_is_closed"):
            self.close()

    def __next__(self) -> Row:
        if self._is_closed:
            raise StopIteration
        try:
            if self._lines is None:
                self._lines = Rows(self._words)
            while True:
                row = decoded(next(self._lines))
                self.rows += 1
                if "error" not in row or self._counts(row):
                    return row
        except BaseException:
            self.close()
            raise

    def _counts(self, row: Row) -> bool:
        """Counts a row with an error. True if it is to be yielded."""
        self.errors += 1
        if self._on_error == "raise":
            raise CrawlfsError("%s: %s" % (place_of(row), row["error"]),
                               HAS_ERRORS)
        if self._on_error == "skip":
            self._skipped.add(row)
        return self._on_error == "keep"

    def close(self) -> None:
        """Ends the program, and says how many rows were left out."""
        if self._is_closed:
            return
        self._is_closed = True
        if self._lines is not None:
            self._lines.close()
        self._skipped.warn()


def read(source: Words, prefix: Words = None,
         **how: Unpack[Options]) -> Reader:
    """Yields the captures of a crawl, each as a dict.

    source
        what ``crawlfs export`` reads: archives, folders, indexes, WACZ files,
        lists, URLs; one or several
    prefix
        only what is below these (crawlfs-target(7)); one or several
    fields
        names of :data:`FIELDS`, in a list or with commas; the order in rows is
        that of FIELDS. A row lacks those that are unknown of its capture.
    part
        ``(k, n)`` or ``"k/n"``: only the k-th of n parts
    order
        ``"archive"`` (each archive from front to back, no index is needed) or
        ``"index"`` (that of the tree)
    status, mime, language, from_, to, at, dedup
        only the captures that they pick, as the options of the same names do
    errors
        what becomes of a row with ``error``, whose record cannot be read:
        ``"keep"`` it, ``"skip"`` it, with one CrawlfsWarning behind all rows
        that says how many were skipped, or ``"raise"`` CrawlfsError
    threads
        how many threads make rows; by default one for each processor
    options
        more options of ``crawlfs export``
    program
        the program; by default what CRAWLFS names in the environment, or else
        the one that came with this package in a wheel, or ``crawlfs`` as the
        shell finds it

    Values are what JSON has, except that ``body`` is bytes. The program ends
    when the reader is exhausted or closed. CrawlfsError has the program's
    message if it fails; it may be raised after rows. Behind the loop ``rows``
    and ``errors`` of the reader say how many there were.
    """
    return Reader(*planned(source, prefix, how))
