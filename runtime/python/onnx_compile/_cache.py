# ===- _cache.py - Models compiled at first use ------------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# A folder for each model and the options it was compiled with. Its name is a hash
# of all that the artefact depends on, so that nothing in it is ever out of date.
# ===------------------------------------------------------------------------===#
"""Compiled models, kept by the hash of their contents."""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import platform
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from typing import Any

from onnx_compile import _compiler, _models
from onnx_compile._compile import compile


def cache_folder() -> pathlib.Path:
    """$ONNX_COMPILE_CACHE, else onnx-compile in $XDG_CACHE_HOME or ~/.cache."""
    if folder := os.environ.get("ONNX_COMPILE_CACHE"):
        return pathlib.Path(folder)
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "onnx-compile"


def compiled(model: Any, options: dict[str, Any]) -> pathlib.Path:
    """The path of the compiled model, which is compiled if it is not in the cache.

    Several processes may do so at once: the first that is ready wins. PermissionError
    for a cache that everybody may write to.
    """
    with _models.opened(model) as (path, data, _):
        folder = cache_folder() / _key(path, data, options)
        artefact = folder / "model.so"
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if folder.parent.stat().st_mode & stat.S_IWOTH:
            raise PermissionError(f"everybody may write to {folder.parent}, and compiled models are code: chmod o-w it")
        if artefact.exists():
            return artefact
        fresh = pathlib.Path(tempfile.mkdtemp(prefix=".compiling-", dir=folder.parent))
        try:
            # A model of more than 1 GiB has its weights in a file beside it.
            compile(data if path is None else path, fresh / "model.so", **options)
            fresh.rename(folder)
        except OSError:
            if not artefact.exists():
                raise
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
    return artefact


def _key(path: str | None, data: bytes, options: dict[str, Any]) -> str:
    digest = hashlib.sha256(json.dumps(options, sort_keys=True, default=str).encode())
    digest.update(f"\0{_compiler.identity()}\0{_processor()}\0".encode())
    texts = data if path is None else pathlib.Path(path).read_bytes()
    digest.update(texts)
    folder = pathlib.Path() if path is None else pathlib.Path(path).parent
    files = [folder / os.fsdecode(name) for name in _external_files(texts)]
    files += [pathlib.Path(name) for name in options.get("custom_op_lib", ())]
    for file in files:
        if file.is_file():
            with file.open("rb") as stream:
                while chunk := stream.read(1 << 20):
                    digest.update(chunk)
    return digest.hexdigest()[:32]


def _external_files(data: bytes) -> Iterator[bytes]:
    """The files beside a model that have its tensors: entries "location" of its messages TensorProto."""
    seen = set()
    for found in re.finditer(rb"\x0a\x08location\x12([\x00-\x7f]|[\x80-\xff][\x00-\x7f])", data):
        length = sum((byte & 0x7F) << (7 * i) for i, byte in enumerate(found[1]))
        name = data[found.end() : found.end() + length]
        if name not in seen and b"\0" not in name:
            seen.add(name)
            yield name


def _processor() -> str:
    """What this machine's processor has, as models are compiled for it."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().split("\n\n", 1)[0].splitlines()
    except OSError:
        lines = []
    facts = [line for line in lines if re.match(r"(model name|flags|Features|isa)\s*:", line)]
    return "\n".join([platform.machine(), *facts])
