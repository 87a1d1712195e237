# ===- _comparison.py - Outputs beside expected ones ------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Compares the values of two engines with tolerances by element type."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

# The relative tolerance of each element type; other types of ml_dtypes are compared as the last. A
# tenth of it, times the largest expected element, is the absolute tolerance: sums that cancel have
# errors of the size of their terms.
_RELATIVE = {"float64": 1e-6, "float32": 1e-3, "float16": 1e-2, "bfloat16": 4e-2, "complex64": 1e-3, "complex128": 1e-6}
_RELATIVE_OF_SMALL_TYPES = 0.15
# A result may be this much farther from the other engine's than that engine's own results are apart.
_SPREADS = 1.25


@dataclasses.dataclass(frozen=True)
class Tolerance:
    """How far an element may be from the expected one: atol + rtol * |expected|, and quanta * scale
    where the tensor is quantized. None stands for the default of the element type."""

    rtol: float | None = None
    atol: float | None = None
    quanta: int = 1

    def allowed(self, expected: np.ndarray[Any, Any], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
        """The largest difference allowed of each element; `dtype` is the type of the tensor."""
        default = _RELATIVE.get(dtype.name, _RELATIVE_OF_SMALL_TYPES)
        magnitude = np.abs(expected).astype(float)
        magnitude = np.where(np.isfinite(magnitude), magnitude, 0)
        rtol = default if self.rtol is None else self.rtol
        atol = 0.1 * default * float(magnitude.max(initial=0)) if self.atol is None else self.atol
        return np.asarray(atol + rtol * magnitude)


@dataclasses.dataclass(frozen=True)
class Meaning:
    """What the graph says of a tensor's elements.

    quantum: the difference of adjacent quantized values; 0 for a tensor that is not quantized.
    spread: how far the other engine's own runs are apart; 0 if not known.
    scores: of a tensor of indices, such as an output of TopK, the tensor that they index, and
        axis, along which: indices of equal scores are equally good.
    """

    quantum: float = 0
    spread: float = 0
    scores: np.ndarray[Any, Any] | None = None
    axis: int = 0


@dataclasses.dataclass(frozen=True)
class Comparison:
    """One tensor of the model beside what is expected; an element of a container is "name[i]".

    largest, largest_relative: of all elements, the largest absolute difference, and that divided
        by the largest expected magnitude.
    problem: what differs, in words; None if the tensors agree.
    """

    name: str
    elements: int = 0
    differing: int = 0
    largest: float = 0
    largest_relative: float = 0
    problem: str | None = None

    @property
    def agrees(self) -> bool:
        """True if the tensors agree."""
        return self.problem is None

    def __str__(self) -> str:
        if self.problem:
            return f"{self.name}: {self.problem}"
        return f"{self.name}: agrees, largest difference {self.largest:.3g} (relative {self.largest_relative:.3g})"


def spread(one: Any, other: Any) -> float:
    """The largest difference of two tensors of numbers; 0 for other values."""
    arrays = [value for value in (one, other) if isinstance(value, np.ndarray) and value.dtype.kind not in "OSU"]
    if len(arrays) != 2 or arrays[0].shape != arrays[1].shape:
        return 0.0
    with np.errstate(all="ignore"):
        difference = _magnitudes(_wide(arrays[0]) - _wide(arrays[1]))
    return float(difference[np.isfinite(difference)].max(initial=0))


def compare(name: str, actual: Any, expected: Any, tolerance: Tolerance, meaning: Meaning) -> Iterator[Comparison]:
    """A Comparison of each tensor in the values: arrays, lists, dicts, or None for an empty optional. The
    numbers in a map, or in a list of maps, are one tensor, as the scores of a classifier are."""
    rows = _rows_of_maps(actual, expected)
    if rows is not None:
        places, numbers, others = zip(*rows)
        yield _compare_tensor(name, *_tensors_of_numbers(numbers, others), tolerance, meaning, places)
    elif isinstance(expected, dict) and isinstance(actual, dict):
        if actual.keys() != expected.keys():
            yield Comparison(name, problem=f"has the keys {sorted(actual)} and should have {sorted(expected)}")
            return
        for key, value in expected.items():
            yield from compare(f"{name}[{key!r}]", actual[key], value, tolerance, meaning)
    elif isinstance(expected, list) and isinstance(actual, list):
        if len(actual) != len(expected):
            yield Comparison(name, problem=f"has {len(actual)} elements and should have {len(expected)}")
            return
        for i, (a, e) in enumerate(zip(actual, expected)):
            yield from compare(f"{name}[{i}]", a, e, tolerance, meaning)
    elif _kind(actual) != _kind(expected):
        yield Comparison(name, problem=f"is {_kind(actual)} and should be {_kind(expected)}")
    elif expected is None:
        yield Comparison(name)
    else:
        yield _compare_tensor(name, np.asarray(actual), np.asarray(expected), tolerance, meaning)


def _rows_of_maps(actual: Any, expected: Any) -> list[tuple[str, Any, Any]] | None:
    """Where each number is in a map or a list of maps, "[i][key]", the number, and the expected one; None for other
    values, and for maps whose keys differ."""
    is_list = isinstance(actual, list) and isinstance(expected, list) and len(actual) == len(expected)
    pairs = [(f"[{i}]", a, e) for i, (a, e) in enumerate(zip(actual, expected))] if is_list else [("", actual, expected)]
    rows = []
    for place, a, e in pairs:
        if not isinstance(a, dict) or not isinstance(e, dict) or a.keys() != e.keys():
            return None
        rows += [(f"{place}[{key!r}]", a[key], value) for key, value in e.items()]
    values = [value for row in rows for value in row[1:]]
    is_flat = all(np.ndim(value) == 0 and value is not None for value in values)
    return rows if is_flat and len({isinstance(value, str) for value in values}) == 1 else None


def _tensors_of_numbers(
    actual: Sequence[Any], expected: Sequence[Any]
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Numbers of Python have no element type: it is float32 if the actual ones are all numbers of float32."""
    a, e = np.asarray(actual), np.asarray(expected)
    with np.errstate(over="ignore"):
        narrow = a.astype(np.float32) if a.dtype == np.float64 else a
    if a.dtype.kind == "f" and np.array_equal(a, narrow, equal_nan=True):
        a = narrow
    return (a, e.astype(a.dtype)) if a.dtype.kind == e.dtype.kind == "f" else (a, e)


def _kind(value: Any) -> str:
    if value is None:
        return "an empty optional"
    return "a sequence" if isinstance(value, list) else "a map" if isinstance(value, dict) else "a tensor"


def _describe(array: np.ndarray[Any, Any]) -> str:
    return f"{'string' if array.dtype.kind in 'OSU' else array.dtype.name}{list(array.shape)}"


def _compare_tensor(
    name: str,
    actual: np.ndarray[Any, Any],
    expected: np.ndarray[Any, Any],
    tolerance: Tolerance,
    meaning: Meaning,
    places: Sequence[str] = (),
) -> Comparison:
    """`places` are the names of the elements of a tensor of rank 1, if they are not their indices."""
    if _describe(actual) != _describe(expected):
        return Comparison(name, problem=f"is {_describe(actual)} and should be {_describe(expected)}")
    if actual.dtype.kind in "OSU":
        wrong = np.asarray(actual.astype(str) != expected.astype(str))
        return _comparison(name, actual, expected, wrong, wrong.astype(float), np.zeros(1), places)
    a, e = (_wide(array) for array in (actual, expected))
    with np.errstate(all="ignore"):
        same = (a == e) | ((a != a) & (e != e))
        difference = np.where(same, 0, _magnitudes(a - e))
    wrong = ~same & ~(difference <= _allowed(e, actual.dtype, tolerance, meaning))
    if meaning.scores is not None and wrong.any():
        wrong &= ~_ties(actual, expected, meaning, tolerance)
    return _comparison(name, actual, expected, wrong, difference, _magnitudes(e), places)


def _wide(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """In a type whose differences are exact enough: integers of 64 bits stay what they are."""
    if array.dtype.kind == "c":
        return array.astype(np.complex128)
    if array.dtype.name in ("int64", "uint64"):
        return array.astype(object)
    return array.astype(np.float64)


def _magnitudes(array: Any) -> np.ndarray[Any, Any]:
    """Arithmetic on integers of 64 bits without a dimension gives numbers of Python."""
    return np.asarray(np.abs(array)).astype(float)


def _allowed(
    expected: np.ndarray[Any, Any], dtype: np.dtype[Any], tolerance: Tolerance, meaning: Meaning
) -> np.ndarray[Any, Any]:
    extra = max(tolerance.quanta * meaning.quantum, _SPREADS * meaning.spread)
    if dtype.kind in "iub" or "int" in dtype.name:
        return np.full(expected.shape, extra)
    return tolerance.allowed(expected, dtype) + extra


def _ties(
    actual: np.ndarray[Any, Any], expected: np.ndarray[Any, Any], meaning: Meaning, tolerance: Tolerance
) -> np.ndarray[Any, Any]:
    """Where two indices select scores that agree. Only the shape of the outputs of TopK, and of ArgMax
    and ArgMin with or without the axis, has ties."""
    assert meaning.scores is not None
    scores = meaning.scores
    axis = meaning.axis % scores.ndim
    keeps_axis = actual.ndim == scores.ndim
    indices = [i if keeps_axis else np.expand_dims(i, axis) for i in (actual, expected)]
    none = np.zeros(actual.shape, bool)
    size = scores.shape[axis]
    if any(i.ndim != scores.ndim or not ((i >= 0) & (i < size)).all() for i in indices):
        return none
    chosen, wanted = (np.take_along_axis(scores, i.astype(np.int64), axis).astype(np.float64) for i in indices)
    tied = np.abs(chosen - wanted) <= tolerance.allowed(wanted, scores.dtype)
    return np.asarray(tied if keeps_axis else np.squeeze(tied, axis))


def _comparison(
    name: str,
    actual: np.ndarray[Any, Any],
    expected: np.ndarray[Any, Any],
    wrong: np.ndarray[Any, Any],
    difference: np.ndarray[Any, Any],
    magnitudes: np.ndarray[Any, Any],
    places: Sequence[str],
) -> Comparison:
    largest = float(np.nan_to_num(difference, nan=np.inf).max(initial=0))
    magnitude = float(magnitudes[np.isfinite(magnitudes)].max(initial=0))
    differing = int(np.count_nonzero(wrong))
    problem = None
    if differing:
        first = tuple(int(i) for i in np.argwhere(wrong)[0])
        problem = (
            f"{differing} of {actual.size} elements differ; element {places[first[0]] if places else list(first)} "
            f"is {actual[first]} "
            f"and should be {expected[first]}; largest difference {largest:.3g}"
        )
    relative = largest / magnitude if magnitude else largest
    return Comparison(name, int(actual.size), differing, largest, relative, problem)
