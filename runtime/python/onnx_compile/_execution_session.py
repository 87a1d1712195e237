# ===- _execution_session.py - ExecutionSession -----------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""A loaded model. The work is done by the extension, _session."""

import hashlib
import itertools
import os

from onnx_compile._session import Session


class ExecutionSession(Session):
    """A compiled model that is ready to run.

    session = ExecutionSession("model.so")
    outputs = session.run(x)                # one input
    outputs = session.run([x, y])           # in the order of the model
    outputs = session.run({"x": x, "y": y}) # by name
    outputs = session.run(x, deadline=0.5)  # TimeoutError after half a second

    Arrays must have the model's element types; Python numbers and lists take
    them. The outputs are a list of new arrays. Types that NumPy lacks are
    those of ml_dtypes; strings are arrays of str objects. Going in and out,
    sequences are lists, maps are dicts, and an empty optional is None. Sessions may be used by several threads at once, and
    pickled: the file must then be the same where the session is unpickled.
    """

    def __new__(cls, path, entry="run_main_graph"):
        # An absolute path: a bare name would be looked up in the library path.
        path = os.path.abspath(os.fspath(path))
        if not os.path.exists(path):
            raise FileNotFoundError(f"no compiled model at {path}")
        name = _fresh_name(path)
        try:
            self = super().__new__(cls, name, entry)
        except ImportError as error:
            raise ImportError(str(error).replace(name, path)) from None
        self.path = path
        self.entry = entry
        return self

    def __repr__(self):
        return f"ExecutionSession({self.path!r}, entry={self.entry!r})"

    def __reduce__(self):
        return _restore, (self.path, self.entry, _hash_of(self.path))


_loads = itertools.count(1)


def _fresh_name(path):
    """A name of the file that it has not been loaded by.

    The dynamic linker gives what it has loaded by the same name, even if the file
    is another one by now: a model that was compiled again. By a new name it looks.
    """
    folder, name = os.path.split(path)
    steps = (("/", "./")[bit == "1"] for bit in f"{next(_loads):b}")
    return f"{folder}/{''.join(steps)}{name}"


def _hash_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def _restore(path, entry, digest):
    if _hash_of(path) != digest:
        raise ValueError(f"{path} is another model than the one pickled")
    return ExecutionSession(path, entry)
