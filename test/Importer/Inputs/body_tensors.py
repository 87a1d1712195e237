# ===- body_tensors.py - Tensors of bodies, as Python names them -*- Python -*-===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
#   body_tensors.py MODEL
#
# Writes the lines by which FileCheck finds the tensors of branches and bodies as outputs.
# ===------------------------------------------------------------------------===//
import sys

import onnx

from onnx_compile._graph import Graph

print("CHECK: func.func @main_graph")
graph = Graph(onnx.load(sys.argv[1]))
for number in range(len(graph.nodes)):
    for tensor in graph.tensors_inside(number):
        print(f'CHECK-SAME: onnx.name = "{tensor}"')
