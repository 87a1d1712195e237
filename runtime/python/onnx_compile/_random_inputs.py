# ===- _random_inputs.py - Inputs that nobody gave --------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Draws inputs by type, shape and range."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from onnx_compile._signature import ValueInfo

Range = tuple[float, float]


def draw(
    inputs: Sequence[ValueInfo],
    given: Mapping[str, Any],
    dims: Mapping[str, int],
    shapes: Mapping[str, Sequence[int]],
    ranges: Mapping[str, Range],
    seed: int,
) -> dict[str, Any]:
    """All inputs: those given, and random ones for the others.

    A dynamic size is that of `dims` by its name, or that of `shapes` by its
    input, else 1. Elements are within `ranges`, both ends included; else reals between -1 and 1,
    bytes of any value, other integers 0 or 1, which are valid as indices, tokens and masks alike,
    and strings of one letter. ValueError for a name that no input or dimension has, or an input that cannot be
    drawn.
    """
    names = {info.name for info in inputs}
    for wanted in (given, shapes, ranges):
        if unknown := set(wanted) - names:
            raise ValueError(f"no input is named {sorted(unknown)[0]!r}; the model has: {', '.join(sorted(names))}")
    sizes = {size for info in inputs for size in info.shape or () if isinstance(size, str)}
    if unknown := set(dims) - sizes:
        known = f"the inputs have: {', '.join(sorted(sizes))}" if sizes else "all sizes are known"
        raise ValueError(f"no dimension of an input is named {sorted(unknown)[0]!r}; {known}")
    random = np.random.default_rng(seed)
    return {
        info.name: given[info.name]
        if info.name in given
        else _elements(info, _shape(info, dims, shapes), ranges.get(info.name), random)
        for info in inputs
    }


def remarks(
    inputs: Sequence[ValueInfo],
    given: Mapping[str, Any],
    dims: Mapping[str, int],
    shapes: Mapping[str, Sequence[int]],
    ranges: Mapping[str, Range],
) -> list[str]:
    """What draw() assumes of inputs that may say little about a model: sizes of 1, and integers of 0 or 1."""
    lines = []
    for info in inputs:
        if info.name in given or info.shape is None:
            continue
        if info.name not in shapes:
            assumed = [size or "?" for size in info.shape if not isinstance(size, int) and (size or "") not in dims]
            if assumed:
                lines.append(f"input {info.name}: the sizes {', '.join(dict.fromkeys(assumed))} are 1, as none is given (dims, shapes)")
        if info.name not in ranges and _drawn_range(info.dtype) == (0, 1):
            lines.append(f"input {info.name}: its elements are 0 or 1, as no range is given (ranges, inputs)")
    return lines


def _drawn_range(dtype: np.dtype[Any] | None) -> Range | None:
    """Of integers and booleans, where none is asked for."""
    if dtype is None or dtype.kind not in "iub":
        return None
    bytes_of_any_value = {"int8": (-128, 127), "uint8": (0, 255)}
    return bytes_of_any_value.get(dtype.name, (0, 1))


def _shape(info: ValueInfo, dims: Mapping[str, int], shapes: Mapping[str, Sequence[int]]) -> tuple[int, ...]:
    if info.name in shapes:
        return tuple(shapes[info.name])
    if info.shape is None:
        raise ValueError(f"the input {info.name!r}, {info.type}, cannot be generated at random: pass it, or its shape if it is a tensor")
    return tuple(size if isinstance(size, int) else dims.get(size or "", 1) for size in info.shape)


def _elements(
    info: ValueInfo, shape: tuple[int, ...], wanted: Range | None, random: np.random.Generator
) -> np.ndarray[Any, Any]:
    dtype = info.dtype
    if dtype is None:
        raise ValueError(f"the input {info.name!r}, {info.type}, cannot be generated at random: pass it")
    if dtype.kind == "O":
        letters = np.asarray(random.integers(ord("a"), ord("z"), shape, endpoint=True))
        return np.array([chr(letter) for letter in letters.ravel()], object).reshape(shape)
    if drawn := _drawn_range(dtype):
        low, high = wanted or drawn
        return random.integers(int(low), int(high), shape, endpoint=True).astype(dtype)
    low, high = wanted or (-1.0, 1.0)
    values = random.uniform(low, high, shape)
    if dtype.kind == "c":
        return (values + 1j * random.uniform(low, high, shape)).astype(dtype)
    # Types of ml_dtypes, which convert from float32.
    return np.asarray(values, np.float64 if dtype.name == "float64" else np.float32).astype(dtype)
