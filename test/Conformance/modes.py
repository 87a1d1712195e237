# ===- modes.py - The ways a case is compiled ------------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# static: as the suite declares it; dynamic: every dimension unknown, ranks
# kept; unranked: no shape at all; constant: every input but the first data
# input baked into the model; exported: simplified, written as a model and read
# again.
# ===------------------------------------------------------------------------===//
"""Rewrites a case's model for a mode."""

import onnx
from onnx import defs

from Harness.shapes import forget_model_shapes

MODES = ("static", "dynamic", "unranked", "constant", "exported")

# Formal parameters that say how rather than on what an operator works.
STRUCTURAL = frozenset(
    "shape axes axis pads k split steps starts ends repeats sizes scales roi size depth M cond "
    "start limit delta output_shape max_output_boxes_per_class iou_threshold score_threshold "
    "dft_length window_length frame_step num_mel_bins".split()
)


def is_structural(model, name):
    """True where the first node that reads the value takes it as a structural parameter."""
    for node in model.graph.node:
        if name not in node.input:
            continue
        try:
            formal = defs.get_schema(node.op_type, node.domain).inputs
        except defs.SchemaError:
            return False
        position = min(list(node.input).index(name), len(formal) - 1)
        return formal[position].name in STRUCTURAL
    return False


def bake_inputs(model, inputs):
    """Turns tensor inputs into initialisers, all but the first that is not structural; returns those left."""
    infos = list(model.graph.input)
    data = [i for i, info in enumerate(infos) if not is_structural(model, info.name)]
    kept = set(data[:1]) | {i for i, info in enumerate(infos) if not info.type.HasField("tensor_type")}
    for i, info in enumerate(infos):
        if i not in kept:
            model.graph.initializer.append(onnx.numpy_helper.from_array(inputs[i], info.name))
    del model.graph.input[:]
    model.graph.input.extend(infos[i] for i in sorted(kept))
    model.ir_version = max(model.ir_version, 4)
    return [inputs[i] for i in sorted(kept)]


def apply_mode(mode, model, inputs):
    """Changes the model in place and returns the inputs that it still takes."""
    if mode in ("dynamic", "unranked"):
        forget_model_shapes(model, keep_ranks=mode == "dynamic")
    if mode == "constant" and not model.graph.initializer:
        return bake_inputs(model, inputs)
    return inputs
