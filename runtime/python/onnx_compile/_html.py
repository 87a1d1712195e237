# ===- _html.py - Sessions and reports in notebooks -------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""HTML tables for _repr_html_."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from typing import Any

from onnx_compile._signature import ValueInfo


def _table(title: str, header: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    def line(cells: Iterable[Any], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"

    body = "".join(line(row, "td") for row in rows)
    return f"<table><caption>{html.escape(title)}</caption>{line(header, 'th')}{body}</table>"


def session_html(path: str, inputs: Iterable[ValueInfo], outputs: Iterable[ValueInfo], info: Mapping[str, Any]) -> str:
    """The signature of a session, and how its model was compiled."""

    def rows(kind: str, values: Iterable[ValueInfo]) -> list[tuple[Any, ...]]:
        return [(kind, v.name, v.type, "" if v.shape is None else _shape(v.shape)) for v in values]

    signature = rows("input", inputs) + rows("output", outputs)
    return _table(path, ["", "name", "type", "shape"], signature) + _table("compiled", ["", ""], info.items())


def _shape(shape: Iterable[int | str | None]) -> str:
    return "[" + ", ".join("?" if size is None else str(size) for size in shape) + "]"


def framed(page: str) -> str:
    """A page of its own within that of a notebook."""
    return f'<iframe sandbox="allow-scripts" style="width: 100%; height: 720px" srcdoc="{html.escape(page)}"></iframe>'


def findings_html(findings: Mapping[str, Any]) -> str:
    """The findings of a check."""
    columns = ["severity", "kind", "name", "operator", "reason", "hint"]
    title = f"{findings['model']}: {'compiles' if findings['compiles'] else 'is rejected'}"
    return _table(title, columns, ([row[column] for column in columns] for row in findings["findings"]))


def measurement_html(measured: Mapping[str, Any]) -> str:
    """The single values of a measurement, and a table for each of its lists of dicts."""
    single = [(key, value) for key, value in measured.items() if not isinstance(value, (list, dict))]
    tables = [_table("measurement", ["", ""], single)]
    for key, rows in measured.items():
        if isinstance(rows, list) and rows and isinstance(rows[0], dict):
            tables.append(_table(key, rows[0], ([row.get(column, "") for column in rows[0]] for row in rows)))
    return "".join(tables)


def verification_html(against: str, outputs: Iterable[Any], located: str) -> str:
    """The comparisons of a verification, and the node where the engines part."""
    rows = [
        (c.name, "agrees" if c.agrees else c.problem, f"{c.largest:.3g}", f"{c.largest_relative:.3g}") for c in outputs
    ]
    table = _table(f"against {against}", ["output", "", "largest difference", "relative"], rows)
    return table + (f"<pre>{html.escape(located)}</pre>" if located else "")


def bench_html(title: str, timings: Iterable[Any]) -> str:
    """The times of engines in milliseconds, and their ratios to the compiled model's."""
    rows = []
    for t in timings:
        ratio = t.error or (f"{t.ratio.median:.2f} [{t.ratio.low:.2f}, {t.ratio.high:.2f}]" if t.ratio else "")
        rows.append([t.engine, *(f"{1e3 * time:.6f}" for time in (t.minimum, t.median, t.p90, t.p99)), ratio])
    return _table(title, ["engine", "minimum, ms", "median, ms", "p90, ms", "p99, ms", "ratio"], rows)
