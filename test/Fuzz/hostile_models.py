# ===- hostile_models.py - Damaged models -----------------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Damages a model, compiles it and runs what comes of it."""

import numpy as np
import onnx
import schemas
from mutations import change_message, damaged
from whole_models import WORDS, draw_model

from Harness import artefact

# Runs are for what the data may do: not of models that ask for gigabytes, or for endless loops.
MOST_ELEMENTS = 10000


def damage(rng, model, folder):
    """The bytes of a damaged model."""
    kind = rng.random()
    if kind < 0.75:
        change_message(rng, model, WORDS, 1 + int(rng.exponential(0.6)))
    data = model.SerializeToString()
    for _ in range(0 if kind < 0.75 else int(rng.integers(1, 4))):
        data = damaged(rng, data)
    outside = folder / "data.bin"
    if outside.exists() and rng.random() < 0.3:
        outside.write_bytes(damaged(rng, outside.read_bytes()))
    return data


def input_value(rng, info):
    """A value that the model says it takes, or one that is a bit off; None if there is none of modest size."""
    if not info.type.HasField("tensor_type"):
        return None
    kind = info.type.tensor_type
    shape = [d.dim_value if d.HasField("dim_value") else int(rng.integers(0, 5)) for d in kind.shape.dim]
    if rng.random() < 0.1:
        shape = shape[1:] if rng.random() < 0.5 else [*shape, 2]
    if any(n < 0 for n in shape) or len(shape) > 20 or np.prod(np.array(shape, object)) > MOST_ELEMENTS:
        return None
    return schemas.value(rng, f"tensor({onnx.TensorProto.DataType.Name(kind.elem_type).lower()})", shape)


def has_loops(graph):
    return any(n.op_type in ("Loop", "Scan", "SequenceMap") or any(has_loops(a.g) for a in n.attribute if a.HasField("g")) for n in graph.node)


def run(rng, data, library):
    """Runs the artefact; what the run says matters not, that it ends does."""
    model = onnx.ModelProto.FromString(data)
    stored = {t.name for t in model.graph.initializer} | {t.values.name for t in model.graph.sparse_initializer}
    infos = [i for i in model.graph.input if i.name not in stored]
    try:
        inputs = [input_value(rng, info) for info in infos]
    except (ValueError, KeyError, TypeError):  # no element type of the standard
        return "taken"
    if any(v is None for v in inputs) or has_loops(model.graph) or model.functions:
        return "taken"
    session = artefact.load_session(library)
    try:
        session.run(inputs)
    except (RuntimeError, ValueError, TypeError, MemoryError):
        return "taken and refused in the run"
    return "taken and run"


def check(rng, folder):
    path, library = folder / "damaged.onnx", folder / "damaged.so"
    data = damage(rng, draw_model(rng, folder), folder)
    path.write_bytes(data)
    status, messages = artefact.try_compile(path, library)
    if status == 0:
        return run(rng, data, library)
    assert status == 1, f"status {status}: {messages}"
    assert path.name in messages and "error:" in messages, f"a message without the file: {messages}"
    return "refused"
