"""What the commands share."""

import os

import pytest

from crossdoc.cli import method_commands, research_commands, ui
from crossdoc.cli.method_commands import OF_GRAPHS
from crossdoc.cli.ui import check_outputs
from crossdoc.cluster import methods
from crossdoc.cluster.contexts import context_clustering, criteria, partitioning
from crossdoc.cluster.correlation import SOLVERS
from crossdoc.cluster.graph_clustering import graph_methods
from crossdoc.compare import context_vectors, training
from crossdoc.compare.context_vectors import Cooccurrence
from crossdoc.crosslingual import FEATURE_KINDS, LINK_METHODS, MEASURES
from crossdoc.errors import CrossdocError
from crossdoc.read import context_files
from crossdoc.read.sources import ANNOTATED


def test_outputs_that_can_be_written(tmp_path, write):
    check_outputs([tmp_path / "new" / "folder" / "a.csv", None, write("old.csv", "x")], [write("in.csv", "x"), None])
    check_outputs([tmp_path / "b.csv"], [tmp_path])


def test_no_file_is_written_twice_or_over_an_input(tmp_path, write):
    path = write("a.csv", "x")
    (tmp_path / "link.csv").symlink_to(path)
    with pytest.raises(CrossdocError, match="Two of the outputs"):
        check_outputs([path, tmp_path / "link.csv"], [])
    with pytest.raises(CrossdocError, match="both read and written"):
        check_outputs([tmp_path / "link.csv"], [None, path])


def test_a_device_or_pipe_is_taken_as_it_is(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    check_outputs([tmp_path / "pipe", tmp_path.__class__("/dev/null")], [])


def test_a_folder_is_no_output(tmp_path, write):
    write("file", "x")
    with pytest.raises(CrossdocError, match="it is a folder"):
        check_outputs([tmp_path], [])
    with pytest.raises(CrossdocError, match="not a folder that can be written to"):
        check_outputs([tmp_path / "file" / "a.csv"], [])


def test_an_input_by_another_name_is_still_the_input(tmp_path, write):
    path = write("a.csv", "x")
    os.link(path, tmp_path / "hard.csv")
    with pytest.raises(CrossdocError, match="both read and written"):
        check_outputs([tmp_path / "hard.csv"], [path], force=True)
    with pytest.raises(CrossdocError, match="Two of the outputs"):
        check_outputs([path, tmp_path / "hard.csv"], [])


def test_a_document_in_a_folder_that_is_read_is_an_input(tmp_path, write):
    text = write("docs/deep/a.txt", "x")
    with pytest.raises(CrossdocError, match="both read and written"):
        check_outputs([text], [tmp_path / "docs"], force=True)
    check_outputs([write("docs/profiles.jsonl", "{}")], [tmp_path / "docs"])


@pytest.mark.parametrize(
    ("output", "content", "kind"),
    [
        ("a.csv", b"\0" * 8 + b"DUCK", None), ("a.csv", b"PAR1", None), ("a.html", b"a thesis", "HTML"),
        ("a.jsonl", b"id,entity\n", None), ("thesis.docx", b"PK\x03\x04", "HTML"), ("a.svg", b"<html>", None),
        ("model", b"#!/bin/sh", "JSON"),
    ],
)  # fmt: skip
def test_a_file_of_another_kind_is_kept_unless_forced(tmp_path, output, content, kind):
    path = tmp_path / output
    path.write_bytes(content)
    with pytest.raises(CrossdocError, match="would overwrite it"):
        check_outputs([path], [], kind=kind)
    check_outputs([path], [], kind=kind, force=True)


@pytest.mark.parametrize(
    ("output", "content"),
    [("a.csv", b"id,entity\n"), ("a.csv", b""), ("a.html", b"<!DOCTYPE html>"), ("a.jsonl", b'{"a": 1}'), ("a", b"x")],
)
def test_a_file_of_the_same_kind_is_replaced(tmp_path, output, content):
    (tmp_path / output).write_bytes(content)
    check_outputs([tmp_path / output], [])


def test_no_command_destroys_what_it_reads(result, run, write):
    documents, edges = write("d.jsonl", '{"id": "1", "text": "John Smith."}\n'), write("e.csv", "a,b,strength\nx,y,1\n")
    for words in (["export", result, "--format", "csv"], ["report", result], ["extract", documents], ["cluster", edges],
                  ["resolve", documents], ["contexts", documents], ["train", edges, edges]):  # fmt: skip
        before = words[1].read_bytes()
        done = run(*words, "-o", words[1])
        assert (done.code, "both read and written" in done.err) == (2, True), words
        assert words[1].read_bytes() == before


THEIRS = '[project.entry-points."crossdoc.clusterers"]\nleaders = "theirs:leaders"\nkarc = "theirs:leaders"\n'


def test_names_are_those_that_there_are():
    assert list(ui.METHODS) == methods.names()
    assert graph_methods() == OF_GRAPHS
    assert ui.DEFAULT_METHOD == methods.DEFAULT
    assert ui.ANNOTATED == ANNOTATED
    assert method_commands.STOPPING_RULES == context_clustering.CONTEXT_RULES
    assert tuple(criteria.CODES) == method_commands.CRITERIA
    assert method_commands.PARTITIONERS == partitioning.PARTITION_METHODS
    assert method_commands.VECTORS == context_vectors.KINDS
    assert ui.SOLVERS == SOLVERS
    assert (method_commands.LINK_METHODS, method_commands.LINK_FEATURES, method_commands.LINK_MEASURES) == (
        LINK_METHODS,
        FEATURE_KINDS,
        MEASURES,
    )


def test_defaults_are_those_that_count():
    pairs = Cooccurrence()
    assert (
        pairs.window, pairs.least_count, pairs.least_score,
    ) == (method_commands.PAIR_WINDOW, method_commands.LEAST_COUNT, method_commands.LEAST_SCORE)  # fmt: skip
    assert (method_commands.LEAST_SIZE, research_commands.CONTEXT_WORDS) == (
        context_clustering.LEAST_SIZE,
        context_files.CONFLATED_WORDS,
    )
    assert research_commands.TRAINING_PAIRS == training.MOST_PAIRS


def test_a_packages_method_is_listed_once(package):
    package({"theirs": "leaders = None\n"}, THEIRS)
    assert ui.methods() == [*ui.METHODS, "leaders"] == methods.names()
    assert ui.CLUSTERERS == methods.GROUP
