# ===- _training_step.py - From a model to a step of its training -----------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# The step is a model again: ONNX has the operators Gradient, Adam, Momentum and
# Adagrad, in its domain ai.onnx.preview.training. Weights become inputs, and
# next to each of them comes an output with its new value.
# ===------------------------------------------------------------------------===#
"""Writes the model of a training step, and that of a saliency."""

import collections
import dataclasses
import itertools
import typing

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

DOMAIN = "ai.onnx.preview.training"
FLOATS = {TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.BFLOAT16}
# Inputs that are no weights, though they hold floats: operator -> positions.
SETTINGS = {
    "BatchNormalization": {3, 4},
    "Clip": {1, 2},
    "DequantizeLinear": {1, 2},
    "Dropout": {1},
    "OneHot": {2},
    "Pad": {2},
    "QuantizeLinear": {1, 2},
    "Range": {0, 1, 2},
    "Resize": {1, 2},
    "Upsample": {1},
}


class TrainingError(ValueError):
    """The model or a setting does not lead to a training step; the message says why."""


# ===------------------------------------------------------------------------===#
# Optimizers
# ===------------------------------------------------------------------------===#


@dataclasses.dataclass(frozen=True)
class SGD:
    """weight - rate * gradient"""

    rate: float = 0.01
    weight_decay: float = 0.0
    operator: typing.ClassVar = None
    states: typing.ClassVar = ()

    def attributes(self):
        """None: the step is of elementwise nodes."""
        return {}


@dataclasses.dataclass(frozen=True)
class Momentum:
    """SGD that keeps going the way it went: a share `momentum` of each step is that of the one before."""

    rate: float = 0.01
    momentum: float = 0.9
    nesterov: bool = False
    weight_decay: float = 0.0
    operator: typing.ClassVar = "Momentum"
    states: typing.ClassVar = ("velocity",)

    def attributes(self):
        """The attributes of the operator Momentum of ai.onnx.preview.training."""
        return {"alpha": self.momentum, "beta": 1.0, "mode": "nesterov" if self.nesterov else "standard",
                "norm_coefficient": self.weight_decay}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Adagrad:
    """Smaller steps for weights that have had large gradients."""

    rate: float = 0.01
    epsilon: float = 1e-6
    decay: float = 0.0
    weight_decay: float = 0.0
    operator: typing.ClassVar = "Adagrad"
    states: typing.ClassVar = ("squares",)

    def attributes(self):
        """The attributes of the operator Adagrad of ai.onnx.preview.training."""
        return {"epsilon": self.epsilon, "decay_factor": self.decay, "norm_coefficient": self.weight_decay}


@dataclasses.dataclass(frozen=True)
class Adam:
    """Steps of about the size of `rate` for every weight, from running means of gradients and of their squares."""

    rate: float = 0.001
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    weight_decay: float = 0.0
    operator: typing.ClassVar = "Adam"
    states: typing.ClassVar = ("mean", "squares")

    def attributes(self):
        """The attributes of the operator Adam of ai.onnx.preview.training."""
        return {"alpha": self.beta1, "beta": self.beta2, "epsilon": self.epsilon,
                "norm_coefficient": self.weight_decay}  # fmt: skip


OPTIMIZERS = {"adam": Adam, "adagrad": Adagrad, "momentum": Momentum, "sgd": SGD}
LOSSES = ("cross-entropy", "binary-cross-entropy", "mean-squared-error", "mean-absolute-error", "given")


# ===------------------------------------------------------------------------===#
# The step
# ===------------------------------------------------------------------------===#


@dataclasses.dataclass
class Step:
    """A training step and the names of its inputs and outputs."""

    model: onnx.ModelProto
    inputs: list  # those of the model, in its order
    target: str  # "" if the model computes its loss from its own inputs
    rate: str
    count: str
    loss: str
    weights: dict  # name -> first value
    states: dict  # name -> zeros of the optimizer, or the statistics of a normalization
    following: dict  # weight or state -> output with its next value


def make_step(model, loss="cross-entropy", optimizer="adam", output=None, train=None, freeze=(), evaluation=False):
    """The Step that trains `model`; the parameters are those of onnx_compile.training.Trainer."""
    return _StepWriter(load(model), loss, optimizer_of(optimizer), output, train, freeze, evaluation).write()


def load(model):
    """A copy of a ModelProto, or the model of a path or of bytes; tensors that only happen to be equal are apart."""
    if isinstance(model, onnx.ModelProto):
        copy = onnx.ModelProto()
        copy.CopyFrom(model)
    else:
        copy = onnx.load_from_string(model) if isinstance(model, bytes) else onnx.load(model)
    _separate(copy.graph)
    return copy


def _separate(graph):
    """Gives initializers of their own to uses of a shared one that training does not treat alike.

    Exporters store equal tensors once, and call the others Identity of it: the factors and the variances of all
    normalizations in a fresh model. Weights that are shared on purpose have elements that differ, and stay shared.
    """
    initial = {t.name: t for t in graph.initializer}
    settings = {n for node in _all_nodes(graph) for i, n in enumerate(node.input) if i in SETTINGS.get(node.op_type, ())}
    outputs = {o.name for o in graph.output}

    def add_copy(tensor, name):
        copy = graph.initializer.add()
        copy.CopyFrom(tensor)
        copy.name = name

    for node in [n for n in graph.node if n.op_type == "Identity" and n.input[0] in initial]:
        tensor, name = initial[node.input[0]], node.output[0]
        if tensor.data_type in FLOATS and name not in outputs and (name in settings or _is_uniform(tensor)):
            add_copy(tensor, name)
            graph.node.remove(node)
    uses = collections.Counter(name for node in _all_nodes(graph) for name in node.input)
    taken = {*initial, *uses, *outputs}
    for node in _all_nodes(graph):
        for place in SETTINGS.get(node.op_type, ()):
            name = node.input[place] if place < len(node.input) else ""
            if name in initial and initial[name].data_type in FLOATS and uses[name] > 1:
                uses[name] -= 1
                node.input[place] = next(n for i in itertools.count(2) if (n := f"{name}.{i}") not in taken)
                taken.add(node.input[place])
                add_copy(initial[name], node.input[place])


def _is_uniform(tensor):
    values = numpy_helper.to_array(tensor)
    return bool(values.size) and bool((values == values.flat[0]).all())


def optimizer_of(choice):
    """The optimizer of this name with its defaults, or the one given. TrainingError for an unknown name."""
    if not isinstance(choice, str):
        return choice
    if choice not in OPTIMIZERS:
        raise TrainingError(f"expected one of {', '.join(OPTIMIZERS)} as optimizer, but got {choice!r}")
    return OPTIMIZERS[choice]()


class _GraphWriter:
    """A model that nodes are added to, about its tensor `output`, the first output if that is None."""

    def __init__(self, model, output):
        self.model, self.graph = model, model.graph
        self.opset = next((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), 1)
        self.initial = {t.name: t for t in self.graph.initializer}
        self.taken = self._names()
        self.output = self._chosen_output(output)

    def _names(self):
        names = {v.name for v in (*self.graph.input, *self.graph.output, *self.graph.initializer)}
        return names.union(*(set(n.output) for n in self.graph.node))

    def _unused(self, name):
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name

    def _chosen_output(self, output):
        names = [o.name for o in self.graph.output]
        if output is None:
            return names[0]
        if output not in self.taken:
            raise TrainingError(f"the model has no tensor {output!r}; its outputs are {', '.join(names)}")
        return output

    def _add(self, kind, inputs, result, domain="", **attributes):
        name = self._unused(result)
        self.graph.node.append(helper.make_node(kind, inputs, [name], domain=domain, **attributes))
        return name

    def _add_constant(self, name, value):
        """Before all nodes, which may use it."""
        name = self._unused(name)
        node = helper.make_node("Constant", [], [name], value=numpy_helper.from_array(np.asarray(value), name))
        self.graph.node.insert(0, node)
        return name

    def _scores(self, ending):
        """The tensor that the output is computed from, if by one of these operators."""
        producer = next((n for n in self.graph.node if self.output in n.output), None)
        return producer.input[0] if producer is not None and producer.op_type in ending else self.output

    def _finish(self):
        del self.graph.value_info[:]
        if DOMAIN not in {o.domain for o in self.model.opset_import}:
            self.model.opset_import.append(helper.make_opsetid(DOMAIN, 1))


class _StepWriter(_GraphWriter):
    def __init__(self, model, loss, optimizer, output, train, freeze, evaluation):
        if loss not in LOSSES:
            raise TrainingError(f"expected one of {', '.join(LOSSES)} as loss, but got {loss!r}")
        super().__init__(model, output)
        self.loss_kind, self.optimizer, self.evaluation = loss, optimizer, evaluation
        self.train, self.freeze = train, freeze
        self.states = {}
        self.following = {}

    def write(self):
        weights = self._choose_weights()
        if not self.evaluation:
            self._leave_inference()
        shaped = self._shapes()
        own_inputs = [i.name for i in self.graph.input if i.name not in self.initial]
        target, loss = self._add_loss(shaped)
        rate, count = self._unused("rate"), self._unused("count")
        kinds = {n: self.initial[n].data_type for n in weights}
        kind = next(iter(kinds.values()))
        added = [helper.make_tensor_value_info(rate, kind, []), helper.make_tensor_value_info(count, TensorProto.INT64, [])]
        self._add_gradient(weights, loss)
        for name in weights:
            self._add_update(name, rate, count)
        values = {n: numpy_helper.to_array(self.initial[n]) for n in weights}
        self._make_inputs(own_inputs, target, added, {**values, **self.states})
        self._make_outputs(loss, shaped)
        self._finish()
        if self.loss_kind == "cross-entropy" and self.opset < 12:
            raise TrainingError(f"the model is of opset {self.opset}; cross-entropy needs 12: convert the model "
                                "(`onnx-compile simplify` does)")  # fmt: skip
        return Step(self.model, own_inputs, target[0] if target else "", rate, count, loss, values, self.states,
                    self.following)  # fmt: skip

    # -- weights -------------------------------------------------------------

    def _choose_weights(self):
        candidates = [n for n, t in self.initial.items() if t.data_type in FLOATS]
        if self.train is None:
            settings = {name for node in _all_nodes(self.graph) for place, name in enumerate(node.input)
                        if place in SETTINGS.get(node.op_type, ())}  # fmt: skip
            chosen = [n for n in candidates if n not in settings and self.initial[n].dims]
        else:
            chosen = _matching(self.train, candidates, "train")
        frozen = set(_matching(self.freeze, candidates, "freeze"))
        chosen = [n for n in chosen if n not in frozen]
        if not chosen:
            raise TrainingError("the model has no weights to train: initializers of floats with at least one dimension")
        return chosen

    def _leave_inference(self):
        """Normalizations use the statistics of the batch and keep track of them; dropout drops."""
        for node in list(self.graph.node):
            if node.op_type == "BatchNormalization" and node.domain in ("", "ai.onnx"):
                self._train_normalization(node)
            if node.op_type == "Dropout" and node.domain in ("", "ai.onnx") and self.opset >= 12:
                del node.input[3:]
                node.input.extend([""] * (3 - len(node.input)))
                node.input[2] = self._add_constant("training", np.array(True))

    def _train_normalization(self, node):
        if self.opset < 14:
            raise TrainingError(f"BatchNormalization {node.name!r} is of opset {self.opset}; training it needs 14: "
                                "convert the model (`onnx-compile simplify` does), or train in evaluation mode")  # fmt: skip
        for attribute in [a for a in node.attribute if a.name == "training_mode"]:
            node.attribute.remove(attribute)
        node.attribute.append(helper.make_attribute("training_mode", 1))
        del node.output[1:]
        for place in (3, 4):
            name = node.input[place]
            if name not in self.initial or name in self.states:
                raise TrainingError(f"{name!r} of BatchNormalization {node.name!r} is not an initializer of its own")
            self.states[name] = numpy_helper.to_array(self.initial[name])
            self.following[name] = self._unused("next." + name)
            node.output.append(self.following[name])

    # -- loss ----------------------------------------------------------------

    def _shapes(self):
        """Type and shape of every tensor of which they are known."""
        try:
            inferred = onnx.shape_inference.infer_shapes(self.model).graph
        except Exception:  # too large, or of operators that the package does not know
            inferred = self.graph
        known = (*inferred.value_info, *inferred.input, *inferred.output)
        return {v.name: v.type.tensor_type for v in known if v.type.HasField("tensor_type")}

    def _add_loss(self, shaped):
        """Adds the loss; the target is (name, type, shape), None where there is none."""
        if self.loss_kind == "given":
            return None, self._mean_of(self.output)
        result = shaped.get(self.output)
        kind = result.elem_type if result is not None and result.elem_type else TensorProto.FLOAT
        shape = _dims_of(result)
        if self.loss_kind == "cross-entropy":
            labels = self._unused("labels")
            scores = self._scores(("Softmax", "LogSoftmax"))
            loss = self._add("SoftmaxCrossEntropyLoss", [scores, labels], "loss")
            shape = ["batch"] if shape is None else [shape[0], *shape[2:]]
            return (labels, TensorProto.INT64, shape), loss
        target = self._unused("target")
        if self.loss_kind == "binary-cross-entropy":
            scores = self._scores(("Sigmoid",))
            wrong = self._add("Mul", [scores, target], "agreement")
            error = self._add("Sub", [self._add("Softplus", [scores], "softplus"), wrong], "error")
        else:
            difference = self._add("Sub", [self.output, target], "difference")
            squares = self.loss_kind == "mean-squared-error"
            error = self._add("Mul" if squares else "Abs", [difference] * (2 if squares else 1), "error")
        return (target, kind, shape if shape is not None else ["batch"]), self._mean_of(error)

    def _mean_of(self, name):
        return self._add("ReduceMean", [name], "loss", keepdims=0)

    def _add_gradient(self, weights, loss):
        self.gradients = {n: self._unused("gradient." + n) for n in weights}
        node = helper.make_node("Gradient", weights, list(self.gradients.values()), domain=DOMAIN, xs=weights, y=loss)
        self.graph.node.append(node)

    def _add_update(self, name, rate, count):
        optimizer, gradient = self.optimizer, self.gradients[name]
        following = self._unused("next." + name)
        self.following[name] = following
        if optimizer.operator is None:
            if optimizer.weight_decay:
                kind = helper.tensor_dtype_to_np_dtype(self.initial[name].data_type)
                decay = self._add_constant("decay", np.array(optimizer.weight_decay, kind))
                pull = self._add("Mul", [name, decay], "pull." + name)
                gradient = self._add("Add", [gradient, pull], "decayed." + name)
            step = self._add("Mul", [gradient, rate], "step." + name)
            self.graph.node.append(helper.make_node("Sub", [name, step], [following]))
            return
        zeros = np.zeros_like(numpy_helper.to_array(self.initial[name]))
        names = [self._unused(f"{state}.{name}") for state in optimizer.states]
        for state in names:
            self.states[state] = zeros
            self.following[state] = self._unused("next." + state)
        self.graph.node.append(
            helper.make_node(optimizer.operator, [rate, count, name, gradient, *names],
                             [following, *(self.following[s] for s in names)], domain=DOMAIN, **optimizer.attributes())
        )  # fmt: skip

    # -- the graph -----------------------------------------------------------

    def _make_inputs(self, own, target, scalars, fed):
        declared = {i.name: i for i in self.graph.input}
        inputs = [declared[n] for n in own]
        if target:
            inputs.append(helper.make_tensor_value_info(*target))
        inputs += scalars
        for name, value in fed.items():
            kind = helper.np_dtype_to_tensor_dtype(value.dtype)
            inputs.append(helper.make_tensor_value_info(name, kind, list(value.shape)))
        del self.graph.input[:]
        self.graph.input.extend(inputs)
        kept = [t for t in self.graph.initializer if t.name not in fed]
        del self.graph.initializer[:]
        self.graph.initializer.extend(kept)

    def _make_outputs(self, loss, shaped):
        kinds = {i.name: i.type.tensor_type for i in self.graph.input}
        result = shaped.get(self.output)
        kind = result.elem_type if result is not None and result.elem_type else TensorProto.FLOAT
        del self.graph.output[:]
        self.graph.output.append(helper.make_tensor_value_info(loss, kind, []))
        for name, following in self.following.items():
            self.graph.output.append(helper.make_tensor_value_info(following, kinds[name].elem_type, _dims_of(kinds[name])))


# ===------------------------------------------------------------------------===#
# Saliency
# ===------------------------------------------------------------------------===#


def add_saliency(model, output=None, classes=None):
    """The model of onnx_compile.saliency.make."""
    writer = _SaliencyWriter(load(model), output)
    writer.write(classes)
    return writer.model


class _SaliencyWriter(_GraphWriter):
    def write(self, number):
        inputs = [i for i in self.graph.input
                  if i.name not in self.initial and i.type.tensor_type.elem_type in FLOATS]  # fmt: skip
        if not inputs:
            raise TrainingError("the model has no input of floats, and gradients are by those")
        scores = self._scores(("Softmax", "LogSoftmax"))
        self._check_class(number)
        if number is not None:
            score = self._add("Gather", [scores, self._add_constant("class", np.array(number))], "score", axis=-1)
        elif self.opset < 18:
            score = self._add("ReduceMax", [scores], "score", axes=[-1], keepdims=0)
        else:
            axes = self._add_constant("axes", np.array([-1]))
            score = self._add("ReduceMax", [scores, axes], "score", keepdims=0)
        total = self._add("ReduceSum", [score], "total", keepdims=0)
        names = [i.name for i in inputs]
        results = [self._unused("saliency." + name) for name in names]
        self.graph.node.append(helper.make_node("Gradient", names, results, domain=DOMAIN, xs=names, y=total))
        for declared, result in zip(inputs, results):
            copy = self.graph.output.add()
            copy.CopyFrom(declared)
            copy.name = result
        self._finish()


    def _check_class(self, number):
        """Refuses a class that the scores do not have, as far as the model declares how many these are."""
        declared = next((v for v in (*self.graph.output, *self.graph.value_info) if v.name == self.output), None)
        sizes = _dims_of(declared.type.tensor_type) if declared else None
        count = sizes[-1] if sizes else None
        if number is not None and isinstance(count, int) and not -count <= number < count:
            raise TrainingError(f"there is no class {number}: {self.output!r} has {count}")


def _all_nodes(graph):
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs):
                yield from _all_nodes(inner)


def _matching(patterns, names, what):
    """Names that one of the patterns matches, '*' and '?' as in file names; each must match something."""
    import fnmatch

    found = []
    for pattern in [patterns] if isinstance(patterns, str) else patterns:
        hits = fnmatch.filter(names, pattern)
        if not hits:
            raise TrainingError(f"{what}: no initializer of floats is called {pattern!r}")
        found += [n for n in hits if n not in found]
    return found


def _dims_of(tensor):
    if tensor is None or not tensor.HasField("shape"):
        return None
    return [d.dim_value if d.HasField("dim_value") else d.dim_param or None for d in tensor.shape.dim]
