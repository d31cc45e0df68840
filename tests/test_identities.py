"""What a person reads of a cluster."""

from crossdoc.identities import describe
from crossdoc.model import Facts, Partition, Profile, Profiles


def test_the_commonest_descriptor_however_its_type_is_spelt():
    told = [
        {"descriptor": ["poet"]},
        {"Descriptor": ["lawyer"]},
        {" DESCRIPTOR": ["lawyer"]},
        {"described": ["spy"] * 9},
    ]
    profiles = Profiles.of(Profile(str(i), "d", "Ann Wu", attributes=own) for i, own in enumerate(told))
    (ann,) = describe(Partition.from_labels(profiles.ids, [0, 0, 0, 0]), profiles, Facts())
    assert (ann.name, ann.descriptor) == ("Ann Wu", "lawyer")
