# ===- mlserver.py - Compiled models in MLServer ------------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# The extra `serve` has MLServer. docs/HowTo/Serve.md.
# ===------------------------------------------------------------------------===#
"""A runtime of MLServer, which speaks the protocol KServe v2 over HTTP and gRPC.

model-settings.json:
    {"name": "digits", "implementation": "onnx_compile.mlserver.CompiledModel",
     "parameters": {"uri": "./digits.so"}, "max_batch_size": 32, "max_batch_time": 0.002}
"""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import Awaitable, Callable
from typing import Any

import numpy as np
from mlserver import MLModel
from mlserver.batching import load_batching
from mlserver.codecs import NumpyCodec, StringCodec
from mlserver.codecs.numpy import to_datatype
from mlserver.errors import InferenceError, MLServerError
from mlserver.types import InferenceRequest, InferenceResponse, MetadataTensor, RequestInput, ResponseOutput
from mlserver.utils import get_model_uri
from prometheus_client import Histogram

from onnx_compile._inference_session import InferenceSession, SessionOptions
from onnx_compile._signature import ValueInfo

# Not mlserver.register(): of its metrics a server without workers shows nothing. Once:
# the server executes this file again for each model.
_ROWS = globals().get("_ROWS") or Histogram(
    "rows_per_run", "First dimension of the inputs of a run", ["model"], buckets=[2**i for i in range(12)]
)


class CompiledModel(MLModel):
    """A compiled model, or a model file, which is compiled as by InferenceSession.

    parameters.uri: the file. parameters.extra: fields of SessionOptions.
    max_batch_size, max_batch_time: requests that arrive together become one run;
        the first dimension of all inputs must be of any size. The metric
        `rows_per_run` counts the rows that were joined.
    """

    async def load(self) -> bool:
        """Loads the model of the settings, compiling it first if it is a model file. MLServerError with the reason,
        which the server gives as the answer, where it cannot be loaded."""
        path = await get_model_uri(self.settings)
        try:
            return await self._load(path)
        except (OSError, ImportError, TypeError, ValueError, RuntimeError) as error:
            raise MLServerError(f"cannot load the model '{self.name}': {error}", 422) from error

    async def _load(self, path: str) -> bool:
        options = SessionOptions(**(self.settings.parameters.extra or {}))
        self._session = await asyncio.to_thread(InferenceSession, path, options)
        self._inputs = {value.name: value for value in self._session._session.inputs}
        if self.settings.max_batch_size > 1:
            # MLServer does so before it loads a model, but not where it loads one again. In a process of its
            # parallel workers requests are joined already.
            if "predict" not in vars(self) and multiprocessing.parent_process() is None:
                await load_batching(self)
            self._check_batching(path)
        self.inputs = [_metadata(value) for value in self._inputs.values()]
        self.outputs = [_metadata(value) for value in self._session._session.outputs]
        return True

    async def predict(self, payload: InferenceRequest) -> InferenceResponse:
        """Runs the model on the inputs of the request. InferenceError for inputs that the model refuses."""
        feed = {value.name: self._array_of(value) for value in payload.inputs}
        names = [output.name for output in payload.outputs or ()] or self._session._output_names
        _ROWS.labels(self.name).observe(next((len(array) for array in feed.values() if array.ndim), 1))
        try:
            # Other requests are served meanwhile: a run holds no lock of the interpreter.
            arrays = await asyncio.to_thread(self._session.run, names, feed)
        except (ValueError, TypeError) as error:
            raise InferenceError(str(error)) from None
        outputs = [_output(name, array) for name, array in zip(names, arrays)]
        return InferenceResponse(id=payload.id, model_name=self.name, model_version=self.version, outputs=outputs)

    def _check_batching(self, path: str) -> None:
        """MLServer joins requests before it looks at them, so a wrong one is refused before that: it would make
        others fail."""
        for value in self._inputs.values():
            if not value.shape or isinstance(value.shape[0], int):
                raise ValueError(
                    f"requests cannot be batched: input '{value.name}' of {path} has no first dimension of any size;"
                    " compile the model with one, or set max_batch_size to 0"
                )
        batched: Callable[[InferenceRequest], Awaitable[InferenceResponse]] = self.predict

        async def predict(payload: InferenceRequest) -> InferenceResponse:
            named = {value.name: self._array_of(value) for value in payload.inputs}
            if named.keys() != self._inputs.keys():
                raise InferenceError(f"the model has the inputs {list(self._inputs)}, but the request {list(named)}")
            if len({len(array) for array in named.values()}) > 1:
                raise InferenceError("the inputs of a request differ in their first dimension")
            return await batched(payload)

        setattr(self, "predict", predict)

    def _array_of(self, given: RequestInput) -> Any:
        """The array that the model takes. InferenceError where the request does not agree with the model."""
        value = self._inputs.get(given.name)
        if value is None:
            raise InferenceError(f"the model has no input '{given.name}'; it has {list(self._inputs)}")
        codec = StringCodec if given.datatype == "BYTES" else NumpyCodec
        try:
            array = self.decode(given, default_codec=codec)
            if codec is StringCodec:
                array = np.array(array, dtype=object).reshape(given.shape)
        except (ValueError, TypeError) as error:
            raise InferenceError(f"input '{given.name}': {error}") from None
        sizes = value.shape if value.shape is not None else array.shape
        pairs = zip(sizes, array.shape)
        fits = len(sizes) == array.ndim and not any(isinstance(size, int) and size != n for size, n in pairs)
        if not fits or _datatype(value) != given.datatype:
            raise InferenceError(
                f"input '{value.name}' is {_datatype(value)} of shape {list(sizes)},"
                f" but the request has {given.datatype} of shape {list(array.shape)}"
            )
        return array


def _datatype(value: ValueInfo) -> str:
    """The protocol's name of the element type. TypeError if it is not a tensor of such a type."""
    try:
        name = str(value.dtype)
        return "BYTES" if name in ("object", "str") else str(to_datatype(value.dtype).value)
    except (KeyError, AttributeError):
        raise TypeError(f"'{value.name}' is {value.type}, which the protocol has no name for") from None


def _metadata(value: ValueInfo) -> MetadataTensor:
    shape = [size if isinstance(size, int) else -1 for size in value.shape or ()]
    return MetadataTensor(name=value.name, datatype=_datatype(value), shape=shape)


def _output(name: str, array: Any) -> ResponseOutput:
    if array.dtype == object:
        return StringCodec.encode_output(name, array.ravel().tolist()).model_copy(update={"shape": list(array.shape)})
    return NumpyCodec.encode_output(name, array)
