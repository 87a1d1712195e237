# ===- branch_of_other_constants.py - Branches with impossible constants ---===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Runs models with a branch that constants, or the ranks beside them, make impossible."""

import sys

import numpy as np
import onnx_compile
from onnx import parser

# Axes, shapes and the like are constants; the node is called wrong.
FORMS = {
    "axis of scales": "scale = Constant <value_floats = [1.0, 2.0, 3.0]> () [wrong] w = QuantizeLinear <axis = 7> (x, scale)",
    "axis of zero points": "q = Cast <to = 3> (x) scale = Constant <value_floats = [1.0, 2.0]> () [wrong] w = DequantizeLinear <axis = -4> (q, scale)",
    "time axis": "lengths = Constant <value_ints = [1, 1]> () [wrong] w = ReverseSequence <time_axis = 5, batch_axis = 0> (x, lengths)",
    "batch axis": "lengths = Constant <value_ints = [1, 1]> () [wrong] w = ReverseSequence <time_axis = 0, batch_axis = -4> (x, lengths)",
    "list for a scalar": "two = Constant <value_ints = [1, 2]> () one = Constant <value_int = 1> () [wrong] w = Range (one, two, one)",
    "two sizes to infer": "shape = Constant <value_ints = [-1, -1]> () [wrong] w = Reshape (x, shape)",
    "negative size": "shape = Constant <value_ints = [-2, 3]> () [wrong] w = ConstantOfShape (shape)",
    "negative part": "parts = Constant <value_ints = [-1, 4]> () [wrong] w, v = Split <axis = 1> (x, parts)",
    "repeated axes": "axes = Constant <value_ints = [1, -2]> () [wrong] w = ReduceSum (x, axes)",
    "repeated axes to slice": "zeros = Constant <value_ints = [0, 0]> () axes = Constant <value_ints = [1, 1]> () [wrong] w = Slice (x, zeros, axes, axes)",
    "list for an axis": "axes = Constant <value_ints = [0, 1]> () [wrong] w = CumSum (x, axes)",
    "negative scale": "scales = Constant <value_floats = [1.0, 1.0, -2.0]> () [wrong] w = Resize (x, , scales)",
    "function": "bias = Constant <value_floats = [1.0, 2.0, 3.0]> () [wrong] w = com.microsoft.BiasGelu (x, bias)",
}
MODEL = """<ir_version: 10, opset_import: ["" : 21, "com.microsoft" : 1]>
  m (bool enter, float[2, 3, 4] x) => (float[] y) {{
    y = If (enter) <
      then_branch = t () => (float[] a) {{ {form} f = Cast <to = 1> (w) a = ReduceSum <keepdims = 0> (f) }},
      else_branch = e () => (float[] b) {{ b = ReduceSum <keepdims = 0> (x) }}>
  }}"""
x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
for name, form in FORMS.items():
    path = onnx_compile.compile(parser.parse_model(MODEL.format(form=form)), f"{sys.argv[1]}.so")
    session = onnx_compile.ExecutionSession(path)
    right = np.array_equal(session.run([np.array(False), x])[0], x.sum())
    try:
        session.run([np.array(True), x])
        error = "wrong: it does not"
    except (ValueError, RuntimeError) as raised:
        error = str(raised).splitlines()[0]
    print(f"{name}: {right}, fails: {error}")
    certain = MODEL.format(form=form).replace("bool enter, ", "").replace("{\n", "{ one = Constant <value_int = 1> () enter = Cast <to = 9> (one)\n", 1)
    try:
        onnx_compile.compile(parser.parse_model(certain), f"{sys.argv[1]}.certain.so")
        print("wrong: it compiles where each run enters the branch")
    except onnx_compile.CompileError:
        pass
