# words_ref.py - writes and reads lists of words by crawlfs-words(5) alone.
# SPDX-License-Identifier: GPL-3.0-or-later
"""An independent writer and reader of lists of words, and a model of queries.

    words_ref.py write OUT <TEXTS     a list of texts, each with a NUL behind it
    words_ref.py ask TEXTS <QUERIES   for each line, the documents that match
    words_ref.py show FILE            what a list says, as text

As in tests/unit/words_fixture.h, leaves have 100 entries, the tie is 7, the
version of the texts 3, and the third text is unread.
"""
import functools
import os
import struct
import sys
import unicodedata

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "model"))
from tree_model import xxh64  # noqa: E402

WORD_MAX, INLINE, RUN, PART, BLOCK = 128, 32, 128, 65528, 32768
BLANKLESS = ("CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH", "HIRAGANA",
             "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR",
             "HALFWIDTH KATAKANA")


# ---- texts ----

@functools.lru_cache(maxsize=None)
def kind(c):
    """None between words, else "run" or "pairs"."""
    category = unicodedata.category(c)
    if category[0] not in "LM" and category != "Nd":
        return None
    if unicodedata.name(c, "").startswith(BLANKLESS):
        return "pairs"
    return "run"


def runs(text):
    """(kind, folded code points) of each run of a text in UTF-8."""
    out, last = [], None
    for c in text.decode("utf-8", "surrogateescape"):
        k = kind(c)
        if k is not None and k == last:
            out[-1][1].append(c.casefold())
        elif k is not None:
            out.append((k, [c.casefold()]))
        last = k
    return out


def words(text):
    """(word, whether it was cut)"""
    for k, points in runs(text):
        points = [p.encode() for p in points]
        if k == "pairs" and len(points) > 1:
            for a, b in zip(points, points[1:]):
                yield a + b, False
            continue
        word, cut = b"", False
        for p in points:
            if len(word) + len(p) > WORD_MAX:
                cut = True
                break
            word += p
        yield word, cut


# ---- numbers ----

def varint(v):
    out = b""
    while v >= 128:
        out += bytes([v & 127 | 128])
        v >>= 7
    return out + bytes([v])


def length_code(v):
    if v < 16:
        return v
    shift = v.bit_length() - 4
    return min(255, 16 + 8 * (shift - 1) + (v >> shift) - 8)


def length_of(code):
    if code < 16:
        return code
    return 8 + (code - 16) % 8 << (code - 16) // 8 + 1


def rice(v, k):
    """The bits, first one first."""
    return "1" * (v >> k) + "0" + "".join(
        str(v >> i & 1) for i in range(k))


def best(values, most):
    """The first k whose successor is not better."""
    cost = [sum((v >> k) + 1 + k for v in values) for k in range(most + 1)]
    for k in range(most):
        if cost[k + 1] >= cost[k]:
            return k
    return most


def coded(postings):
    """The list of (document, frequency)."""
    bits, after = "", 0
    for at in range(0, len(postings), RUN):
        gaps, more = [], []
        for doc, frequency in postings[at:at + RUN]:
            gaps.append(doc - after)
            more.append(min(frequency, 65535) - 1)
            after = doc + 1
        k, f = best(gaps, 31), 7
        if any(more):
            f = best(more, 6)
        bits += "".join(str((k | f << 5) >> i & 1) for i in range(8))
        for gap, m in zip(gaps, more):
            bits += rice(gap, k)
            if f != 7:
                bits += rice(m, f)
    bits += "0" * (-len(bits) % 8)
    return bytes(int(bits[i:i + 8][::-1], 2) for i in range(0, len(bits), 8))


# ---- writing ----

def stream(data, section):
    parts = [data[i:i + PART] for i in range(0, len(data), PART)]
    return b"".join(struct.pack("<Q", xxh64(p, section << 32 | i)) + p
                    for i, p in enumerate(parts))


def listed(postings):
    """(postings, blocks, rows of the top list) of {word: {doc: frequency}}."""
    post, blocks, top = b"", [], b""
    block, first, n, before, base, last = b"", b"", 0, b"", 0, 0

    def end():
        nonlocal block, n, top, last
        if block:
            top += (varint(len(first)) + first + varint(len(block) + 8) +
                    varint(n) + varint(base - last))
            blocks.append(block)
            last, block, n = base, b"", 0

    for word in sorted(postings):
        code = coded(sorted(postings[word].items()))
        if not block:
            first, before, base = word, b"", len(post)
        s = len(os.path.commonprefix([before, word]))
        rest = len(word) - s
        block += bytes([min(s, 15) << 4 | min(rest, 15)])
        if s >= 15:
            block += varint(s - 15)
        if rest >= 15:
            block += varint(rest - 15)
        block += word[s:] + varint(len(postings[word])) + varint(len(code))
        if len(code) <= INLINE:
            block += code
        else:
            post += code
        n, before = n + 1, word
        if len(block) >= BLOCK:
            end()
    end()
    return post, blocks, top


def write(texts, tie=7, version=3, leaf=100, unread=(2,)):
    postings, lengths, longs = {}, [], []
    for doc, text in enumerate(texts):
        found = list(words(text))
        for word, _ in found:
            of = postings.setdefault(word, {})
            of[doc] = of.get(doc, 0) + 1
        if any(cut for _, cut in found):
            longs.append(doc)
        lengths.append(length_code(len(found)))
    post, blocks, top = listed(postings)
    unread = [d for d in unread if d < len(texts)]
    docs = [coded([(d, 1) for d in v]) for v in (unread, longs)]
    leaves = b"".join(struct.pack("<H", min(leaf, len(texts) - i))
                      for i in range(0, len(texts), leaf))
    bodies = [(stream(post, 0), len(post), 0),
              (b"".join(struct.pack("<Q", xxh64(b, 1 << 32 | i)) + b
                        for i, b in enumerate(blocks)),
               sum(map(len, blocks)), 0),
              (stream(bytes(lengths), 2), len(lengths), 0)]
    for section, data in ((3, leaves), (4, docs[0]), (5, docs[1]), (6, top)):
        bodies.append((data, len(data), xxh64(data, section << 32)))
    at, sections = 4096, b""
    for data, n, checksum in bodies:
        sections += struct.pack("<5Q", at, len(data), n, checksum, 0)
        at += len(data)
    head = (b"\x89CFW\r\n\x1a\n" + struct.pack("<4I", 1, 1, version, 0) +
            struct.pack("<9Q", at, tie, len(texts), len(postings),
                        sum(map(len, postings.values())),
                        sum(map(length_of, lengths)), len(unread), len(longs),
                        len(blocks)) + sections).ljust(4088, b"\0")
    return (head + struct.pack("<Q", xxh64(head)) +
            b"".join(data for data, _, _ in bodies))


# ---- reading ----

class Bits:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        v = 0
        for i in range(n):
            v |= (self.data[self.at >> 3] >> (self.at & 7) & 1) << i
            self.at += 1
        return v

    def rice(self, k):
        ones = 0
        while self.take(1):
            ones += 1
        return ones << k | self.take(k)


def decoded(data, d):
    bits, doc, out = Bits(data), -1, []
    for i in range(d):
        if i % RUN == 0:
            k, f = bits.take(5), bits.take(3)
        doc += 1 + bits.rice(k)
        out.append((doc, 1 + (bits.rice(f) if f != 7 else 0)))
    return out


class Reader:
    """A list of words: its header's numbers, and {word: [(doc, frequency)]}."""

    def __init__(self, data):
        self.data = data
        assert data[:8] == b"\x89CFW\r\n\x1a\n"
        assert struct.unpack_from("<Q", data, 4088)[0] == xxh64(data[:4088])
        (self.format, self.rules, self.version, _, self.bytes, self.tie,
         self.docs, n_words, self.n_postings, self.length_sum, n_unread, n_longs,
         n_blocks) = struct.unpack_from("<4I9Q", data, 8)
        assert self.bytes == len(data)
        self.sections = [struct.unpack_from("<5Q", data, 96 + 40 * i)
                         for i in range(7)]
        post, lengths = self.stream(0), self.stream(2)
        self.lengths = [length_of(c) for c in lengths]
        leaves = self.section(3)
        self.leaves = struct.unpack("<%dH" % (len(leaves) // 2), leaves)
        self.unread = [d for d, _ in decoded(self.section(4), n_unread)]
        self.longs = [d for d, _ in decoded(self.section(5), n_longs)]
        self.words = {}
        self.read_blocks(post, n_blocks)
        assert len(self.words) == n_words
        assert sum(map(len, self.words.values())) == self.n_postings
        assert sum(self.lengths) == self.length_sum

    def stream(self, i):
        off, file_bytes, n, _, _ = self.sections[i]
        out, at = b"", off
        for number in range(-(-n // PART)):
            size = min(PART, n - len(out))
            part = self.data[at + 8:at + 8 + size]
            assert (struct.unpack_from("<Q", self.data, at)[0] ==
                    xxh64(part, i << 32 | number))
            out += part
            at += 8 + size
        assert at == off + file_bytes
        return out

    def section(self, i):
        off, n, _, checksum, _ = self.sections[i]
        assert xxh64(self.data[off:off + n], i << 32) == checksum
        return self.data[off:off + n]

    def read_blocks(self, post, n_blocks):
        top, at, base = Cursor(self.section(6)), self.sections[1][0], 0
        for i in range(n_blocks):
            first = top.take(top.varint())
            size, n, more = top.varint(), top.varint(), top.varint()
            base += more
            block = self.data[at + 8:at + size]
            assert (struct.unpack_from("<Q", self.data, at)[0] ==
                    xxh64(block, 1 << 32 | i))
            at += size
            self.read_block(Cursor(block), n, first, post, base)
        assert top.at == len(top.data)

    def read_block(self, c, n, first, post, at):
        word, last = b"", next(reversed(self.words), b"")
        assert first > last
        for i in range(n):
            head = c.take(1)[0]
            s, rest = head >> 4, head & 15
            s += c.varint() if s == 15 else 0
            rest += c.varint() if rest == 15 else 0
            before, word = word, word[:s] + c.take(rest)
            assert word == first if i == 0 else before < word
            d, size = c.varint(), c.varint()
            if size <= INLINE:
                data = c.take(size)
            else:
                data, at = post[at:at + size], at + size
            self.words[word] = decoded(data, d)
        assert c.at == len(c.data)


class Cursor:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        self.at += n
        assert self.at <= len(self.data)
        return self.data[self.at - n:self.at]

    def varint(self):
        v = shift = 0
        while True:
            b = self.take(1)[0]
            v |= (b & 127) << shift
            shift += 7
            if b < 128:
                return v


# ---- queries ----

def terms(typed):
    """The runs of each term."""
    out, at = [], 0
    between = set(range(33)) | {ord("+")}
    while at < len(typed):
        if typed[at] in between:
            at += 1
            continue
        if typed[at:at + 1] == b'"':
            end = typed.find(b'"', at + 1)
            end = len(typed) if end < 0 else end
            out.append(runs(typed[at + 1:end]))
            at = end + 1
            continue
        end = at
        while end < len(typed) and typed[end] not in between | {ord('"')}:
            end += 1
        out.append(runs(typed[at:end]))
        at = end
    return [t for t in out if t]


def is_run(sought, run, is_first, is_last):
    """Whether a run of a text is like one of a term."""
    if sought[0] != run[0]:
        return False
    a, b = sought[1], run[1]
    if sought[0] == "run":
        return sought[2] == run[2]
    places = range(len(b) - len(a) + 1)
    if not is_first:
        places = [i for i in places if i == 0]
    if not is_last:
        places = [i for i in places if i == len(b) - len(a)]
    return any(b[i:i + len(a)] == a for i in places)


def has_term(text_runs, term):
    last = len(term) - 1
    return any(all(is_run(t, text_runs[at + i], i == 0, i == last)
                   for i, t in enumerate(term))
               for at in range(len(text_runs) - last))


def with_words(found):
    """Runs with what they are as a word."""
    return [(k, points, "".join(points)) for k, points in found]


class Text:
    """The runs of a text, and what most terms are seen not to be in."""
    def __init__(self, data):
        self.runs = with_words(runs(data))
        self.words = {w for k, _, w in self.runs if k == "run"}
        self.pairs = "\0".join(w for k, _, w in self.runs if k == "pairs")

    def has(self, term):
        return all(w in (self.words if k == "run" else self.pairs)
                   for k, _, w in term) and has_term(self.runs, term)


def ask(texts, queries):
    texts = [Text(t) for t in texts]
    for typed in queries:
        sought = [with_words(t) for t in terms(typed)]
        if not sought:
            yield None
            continue
        yield [d for d, text in enumerate(texts)
               if all(text.has(t) for t in sought)]


def texts_of(data):
    return data.split(b"\0")[:-1]


def main(args):
    if args[0] == "write":
        with open(args[1], "wb") as f:
            f.write(write(texts_of(sys.stdin.buffer.read())))
    elif args[0] == "ask":
        with open(args[1], "rb") as f:
            texts = texts_of(f.read())
        for docs in ask(texts, sys.stdin.buffer.read().splitlines()):
            print("-" if docs is None else " ".join(map(str, docs)))
    else:
        with open(args[1], "rb") as f:
            r = Reader(f.read())
        print(r.docs, "documents, leaves", *r.leaves)
        print("lengths", *r.lengths)
        print("unread", *r.unread)
        print("long", *r.longs)
        for word, postings in r.words.items():
            print(word.decode(), *("%d*%d" % p for p in postings))


if __name__ == "__main__":
    main(sys.argv[1:])
