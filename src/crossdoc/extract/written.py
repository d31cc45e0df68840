"""When the documents of profiles were written, as an attribute: what is decades apart is seldom one person's."""

from __future__ import annotations

import pyarrow as pa

from crossdoc.model import Documents, Profiles


def dated(profiles: Profiles, documents: Documents) -> Profiles:
    """Profiles that say when their documents were written, where that is known and they do not say it themselves.

    >>> from crossdoc.model import Document, Profile
    >>> found = dated(Profiles.of([Profile("p", "d", "Ann")]), Documents.of([Document("d", "Ann.", date="1987-03")]))
    >>> [profile.attributes for profile in found]
    [{'written': ['1987-03']}]
    """
    dates = zip(documents.ids, documents.column("date").to_pylist(), strict=True)
    when = {id: date for id, date in dates if date}
    if not when:
        return profiles
    rows = zip(profiles.column("document").to_pylist(), profiles.column("attributes").to_pylist(), strict=True)
    cells = []
    for document, attributes in rows:
        own = dict(attributes or ())
        cells.append(own | {"written": [when[document]]} if document in when and "written" not in own else own)
    at = profiles.arrow.schema.get_field_index("attributes")
    field = profiles.arrow.schema.field(at)
    listed = pa.array([list(own.items()) for own in cells], field.type)
    return Profiles(profiles.arrow.set_column(at, field, listed))
