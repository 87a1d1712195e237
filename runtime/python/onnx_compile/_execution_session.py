# ===- _execution_session.py - ExecutionSession -----------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""A loaded model. The work is done by the extension, _session."""

from __future__ import annotations

import functools
import itertools
import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from onnx_compile._html import session_html
from onnx_compile._session import Session
from onnx_compile._signature import ValueInfo, value_info

if TYPE_CHECKING:
    from onnx_compile._programs import Measurement


class ExecutionSession(Session):
    """A compiled model that is ready to run.

    session = ExecutionSession("model.so")
    outputs = session.run(x)                # one input
    outputs = session.run([x, y])           # in the order of the model
    outputs = session.run({"x": x, "y": y}) # by name
    outputs = session.run(x, deadline=0.5)  # TimeoutError after half a second
    session.run(x, out={"y": array})        # writes the output y to the array
    y = session(x)                          # the output itself where it is one
    session.inputs[0].name, .dtype, .shape  # of the first input
    session.device = 1                      # the GPU of runs with arrays, else 0

    Arrays must have the model's element types; Python numbers and lists take
    them. Tensors of other libraries go in through DLPack. The outputs are a list
    of new arrays. Types that NumPy lacks are those of ml_dtypes; strings are
    arrays of str objects. Going in and out, sequences are lists, maps are dicts,
    and an empty optional is None. Sessions may be used by several threads at
    once, and pickled, as their path and content_hash: a session is unpickled from
    the cache of the machine (add_to_cache()), else from the path, and a file there
    with other contents is refused.
    """

    path: str
    entry: str

    def __new__(cls, path: str | os.PathLike[str], entry: str = "run_main_graph") -> ExecutionSession:
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(
                "a session takes the path of a compiled model, such as onnx_compile.compile(model) gives, "
                f"and not {type(path).__name__}"
            )
        # An absolute path: a bare name would be looked up in the library path.
        path = os.path.abspath(os.fspath(path))
        if not os.path.exists(path):
            raise FileNotFoundError(f"no compiled model at {path}")
        name = _fresh_name(path)
        try:
            self = super().__new__(cls, name, entry)
        except ImportError as error:
            raise ImportError(str(error).replace(name, path)) from None
        assert isinstance(self, ExecutionSession)
        self.path = path
        self.entry = entry
        return self

    @functools.cached_property
    def inputs(self) -> list[ValueInfo]:
        """The inputs of the model. input_signature() has them as JSON text."""
        return [value_info(facts) for facts in self._input_facts]

    @functools.cached_property
    def outputs(self) -> list[ValueInfo]:
        """The outputs of the model. output_signature() has them as JSON text."""
        return [value_info(facts) for facts in self._output_facts]

    @functools.cached_property
    def content_hash(self) -> str:
        """The hash of the artefact's contents, which `onnx-run info --check-contents` compares. ValueError
        if it has none: a library that onnx-compile has not linked."""
        digest = json.loads(self.compilation_info()).get("content_blake3")
        if not digest:
            raise ValueError(f"{self.path} has no hash of its contents: compile the model again")
        return str(digest)

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        """Runs the model on inputs in its order or by name; a single output, or the list of several."""
        if inputs and named:
            raise TypeError("inputs are given in the order of the model or by name, not both")
        outputs = self.run(named or list(inputs))
        return outputs[0] if len(outputs) == 1 else outputs

    def profile(
        self, inputs: Any = None, *, threads: int | None = None, duration: float = 2, dims: Mapping[str, int] | None = None
    ) -> Measurement:
        """Runs the model for some seconds in another process and measures the time of each kernel and node.

        inputs: an array, a list or a dict, as for run(); those that are not given are random.
        threads: most threads of a run, else all processors.
        dims: sizes of named dimensions of random inputs.

        A dict with the report of `onnx-run profile --json`: lists `launches` and `nodes` if the model was compiled
        with profile=True, else `functions`. pandas takes each list
        for a table. Raises ValueError for inputs
        that are no arrays of numbers and RuntimeError if the model does not run.
        """
        from onnx_compile._programs import measure

        if inputs is None:
            inputs = {}
        elif not isinstance(inputs, Mapping):
            listed = inputs if isinstance(inputs, (list, tuple)) else [inputs]
            inputs = {value.name: array for value, array in zip(self.inputs, listed)}
        words = [f"--dim={name}={size}" for name, size in (dims or {}).items()]
        words += [f"--threads={threads}"] if threads else []
        words += [f"--device={self.device}"] if self.device else []
        return measure("profile", self.path, inputs, [*words, f"--entry={self.entry}", f"--duration={duration}"])

    def __repr__(self) -> str:
        return f"ExecutionSession({self.path!r}, entry={self.entry!r})"

    def _repr_html_(self) -> str:
        return session_html(self.path, self.inputs, self.outputs, json.loads(self.compilation_info()))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.path, self.entry, self.content_hash)


_loads = itertools.count(1)


def _fresh_name(path: str) -> str:
    """A name of the file that it has not been loaded by.

    The dynamic linker returns the library that it has loaded by the same name, even if the file
    is another one by now: a model that was compiled again. By a new name it looks.
    """
    folder, name = os.path.split(path)
    steps = (("/", "./")[bit == "1"] for bit in f"{next(_loads):b}")
    return f"{folder}/{''.join(steps)}{name}"


def _restore(path: str, entry: str, digest: str) -> ExecutionSession:
    from onnx_compile._cache import find_in_cache

    session = ExecutionSession(find_in_cache(digest) or path, entry)
    if session.content_hash != digest:
        raise ValueError(f"{session.path} is another model than the one pickled")
    return session
