# ===- named_sizes.py - Equal names, other sizes -----------------*- Python -*-===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""named_sizes.py MODEL: runs models whose inputs name their sizes alike with sizes that differ.

Each row is the sizes that the inputs declare, the node, the shapes of a run, and
whether the sizes of one name must be equal. The first model is written to MODEL.
"""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, reference

import onnx_compile

N = ["n", 3]
ROWS = [
    # Rows beside and above each other.
    (N, N, ("Concat", {"axis": 0}), ((2, 3), (5, 3)), False),
    (["n", "n"], ["n", "n"], ("Concat", {"axis": 0}), ((2, 3), (5, 3)), False),
    (["n", "n"], ["n", "n"], ("Concat", {"axis": 0}), ((2, 3), (5, 4)), True),
    # As many rows as columns.
    (N, [3, "n"], ("MatMul", {}), ((2, 3), (3, 5)), False),
    (["m", "k"], ["k", "m"], ("MatMul", {}), ((2, 3), (4, 2)), True),
    # An element each, or of each.
    (N, N, ("Add", {}), ((2, 3), (5, 3)), True),
    (N, N, ("Max", {}), ((2, 3), (5, 3)), True),
    # What exporters write for a size that they do not know is not a name.
    (["?", "?"], ["?", "?"], ("MatMul", {}), ((2, 3), (3, 5)), False),
    (["unk__1", "unk__1"], ["None", "-1"], ("Add", {}), ((1, 3), (2, 1)), False),
]


def model(left, right, node):
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, sizes) for name, sizes in (("a", left), ("b", right))]
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    made = helper.make_node(node[0], ["a", "b"], ["y"], "node", **node[1])
    return helper.make_model(helper.make_graph([made], "g", inputs, [y]), opset_imports=[helper.make_opsetid("", 21)])


def fails(proto, feeds, **options):
    try:
        onnx_compile.ExecutionSession(onnx_compile.compile(proto, **options)).run(feeds)
    except onnx_compile.CompileError:
        raise
    except Exception:
        return True
    return False


onnx.save(model(*ROWS[0][:3]), sys.argv[1])
for left, right, node, shapes, is_needed in ROWS:
    row = f"{node} of {left} and {right}, {shapes}"
    proto = model(left, right, node)
    feeds = {name: np.random.default_rng(3).random(shape, np.float32) for name, shape in zip("ab", shapes)}
    assert fails(proto, feeds) == is_needed, row
    is_named = "n" in left or "k" in left
    assert fails(proto, feeds, strict_dims=True) == is_named, f"{row}, strictly"
    if not is_needed:
        session = onnx_compile.ExecutionSession(onnx_compile.compile(proto))
        if is_named:  # as the model names them, whether or not they are compared
            assert [list(x.shape) for x in session.inputs] == [left, right], row
        (y,) = session.run(feeds)
        np.testing.assert_allclose(y, reference.ReferenceEvaluator(proto).run(None, feeds)[0], rtol=1e-6)
print("all as expected")
