# ===- _explain.py - explain() ----------------------------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""What becomes of one node of a model."""

from __future__ import annotations

import html
import json
import os
from typing import Any

from onnx_compile import _compiler, _models
from onnx_compile._compile import CompileError, pairs_of


class Explanation(dict[str, Any]):
    """The tool's --json as a dict; printed it is the tool's text."""

    def __init__(self, facts: dict[str, Any], text: str) -> None:
        super().__init__(facts)
        self.text = text

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"


def explain(model: Any, node: str, *, asm: bool = False, **options: Any) -> Explanation:
    """Explains what becomes of a node: its rewrites, its kernels with their loops, recipes and work.

    model: a path, the bytes of a model file or an onnx.ModelProto.
    node: the name of a node, or of a tensor, for the node that makes it.
    asm: with the assembly of the kernels.
    options: those of compile(), such as cpu="generic", dims={"batch": 8}.

    Raises CompileError for a model or an option that is refused and for an unknown name, with
    similar names.
    """
    with _models.opened(model) as (path, data, _):
        task = _compiler.Task("Explain", (os.fsencode(node), int(asm)), "Explanation")
        pairs = [("runtime-dir", str(_compiler.library_folder() / "onnxc")), *pairs_of(options)]
        result = _compiler.run(path, data, pairs, None, task)
    if result.status != 0:
        message = result.messages.strip() or f"the compiler ended with status {result.status}"
        raise CompileError(message, result.status)
    return Explanation(json.loads(result.report), result.text)
