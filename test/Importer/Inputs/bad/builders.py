# ===- bad/builders.py - What bad models are made of -----------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""CASES, and what their models are made of."""

from onnx import TensorProto, helper

F = TensorProto.FLOAT
CASES = {}


def case(*expected):
    """Registers a function that returns bytes, a ModelProto or a GraphProto
    and is called with the folder; `expected` are patterns of the message."""

    def register(function):
        CASES[function.__name__] = (function, expected)
        return function

    return register


def value(name, shape=(2, 3), kind=F):
    return helper.make_tensor_value_info(name, kind, shape)


def graph(nodes, inputs=None, outputs=None, initializers=(), **more):
    return helper.make_graph(
        nodes, "bad", inputs or [value("x")], outputs or [value("y", None)], list(initializers), **more
    )


def node(kind, inputs, outputs, name="culprit", **attributes):
    return helper.make_node(kind, inputs, outputs, name=name, **attributes)


def model(content, opset=21, **more):
    imports = more.pop("opset_imports", [helper.make_opsetid("", opset)])
    return helper.make_model(content, opset_imports=imports, ir_version=10, **more)


def relu():
    return model(graph([node("Relu", ["x"], ["y"])]))


def tensor(name, kind=F, dims=(2, 3), **fields):
    result = TensorProto(name=name, data_type=kind, dims=dims)
    for field, content in fields.items():
        if field == "raw_data":
            result.raw_data = content
        else:
            getattr(result, field).extend(content)
    return result


def external(name, location, dims=(2, 3), **entries):
    result = TensorProto(name=name, data_type=F, dims=dims)
    result.data_location = TensorProto.EXTERNAL
    for key, text in {"location": location, **entries}.items():
        entry = result.external_data.add()
        entry.key, entry.value = key, text
    return result


def with_weight(weight):
    return graph([node("Add", ["x", "w"], ["y"])], initializers=[weight])
