# ===- _peers.py - The engines of verify() and bench() ----------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Other engines: onnxruntime, OpenVINO, the reference of the onnx package, artefacts, functions."""

from __future__ import annotations

import importlib
import itertools
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from onnx_compile._execution_session import ExecutionSession

Values = Mapping[str, Any]


Run = Callable[[], Sequence[Any]]


class Peer(Protocol):
    """An engine that computes any tensor of a model.

    name: with its version.
    """

    name: str

    def values(self, feed: Values, names: Sequence[str]) -> Values:
        """The tensors of these names for these inputs; all that it has if it cannot compute others."""


class Racer(Protocol):
    """An engine that is timed."""

    name: str

    def prepare(self, feeds: Sequence[Values], threads: int) -> Run:
        """A run on the next of these inputs, in turn, as fast as the engine can with this many threads, for
        32-bit floats computed as such."""


def _module(name: str, wanted: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"a comparison with {wanted} needs a package: pip install {name.split('.')[0]} ({error})") from error


class OnnxRuntime:
    """onnxruntime without graph optimizations, which change the values of single tensors."""

    def __init__(self, path: str) -> None:
        self._onnxruntime = _module("onnxruntime", "onnxruntime")
        self.name = f"onnxruntime {self._onnxruntime.__version__}"
        self._path = path

    def values(self, feed: Values, names: Sequence[str]) -> Values:
        """The tensors of these names, of a run on `feed`, without graph optimizations."""
        return self._run(feed, names, self._onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL)

    def optimized_values(self, feed: Values, names: Sequence[str]) -> Values:
        """With all graph optimizations."""
        return self._run(feed, names, self._onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL)

    def prepare(self, feeds: Sequence[Values], threads: int) -> Run:
        """A function that runs the optimized model, on the next of `feeds` at each call."""
        options = self._options(self._onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL)
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        session = self._onnxruntime.InferenceSession(self._path, options, providers=["CPUExecutionProvider"])
        turns = itertools.cycle([dict(feed) for feed in feeds])
        return lambda: session.run(None, next(turns))

    def _options(self, level: Any) -> Any:
        options = self._onnxruntime.SessionOptions()
        options.graph_optimization_level = level
        options.log_severity_level = 3
        return options

    def _run(self, feed: Values, names: Sequence[str], level: Any) -> Values:
        options = self._options(level)
        # Files of external data stay where they are: onnxruntime reads none that a temporary model refers to.
        onnx = _module("onnx", "onnxruntime")
        model = _select(onnx, onnx.load(self._path, load_external_data=False), names)
        external = [tensor for tensor in model.graph.initializer if tensor.external_data]
        arrays = [onnx.numpy_helper.to_array(tensor, os.path.dirname(self._path)) for tensor in external]
        to_value = self._onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type
        values = [to_value(array, tensor.data_type) for array, tensor in zip(arrays, external)]
        if external:
            options.add_external_initializers([tensor.name for tensor in external], values)
        session = self._onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return dict(zip(names, session.run(list(names), dict(feed))))


class OpenVino:
    """OpenVINO for latency."""

    def __init__(self, path: str) -> None:
        self._openvino = _module("openvino", "OpenVINO")
        self.name = f"openvino {self._openvino.__version__.split('-')[0]}"
        self._path = path

    def prepare(self, feeds: Sequence[Values], threads: int) -> Run:
        """A function that runs the model, on the next of `feeds` at each call."""
        settings = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1,
                    "INFERENCE_PRECISION_HINT": "f32"}  # fmt: skip
        core = self._openvino.Core()
        model = core.compile_model(core.read_model(self._path), "CPU", settings)
        requests = [model.create_infer_request() for _ in feeds]
        for request, feed in zip(requests, feeds):
            for name, value in feed.items():
                request.set_tensor(name, self._openvino.Tensor(value, shared_memory=True))
        turns = itertools.cycle(requests)

        def run() -> list[Any]:
            request = next(turns)
            request.infer()
            return [tensor.data for tensor in request.output_tensors]

        return run


class Reference:
    """The reference implementation of the onnx package."""

    def __init__(self, path: str) -> None:
        self._onnx = _module("onnx", "the reference")
        self.name = f"the reference of onnx {self._onnx.__version__}"
        self._path = path

    def values(self, feed: Values, names: Sequence[str]) -> Values:
        """The tensors of these names, of a run on `feed`. NotImplementedError for what the reference lacks."""
        evaluator = _module("onnx.reference", "the reference").ReferenceEvaluator
        model = _select(self._onnx, self._onnx.load(self._path), names)
        try:
            return dict(zip(names, evaluator(model).run(None, dict(feed))))
        except NotImplementedError as error:
            raise NotImplementedError(f"{self.name} cannot run the model, but onnxruntime may: {error}") from error


class Function:
    """A function of the caller: f(feed, names) returns a mapping, or a sequence in the order of names."""

    def __init__(self, function: Callable[[Values, Sequence[str]], Any]) -> None:
        self.name = getattr(function, "__name__", "the function")
        self._function = function

    def values(self, feed: Values, names: Sequence[str]) -> Values:
        """The tensors of these names that the function returns for `feed`."""
        found = self._function(feed, names)
        return found if isinstance(found, Mapping) else dict(zip(names, found))


class Artefact:
    """Another compiled model, which has its own outputs alone."""

    def __init__(self, path: str) -> None:
        self.session = ExecutionSession(path)
        self.name = path

    def values(self, feed: Values, names: Sequence[str]) -> Values:
        """The outputs of a run on `feed`, by name. ValueError if an input is missing there."""
        if missing := [info.name for info in self.session.inputs if info.name not in feed]:
            raise ValueError(f"{self.name} has an input {missing[0]!r}, which is none of the model: it is of another model")
        outputs = self.session.run({info.name: feed[info.name] for info in self.session.inputs})
        return {info.name: value for info, value in zip(self.session.outputs, outputs)}

    def prepare(self, feeds: Sequence[Values], threads: int) -> Run:
        """A function that runs the model, on the next of `feeds` at each call."""
        self.session.threads = threads
        turns = itertools.cycle([[feed[info.name] for info in self.session.inputs] for feed in feeds])
        return lambda: self.session.run(next(turns))


def racer_of(engine: str, model: str | None) -> Racer:
    """The engine of this name: "onnxruntime", "openvino", or the path of a compiled model."""
    engines: dict[str, Callable[[str], Racer]] = {"onnxruntime": OnnxRuntime, "openvino": OpenVino}
    if engine not in engines:
        return Artefact(engine)
    if model is None:
        raise ValueError(f"a comparison with {engine} needs the model file that was compiled")
    return engines[engine](model)


def peer_of(against: Any, model: str | None) -> Peer:
    """The engine that `against` names: "onnxruntime", "reference", the path of a compiled model, a function."""
    if callable(against):
        return Function(against)
    engines: dict[str, Callable[[str], Peer]] = {"onnxruntime": OnnxRuntime, "reference": Reference}
    text = os.fspath(against)
    if text not in engines:
        return Artefact(text)
    if model is None:
        raise ValueError(f"a comparison with {text} needs the model file that was compiled")
    return engines[text](model)


def _select(onnx: Any, model: Any, names: Sequence[str]) -> Any:
    """The model with these tensors as its outputs; engines infer the types of those that have none."""
    known = {value.name: value for value in [*model.graph.output, *model.graph.value_info, *model.graph.input]}
    outputs = [known.get(name) or onnx.ValueInfoProto(name=name) for name in names]
    del model.graph.output[:]
    model.graph.output.extend(outputs)
    return model
