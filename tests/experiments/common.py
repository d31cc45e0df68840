"""Helpers for the tests of Wikipedia links."""

from html import escape

import pyarrow as pa
import wikilinks
from wikilinks import LinkCorpus, LinkFilters

EVERYTHING = LinkFilters(least_words=0, most_distance=1, concepts=True, least_links=0, development=0)


def anchors(found):
    return [(block.text[link.start : link.end], link.title) for block in found for link in block.links]


def dump(*pages, end="</mediawiki>"):
    written = []
    for title, text in pages:
        redirect = f'<redirect title="{escape(text[1:])}" />' if text.startswith(">") else ""
        written.append(
            f"<page><title>{escape(title)}</title><ns>{1 if title.startswith('Talk:') else 0}</ns>{redirect}"
            f"<revision><text>old [[Old]]</text></revision><revision><text>{escape(text)}</text></revision></page>\n"
        )
    names = '<siteinfo><namespaces><namespace key="100">Portail</namespace></namespaces></siteinfo>\n'
    return f"<mediawiki>{names}{''.join(written)}{end}".encode()


def mentions(path, filters=EVERYTHING, **options):
    with LinkCorpus(filters, **options).read([path]) as corpus:
        return pa.Table.from_batches(corpus.mentions(), wikilinks.MENTIONS).to_pylist(), corpus


LINK = "<p>Herr Müller in <a href='https://en.wikipedia.org/wiki/Bonn'>Bonn</a>"
