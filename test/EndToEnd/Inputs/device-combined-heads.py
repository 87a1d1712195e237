# ===- device-combined-heads.py - Heads that are parts of one product -------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Runs an attention whose queries, keys and values are parts of one tensor on the processor and on the simulated device,
beside numpy, and names the kernels of the device: device-combined-heads.py PREFIX."""

import re
import subprocess
import sys

import numpy as np
import onnx
import onnx_compile
from onnx import parser

ROWS, HEADS, SIZE = 7, 6, 8
WIDTH = HEADS * SIZE
TEXT = f"""<ir_version: 10, opset_import: ["" : 20]>
g (float[{ROWS}, 1, {3 * WIDTH}] x) => (float[{ROWS}, {WIDTH}] y) {{
  five = Constant<value_ints = [1, {ROWS}, 1, 3, {WIDTH}]>() last = Constant<value_ints = [-2]>()
  r = Reshape(x, five) t = Transpose<perm = [3, 1, 2, 0, 4]>(r) parts = Squeeze(t, last)
  i0 = Constant<value = int64 {{0}}>() i1 = Constant<value = int64 {{1}}>() i2 = Constant<value = int64 {{-1}}>()
  q0 = Gather<axis = 0>(parts, i0) k0 = Gather<axis = 0>(parts, i1) v0 = Gather<axis = 0>(parts, i2)
  heads = Constant<value_ints = [{ROWS}, {HEADS}, {SIZE}]>()
  q1 = Reshape(q0, heads) k1 = Reshape(k0, heads) v1 = Reshape(v0, heads)
  q2 = Transpose<perm = [1, 0, 2]>(q1) k2 = Transpose<perm = [1, 2, 0]>(k1) v2 = Transpose<perm = [1, 0, 2]>(v1)
  rows = Constant<value_ints = [1, {HEADS}, {ROWS}, {SIZE}]>() columns = Constant<value_ints = [1, {HEADS}, {SIZE}, {ROWS}]>()
  q = Reshape(q2, rows) k = Reshape(k2, columns) v = Reshape(v2, rows) scale = Constant<value_floats = [0.5]>()
  qs = Mul(q, scale) ks = Mul(k, scale) l = MatMul(qs, ks) p = Softmax<axis = -1>(l) o = MatMul(p, v)
  b = Transpose<perm = [2, 0, 1, 3]>(o) out = Constant<value_ints = [{ROWS}, {WIDTH}]>() y = Reshape(b, out)
}}"""


def exact(x):
    q, k, v = x.reshape(ROWS, 3, HEADS, SIZE).astype(np.float64).transpose(1, 2, 0, 3)
    logits = np.exp(q @ k.transpose(0, 2, 1) / 4)
    return (logits / logits.sum(-1, keepdims=True) @ v).transpose(1, 0, 2).reshape(ROWS, WIDTH)


path = sys.argv[1]
onnx.save(parser.parse_model(TEXT), f"{path}.onnx")
x = np.random.default_rng(0).standard_normal((ROWS, 1, 3 * WIDTH)).astype(np.float32)
for device in ("cpu", "cuda:simulator"):
    command = ["onnx-compile", f"{path}.onnx", f"--device={device}", "-q"]
    text = subprocess.run([*command, "--emit=krnl", "-o", "-"], capture_output=True, text=True, check=True).stdout
    subprocess.run([*command, "-o", f"{path}.{device[:3]}.so"], check=True)
    y = onnx_compile.ExecutionSession(f"{path}.{device[:3]}.so").run([x])[0]
    kernels = re.findall(r'krnl.kernel "(.+?)" loops', text)
    print(f"{device}: {', '.join(kernels)}; {'right' if np.allclose(y, exact(x), rtol=1e-4, atol=1e-6) else 'wrong'}")
