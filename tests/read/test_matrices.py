"""Matrices of SenseClusters, NumPy and SciPy."""

import numpy as np
import pytest
from scipy import sparse

from crossdoc import errors
from crossdoc.read.matrices import looks_like_matrix, read_matrix


def test_the_programs_matrices(write):
    dense = read_matrix(write("a.vectors", "2 3\n1 0 2\n0\t1  0.5\n\n"))
    assert (dense.space, dense.values.toarray().tolist()) == ("vector", [[1, 0, 2], [0, 1, 0.5]])
    thin = read_matrix(write("b.vectors", "3 4 3\n1 2.5 4 1\n\n3 7\n"))
    assert (thin.space, thin.values.toarray().tolist()) == ("vector", [[2.5, 0, 0, 1], [0] * 4, [0, 0, 7, 0]])
    full = read_matrix(write("c.simat", "2\n1 0.5\n0.5 1\n"))
    assert (full.space, full.values.toarray().tolist()) == ("similarity", [[1, 0.5], [0.5, 1]])
    pairs = read_matrix(write("d.simat", "3 5\n1 1 2 0.5\n1 0.5 2 1\n3 1\n"))
    assert (pairs.space, pairs.values.toarray()[0].tolist()) == ("similarity", [1, 0.5, 0])


def test_numpys_and_scipys_matrices(tmp_path):
    rows = np.array([[1.0, 0], [0, 2]])
    np.save(tmp_path / "a.npy", rows)
    sparse.save_npz(tmp_path / "a.npz", sparse.csr_matrix(rows))
    for name in ("a.npy", "a.npz"):
        assert looks_like_matrix(tmp_path / name)
        assert read_matrix(tmp_path / name).values.toarray().tolist() == rows.tolist()
    assert read_matrix(tmp_path / "a.npy", "similarity").space == "similarity"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2 3\n1 0 2\n", "line 1: 2 rows were announced and there are 1"),
        ("2 3\n1 0 2\n1 0\n", "line 3: 2 values for 3 columns"),
        ("1 2\n1 x\n", "line 2"),
        ("1 2\n1 nan\n", "line 2: a number is not finite"),
        ("1 4 1\n5 1\n", "line 2: a column is not a whole number from 1 to 4"),
        ("1 4 1\n1.5 1\n", "line 2: a column"),
        ("1 4 1\n1\n", "line 2: a column without a value"),
        ("1 4 2\n1 1\n", "line 1: 2 entries were announced and there are 1"),
        ("rows\n1 2\n", "line 1"),
        ("", "line 1"),
    ],
)
def test_broken_matrices_name_the_line(write, text, message):
    with pytest.raises(errors.InputError, match=message):
        read_matrix(write("a.vectors", text))


def test_broken_numpy_files(write, tmp_path):
    np.save(tmp_path / "cube.npy", np.zeros((2, 2, 2)))
    for path in (write("a.npy", "not numpy"), write("a.npz", "not scipy"), tmp_path / "cube.npy"):
        with pytest.raises(errors.InputError, match="cannot be read"):
            read_matrix(path)
    assert not looks_like_matrix(write("t.txt", "2 people\n"))
    assert not looks_like_matrix(write("b.bin", b"\xff\xfe"))
