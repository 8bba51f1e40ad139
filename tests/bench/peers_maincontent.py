"""peers_maincontent.py - the main content of a page, by peers that Python has.

Each function gets the bytes of a page and its address, and returns text, as the
documentation of the peer says to get it without comments.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import re

LANGUAGES = {"de": "German", "en": "English", "es": "Spanish", "fr": "French",
             "it": "Italian", "nl": "Dutch", "pl": "Polish",
             "pt": "Portuguese", "ru": "Russian", "sv": "Swedish"}


def language_of(page):
    """what <html lang> says"""
    found = re.search(rb"<html[^>]*\slang=[\"']?([a-zA-Z]{2})", page[:20000])
    return found.group(1).decode().lower() if found else "en"


def trafilatura(page, _):
    import trafilatura
    return trafilatura.extract(page, include_comments=False)


def trafilatura_fast(page, _):
    import trafilatura
    return trafilatura.extract(page, include_comments=False, fast=True)


def resiliparse(page, _):
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding
    return extract_plain_text(bytes_to_str(page, detect_encoding(page)),
                              main_content=True)


def readability(page, _):
    import lxml.html
    from readability import Document
    summary = Document(page).summary(html_partial=True)
    return " ".join(lxml.html.fromstring(summary).itertext())


def justext(page, _):
    import justext
    words = justext.get_stoplist(LANGUAGES.get(language_of(page), "English"))
    return "\n".join(p.text for p in justext.justext(page, words)
                     if not p.is_boilerplate)


def newspaper(page, url):
    import newspaper
    article = newspaper.Article(url, fetch_images=False)
    article.download(input_html=page)
    article.parse()
    return article.text


PARTIES = {f.__name__: f for f in (trafilatura, trafilatura_fast, resiliparse,
                                   readability, justext, newspaper)}
PACKAGES = {"trafilatura": "trafilatura", "trafilatura_fast": "trafilatura",
            "resiliparse": "resiliparse", "readability": "readability-lxml",
            "justext": "jusText", "newspaper": "newspaper4k"}
