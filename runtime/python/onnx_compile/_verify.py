# ===- _verify.py - verify() ------------------------------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Compares a compiled model with another engine, and finds the first node where they differ."""

from __future__ import annotations

import dataclasses
import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from onnx_compile import _models, _peers, _random_inputs
from onnx_compile._comparison import Comparison, Meaning, Tolerance, compare, spread
from onnx_compile._compile import compile
from onnx_compile._execution_session import ExecutionSession
from onnx_compile._graph import Graph
from onnx_compile._html import verification_html

Values = Mapping[str, Any]


@dataclasses.dataclass(frozen=True)
class NodeDifference:
    """A node whose inputs agree in both engines and whose outputs do not. Of two artefacts its inputs are not known.

    iteration: of a node in the body of a loop, when its output differs first.
    inside: of an If, Loop or Scan, the first node in its branches or body that differs.
    """

    node: str
    operator: str
    inputs: list[Comparison]
    outputs: list[Comparison]
    iteration: int | None = None
    inside: NodeDifference | None = None

    def __str__(self) -> str:
        when = "" if self.iteration is None else f", in iteration {self.iteration}"
        lines = [f"the first node that differs is {self.node} ({self.operator}){when}"]
        lines += [f"  {kind} {c}" for kind, of in (("input", self.inputs), ("output", self.outputs)) for c in of]
        return "\n".join(lines + ([f"inside it {self.inside}"] if self.inside else []))


@dataclasses.dataclass(frozen=True)
class Verification:
    """What verify() found.

    against: the other engine and its version.
    outputs: one for each output of the model, or for each tensor in an output that is a container.
    first_difference: None if all outputs agree or the node was not looked for, or not found.
    remark: why it was not found.
    notes: what the inputs and the outputs may leave unseen: assumed sizes and values, and outputs of one value.
    """

    against: str
    outputs: list[Comparison]
    first_difference: NodeDifference | None = None
    remark: str = ""
    notes: list[str] = dataclasses.field(default_factory=list)

    @property
    def passed(self) -> bool:
        """True if all outputs agree."""
        return all(output.agrees for output in self.outputs)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"schema": 1, "passed": self.passed} | dataclasses.asdict(self)

    def __str__(self) -> str:
        lines = [f"against {self.against}:", *(f"output {output}" for output in self.outputs)]
        lines += [f"note: {note}" for note in self.notes]
        return "\n".join(lines + [text for text in (str(self.first_difference or ""), self.remark) if text])

    def _repr_html_(self) -> str:
        return verification_html(self.against, self.outputs, str(self.first_difference or self.remark))


def verify(
    model: Any = None,
    against: Any = "onnxruntime",
    *,
    artefact: str | os.PathLike[str] | None = None,
    inputs: Values | None = None,
    dims: Mapping[str, int] | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    ranges: Mapping[str, tuple[float, float]] | None = None,
    seed: int = 0,
    gpu: int | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    quanta: int = 1,
    locate: bool = True,
    progress: Callable[[str], None] | None = None,
    **options: Any,
) -> Verification:
    """Runs a compiled model and another engine on the same inputs and compares the outputs.

    model: a model that compile() takes; may be left out if there is an artefact and `against`
        needs none.
    against: "onnxruntime", "reference" (of the onnx package), the path of a compiled model, or a
        function f(inputs, names) that returns the tensors of these names.
    artefact: the compiled model; else the model is compiled with `options`, those of compile().
    inputs, dims, shapes, ranges, seed: inputs by name; others are drawn: sizes by the name of the
        dimension or by input, and elements between two numbers.
    gpu: the number of the GPU that the compiled model runs on, if it does, else 0.
    rtol, atol: an element may differ by atol + rtol * |expected|. The default of rtol is that of
        the element type, 1e-3 for float32, and that of atol a tenth of it times the largest
        expected element.
    quanta: how many quantization steps a quantized tensor may differ by. In a model that has some, a
        tensor may also differ by 1.25 times the difference that onnxruntime's optimizations make.
    locate: where an output differs, find the first node that does, or the first of those whose tensors
        both engines can give. Tensors that the artefact has as
        outputs (taps) are compared as they are; up to others the model is compiled again, for about
        the logarithm of the number of its nodes. Of two artefacts only taps of both are compared.
    progress: called with a line for each of these.

    Integers and strings have to be equal; of indices that TopK, ArgMax and ArgMin give, those of
    scores that agree are equal. Raises CompileError, ValueError for inputs that cannot be drawn,
    ImportError if a package is missing, and what the engines raise.
    """
    if model is None and artefact is None:
        raise ValueError("verify() needs a model or an artefact")
    with _models.as_file(model) as path, tempfile.TemporaryDirectory(prefix="onnx-compile-") as folder:
        compiled = os.fspath(artefact or compile(path, os.path.join(folder, "model.so"), **options))
        session = ExecutionSession(compiled)
        if gpu is not None:
            session.device = gpu
        wanted = (session.inputs, inputs or {}, dims or {}, shapes or {}, ranges or {})
        feed = _random_inputs.draw(*wanted, seed)
        peer = _peers.peer_of(against, path)
        own, taps = _run(session, feed, peer)
        notes = _random_inputs.remarks(*wanted) + _constant_outputs(own, taps)
        check = _Check(path, peer, feed, own, Tolerance(rtol, atol, quanta), options, folder, progress)
        outputs = check.compare(list(own), own)
        differing = [c for c in outputs if not c.agrees] if locate else []
        if not differing:
            return Verification(peer.name, outputs, notes=notes)
        if isinstance(peer, _peers.Artefact):
            return Verification(peer.name, outputs, *taps.first(differing, own), notes)
        try:
            located = check.locate(differing[0].name) if check.graph else None
        except Exception as error:  # what engines raise has no common type; the outputs have been compared
            return Verification(peer.name, outputs, remark=f"the first node that differs was not found: {error}", notes=notes)
        if not located or not artefact or not check.agrees_again(differing[0].name):
            return Verification(peer.name, outputs, located, notes=notes)
        remark = f"compiled again, {path} agrees: {compiled} is of another model, or of another compiler"
        return Verification(peer.name, outputs, remark=remark, notes=notes)


def _run(session: ExecutionSession, feed: Values, peer: Any) -> tuple[Values, _Taps]:
    """The outputs that the other engine has, too, and the taps among those of the model."""
    own = dict(zip([info.name for info in session.outputs], session.run(feed)))
    taps = _Taps(session)
    if isinstance(peer, _peers.Artefact):
        others = {info.name for info in peer.session.outputs}
        return {name: value for name, value in own.items() if name in others or name not in taps.nodes}, taps
    # Other engines have no tensors of bodies but by a model that is made for them.
    return {name: value for name, value in own.items() if name not in taps.bodies}, taps


def _constant_outputs(own: Values, taps: _Taps) -> list[str]:
    """Outputs that agree whatever computes them, as they are empty or have one value: not taps, which may be masks."""
    notes = []
    for name, value in own.items():
        if name in taps.nodes or not isinstance(value, np.ndarray):
            continue
        if value.size == 0:
            notes.append(f"output {name}: it is empty")
        elif value.size > 1 and (value == value.flat[0]).all():
            notes.append(f"output {name}: its {value.size} elements are all {value.flat[0]}")
    return notes


def _tensor_of(values: Values, name: str) -> str:
    """An element of a container stands for it: its name is that of the output and brackets."""
    return next((t for t in values if name == t or name.startswith(f"{t}[")), name)


class _Taps:
    """The outputs of an artefact that are taps: the nodes that compute them, and the branches and bodies that they
    are in, in which they are lists."""

    def __init__(self, session: ExecutionSession) -> None:
        info = json.loads(session.compilation_info())
        self.nodes: Mapping[str, str] = info.get("onnx.tap_nodes", {})
        self.bodies: Mapping[str, str] = info.get("onnx.tap_bodies", {})

    def first(self, differing: Sequence[Comparison], own: Values) -> tuple[NodeDifference | None, str]:
        """The first node in the order of the graph, as taps are, in a body that of the first iteration, and the
        innermost of nodes with graphs; or why there is none."""
        if not any(name in self.nodes for name in own):
            return None, "with --taps=all, the first node that differs could be found"
        tensors = [(t, c) for c in differing if (t := _tensor_of(own, c.name)) in self.nodes]
        if not tensors:
            return None, "the tensors before it agree"
        (tensor, first), iteration = tensors[0], None
        body = self.bodies.get(tensor)
        while body:
            inside = [(t, c) for t, c in tensors if self.bodies.get(t) == body]
            tensor, first = min(inside, key=lambda found: _iteration(*found) or 0)
            if iteration is None and isinstance(own[tensor], list) and len(own[tensor]) > 1:
                iteration = _iteration(tensor, first)
            graphs = self.nodes[tensor].rpartition(" (")[0] + "/"
            body = next((b for t, _ in tensors if (b := self.bodies.get(t, "")).startswith(graphs)), None)
        node, _, operator = self.nodes[tensor].rpartition(" (")
        return NodeDifference(node, operator.rstrip(")"), [], [first], iteration), ""


def _iteration(tensor: str, comparison: Comparison) -> int | None:
    """3 of "tensor[3]"."""
    number = comparison.name[len(tensor) + 1 : -1]
    return int(number) if number.isdigit() else None


class _Check:
    """Both engines on one set of inputs."""

    def __init__(
        self,
        path: str | None,
        peer: _peers.Peer,
        feed: Values,
        own: Values,
        tolerance: Tolerance,
        options: Mapping[str, Any],
        folder: str,
        progress: Callable[[str], None] | None,
    ) -> None:
        self.peer = peer
        self._path, self._feed, self._own, self._tolerance = path, feed, own, tolerance
        self._options, self._folder, self._progress = options, folder, progress
        self._found: dict[str, list[Comparison]] = {}
        self._parts = 0
        can_locate = path is not None and not isinstance(peer, _peers.Artefact)
        self.graph = _graph_of(path) if path is not None and can_locate else None

    def compare(self, names: Sequence[str], ours: Values) -> list[Comparison]:
        """The tensors of these names in our values beside those of the peer."""
        scores = [found[0] for name in names if self.graph and (found := self.graph.scores(name))]
        theirs = self.peer.values(self._feed, list(dict.fromkeys([*names, *scores])))
        spreads = self._spreads(names, theirs)
        comparisons: list[Comparison] = []
        for name in names:
            if name not in theirs:
                comparisons.append(Comparison(name, problem=f"{self.peer.name} has no tensor of this name"))
                continue
            comparisons += compare(name, ours[name], theirs[name], self._tolerance, self._meaning(name, theirs, spreads))
        return comparisons

    def locate(self, output: str) -> NodeDifference | None:
        """The node that makes the output, or an ancestor, whose inputs agree and whose outputs differ."""
        assert self.graph
        number = self.graph.producer(_tensor_of(self._own, output))
        while number is not None:
            number = self._first_difference(self.graph.ancestors(number), number)
            wrong = [t for t in self.graph.operands(number) if not self._agrees(t)]
            if not wrong:
                return self._difference(number)
            number = self.graph.producer(wrong[0])
        return None

    def _first_difference(self, ancestors: Sequence[int], last: int) -> int:
        """By bisection: a node that differs, after one that agrees in the order of the graph."""
        assert self.graph
        low, high, found = 0, len(ancestors), last
        while low < high:
            middle = (low + high) // 2
            if all(self._agrees(name) for name in self.graph.nodes[ancestors[middle]].output if name):
                low = middle + 1
            else:
                high, found = middle, ancestors[middle]
        return found

    def _difference(self, number: int) -> NodeDifference:
        assert self.graph
        node = self.graph.nodes[number]
        inputs = [c for name in dict.fromkeys(self.graph.operands(number)) for c in self._compared(name)]
        outputs = [c for name in node.output if name for c in self._compared(name)]
        return NodeDifference(node.name or node.output[0], node.op_type, inputs, outputs, inside=self._inside(number))

    def _inside(self, number: int) -> NodeDifference | None:
        """The first node that differs in the branches or the body of a node, by the model with all of their tensors
        as outputs. None for other nodes, and where either engine cannot run that."""
        assert self.graph
        tensors = self.graph.tensors_inside(number)
        if not tensors or not isinstance(self.peer, (_peers.OnnxRuntime, _peers.Reference)):
            return None
        if self._progress:
            self._progress(f"compiling with {len(tensors)} tensors inside of {self.graph.nodes[number].output[0]}")
        options: dict[str, Any] = {**self._options, "taps": ",".join(tensors)}
        try:
            session = ExecutionSession(compile(self._path, os.path.join(self._folder, "inside.so"), **options))
            model = compile(self._path, os.path.join(self._folder, "inside.onnx"), **options, emit="model")
            taps = _Taps(session)
            own = dict(zip([info.name for info in session.outputs], session.run(self._feed)))
            own = {name: value for name, value in own.items() if name in taps.nodes}
            theirs = type(self.peer)(os.fspath(model)).values(self._feed, list(own))
        except Exception:  # what engines raise has no common type
            return None
        pairs = [compare(name, value, theirs[name], self._tolerance, Meaning()) for name, value in own.items()]
        differing = [c for found in pairs for c in found if not c.agrees]
        return taps.first(differing, own)[0]

    def _agrees(self, tensor: str) -> bool:
        return all(c.agrees for c in self._compared(tensor))

    def _compared(self, tensor: str) -> list[Comparison]:
        """Empty for a tensor that an engine cannot give, such as one of a type that NumPy does not have."""
        if tensor not in self._found:
            try:
                value = self._own[tensor] if tensor in self._own else self._compiled(tensor)
                self._found[tensor] = self.compare([tensor], {tensor: value})
            except Exception:  # what engines raise has no common type
                self._found[tensor] = []
        return self._found[tensor]

    def _compiled(self, tensor: str) -> Any:
        """The tensor, by the model compiled up to it."""
        if self._progress:
            self._progress(f"compiling up to {tensor}")
        self._parts += 1
        path = os.path.join(self._folder, f"part-{self._parts}.so")
        session = ExecutionSession(compile(self._path, path, to=tensor, **self._options))
        return session.run({info.name: self._feed[info.name] for info in session.inputs})[0]

    def agrees_again(self, output: str) -> bool:
        """Has a part been compiled, which need not be what the artefact has, and does the output agree in that way?"""
        name = _tensor_of(self._own, output)
        return bool(self._parts) and all(c.agrees for c in self.compare([name], {name: self._compiled(name)}))

    def _spreads(self, names: Sequence[str], theirs: Values) -> Mapping[str, float]:
        """In a model of quantized tensors, a difference of one step grows from layer to layer, in any two
        engines: how far the optimized onnxruntime is from the plain one."""
        if not isinstance(self.peer, _peers.OnnxRuntime) or not (self.graph and self.graph.is_quantized):
            return {}
        optimized = self.peer.optimized_values(self._feed, names)
        return {name: spread(optimized[name], theirs[name]) for name in names}

    def _meaning(self, name: str, theirs: Values, spreads: Mapping[str, float]) -> Meaning:
        if not self.graph:
            return Meaning()
        scores, axis = self.graph.scores(name) or ("", 0)
        return Meaning(self.graph.quantum(name), spreads.get(name, 0.0), theirs.get(scores), axis)


def _graph_of(path: str) -> Graph | None:
    try:
        return Graph(_models.load_proto(path, load_external_data=False))
    except ImportError:
        return None
