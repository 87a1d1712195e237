# ===- functions.py - Compiled functions against the double ones ------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Each function is compiled for vectors, run over many f32 values and compared
# with numpy's result in double precision: 8 units in the last place at most,
# denormal results may be zero.
# ===------------------------------------------------------------------------===//
import math
import pathlib
import subprocess
import sys

import numpy as np

IR = """module {{ module @target {{
  func.func private @k(%x: memref<?xf32>, %y: memref<?xf32>, %b: index, %e: index)
      attributes {{krnl.kernel}} {{
    %c16 = arith.constant 16 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %b to %e step %c1 {{
      %o = arith.muli %i, %c16 : index
      %v = vector.load %x[%o] : memref<?xf32>, vector<16xf32>
      {op} : vector<16xf32>
      vector.store %w, %y[%o] : memref<?xf32>, vector<16xf32>
    }}
    return
  }}
  func.func @main_graph(%x: memref<?xf32>) attributes {{
      krnl.inputs = [{{name = "x", type = tensor<?xf32>}}],
      krnl.outputs = [{{name = "y", type = tensor<?xf32>}}]}} {{
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %n = memref.dim %x, %c0 : memref<?xf32>
    %y = krnl.output 0(%n) : memref<?xf32>
    %tiles = arith.divui %n, %c16 : index
    krnl.launch @k ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) tiles(%tiles)
    return
  }}
}} }}
"""

FUNCTIONS = {
    "exp": np.exp, "expm1": np.expm1, "log": np.log, "log1p": np.log1p,
    "log2": np.log2, "tanh": np.tanh, "erf": np.vectorize(math.erf),
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "atan": np.arctan,
    "sinh": np.sinh, "asinh": np.arcsinh, "asin": np.arcsin,
    "rsqrt": lambda x: 1 / np.sqrt(x), "roundeven": np.rint,
}  # fmt: skip
POWERS = [-3, -1, -0.0, 0.3, 1, 2.2, 3, 11, 100.5, 1e9, math.inf, -math.inf, math.nan]
SMALLEST = float(np.finfo(np.float32).tiny)


def arguments():
    """Special values and random ones of several ranges."""
    special = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1, -1, 3.4e38, -3.4e38, 88.7, -104, 1e-8, 2.5]
    rng = np.random.default_rng(0)
    values = np.concatenate([special, *(rng.uniform(-r, r, 4000) for r in (1, 10, 100)),
                             np.exp(rng.uniform(-80, 80, 4000))])  # fmt: skip
    return np.resize(values, -(-len(values) // 16) * 16).astype(np.float32)


def bits(value):
    """As a constant of the IR; infinities and NaN have no other form."""
    return f"0x{np.float32(value).view(np.uint32):08X}"


def check(name, op, function, folder, x):
    """Returns what is wrong with a function, "" if nothing is."""
    (folder / "f.mlir").write_text(IR.format(op=op))
    np.save(folder / "x.npy", x)
    subprocess.run(["onnx-compile", folder / "f.mlir", "--resume=loops", "-o", folder / "f.so"], check=True)
    subprocess.run(["onnx-run", folder / "f.so", "--quiet", f"--input=@{folder}/x.npy", f"--save={folder}"], check=True)
    got = np.load(folder / "y.npy")
    with np.errstate(all="ignore"):
        exact = function(x.astype(np.float64))
        want = exact.astype(np.float32)
        unit = np.spacing(np.maximum(np.abs(want), SMALLEST)).astype(np.float64)
        wrong = ~((got == want) | (np.isnan(got) & np.isnan(want)))
        wrong &= ~(np.abs(got - exact) <= 8 * unit)
        wrong &= ~((np.abs(want) < 2 * SMALLEST) & (np.abs(got) < 2 * SMALLEST))
    if not wrong.any():
        return ""
    i = int(np.argmax(wrong))
    return f"{name}({x[i]}) is {got[i]} and should be {want[i]}; {wrong.sum()} values are wrong"


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    cases = [(name, f"%w = math.{name} %v", function) for name, function in FUNCTIONS.items()]
    for y in np.float32(POWERS):
        op = f"%p = arith.constant dense<{bits(y)}> : vector<16xf32>\n%w = math.powf %v, %p"
        cases.append((f"pow {y}", op, lambda x, y=np.float64(y): np.power(x, y)))
    problems = [p for p in (check(*case, folder, arguments()) for case in cases) if p]
    sys.exit("\n".join(problems) or 0)


if __name__ == "__main__":
    main()
