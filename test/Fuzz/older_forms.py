# ===- older_forms.py - Nodes as older operator sets have them --------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# What is an input today was an attribute. Where nothing but the types or the
# meaning changed (Softmax before 13), a node is taken as it is: what it computes
# is asked of onnxruntime in that opset.
# ===------------------------------------------------------------------------===//
"""Writes a node of the newest opset as an older one has it."""

import onnx

OLDEST = 9


def schema_of(node, opset):
    try:
        return onnx.defs.get_schema(node.operator, opset, node.domain)
    except onnx.defs.SchemaError:
        return None


def constant(node, place):
    """The constant at an input, None if there is no input; LookupError if it is computed."""
    if place >= len(node.inputs) or node.inputs[place] is None:
        return None
    if not node.inputs[place].is_constant:
        raise LookupError("an attribute is not computed")
    return node.inputs[place].array


def as_attributes(*names):
    """A form whose inputs after the first are these attributes."""

    def form(node):
        attributes = dict(node.attributes)
        for place, name in enumerate(names, 1):
            array = constant(node, place)
            if array is not None and not array.size:
                raise LookupError("no attribute is an empty list")
            if array is not None:
                attributes[name] = array.tolist()
        return node._replace(inputs=node.inputs[:1], attributes=attributes)

    return form


def slice_form(node):
    steps = constant(node, 4)
    if steps is not None and any(s != 1 for s in steps):
        raise LookupError("steps came later")
    return as_attributes("starts", "ends", "axes")(node._replace(inputs=node.inputs[:4]))


def top_form(node):
    if not node.attributes.get("largest", 1):
        raise LookupError("the smallest came later")
    attributes = {n: v for n, v in node.attributes.items() if n == "axis"}
    array = constant(node, 1)
    return node._replace(inputs=node.inputs[:1], attributes={**attributes, "k": int(array[0])})


def arg_form(node):
    if node.attributes.get("select_last_index"):
        raise LookupError("it came later")
    return node._replace(attributes={n: v for n, v in node.attributes.items() if n != "select_last_index"})


# Operator: the first version that has the newest form, and how the one before it is written.
FORMS = {
    **{f"Reduce{n}": (18, as_attributes("axes")) for n in "L1 L2 LogSum LogSumExp Max Mean Min Prod SumSquare".split()},
    "ReduceSum": (13, as_attributes("axes")),
    "Squeeze": (13, as_attributes("axes")),
    "Unsqueeze": (13, as_attributes("axes")),
    "Split": (13, as_attributes("split")),
    "Slice": (10, slice_form),
    "Pad": (11, as_attributes("pads", "value")),
    "Clip": (11, as_attributes("min", "max")),
    "TopK": (10, top_form),
    "ArgMax": (12, arg_form),
    "ArgMin": (12, arg_form),
}


def allows(schema, node):
    """Whether the version of the operator has such attributes, so many inputs and outputs, and takes their types."""
    if not set(node.attributes) <= set(schema.attributes) or not schema.min_input <= len(node.inputs) <= schema.max_input:
        return False
    if not schema.min_output <= node.outputs <= schema.max_output or schema.deprecated:
        return False
    types = {c.type_param_str: c.allowed_type_strs for c in schema.type_constraints}
    for place, value in enumerate(node.inputs):
        kind = schema.inputs[min(place, len(schema.inputs) - 1)].type_str
        if value is not None and value.kind not in types.get(kind, [kind]):
            return False
    return True


def at_opset(node, opset):
    """The node as that opset has it, None if it has nothing like it."""
    if node.domain:
        return node
    schema, newest = schema_of(node, opset), schema_of(node, onnx.defs.onnx_opset_version())
    if schema is None or newest is None:
        return None
    if schema.since_version == newest.since_version:
        return node
    since, form = FORMS.get(node.operator, (0, None))
    try:
        older = form(node) if opset < since else node
    except LookupError:
        return None
    if older.expect or not allows(schema, older):
        return None
    return older if older.trust == "agreement" else older._replace(trust="onnxruntime")
