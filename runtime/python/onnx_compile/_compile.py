# ===- _compile.py - compile() ----------------------------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Compiles in this process; the compiler is loaded by the first call."""

from __future__ import annotations

import atexit
import json
import os
import pathlib
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, overload

from onnx_compile import _compiler, _models
from onnx_compile._html import framed

# Of the outputs of emit=; all others are text.
_SUFFIXES = {"lib": ".so", "asm": ".s", "obj": ".o", "ptx": ".ptx", "sass": ".sass", "static": ".a", "model": ".simplified.onnx"}


class CompileError(RuntimeError):
    """The model or an option was rejected; the message says why.

    status is the exit status that the onnx-compile tool would have: 1 for a
    rejected model, 2 for a wrong option, 5 for a fault of the compiler.
    """

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class CompileWarning(UserWarning):
    """The model was compiled, and a run may fail or differ from what its author expects; the message says where."""


class Report(dict[str, Any]):
    """The tool's --report=json as a dict; notebooks show it as the page of `onnx-compile report`.

    html: that page, which needs no other file.
    """

    html = ""

    @property
    def layers(self) -> list[dict[str, Any]]:
        """The nodes of the model with work, memory, weights and code: rows for pandas.DataFrame."""
        return list(self.get("layers", []))

    def _repr_html_(self) -> str:
        return framed(self.html)


@overload
def compile(
    model: Any,
    output: str | os.PathLike[str] | None = ...,
    *,
    example_inputs: Sequence[Any] | Mapping[str, Any] | None = ...,
    dynamic_shapes: Any = ...,
    dims: Mapping[str, int] | None = ...,
    shapes: Mapping[str, Sequence[int | None]] | None = ...,
    limits: Mapping[str, Any] | None = ...,
    progress: _compiler.Progress | None = ...,
    report: Literal[False] = ...,
    **options: Any,
) -> str: ...


@overload
def compile(
    model: Any,
    output: str | os.PathLike[str] | None = ...,
    *,
    example_inputs: Sequence[Any] | Mapping[str, Any] | None = ...,
    dynamic_shapes: Any = ...,
    dims: Mapping[str, int] | None = ...,
    shapes: Mapping[str, Sequence[int | None]] | None = ...,
    limits: Mapping[str, Any] | None = ...,
    progress: _compiler.Progress | None = ...,
    report: Literal[True],
    **options: Any,
) -> Report: ...


def compile(
    model: Any,
    output: str | os.PathLike[str] | None = None,
    *,
    example_inputs: Sequence[Any] | Mapping[str, Any] | None = None,
    dynamic_shapes: Any = None,
    progress: _compiler.Progress | None = None,
    report: bool = False,
    **options: Any,
) -> str | Report:
    """Compiles a model and returns the path of the compiled one.

    model: a path, the bytes of a model file, an onnx.ModelProto, or of torch an
        nn.Module with example_inputs, a program of torch.export, or an
        ONNXProgram.
    output: where to write; beside a model file, or to a temporary file that
        lives as long as the process, when left out. Its suffix is that of what
        is written: .so, for a processor without an operating system .a, or with
        emit=, .s, .o, .simplified.onnx, else .mlir.
    example_inputs, dynamic_shapes: those of torch.onnx.export for an nn.Module;
        a tuple of arguments or a dict of named ones.
    report: return the tool's report as a dict; its "output" is the path, and its
        layers are the nodes of the model with what they cost.
    progress: called with the number of a step, the number of all, its name, and
        None when it begins or its seconds when it has ended. An exception that
        it raises cancels the compilation, and so does an interrupt (Ctrl-C).
    options: those of the onnx-compile tool, with '_' for '-'; dims, shapes and
        limits are mappings, in a shape None is a dynamic size:
        compile("m.onnx", O=3, cpu="generic", strict=True)
        compile("m.onnx", cpu=["x86-64-v2", "x86-64-v3"]) has code for both
        compile("m.onnx", dims={"batch": 8}, shapes={"x": (1, 3, None, 224)})
        compile("m.onnx", emit="model") writes m.simplified.onnx
        compile("m.onnx", limits={"seconds": 60, "memory": "2G"}) ends in time
        compile("m.onnx", custom_op_lib="libmine.so") has operators of your own

    Warns with CompileWarning where the tool does. Raises CompileError for a model or an option that is refused, and TypeError
    for a mapping that is none or a model that is of no type named above.
    """
    with _models.opened(model, example_inputs, dynamic_shapes) as (path, data, is_temporary):
        if output is None:
            output = _output(_temporary_folder() / "model" if path is None or is_temporary else pathlib.Path(path), options)
        pairs = [("runtime-dir", str(_compiler.library_folder() / "onnxc")), ("output", os.fspath(output))]
        pairs += pairs_of(options)
        if report:
            pairs.append(("explain-nodes", "true"))
        task = _compiler.Task(form=b"html") if report else _compiler.Task()
        result = _compiler.run(path, data, pairs, progress, task)
    if result.status != 0:
        message = result.messages.strip() or f"the compiler ended with status {result.status}"
        raise CompileError(message, result.status)
    if "warning: " in result.messages:
        warnings.warn(result.messages.strip(), CompileWarning, stacklevel=2)
    if not report:
        return result.output
    described = Report(json.loads(result.report))
    described.html = result.text
    return described


def report(model: Any, **options: Any) -> Report:
    """Compiles a model for its report alone: what each node costs, and when which tensor is in memory.

    options: those of compile(); times="profile.json" adds the times of
    `onnx-run profile --json`. Raises what compile() raises.
    """
    return compile(model, "-", report=True, **options)


def get_include() -> str:
    """The folder of the C headers: of programs that call compiled models, and of custom operators."""
    return str(pathlib.Path(__file__).resolve().parent / "include")


# Options that are mappings: the tool's name, and the text of one entry.
_MAPPINGS: dict[str, tuple[str, Callable[[str, Any], str]]] = {
    "dims": ("dim", lambda name, size: f"{name}={size}"),
    "limits": ("limit", lambda name, limit: f"{name}={limit}"),
    "shapes": ("shape", lambda name, shape: f"{name}:{'x'.join('?' if n is None else str(n) for n in shape)}"),
}


def pairs_of(options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The tool's options and their texts, each as often as it is given."""
    return [pair for name, value in options.items() for pair in _pairs(name, value)]


def _pairs(name: str, value: Any) -> list[tuple[str, str]]:
    """The tool's option and its text, for each time that it is given."""
    if name in _MAPPINGS and value is not None:
        option, text_of = _MAPPINGS[name]
        if not hasattr(value, "items"):
            raise TypeError(f"{name} must be a mapping, such as a dict, but is {type(value).__name__}")
        return [(option, text_of(*entry)) for entry in value.items()]
    if name == "cpu" and isinstance(value, (list, tuple)):
        value = ",".join(value)
    option = "level" if name == "O" else name.replace("_", "-")
    return [(option, text) for text in _texts(value)]


def _texts(value: Any) -> Iterator[str]:
    """One text for each time the option is given."""
    for item in value if isinstance(value, (list, tuple)) else [value]:
        if isinstance(item, bool):
            yield "true" if item else "false"
        elif item is not None:
            yield str(item)


def _output(beside: pathlib.Path, options: Mapping[str, Any]) -> str:
    """The file beside another one, or its folder, where the compiler names the file."""
    emit = options.get("emit")
    return str(beside.with_suffix(_SUFFIXES.get(emit, ".mlir"))) if emit else f"{beside.parent}/"


def _temporary_folder() -> pathlib.Path:
    folder = tempfile.mkdtemp(prefix="onnx-compile-")
    atexit.register(_remove_folder, folder, os.getpid())
    return pathlib.Path(folder)


def _remove_folder(folder: str, process: int) -> None:
    """Removes what this process made; a forked child leaves it to its parent."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)
