"""`crossdoc settings`, and the settings themselves."""

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from crossdoc.cluster.methods import BUILT_IN
from crossdoc.cluster.registry import names
from crossdoc.errors import UsageError
from crossdoc.settings import Settings


def test_what_is_printed_loads_again(run, write):
    ran = run("settings")
    assert (ran.code, ran.err) == (0, "")
    assert Settings.load(write("crossdoc.toml", ran.out)) == Settings()
    for name in Settings.model_fields:
        assert f"{name} =" in ran.out or name == "parameters"
    for method in BUILT_IN:
        assert f"# [{method.name}]\n" in ran.out or not method.parameters
    assert '# stop = "even"' in ran.out, "what a run does, not what the estimator would do by itself"


@given(
    st.builds(
        Settings,
        method=st.sampled_from(names()),
        threshold=st.none() | st.floats(0, 1),
        types=st.lists(st.sampled_from(["person", "organisation", "place"]), min_size=1, unique=True),
        window=st.integers(20, 10**6),
        language_model=st.none() | st.text(st.characters(exclude_categories=["Cs", "Cc"])),
        seed=st.integers(0, 2**32 - 1),
    )
)
@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_round_trip(write, chosen):
    assert Settings.load(write("crossdoc.toml", chosen.to_toml())) == chosen


def test_given_values_take_precedence(write):
    path = write("crossdoc.toml", "\ufeffseed = 3\nwindow = 50\n")
    chosen = Settings.load(path, seed=4, window=None)
    assert (chosen.seed, chosen.window) == (4, 50)


def test_all_problems_at_once(write):
    path = write("crossdoc.toml", 'seeds = 3\nthreshold = 2\nwindow = "wide"\nmethod = "magic"\ntypes = []\n')
    with pytest.raises(UsageError) as caught:
        Settings.load(path)
    for problem in ("seeds: there is no such setting", "threshold: ", "window: ", "method: ", "types: "):
        assert problem in caught.value.what
    assert "(not 'wide')" in caught.value.what


@pytest.mark.parametrize("content", ["seed = ", "= 3", b"seed = \xff", "seed = 1\nseed = 2"])
def test_broken_toml(write, content):
    with pytest.raises(UsageError, match=r"crossdoc\.toml"):
        Settings.load(write("crossdoc.toml", content))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -0.1])
def test_a_threshold_is_a_number_from_0_to_1(value):
    with pytest.raises(UsageError, match="threshold"):
        Settings.load(threshold=value)
