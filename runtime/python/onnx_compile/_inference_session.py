# ===- _inference_session.py - InferenceSession ------------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# The names and arguments that users of onnxruntime know, over compile() and
# ExecutionSession.
# ===------------------------------------------------------------------------===#
"""import onnx_compile as ort"""

from __future__ import annotations

import dataclasses
import enum
import json
import os
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from onnx_compile._cache import load_compiled
from onnx_compile._compile import compile
from onnx_compile._execution_session import ExecutionSession
from onnx_compile._html import session_html
from onnx_compile._io_binding import IOBinding, OrtValue
from onnx_compile._signature import ValueInfo

_PROVIDERS = ["CPUExecutionProvider"]


class GraphOptimizationLevel(enum.IntEnum):
    """The levels of onnxruntime; SessionOptions says which option -O each is."""

    ORT_DISABLE_ALL = 0
    ORT_ENABLE_BASIC = 1
    ORT_ENABLE_EXTENDED = 2
    ORT_ENABLE_LAYOUT = 3
    ORT_ENABLE_ALL = 99


class ExecutionMode(enum.IntEnum):
    """The modes of onnxruntime; both run the same code."""

    ORT_SEQUENTIAL = 0
    ORT_PARALLEL = 1


@dataclasses.dataclass
class SessionOptions:
    """How a model is compiled and run.

    graph_optimization_level: ORT_DISABLE_ALL is -O0, ORT_ENABLE_BASIC -O1,
        ORT_ENABLE_EXTENDED -O2, the others -O3.
    intra_op_num_threads: the most threads of a run, in all sessions of the model.
    optimized_model_filepath: where the simplified model is written, as ONNX.
    use_deterministic_compute: the option strict.
    compile_options: those of onnx_compile.compile that have no name above.

    The other ones are accepted and change nothing.
    """

    graph_optimization_level: int = GraphOptimizationLevel.ORT_ENABLE_ALL
    intra_op_num_threads: int = 0
    optimized_model_filepath: str = ""
    use_deterministic_compute: bool = False
    compile_options: dict[str, Any] = dataclasses.field(default_factory=dict)
    enable_cpu_mem_arena: bool = True
    enable_mem_pattern: bool = True
    enable_mem_reuse: bool = True
    enable_profiling: bool = False
    execution_mode: int = ExecutionMode.ORT_SEQUENTIAL
    execution_order: int = 0
    inter_op_num_threads: int = 0
    log_severity_level: int = -1
    log_verbosity_level: int = 0
    logid: str = ""
    profile_file_prefix: str = ""
    use_per_session_threads: bool = True

    def __post_init__(self) -> None:
        self._dims: dict[str, int] = {}
        self._libraries: list[str] = []
        self._entries: dict[str, str] = {}

    def add_free_dimension_override_by_name(self, name: str, size: int) -> None:
        """Fixes a named dimension."""
        self._dims[name] = size

    def register_custom_ops_library(self, path: str | os.PathLike[str]) -> None:
        """A library of operators for onnx-compile (docs/HowTo/WriteACustomOperator.md)."""
        self._libraries.append(os.fspath(path))

    def add_session_config_entry(self, key: str, value: str) -> None:
        """Keeps an entry, which changes nothing."""
        self._entries[key] = value

    def get_session_config_entry(self, key: str) -> str:
        """An entry that was added. KeyError if there is none."""
        return self._entries[key]

    def _compile_options(self) -> dict[str, Any]:
        options: dict[str, Any] = {"O": min(int(self.graph_optimization_level), 3)}
        if self.use_deterministic_compute:
            options["strict"] = True
        if self._dims:
            options["dims"] = dict(self._dims)
        if self._libraries:
            options["custom_op_lib"] = list(self._libraries)
        return {**options, **self.compile_options}


class RunOptions:
    """Of one or several runs. `terminate = True`, from any thread, ends those that go on and refuses later ones."""

    def __init__(self) -> None:
        self.log_severity_level = -1
        self.log_verbosity_level = 0
        self.logid = ""
        self.only_execute_path_to_fetches = False
        self._terminate = False
        self._sessions: list[tuple[int, ExecutionSession]] = []
        self._entries: dict[str, str] = {}

    @property
    def terminate(self) -> bool:
        """True once the runs were asked to end."""
        return self._terminate

    @terminate.setter
    def terminate(self, value: bool) -> None:
        self._terminate = value
        # A run that is about to begin does not see the first request. Those of a parent process go on there.
        while value and (own := [session for process, session in list(self._sessions) if process == os.getpid()]):
            for session in own:
                session._cancel(self)
            time.sleep(0.001)

    def add_run_config_entry(self, key: str, value: str) -> None:
        """Keeps an entry, which changes nothing."""
        self._entries[key] = value

    def get_run_config_entry(self, key: str) -> str:
        """An entry that was added. KeyError if there is none."""
        return self._entries[key]

    def _run(self, session: ExecutionSession, feed: dict[str, Any], out: dict[str, Any] | None) -> list[Any]:
        # A request from here on finds the session in the list.
        run = (os.getpid(), session)
        self._sessions.append(run)
        try:
            if not self._terminate:
                return session.run(feed, out=out, tag=self)
        except RuntimeError as error:
            if self._terminate:
                raise RuntimeError("the run has ended, as RunOptions.terminate was set") from error
            raise
        finally:
            self._sessions.remove(run)
        raise RuntimeError("the run was refused, as RunOptions.terminate is set")


@dataclasses.dataclass(frozen=True)
class NodeArg:
    """An input or output: its name, its type as ONNX writes it, and its shape."""

    name: str
    type: str
    shape: list[int | str | None]


@dataclasses.dataclass(frozen=True)
class ModelMetadata:
    """The metadata of the model file, as far as the compiled model keeps it."""

    producer_name: str = ""
    graph_name: str = ""
    domain: str = ""
    description: str = ""
    graph_description: str = ""
    version: int = 0
    custom_metadata_map: dict[str, str] = dataclasses.field(default_factory=dict)


class InferenceSession:
    """A model with the methods of onnxruntime's InferenceSession.

    path_or_bytes: a compiled model, or a model file (a path, its bytes or an
        onnx.ModelProto), which is compiled at first and then kept in a cache
        ($ONNX_COMPILE_CACHE, else ~/.cache/onnx-compile), by a hash of the model,
        the options, the compiler and the processor.
    """

    def __init__(
        self,
        path_or_bytes: Any,
        sess_options: SessionOptions | None = None,
        providers: Sequence[Any] | None = None,
        provider_options: Sequence[dict[Any, Any]] | None = None,
        **_: Any,
    ) -> None:
        self._options = sess_options or SessionOptions()
        self.set_providers(providers, provider_options)
        if _is_compiled(path_or_bytes):
            self._session = ExecutionSession(path_or_bytes)
        else:
            options = self._options._compile_options()
            self._session = load_compiled(path_or_bytes, options)
            if self._options.optimized_model_filepath:
                compile(path_or_bytes, self._options.optimized_model_filepath, **{**options, "emit": "model"})
        self._output_names = self._session.output_names
        self._input_names = set(self._session.input_names)
        if self._options.intra_op_num_threads > 0:
            self._session.threads = self._options.intra_op_num_threads

    def get_inputs(self) -> list[NodeArg]:
        """The inputs of the model, in its order."""
        return [_node_arg(value) for value in self._session.inputs]

    def get_outputs(self) -> list[NodeArg]:
        """The outputs of the model, in its order."""
        return [_node_arg(value) for value in self._session.outputs]

    def get_overridable_initializers(self) -> list[NodeArg]:
        """None: initializers are constants of the compiled model."""
        return []

    def get_modelmeta(self) -> ModelMetadata:
        """The metadata of the model file that was compiled."""
        info = json.loads(self._session.compilation_info())
        names = {"producer_name": "producer", "graph_name": "model_name", "domain": "domain",
                 "description": "doc_string", "graph_description": "graph_doc_string"}  # fmt: skip
        texts = {name: str(info.get(f"onnx.{key}", "")) for name, key in names.items()}
        custom = {key: str(text) for key, text in info.get("onnx.metadata", {}).items()}
        return ModelMetadata(**texts, version=int(info.get("onnx.model_version", 0)), custom_metadata_map=custom)

    def get_providers(self) -> list[str]:
        """The name of the CPU's provider, which is the only one."""
        return list(_PROVIDERS)

    def get_provider_options(self) -> dict[str, dict[str, str]]:
        """No options, by the name of the provider."""
        return {name: {} for name in _PROVIDERS}

    def get_session_options(self) -> SessionOptions:
        """The options that the session was made with."""
        return self._options

    def set_providers(self, providers: Sequence[Any] | None = None, provider_options: Any = None) -> None:
        """Providers other than the CPU's are not there; a warning says so."""
        names = [name if isinstance(name, str) else name[0] for name in providers or ()]
        if absent := [name for name in names if name not in _PROVIDERS]:
            warnings.warn(f"there is no provider {', '.join(absent)}: models run on the CPU", stacklevel=3)

    def run(
        self, output_names: Sequence[str] | None, input_feed: dict[str, Any], run_options: RunOptions | None = None
    ) -> list[Any]:
        """The outputs named, or all, in the order of the names. ValueError for names that the model has not."""
        if input_feed.keys() != self._input_names:
            self._refuse_names(input_feed)
        return self._chosen(self._run(input_feed, run_options), output_names)

    def run_async(
        self,
        output_names: Sequence[str] | None,
        input_feed: dict[str, Any],
        callback: Callable[[list[Any] | None, Any, str], Any],
        user_data: Any,
        run_options: RunOptions | None = None,
    ) -> None:
        """Runs on another thread, which calls callback(outputs, user_data, ""), or (None, user_data, message)."""

        def work() -> None:
            try:
                outputs = self.run(output_names, input_feed, run_options)
            except Exception as error:
                callback(None, user_data, str(error))
            else:
                callback(outputs, user_data, "")

        threading.Thread(target=work, name="onnx-compile run_async").start()

    def run_with_ort_values(
        self,
        output_names: Sequence[str] | None,
        input_dict_ort_values: dict[str, OrtValue],
        run_options: RunOptions | None = None,
    ) -> list[OrtValue]:
        """As `run`, with an OrtValue for each input and output."""
        feed = {name: value.numpy() for name, value in input_dict_ort_values.items()}
        return [OrtValue(output) for output in self.run(output_names, feed, run_options)]

    def io_binding(self) -> IOBinding:
        """A binding of inputs and outputs for `run_with_iobinding`."""
        return IOBinding(self)

    def run_with_iobinding(self, iobinding: IOBinding, run_options: RunOptions | None = None) -> None:
        """Runs on the inputs of the binding; its outputs are written where it says."""
        if iobinding.inputs.keys() != self._input_names:
            self._refuse_names(iobinding.inputs)
        out = {name: array for name, array in iobinding.outputs.items() if array is not None}
        outputs = self._run(iobinding.inputs, run_options, out or None)
        iobinding.results = [OrtValue(value) for value in self._chosen(outputs, list(iobinding.outputs))]

    def _run(
        self, feed: dict[str, Any], options: RunOptions | None, out: dict[str, Any] | None = None
    ) -> list[Any]:
        return self._session.run(feed, out=out) if options is None else options._run(self._session, feed, out)

    def _chosen(self, outputs: list[Any], names: Sequence[str] | None) -> list[Any]:
        if not names:
            return outputs
        if unknown := [name for name in names if name not in self._output_names]:
            raise ValueError(f"the model has no output '{unknown[0]}'; it has {self._output_names}")
        return [outputs[self._output_names.index(name)] for name in names]

    def _refuse_names(self, feed: dict[str, Any]) -> None:
        if missing := [name for name in self._session.input_names if name not in feed]:
            raise ValueError(f"required inputs ({missing}) are missing from the input feed ({list(feed)})")
        unknown = next(name for name in feed if name not in self._input_names)
        raise ValueError(f"the model has no input '{unknown}'; it has {self._session.input_names}")

    def __repr__(self) -> str:
        return f"InferenceSession({self._session.path!r})"

    def _repr_html_(self) -> str:
        session = self._session
        return session_html(session.path, session.inputs, session.outputs, json.loads(session.compilation_info()))


def _node_arg(value: ValueInfo) -> NodeArg:
    return NodeArg(value.name, value.type, list(value.shape or ()))


def _is_compiled(model: Any) -> bool:
    """True for the path of a shared object."""
    if not isinstance(model, (str, os.PathLike)):
        return False
    with open(model, "rb") as file:
        return file.read(4) == b"\x7fELF"


def get_available_providers() -> list[str]:
    """The name of the CPU's provider, which is the only one."""
    return list(_PROVIDERS)


def get_all_providers() -> list[str]:
    """The name of the CPU's provider, which is the only one."""
    return list(_PROVIDERS)


def get_device() -> str:
    """The device that models run on, "CPU"."""
    return "CPU"


def set_default_logger_severity(severity: int) -> None:
    """Does nothing: nothing is logged. Errors are exceptions."""
