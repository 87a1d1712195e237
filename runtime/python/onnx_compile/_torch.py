# ===- _torch.py - The backend of torch.compile ------------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""torch.compile(module, backend="onnx_compile")."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from onnx_compile._compile import compile
from onnx_compile._dlpack import to_dlpack
from onnx_compile._execution_session import ExecutionSession


def torch_backend(module: Any, example_inputs: Sequence[Any], **options: Any) -> Callable[..., Any]:
    """A backend of torch.compile, for inference.

    Each combination of sizes of the inputs is compiled when it first occurs.
    Parameters and buffers become constants; when they have changed, the graph is
    compiled again. Graphs whose gradients are wanted, that change their inputs,
    or that ONNX cannot express run in PyTorch; the latter with a warning.

    options: those of onnx_compile.compile, as torch.compile(..., options={...}).
    """
    return _Graph(module, options.get("options") or {})


class _Graph:
    """The object that torch.compile calls in the place of a graph."""

    def __init__(self, module: Any, options: dict[str, Any]) -> None:
        self.module, self.options = module, options
        self.compiled: dict[Any, _Compiled | None] = {}

    def __call__(self, *inputs: Any) -> Any:
        torch: Any = sys.modules["torch"]
        if torch.is_grad_enabled() and any(isinstance(x, torch.Tensor) and x.requires_grad for x in inputs):
            return self.module(*inputs)
        key = tuple((x.shape, x.dtype) if isinstance(x, torch.Tensor) else x for x in inputs)
        compiled = self.compiled.get(key)
        if key not in self.compiled or (compiled is not None and compiled.has_other_constants(inputs)):
            compiled = self.compiled[key] = self._compile(torch, inputs)
        return self.module(*inputs) if compiled is None else compiled.run(torch, inputs)

    def _compile(self, torch: Any, inputs: Sequence[Any]) -> _Compiled | None:
        try:
            return _Compiled(torch, self.module, inputs, self.options)
        except _NotPure:
            return None
        except Exception as error:
            warnings.warn(f"onnx_compile: a graph runs in PyTorch, as it cannot be compiled: {error}", stacklevel=2)
            return None


class _NotPure(Exception):
    """The graph changes its inputs."""


class _Compiled:
    """A graph for inputs of certain sizes and with certain constants."""

    def __init__(self, torch: Any, module: Any, inputs: Sequence[Any], options: dict[str, Any]) -> None:
        is_free = [isinstance(x, torch.Tensor) and not _is_weight(torch, module, i, x) for i, x in enumerate(inputs)]
        self.free = [i for i, free in enumerate(is_free) if free]
        self.constants = {i: x for i, x in enumerate(inputs) if not is_free[i]}
        self.versions = self._versions(inputs)
        (self.outputs,) = next(node for node in module.graph.nodes if node.op == "output").args
        arguments = tuple(inputs[i].detach() for i in self.free)
        with torch.no_grad():
            program = torch.export.export(_bound(torch, module, self, len(inputs)), arguments, strict=False)
            # This makes changes of inputs, which a graph may hide, part of its signature.
            signature = program.run_decompositions({}).graph_signature
        if signature.user_inputs_to_mutate or signature.buffers_to_mutate:
            raise _NotPure
        self.session = ExecutionSession(compile(program, **options))

    def _versions(self, inputs: Sequence[Any]) -> list[tuple[int, int]]:
        return [(inputs[i].data_ptr(), inputs[i]._version) for i, x in self.constants.items() if hasattr(x, "data_ptr")]

    def has_other_constants(self, inputs: Sequence[Any]) -> bool:
        return self._versions(inputs) != self.versions

    def tensors(self, results: Sequence[Any]) -> tuple[Any, ...]:
        """The tensors among the results of the graph: the outputs of the model."""
        return tuple(x for x, node in zip(results, self.outputs, strict=True) if hasattr(node, "op"))

    def run(self, torch: Any, inputs: Sequence[Any]) -> tuple[Any, ...]:
        arrays = iter(self.session.run([inputs[i] for i in self.free]))
        return tuple(
            torch.from_dlpack(to_dlpack(next(arrays))) if hasattr(node, "op") else node for node in self.outputs
        )


def _is_weight(torch: Any, module: Any, index: int, value: Any) -> bool:
    """torch.compile passes the parameters and buffers of modules as inputs; buffers are known by their names."""
    if isinstance(value, torch.nn.Parameter):
        return True
    placeholder = [node for node in module.graph.nodes if node.op == "placeholder"][index]
    source = getattr(placeholder, "_dynamo_source", None)
    return source is not None and bool(source.guard_source.is_unspecialized_nn_module())


def _bound(torch: Any, module: Any, graph: _Compiled, count: int) -> Any:
    """The graph as a module of its free inputs."""

    class Bound(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.module = module
            for index, value in graph.constants.items():
                if isinstance(value, torch.Tensor):
                    self.register_buffer(f"constant_{index}", value.detach())

        def forward(self, *free: Any) -> Any:
            rest = iter(free)
            values = [
                getattr(self, f"constant_{i}", graph.constants[i]) if i in graph.constants else next(rest)
                for i in range(count)
            ]
            return graph.tensors(self.module(*values))

    return Bound()
