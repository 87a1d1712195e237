# ===- locale-tests.py - Numbers in strings, in a locale with commas --------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Casts between strings and floats in the locale de_DE of LOCPATH, and prints a map as strings.

Usage: locale-tests.py FOLDER
"""

import locale
import sys

import numpy as np
import onnx
import onnx_compile
from onnx import TensorProto, helper, parser

FOLDER = sys.argv[1]


def session_of(name, model):
    onnx.save(model, f"{FOLDER}/{name}.onnx")
    return onnx_compile.ExecutionSession(onnx_compile.compile(f"{FOLDER}/{name}.onnx"))


def cast(name, source, target):
    return session_of(
        name,
        parser.parse_model(
            f'<ir_version: 10, opset_import: ["" : 21]> {name} ({source}[n] x) => ({target}[n] y) '
            f"{{ y = Cast <to = {onnx.TensorProto.DataType.Value(target.upper())}> (x) }}"
        ),
    )


def cast_map():
    source = helper.make_map_type_proto(TensorProto.INT64, helper.make_tensor_type_proto(TensorProto.STRING, []))
    node = helper.make_node("CastMap", ["x"], ["y"], domain="ai.onnx.ml", cast_to="TO_FLOAT")
    output = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 2])
    graph = helper.make_graph([node], "map", [helper.make_value_info("x", source)], [output])
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("ai.onnx.ml", 4)]
    return session_of("map", helper.make_model(graph, opset_imports=opsets, ir_version=10))


to_string, to_float, of_map = cast("to_string", "float", "string"), cast("to_float", "string", "float"), cast_map()
locale.setlocale(locale.LC_ALL, "de_DE")
print("the locale writes", locale.format_string("%.1f", 1.5))
print(*to_string.run([np.array([1.5, 0.1, -2], np.float32)])[0])
print(*to_float.run([np.array(["1.5", "0.25"], object)])[0])
print(of_map.run([{0: "1.5", 1: "0.25"}])[0][0].tolist())
