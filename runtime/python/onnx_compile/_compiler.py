# ===- _compiler.py - The compiler's C API -----------------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# onnxc/Compile.h through ctypes: a compilation takes so long that the time of
# these calls is nothing. libonnxc.so is loaded by the first compilation.
# ===------------------------------------------------------------------------===#
"""Compiles through libonnxc.so."""

from __future__ import annotations

import ctypes
import functools
import os
import pathlib
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

_PACKAGE = pathlib.Path(__file__).resolve().parent

Progress = Callable[[int, int, str, "float | None"], Any]

_ProgressFunction = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint, ctypes.c_char_p, ctypes.c_double
)
_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "Create": (ctypes.c_void_p, []),
    "Destroy": (None, [ctypes.c_void_p]),
    "SetOption": (ctypes.c_int, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p]),
    "SetProgressHandler": (None, [ctypes.c_void_p, _ProgressFunction, ctypes.c_void_p]),
    "CompileFile": (ctypes.c_int, [ctypes.c_void_p, ctypes.c_char_p]),
    "CompileMemory": (ctypes.c_int, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p]),
    "Check": (ctypes.c_int, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p]),
    "CutNode": (
        ctypes.c_int,
        [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p],
    ),
    "Explain": (
        ctypes.c_int,
        [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int],
    ),
    "Cancel": (None, [ctypes.c_void_p]),
    "GetExplanation": (ctypes.c_char_p, [ctypes.c_void_p, ctypes.c_char_p]),
    "GetFindings": (ctypes.c_char_p, [ctypes.c_void_p, ctypes.c_char_p]),
    "GetMessages": (ctypes.c_char_p, [ctypes.c_void_p]),
    "GetOutput": (ctypes.c_char_p, [ctypes.c_void_p]),
    "GetReport": (ctypes.c_char_p, [ctypes.c_void_p, ctypes.c_char_p]),
}


class Result(NamedTuple):
    """How a compilation ended: OM_COMPILE_STATUS, messages, the path of the output, the report as JSON and as text.

    The report of a check is what it has found.
    """

    status: int
    messages: str
    output: str
    report: str
    text: str


def library_folder() -> pathlib.Path:
    """The folder of libonnxc.so: in an installed package inside it, else in the build."""
    inside = _PACKAGE / "lib"
    return inside if inside.exists() else _PACKAGE.parents[1] / "lib"


def _library_path() -> pathlib.Path:
    paths = sorted(library_folder().glob("libonnxc.so*"))
    if not paths:
        raise ImportError(f"there is no libonnxc.so in {library_folder()}: install onnx-compile again")
    return paths[0]


def identity() -> str:
    """Another text for each build of the compiler."""
    parts = [_library_path(), library_folder() / "onnxc" / "onnxc_rt.o"]
    return " ".join(f"{facts.st_size} {facts.st_mtime_ns}" for facts in (part.stat() for part in parts))


@functools.cache
def _library() -> Any:
    try:
        library = ctypes.CDLL(str(_library_path()))
    except OSError as error:
        raise ImportError(f"the compiler cannot be loaded: {error}; install onnx-compile again") from None
    for name, (result, arguments) in _SIGNATURES.items():
        function = getattr(library, f"omCompiler{name}")
        function.restype, function.argtypes = result, arguments
    return library


class Task(NamedTuple):
    """The work on a model: the function, its arguments after the name, the kind of its report, and its readable form."""

    function: str = "CompileMemory"
    arguments: tuple[Any, ...] = ()
    report: str = "Report"
    form: bytes = b"text"


CHECK = Task("Check", (), "Findings")


class _Compilation:
    """One run of the compiler, on a thread of its own, so that an interrupt can cancel it."""

    def __init__(self, path: str | None, data: bytes, progress: Progress | None, task: Task) -> None:
        self.library = _library()
        self.task = task
        self.path, self.data, self.progress = path, data, progress
        self.status = 0
        self.error: BaseException | None = None
        self.ended = threading.Event()
        self.ended.set()
        self.handle = self.library.omCompilerCreate()
        if not self.handle:
            raise MemoryError("no memory for the compiler")

    def set_options(self, options: Sequence[tuple[str, str]]) -> int:
        """The status of the first one that is refused, else 0."""
        for key, value in options:
            status = self.library.omCompilerSetOption(self.handle, os.fsencode(key), os.fsencode(value))
            if status != 0:
                return int(status)
        return 0

    def _report_progress(self, _: Any, number: int, total: int, name: bytes, seconds: float) -> None:
        try:
            if self.progress and not self.error:
                self.progress(number, total, name.decode(), seconds if seconds >= 0 else None)
        except BaseException as error:  # raised where compile() was called
            self.error = error
            self.cancel()

    def cancel(self) -> None:
        self.library.omCompilerCancel(self.handle)

    def _work(self) -> None:
        data, name = (self.data, b"model") if self.path is None else (None, os.fsencode(self.path))
        if self.task.function == Task().function and self.path is not None:
            self.status = self.library.omCompilerCompileFile(self.handle, name)
        else:
            work = getattr(self.library, f"omCompiler{self.task.function}")
            self.status = work(self.handle, data, len(self.data), name, *self.task.arguments)
        self.ended.set()

    def run(self) -> int:
        handler = _ProgressFunction(self._report_progress)
        if self.progress:
            self.library.omCompilerSetProgressHandler(self.handle, handler, None)
        self.ended.clear()
        thread = threading.Thread(target=self._work, name="onnx-compile")
        thread.start()
        # Not by join(), after whose interrupt Python believes that the thread has
        # ended; and in steps, as a signal may wake another thread than this one.
        try:
            while not self.ended.wait(0.2):
                pass
        except BaseException:
            self.cancel()
            self.ended.wait()
            raise
        thread.join()
        if self.error:
            raise self.error
        return self.status

    def destroy(self) -> None:
        # After a second interrupt the thread still has the compiler.
        if self.ended.is_set():
            self.library.omCompilerDestroy(self.handle)

    def result(self, status: int) -> Result:
        def text(name: str, *arguments: bytes) -> str:
            value = getattr(self.library, f"omCompilerGet{name}")(self.handle, *arguments)
            return os.fsdecode(value or b"")

        has_report = status == 0 or self.task == CHECK
        report, readable = (text(self.task.report, form) if has_report else "" for form in (b"json", self.task.form))
        return Result(status, text("Messages"), text("Output"), report, readable)


def run(
    path: str | None,
    data: bytes,
    options: Sequence[tuple[str, str]],
    progress: Progress | None = None,
    task: Task = Task(),
) -> Result:
    """Compiles the file, or where `path` is None the bytes; or does another task with it.

    An exception that comes meanwhile, as KeyboardInterrupt or one of `progress`,
    cancels the compilation and is raised when that has ended.
    """
    compilation = _Compilation(path, data, progress, task)
    try:
        return compilation.result(compilation.set_options(options) or compilation.run())
    finally:
        compilation.destroy()
