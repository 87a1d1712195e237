# ===- shapes.py - Models that say less of their inputs ---------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Takes sizes and ranks out of what models declare."""


def forget_shapes(type_proto, keep_ranks):
    """Makes every dimension of the tensor types within unknown, or takes their shapes away."""
    kind = type_proto.WhichOneof("value")
    if kind == "tensor_type":
        if not keep_ranks:
            type_proto.tensor_type.ClearField("shape")
        for dim in type_proto.tensor_type.shape.dim if keep_ranks else ():
            dim.Clear()
    elif kind in ("sequence_type", "optional_type"):
        forget_shapes(getattr(type_proto, kind).elem_type, keep_ranks)
    elif kind == "map_type":
        forget_shapes(type_proto.map_type.value_type, keep_ranks)


def forget_model_shapes(model, keep_ranks):
    """The same for all inputs and outputs that the caller gives and takes; nothing is declared of other values."""
    stored = {tensor.name for tensor in model.graph.initializer}
    for info in [*model.graph.input, *model.graph.output]:
        if info.name not in stored:
            forget_shapes(info.type, keep_ranks)
    del model.graph.value_info[:]
