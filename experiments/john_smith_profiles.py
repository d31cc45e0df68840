"""Ten John Smiths as our own extraction describes them, printed as a person would read them.

    CROSSDOC_DATA=… python experiments/john_smith_profiles.py [--count 10]

One article each from the folders with the most articles first: the profile that the article gives its John Smith.
"""

from __future__ import annotations

import argparse

from common import data
from corpora import john_smith

from crossdoc.model import Document, Documents, Profile
from crossdoc.names.texts import make_snippet
from crossdoc.run.reading import extractor_for
from crossdoc.settings import Settings

HIDDEN = ("first", "last", "gender_confidence")


def chosen(count: int) -> list[Document]:
    """One article of each person, the person with most articles first."""
    by_person: dict[str, list[Document]] = {}
    for document in john_smith.documents(data("john_smith")):
        by_person.setdefault(document.id.split("/")[0], []).append(document)
    people = sorted(by_person.values(), key=len, reverse=True)
    return [articles[len(articles) // 2] for articles in people[:count]]


def show(profile: Profile) -> None:
    print(f"{profile.name}  ({profile.document})")
    for key, values in profile.attributes.items():
        if key not in HIDDEN:
            print(f"  {key}: {'; '.join(values[:4])}")
    stated = [relation for relation in profile.relations if relation.type != "list"]
    for relation in stated[:5]:
        print(f"  {relation.type.replace(':', ', ')}: {relation.name}  <- {(relation.evidence or '')[:110]}")
    beside = [relation.name for relation in profile.relations if relation.type == "list"]
    if beside:
        print(f"  named beside: {', '.join(dict.fromkeys(beside[:8]))}")
    print(f"  “{make_snippet(profile.context, profile.name)}”\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10)
    extractor = extractor_for(Settings(processes=1), "John Smith", b"printed", describe=True)
    for profile in extractor.extract(Documents.of(chosen(parser.parse_args().count)))[1]:
        show(profile)


if __name__ == "__main__":
    main()
