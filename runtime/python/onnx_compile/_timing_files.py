# ===- _timing_files.py - Timings of engines as files -----------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Writes the times of several engines as CSV, and draws their percentiles."""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Mapping
from html import escape

import numpy as np

from onnx_compile._interleave import Blocks

_WIDTH, _HEIGHT, _MARGIN = 640, 260, 60
_COLOURS = ("#1f6fb4", "#d1652a", "#2f9e44", "#9c36b5", "#c2255c")
_STYLE = """svg{background:#fff}text{font:12px sans-serif;fill:#222}.grid{stroke:#ddd}polyline{fill:none;stroke-width:1.5}
@media(prefers-color-scheme:dark){svg{background:#1b1b1f}text{fill:#ddd}.grid{stroke:#444}}"""


def write_csv(path: str | os.PathLike[str], runs: Mapping[str, Blocks]) -> None:
    """One line for each run: the engine, the number of its block, the seconds that it took."""
    with open(path, "w", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(["engine", "block", "seconds"])
        for engine, blocks in runs.items():
            for block, times in enumerate(blocks):
                lines.writerows([engine, block, f"{time:.9f}"] for time in times)


def write_svg(path: str | os.PathLike[str], runs: Mapping[str, Blocks], title: str) -> None:
    """A curve for each engine from the shortest to the longest run, where each half of the rest is as wide."""
    times = {engine: np.sort(1e3 * np.concatenate(blocks)) for engine, blocks in runs.items()}
    shortest, longest = min(of[0] for of in times.values()) / 1.05, 1.05 * max(of[-1] for of in times.values())
    halves = max(1.0, math.log2(max(len(of) for of in times.values())))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH + 2 * _MARGIN} {_HEIGHT + 2 * _MARGIN}">',
        f"<style>{_STYLE}</style>",
        f'<text x="{_MARGIN}" y="24">{escape(title)}</text>',
        f'<text x="{_MARGIN}" y="44">latency in ms</text>',
    ]
    for percent in (50.0, 90.0, 99.0, 99.9):
        at = -math.log2(1 - percent / 100) / halves * _WIDTH + _MARGIN
        if at <= _WIDTH + _MARGIN:
            parts.append(f'<path class="grid" d="M{at:.1f} {_MARGIN} v{_HEIGHT}"/>')
            parts.append(f'<text x="{at:.1f}" y="{_MARGIN + _HEIGHT + 18}" text-anchor="middle">{percent:g} %</text>')
    for label in _labels(shortest, longest):
        y = _height(label, shortest, longest)
        parts.append(f'<path class="grid" d="M{_MARGIN} {y:.1f} h{_WIDTH}"/>')
        parts.append(f'<text x="{_MARGIN - 6}" y="{y + 4:.1f}" text-anchor="end">{label:g}</text>')
    for number, (engine, of) in enumerate(times.items()):
        heights = [_height(time, shortest, longest) for time in of]
        parts += _curve(engine, heights, halves, number)
    with open(path, "w") as file:
        file.write("\n".join([*parts, "</svg>\n"]))


def _height(time: float, shortest: float, longest: float) -> float:
    """On a logarithmic axis: a few long runs would leave nothing to see of the others."""
    return _MARGIN + _HEIGHT * (1 - math.log(time / shortest) / math.log(longest / shortest))


def _labels(shortest: float, longest: float) -> list[float]:
    """1, 2 and 5 times powers of ten, or these alone where they are many."""
    powers = range(math.floor(math.log10(shortest)), math.ceil(math.log10(longest)) + 1)
    factors = (1, 2, 5) if len(powers) < 5 else (1,)
    return [label for power in powers for factor in factors if shortest <= (label := factor * 10.0**power) <= longest]


def _curve(engine: str, heights: list[float], halves: float, number: int) -> list[str]:
    """The line and the name of an engine, each in its colour."""
    colour, points = _COLOURS[number % len(_COLOURS)], []
    for step in range(201):
        rank = min(int((1 - 2 ** -(halves * step / 200)) * len(heights)), len(heights) - 1)
        points.append(f"{_MARGIN + _WIDTH * step / 200:.1f},{heights[rank]:.1f}")
    return [
        f'<polyline stroke="{colour}" points="{" ".join(points)}"/>',
        f'<text x="{_MARGIN + 12}" y="{_MARGIN + 16 + 16 * number}" style="fill:{colour}">{escape(engine)}</text>',
    ]
