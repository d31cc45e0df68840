"""Settings from anywhere give one answer, and wrong ones name the right ones."""

import inspect
import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import crossdoc
from crossdoc import errors
from crossdoc.cluster.fuzzy import KARC
from crossdoc.cluster.methods import BUILT_IN, names
from crossdoc.cluster.sampling import SamplingClustering
from crossdoc.errors import UsageError
from crossdoc.settings import SEEN_TO, Settings, set_to

WORDS = "engine race lap pit wheel verse spring poem rhyme ode fever clinic dose nurse ward".split()


@pytest.fixture
def rows(tmp_path):
    """Profiles of one name whose contexts lie between three themes."""
    random = np.random.default_rng(4)
    records = [
        {"id": f"p{i}", "document": f"d{i}", "name": "Ann Li", "type": "person",
         "context": " ".join(random.choice(WORDS[5 * (i % 3) : 5 * (i % 3) + 8], 6))}
        for i in range(15)
    ]  # fmt: skip
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def answer(path, **options):
    with crossdoc.resolve(path, **options) as found:
        return found.partition.table(soft=True).to_pylist()


WAYS = [
    ("karc", {"variant": "paper", "n_clusters": 3, "m": 1.4}, KARC(3, 1.4, variant="paper")),
    ("sampling", {"temperature": [1.0, 0.01], "max_iter": 9, "bias": 0.1},
     SamplingClustering(0.1, temperature=(1.0, 0.01), max_iter=9)),
]  # fmt: skip


@pytest.mark.parametrize(("method", "parameters", "estimator"), WAYS)
def test_a_table_keywords_and_an_estimator_give_one_answer(rows, tmp_path, method, parameters, estimator):
    lines = "".join(f"{key} = {json.dumps(value)}\n" for key, value in parameters.items())
    toml = tmp_path / "crossdoc.toml"
    toml.write_text(f'method = "{method}"\nthreads = 1\n\n[{method}]\n{lines}')
    wanted = answer(rows, settings=toml)
    said = set_to({"method": method, "threads": 1}, [f"{method}.{k}={json.dumps(v)}" for k, v in parameters.items()])
    assert Settings.load(None, **said) == Settings.load(toml)
    assert answer(rows, settings=Settings.load(None, **said)) == wanted
    assert answer(rows, method=method, threads=1, **{method: parameters}) == wanted
    assert answer(rows, method=method, threads=1, parameters={method: parameters}) == wanted
    if method == "karc":
        assert answer(rows, method=estimator, threads=1) == wanted
    assert answer(rows, method=method, threads=1) != wanted, "they have an effect"


def test_an_estimator_takes_the_place_of_the_settings_method(rows, tmp_path):
    toml = tmp_path / "crossdoc.toml"
    toml.write_text('method = "string-match"\nseed = 3\n\n[karc]\nvariant = "linked"\n')
    wanted = answer(rows, method=KARC(3, variant="paper"), background=False)
    for settings in (toml, Settings.load(toml)):
        with crossdoc.resolve(rows, settings=settings, method=KARC(3, variant="paper"), background=False) as found:
            assert found.partition.table(soft=True).to_pylist() == wanted
            assert (found.runs[-1].method, found.runs[-1].seed) == ("karc", 3)


def test_what_is_printed_loads_again_with_parameters(tmp_path):
    chosen = Settings.load(
        None, method="karc", karc={"variant": "paper", "m": 1.4}, sampling={"temperature": [1.0, 0.01]}, threshold=None
    )
    path = tmp_path / "crossdoc.toml"
    path.write_text(chosen.to_toml())
    assert Settings.load(path) == chosen
    text = chosen.to_toml()
    assert '\n[karc]\nvariant = "paper"\nm = 1.4\n' in text
    assert "\n# [arca]\n" in text
    assert "# theta = 0.3" in text
    assert '# stop = "even"' in text, "a run's own default, not the estimator's"
    assert "# language_model =\n" in text
    assert "# One of: mean-max-linkage, average-linkage" in text
    assert "# One of: match, keep, off." in text
    assert [line for line in text.splitlines() if line.lstrip("# ").split(" =")[0] in SEEN_TO] == [
        "# time_limit =", "threads = 0", "max_block = 20000"
    ]  # fmt: skip
    assert text.count("[") > len([method for method in BUILT_IN if method.parameters])


@pytest.mark.parametrize(
    ("said", "put"),
    [
        (["window=200"], {"window": 200}),
        (
            ["method=karc", "karc.variant=paper", "karc.m = 1.4"],
            {"method": "karc", "karc": {"variant": "paper", "m": 1.4}},
        ),
        (["background=false"], {"background": False}),
        (['types=["person"]'], {"types": ["person"]}),
        (["language_model=a=b"], {"language_model": "a=b"}),
        (['extractor="007"'], {"extractor": "007"}),
    ],
)  # fmt: skip
def test_assignments(said, put):
    assert set_to({}, said) == put
    assert set_to({"seed": 1}, said) == {"seed": 1, **put}


@pytest.mark.parametrize("said", ["window", "=3", " =3", "window.size=3"])
def test_what_is_no_assignment(said):
    with pytest.raises(errors.UsageError, match="--set takes KEY=VALUE"):
        set_to({"window": 200}, [said])


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"windows": 3}, "windows: there is no such setting, only method, parameters, threshold"),
        ({"windows": 3}, "did you mean window?"),
        ({"self_training": True}, "self_training: this setting is called background now"),
        ({"window": "wide"}, "window: input should be a valid integer"),
        ({"window": 19}, "greater than or equal to 20 (not 19)"),
        ({"max_block": 1}, "greater than or equal to 2 (not 1)"),
        ({"method": "magic"}, "Choose one of: mean-max-linkage, average-linkage"),
        ({"karc": {"variants": "paper"}}, "variants: there is no such parameter, only n_clusters, m, theta"),
        ({"karc": {"m": "much"}}, "m: input should be a valid number"),
        ({"magic": {"m": 1}}, "There is no method 'magic'"),
        ({"contact_details": "some"}, "input should be 'match', 'keep' or 'off' (not 'some')"),
        ({"contact_salt": "short"}, "at least 8 characters"),
        ({"types": []}, "at least 1 item"),
        ({"time_limit": 0}, "greater than 0 (not 0)"),
        ({"threads": -1}, "greater than or equal to 0"),
        ({"seed": 2**32}, "seed"),
        ({"batch_size": 0}, "greater than or equal to 1"),
    ],
)
def test_wrong_settings_name_the_right_ones(given, told):
    with pytest.raises(errors.UsageError) as caught:
        Settings.load(None, **given)
    assert told in str(caught.value)
    assert "value_error" not in str(caught.value)


def test_a_file_with_former_keys_names_the_present_ones(tmp_path):
    (tmp_path / "old.toml").write_text("self_training = false\n")
    with pytest.raises(errors.UsageError, match="called background now"):
        Settings.load(tmp_path / "old.toml")
    (tmp_path / "old.toml").write_text('method = "sampling"\n\n[sampling]\nmodel = "bags"\n')
    with pytest.raises(errors.UsageError, match=r"model: there is no such parameter.*--method bags"):
        Settings.load(tmp_path / "old.toml")


def test_every_setting_is_a_keyword():
    keywords = inspect.signature(crossdoc.resolve).parameters
    own = {"inputs", "name", "output", "constraints", "model", "known", "settings", "resume", "engine", "address"}
    assert keywords.keys() - own - {"progress"} == Settings.model_fields.keys()
    assert [name for name in Settings.model_fields if keywords[name].default is not None] == []


def test_a_keyword_that_is_none_is_not_given():
    assert Settings.choose(Settings(window=50), {"window": None, "seed": 3}) == Settings(window=50, seed=3)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"metod": "karc"}, "Did you mean 'method'"),
        ({"kark": {"m": 2}}, "Did you mean 'karc'"),
        ({"qqq": 3}, "there is no such setting, only method"),
        ({"self_training": True}, "called background now"),
        ({"parameters": {"karc": {"m": 2}}, "method": KARC()}, "parameters for it"),
    ],
)
def test_keywords_that_are_not_right(given, said):
    with pytest.raises(errors.UsageError, match=said):
        crossdoc.resolve([], output="out.jsonl", **given)


def test_the_smallest_values_that_are_taken():
    given = {"window": 20, "max_block": 2, "threads": 0, "processes": 0, "batch_size": 1, "seed": 2**32 - 1}
    given |= {"max_document_characters": 1, "contact_salt": "8 letters", "threshold": 0.0}
    assert {name: getattr(Settings.load(None, **given), name) for name in given} == given


def test_a_method_with_what_is_set_of_it():
    chosen = Settings.load(None, method="correlation", threshold=0.3, time_limit=5, karc={"m": 2})
    assert chosen.clusterer().parameters == {"bias": 0.3, "time_limit": 5.0}
    own = Settings.load(None, method="karc", karc={"m": 2}, threshold=0.4)
    assert own.clusterer().parameters == {"m": 2.0, "threshold": 0.4}
    with pytest.raises(errors.UsageError, match="A time limit cannot be used"):
        Settings.load(None, time_limit=5).clusterer()


def test_a_table_is_added_to_the_parameters():
    both = Settings.load(None, parameters={"karc": {"m": 2, "theta": 0.1}}, karc={"m": 3})
    assert both.parameters == {"karc": {"m": 3.0, "theta": 0.1}}


def test_one_parameter_leaves_the_others_of_the_file(tmp_path):
    path = tmp_path / "crossdoc.toml"
    path.write_text('seed = 3\n\n[karc]\nvariant = "paper"\nm = 2\n\n[arca]\nm = 5\n')
    for said in ({"karc": {"m": 1.4}}, {"parameters": {"karc": {"m": 1.4}}}, set_to({}, ["karc.m=1.4"])):
        chosen = Settings.load(path, **said)
        assert chosen.parameters == {"karc": {"variant": "paper", "m": 1.4}, "arca": {"m": 5.0}}
        assert chosen.seed == 3


@pytest.mark.parametrize(
    "content",
    ["parameters = 3\n[karc]\nm = 2\n", "[parameters]\nkarc = 3\n[karc]\nm = 2\n", "[parameters]\nkarc = 3\n"],
)
def test_parameters_that_are_no_tables(tmp_path, content):
    path = tmp_path / "crossdoc.toml"
    path.write_text(content)
    if "[parameters]" in content and "[karc]" in content:
        assert Settings.load(path).parameters == {"karc": {"m": 2.0}}
    else:
        with pytest.raises(errors.UsageError, match="parameters"):
            Settings.load(path)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(errors.UsageError, match="There is no file or folder"):
        Settings.load(tmp_path / "none.toml")
    with pytest.raises(errors.InputError, match="is a folder"):
        Settings.load(tmp_path)


@pytest.mark.parametrize(
    "content", ["window = " + "[" * 100_000, "window = " + "9" * 5_000, "threads = 1001", "processes = 100000"]
)
def test_a_strangers_settings_neither_hang_nor_start_without_end(tmp_path, content):
    (tmp_path / "crossdoc.toml").write_text(content)
    with pytest.raises(errors.UsageError):
        Settings.load(tmp_path / "crossdoc.toml")
    with pytest.raises(errors.UsageError):
        Settings.load(None, **set_to({}, [content.replace(" ", "")]))


def test_what_has_no_value_and_what_is_infinite_is_written_so_that_it_loads(tmp_path):
    chosen = Settings(method="karc", parameters={"karc": {"gamma": None, "m": 1.5}, "sampling": {"tol": float("inf")}})
    path = tmp_path / "crossdoc.toml"
    path.write_text(chosen.to_toml())
    loaded = Settings.load(path)
    assert loaded.parameters == {"karc": {"m": 1.5}, "sampling": {"tol": float("inf")}}


def test_columns_are_pairs_or_a_mapping():
    assert Settings.load(columns={"name": "author", "context": "title"}).columns == ["name=author", "context=title"]
    assert Settings.load(columns=["name=author"]).columns == ["name=author"]


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
