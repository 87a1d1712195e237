# ===- _cache.py - Models compiled at first use ------------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# A folder for each artefact. Its name is a hash of all that the artefact depends on,
# or of its contents, so that nothing in it is ever out of date. The entries that were
# used least recently are removed when the folders become too large.
# ===------------------------------------------------------------------------===#
"""Compiled models, kept by hashes."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import pathlib
import platform
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

from onnx_compile import _compiler, _models
from onnx_compile._compile import compile
from onnx_compile._execution_session import ExecutionSession

_DEFAULT_LIMIT = "10G"
# A model that was looked up is loaded within this time, its side file of weights mapped.
_IN_USE_SECONDS = 60
_ABANDONED_SECONDS = 24 * 3600


def cache_folder() -> pathlib.Path:
    """$ONNX_COMPILE_CACHE, else onnx-compile in $XDG_CACHE_HOME or ~/.cache."""
    if folder := os.environ.get("ONNX_COMPILE_CACHE"):
        return pathlib.Path(folder)
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "onnx-compile"


def cache_limit() -> int:
    """$ONNX_COMPILE_CACHE_SIZE in bytes, with a suffix K, M, G or T; 10G by default. 0: no limit."""
    text = os.environ.get("ONNX_COMPILE_CACHE_SIZE") or _DEFAULT_LIMIT
    parts = re.fullmatch(r"(\d+)([KMGT]?)", text)
    if not parts:
        raise ValueError(f"ONNX_COMPILE_CACHE_SIZE is a number of bytes, such as 500M or 10G, but is {text!r}")
    return int(parts[1]) << (10 * " KMGT".index(parts[2] or " "))


def load_compiled(model: Any, options: dict[str, Any]) -> ExecutionSession:
    """The compiled model, which is compiled if it is not in the cache.

    Several processes may do so at once: the first that is ready wins. An artefact that
    does not load is compiled again. PermissionError for a cache that everybody may write
    to or of another user, ValueError for a limit that is none.
    """
    with _models.opened(model) as (path, data, _):
        # A model of more than 1 GiB has its weights in a file beside it.
        return _loaded(
            _key(path, data, options),
            lambda folder: compile(data if path is None else path, folder / "model.so", **options),
        )


def add_to_cache(artefact: str | os.PathLike[str] | bytes) -> str:
    """Copies a compiled model into the cache of this machine, and returns its path there.

    artefact: a path, or the contents of the file if the weights are in it. Sessions
    that are unpickled look there for their model by the hash of its contents. ImportError
    for a file that is no compiled model; else as InferenceSession, for the cache.
    """
    with tempfile.TemporaryDirectory(prefix="onnx-compile-") as temporary:
        if isinstance(artefact, bytes):
            path = pathlib.Path(temporary) / "model.so"
            path.write_bytes(artefact)
        else:
            path = pathlib.Path(artefact)
        session = ExecutionSession(path)
        weights = json.loads(session.compilation_info()).get("weights_file")

        def copy(folder: pathlib.Path) -> None:
            shutil.copyfile(path, folder / "model.so")
            if weights:
                shutil.copyfile(path.parent / weights, folder / weights)

        _loaded(session.content_hash, copy)
        return str(cache_folder() / session.content_hash / "model.so")


def find_in_cache(content_hash: str) -> str | None:
    """The path that add_to_cache() returned for this content."""
    artefact = cache_folder() / content_hash / "model.so"
    if not re.fullmatch("[0-9a-f]{64}", content_hash) or not _use(artefact):
        return None
    _check_permissions(artefact.parents[1])
    return str(artefact)


def _check_permissions(cache: pathlib.Path) -> None:
    status = cache.stat()
    if status.st_mode & stat.S_IWOTH:
        raise PermissionError(f"everybody may write to {cache}, and compiled models are code: chmod o-w it")
    if status.st_uid not in (0, os.geteuid()):
        raise PermissionError(
            f"{cache} belongs to user {status.st_uid}, and compiled models are code: "
            "set ONNX_COMPILE_CACHE to a folder of your own"
        )


def _loaded(name: str, make: Callable[[pathlib.Path], Any]) -> ExecutionSession:
    """The artefact of _entry(), made again if a full disk or a crash of the machine has left a part of it."""
    artefact = _entry(name, make)
    try:
        return ExecutionSession(artefact)
    except ImportError:
        shutil.rmtree(artefact.parent, ignore_errors=True)
        return ExecutionSession(_entry(name, make))


def _entry(name: str, make: Callable[[pathlib.Path], Any]) -> pathlib.Path:
    """The artefact in the folder `name` of the cache, which `make` fills if there is none."""
    cache = cache_folder()
    artefact = cache / name / "model.so"
    limit = cache_limit()
    with _named(cache):
        cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    _check_permissions(cache)
    if _use(artefact):
        return artefact
    with _named(cache):
        fresh = pathlib.Path(tempfile.mkdtemp(prefix=".compiling-", dir=cache))
    try:
        make(fresh)
        fresh.rename(cache / name)
    except OSError:
        if not _use(artefact):
            raise
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    _evict(cache, limit)
    return artefact


@contextlib.contextmanager
def _named(cache: pathlib.Path) -> Iterator[None]:
    """Says of an error that it is one of the cache, and how to take another folder."""
    try:
        yield
    except OSError as error:
        reason = f"the cache of compiled models: {error.strerror}; ONNX_COMPILE_CACHE names another folder"
        raise OSError(error.errno, reason, str(cache)) from None


def _use(artefact: pathlib.Path) -> bool:
    """Notes in the time of the folder that the artefact is used now; False if it is not there."""
    try:
        os.utime(artefact.parent)
    except OSError:  # not there, or another user's
        pass
    return artefact.exists()


def _evict(cache: pathlib.Path, limit: int) -> None:
    """Removes the least recently used entries until the folders have at most `limit` bytes (0: any number).

    One that was used a moment ago stays: a process may be about to load it. Processes that have loaded a
    model keep the files. Folders that other processes remove at the same time are no error.
    """
    now, sizes, used = time.time(), {}, {}
    for folder in cache.iterdir():
        try:
            used[folder] = folder.stat().st_mtime
            sizes[folder] = sum(file.stat().st_size for file in folder.iterdir())
        except OSError:
            continue
        if folder.name.startswith(".") and now - used[folder] > _ABANDONED_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)
    entries = [folder for folder in sizes if not folder.name.startswith(".")]
    total = sum(sizes[folder] for folder in entries)
    for folder in sorted(entries, key=used.__getitem__):
        if not limit or total <= limit or now - used[folder] < _IN_USE_SECONDS:
            return
        # Under another name at first: nobody finds half of it.
        removed = cache / f".removing-{folder.name}"
        try:
            folder.rename(removed)
        except OSError:
            continue
        shutil.rmtree(removed, ignore_errors=True)
        total -= sizes[folder]


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
    """The features of this machine's processor, as models are compiled for it."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().split("\n\n", 1)[0].splitlines()
    except OSError:
        lines = []
    facts = [line for line in lines if re.match(r"(model name|flags|Features|isa)\s*:", line)]
    return "\n".join([platform.machine(), *facts])
