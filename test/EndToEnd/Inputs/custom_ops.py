# ===- custom_ops.py - Models with operators of a library --------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Runs models with the operators of custom_ops.c, whatever form its library has.

custom_ops.py FOLDER LIBRARY [PART...]: all parts, or check_results and the like
"""

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper

import onnx_compile

FOLDER, LIBRARY = pathlib.Path(sys.argv[1]), sys.argv[2]
FLOAT, INT64, STRING, BOOL = (TensorProto.FLOAT, TensorProto.INT64, TensorProto.STRING, TensorProto.BOOL)


def node(op, inputs, outputs, domain="test.custom", **attributes):
    return helper.make_node(op, inputs, outputs, name=f"my_{op}", domain=domain, **attributes)


def model(nodes, inputs, outputs, initializers=(), functions=()):
    """inputs, outputs: name to (element type, shape), the shape None where it is not known."""
    values = [[helper.make_tensor_value_info(name, *type) for name, type in side.items()] for side in (inputs, outputs)]
    graph = helper.make_graph(nodes, "custom", *values, initializer=list(initializers))
    imports = [helper.make_opsetid("", 21), helper.make_opsetid("test.custom", 1)]
    return helper.make_model(graph, opset_imports=imports, functions=list(functions), ir_version=10)


def build(name, proto, **options):
    path = FOLDER / f"{name}.onnx"
    onnx.save(proto, path)
    options.setdefault("custom_op_lib", LIBRARY)
    return onnx_compile.compile(path, **options)


def session(name, proto, **options):
    return onnx_compile.ExecutionSession(build(name, proto, **options))


def both(name, nodes, inputs, outputs, feeds, expected, **parts):
    """Static and with every size unknown, the results are as expected."""
    for mode in ("static", "dynamic"):
        types = {
            key: (kind, [f"{key}_{i}" for i in range(len(shape))] if mode == "dynamic" else shape)
            for key, (kind, shape) in inputs.items()
        }
        free = {key: (kind, [None] * len(shape)) for key, (kind, shape) in outputs.items()}
        found = session(f"{name}-{mode}", model(nodes, types, free, **parts)).run(feeds)
        for value, wanted in zip(found, expected, strict=True):
            np.testing.assert_array_equal(np.asarray(value), np.asarray(wanted), err_msg=f"{name} {mode}")
    print(f"{name}: ok")


def fails(name, nodes, inputs, outputs, feeds=None, **parts):
    """Prints the message with which a compilation or a run ends."""
    try:
        run = session(name.replace(" ", "-"), model(nodes, inputs, outputs, **parts))
        run.run(feeds)
    except (onnx_compile.CompileError, RuntimeError, ValueError) as error:
        print(f"{name}: {str(error).splitlines()[0]}")
    else:
        print(f"{name}: no error")


X = np.array([[1, -2, 3], [-4, 5, -6]], np.float32)
IN = {"x": (FLOAT, [2, 3])}
OUT = {"y": (FLOAT, [2, 3])}


def check_results():
    both("default", [node("Scale", ["x"], ["y"])], IN, OUT, [X], [2 * X])
    both("attribute", [node("Scale", ["x"], ["y"], factor=-0.5)], IN, OUT, [X], [-X / 2])
    double = {"x": (TensorProto.DOUBLE, [2, 3])}, {"y": (TensorProto.DOUBLE, [2, 3])}
    both("double", [node("Scale", ["x"], ["y"])], *double, [X.astype(np.float64)], [2 * X.astype(np.float64)])
    # Its sizes are those of its input: no broadcasting is needed, and kernels on both sides go on.
    around = [
        helper.make_node("Neg", ["x"], ["a"]),
        node("Scale", ["a"], ["b"]),
        helper.make_node("Add", ["b", "x"], ["y"]),
    ]
    both("between kernels", around, IN, OUT, [X], [-X])
    split = node("Split", ["x"], ["a", "b", "n"])
    outs = {"a": (FLOAT, [2, 3]), "b": (FLOAT, [2, 3]), "n": (INT64, [])}
    both("outputs", [split], IN, outs, [X], [np.maximum(X, 0), np.minimum(X, 0), np.int64(3)])
    two = {"a": (FLOAT, [2, 3]), "b": (FLOAT, [2, 3])}
    both("absent output", [node("Split", ["x"], ["a", "b"])], IN, two, [X], [np.maximum(X, 0), np.minimum(X, 0)])
    limits = {"x": (FLOAT, [2, 3]), "l": (FLOAT, []), "h": (FLOAT, [])}
    low, high = np.float32(-3), np.float32(2)
    both("inputs", [node("Limit", ["x", "l", "h"], ["y"])], limits, OUT, [X, low, high], [np.clip(X, -3, 2)])
    del limits["l"]
    both("absent input", [node("Limit", ["x", "", "h"], ["y"])], limits, OUT, [X, high], [np.minimum(X, 2)])
    both("no options", [node("Limit", ["x"], ["y"])], IN, OUT, [X], [X])
    both("variadic", [node("Total", ["x", "x", "x"], ["y"])], IN, OUT, [X], [3 * X])
    both("data decide", [node("Positive", ["x"], ["y"])], IN, {"y": (FLOAT, [3])}, [X], [[1, 3, 5]])
    both("nothing found", [node("Positive", ["x"], ["y"])], IN, {"y": (FLOAT, [0])}, [-abs(X)], [np.zeros(0, np.float32)])
    empty = np.zeros((0, 3), np.float32)
    both("empty", [node("Scale", ["x"], ["y"])], {"x": (FLOAT, [0, 3])}, {"y": (FLOAT, [0, 3])}, [empty], [empty])
    words = np.array(["one", "", "zwei"], object)
    text = {"x": (STRING, [3])}, {"y": (STRING, [3])}
    both("strings", [node("Shout", ["x"], ["y"])], *text, [words], [np.array(["one!", "", "zwei!"], object)])
    masked = [node("Mask", ["x"], ["m"]), helper.make_node("Cast", ["m"], ["y"], to=INT64)]
    both("booleans", masked, IN, {"y": (INT64, [2, 3])}, [X], [(X > 0).astype(np.int64)])
    shape = np.array([2, 2], np.int64)
    both("shape", [node("Ones", ["s"], ["y"])], {"s": (INT64, [2])}, {"y": (FLOAT, [2, 2])}, [shape], [np.ones((2, 2), np.float32)])


def check_types():
    """Elements of every type go in and out as they are."""
    names = [name for name in TensorProto.DataType.keys() if name not in ("UNDEFINED", "STRING")]
    for name in names:
        kind = TensorProto.DataType.Value(name)
        is_signed = "U" not in name and name not in ("BOOL", "FLOAT8E8M0")
        given = np.array([1, -1 if is_signed else 1, 2]).astype(helper.tensor_dtype_to_np_dtype(kind))
        run = session(f"type-{name}", model([node("Copy", ["x"], ["y"])], {"x": (kind, ["n"])}, {"y": (kind, ["n"])}))
        found = run.run([given])[0]
        assert found.dtype == given.dtype and (found == given).all(), (name, given, found)
    print(f"types: {len(names)} ok")


def check_ranks():
    """Unknown ranks, of inputs and outputs."""
    anything = {"x": (FLOAT, None)}, {"y": (FLOAT, None)}
    run = session("ranks", model([node("Scale", ["x"], ["y"])], *anything))
    for shape in ((2, 3), (), (2, 1, 3), (0, 2)):
        given = np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)
        np.testing.assert_array_equal(run.run([given])[0], 2 * given)
    shaped = model([node("Ones", ["s"], ["y"])], {"s": (INT64, ["n"])}, {"y": (FLOAT, None)})
    assert session("rank-of-shape", shaped).run([np.int64([2, 3, 1])])[0].shape == (2, 3, 1)
    print("ranks: ok")


def check_attributes():
    small = helper.make_tensor("t", TensorProto.INT4, [3], [-8, 7, -1])
    describe = node("Describe", ["x"], ["y"], i=5, fs=[0.5], t=small, s="word", ss=["p", "q", "r"])
    run = session("attributes", model([describe], IN, {"y": (STRING, [])}))
    print("attributes:", np.asarray(run.run([X])[0]).item())
    matrix = helper.make_tensor("t", FLOAT, [2, 2], [1, 2, 3, 4])
    run = session("attributes2", model([node("Describe", ["x"], ["y"], i=-1, t=matrix)], IN, {"y": (STRING, [])}))
    print("defaults:", np.asarray(run.run([X])[0]).item())


def check_places():
    """In the bodies of If and Loop, and in functions of the model."""
    branch = [helper.make_graph([node("Scale", ["x"], [f"{name}_y"], factor=value)], name, [],
                                [helper.make_tensor_value_info(f"{name}_y", FLOAT, [2, 3])])
              for name, value in (("yes", 10.0), ("no", 0.1))]  # fmt: skip
    choose = helper.make_node("If", ["c"], ["y"], then_branch=branch[0], else_branch=branch[1])
    feeds = [X, np.array(True)]
    both("if", [choose], {**IN, "c": (BOOL, [])}, OUT, feeds, [X * 10])
    body = helper.make_graph(
        [node("Scale", ["v"], ["w"], factor=2.0), helper.make_node("Identity", ["c"], ["d"])], "body",
        [helper.make_tensor_value_info("i", INT64, []), helper.make_tensor_value_info("c", BOOL, []),
         helper.make_tensor_value_info("v", FLOAT, [2, 3])],
        [helper.make_tensor_value_info("d", BOOL, []), helper.make_tensor_value_info("w", FLOAT, [2, 3])])  # fmt: skip
    loop = helper.make_node("Loop", ["n", "", "x"], ["y"], body=body)
    both("loop", [loop], {**IN, "n": (INT64, [])}, OUT, [X, np.int64(5)], [X * 32])
    imports = [helper.make_opsetid("", 21), helper.make_opsetid("test.custom", 1)]
    inside = helper.make_function("other", "F", ["a"], ["b"], [node("Scale", ["a"], ["b"])], imports)
    called = model([node("F", ["x"], ["y"], domain="other")], IN, OUT, functions=[inside])
    called.opset_import.append(helper.make_opsetid("other", 1))
    np.testing.assert_array_equal(session("function", called).run([X])[0], 2 * X)
    print("function: ok")


def check_functions():
    """A function of the model is what its nodes mean, unless the library says that it replaces it."""
    imports = [helper.make_opsetid("", 21)]
    for name, added in (("Twice", 1000), ("Thrice", 0)):
        add = helper.make_node("Add", ["x", "x"], ["y"])
        function = helper.make_function("test.custom", name, ["x"], ["y"], [add], imports)
        proto = model([node(name, ["x"], ["y"])], IN, OUT, functions=[function])
        np.testing.assert_array_equal(session(name, proto).run([X])[0], 2 * X + added)
        print(f"{name} with a body: ok")


def check_purity():
    """Only what is pure is computed when the model is compiled, or once for equal inputs."""
    constant = helper.make_tensor("c", FLOAT, [2], [3, -1])
    for name in ("Scale", "Check"):
        proto = model([node(name, ["c"], ["y"])], {}, {"y": (FLOAT, [2])}, [constant])
        text = pathlib.Path(build(f"fold-{name}", proto, emit="onnx")).read_text()
        print(f"{name} of a constant: {'computed' if 'onnx.Custom' not in text else 'left to the run'}")
    pair = [node("Count", ["x"], ["a"], **{"from": 7}), helper.make_node("Add", ["a", "a"], ["y"])]
    run = session("count", model(pair, IN, {"y": (INT64, [])}))
    print("count:", [int(run.run([X])[0]) for _ in range(3)])
    twice = [node("Count", ["x"], ["y"]), node("Count", ["x"], ["z"])]
    run = session("count2", model(twice, IN, {"y": (INT64, []), "z": (INT64, [])}))
    print("not merged:", [[int(v) for v in run.run([X])] for _ in range(2)])
    body = helper.make_graph(
        [node("Count", ["x"], ["w"]), helper.make_node("Identity", ["c"], ["d"])], "body",
        [helper.make_tensor_value_info("i", INT64, []), helper.make_tensor_value_info("c", BOOL, [])],
        [helper.make_tensor_value_info("d", BOOL, []), helper.make_tensor_value_info("w", INT64, [])])  # fmt: skip
    loop = helper.make_node("Loop", ["n", ""], ["y"], body=body)
    run = session("count3", model([loop], {**IN, "n": (INT64, [])}, {"y": (INT64, [None])}))
    print("in a loop:", run.run([X, np.int64(4)])[0].tolist())


def check_errors():
    free = {"y": (FLOAT, [None])}
    fails("message", [node("Check", ["x"], ["y"])], IN, OUT, [X * 100])
    fails("message of inputs", [node("Total", ["x", "z"], ["y"])], {**IN, "z": (FLOAT, [1])}, OUT, [X, X[0, :1]])
    for how in ("rank", "size", "type", "output", "infer", "code", "other rank", "other size", "huge", "", "twice",
                "allocate rank", "allocate much", "compute"):  # fmt: skip
        fails(f"wrong {how}", [node("Wrong", ["x"], ["y"], how=how)], {"x": (FLOAT, ["n"])}, free, [X[0]])
    # What the import does not know yet: the axis is computed.
    axis = [helper.make_tensor("a", INT64, [1], [0]), helper.make_tensor("b", INT64, [1], [1])]
    squeeze = [helper.make_node("Mul", ["a", "b"], ["c"]), helper.make_node("Squeeze", ["x", "c"], ["r"])]
    fails("late", [*squeeze, node("Wrong", ["r"], ["y"], how="late")], {"x": (FLOAT, [1, 2, 3])}, free, initializers=axis)
    fails("type", [node("Scale", ["x"], ["y"])], {"x": (INT64, [2])}, {"y": (INT64, [2])})
    fails("inputs missing", [node("Total", [], ["y"])], IN, OUT)
    fails("too many", [node("Scale", ["x", "x"], ["y"])], IN, OUT)
    fails("unknown attribute", [node("Scale", ["x"], ["y"], gain=1)], IN, OUT)
    fails("attribute kind", [node("Scale", ["x"], ["y"], factor=1)], IN, OUT)
    fails("attribute missing", [node("Wrong", ["x"], ["y"])], IN, OUT)
    fails("unknown operator", [node("Scael", ["x"], ["y"])], IN, OUT)
    fails("sequence", [helper.make_node("SequenceConstruct", ["x"], ["s"]), node("Scale", ["s"], ["y"])], IN, OUT)


PARTS = [check_results, check_types, check_ranks, check_attributes, check_places, check_functions, check_purity, check_errors]
FOLDER.mkdir(parents=True, exist_ok=True)
for part in PARTS:
    if not sys.argv[3:] or part.__name__ in sys.argv[3:]:
        part()
