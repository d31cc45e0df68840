"""Why two profiles are one entity, or are not: the evidence, and the texts side by side."""

from __future__ import annotations

from crossdoc.resolution import Resolution
from crossdoc.store import Store
from crossdoc.web.catalogue import Catalogue
from crossdoc.web.file import File
from crossdoc.web.views import MemberLine, ProfileView, Why, WhyIdentity

STRONGEST = 3
"""Members of an identity that a profile is compared with."""


class Explanations:
    """Reads about pairs."""

    file: File
    catalogue: Catalogue

    def profile(self, id: str) -> ProfileView: ...
    def members(self, id: str, offset: int = 0, limit: int = 50) -> list[MemberLine]: ...

    def why(self, a: str, b: str) -> Why:
        """What speaks for and against two profiles being one entity."""
        left, right = self.profile(a), self.profile(b)
        with self.file.ask() as db:
            return Why(left, right, Resolution(Store(db, self.file.path)).explain(a, b))

    def why_identity(self, profile: str, identity: str) -> WhyIdentity:
        """What speaks for and against a profile being an identity: it beside the strongest members."""
        shown = self.profile(profile)
        members = [each.profile for each in self.members(identity, 0, STRONGEST + 1) if each.profile != profile]
        held = {id: much for id, _, much in [(shown.identity, "", shown.membership), *shown.others]}
        pairs = [self.why(profile, each) for each in members[:STRONGEST]]
        return WhyIdentity(shown, self.catalogue.lines([identity])[identity], held.get(identity), pairs)
