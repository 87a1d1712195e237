# ===- _check.py - check() --------------------------------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""What a model has that fails or costs time."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict, cast

from onnx_compile import _compiler, _models
from onnx_compile._compile import CompileError, pairs_of
from onnx_compile._html import findings_html

_REFUSED = 1  # OM_COMPILE_REJECTED


class Finding(TypedDict):
    """One thing about a node, a tensor or, where `name` is empty, the model.

    An error refuses the model, a warning costs time, a note costs nothing. The
    types of operands and results are as in "f32[batch, 3, ?]", "" where one is
    left out or not known. share is that of the estimated work of the model.
    """

    severity: Literal["error", "warning", "note"]
    kind: str
    location: str
    name: str
    operator: str
    opset: int
    operands: list[str]
    results: list[str]
    reason: str
    hint: str
    share: float


class Findings(TypedDict):
    """What `onnx-compile check --json` prints: errors first, then warnings and notes."""

    schema: int
    model: str
    compiles: bool
    errors: int
    warnings: int
    notes: int
    findings: list[Finding]


class _Shown(dict[str, Any]):
    """Findings, as a table in notebooks."""

    def _repr_html_(self) -> str:
        return findings_html(self)


def check(
    model: Any,
    *,
    example_inputs: Sequence[Any] | Mapping[str, Any] | None = None,
    dynamic_shapes: Any = None,
    progress: _compiler.Progress | None = None,
    **options: Any,
) -> Findings:
    """Finds at once all nodes that fail or cost time, and writes nothing.

    The arguments are those of compile(). A model that is refused is no
    exception: the findings have the errors.

        for finding in onnx_compile.check("m.onnx", dims={"batch": 8})["findings"]:
            print(finding["severity"], finding["name"], finding["reason"], finding["hint"])

    Raises CompileError for an option that is refused.
    """
    with _models.opened(model, example_inputs, dynamic_shapes) as (path, data, _):
        result = _compiler.run(path, data, pairs_of(options), progress, _compiler.CHECK)
    if result.status not in (0, _REFUSED):
        raise CompileError(result.messages.strip() or f"the compiler ended with status {result.status}", result.status)
    return cast(Findings, _Shown(json.loads(result.report)))


def cut_node(
    model: Any,
    node: str,
    output: str | os.PathLike[str],
    *,
    example_inputs: Sequence[Any] | Mapping[str, Any] | None = None,
    dynamic_shapes: Any = None,
    **options: Any,
) -> str:
    """Writes a model of one node alone, as findings name it, and returns its path.

    Its constants stay; its other operands become inputs of the types that they
    have. The node keeps its name, so the small model has the same finding. The
    arguments are those of check(), and the model may be one that is refused.

    Raises CompileError if there is no such node.
    """
    path_of_output = os.fspath(output)
    task = _compiler.Task("CutNode", (node.encode(), os.fsencode(path_of_output)), "Report")
    with _models.opened(model, example_inputs, dynamic_shapes) as (path, data, _):
        result = _compiler.run(path, data, pairs_of(options), task=task)
    if result.status != 0:
        raise CompileError(result.messages.strip() or f"the compiler ended with status {result.status}", result.status)
    return path_of_output
