# ===- functions.py - Compiled functions against the double ones ------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Each function is compiled for vectors, run over many f32 values and compared
# with numpy's result in double precision: 8 units in the last place at most, or UNITS,
# denormal results may be zero. Those of f64 are compared in the x87's precision.
# Options after the folder are those of onnx-compile.
# ===------------------------------------------------------------------------===//
import math
import pathlib
import subprocess
import sys

import numpy as np

IR = """module {{ module @target {{
  func.func private @k(%x: memref<?x{type}>, %y: memref<?x{type}>, %b: index, %e: index)
      attributes {{krnl.kernel}} {{
    %c16 = arith.constant {lanes} : index
    %c1 = arith.constant 1 : index
    scf.for %i = %b to %e step %c1 {{
      %o = arith.muli %i, %c16 : index
      %v = vector.load %x[%o] : memref<?x{type}>, vector<{lanes}x{type}>
      {op}
      vector.store %w, %y[%o] : memref<?x{type}>, vector<{lanes}x{type}>
    }}
    return
  }}
  func.func @main_graph(%x: memref<?x{type}>) attributes {{
      krnl.inputs = [{{name = "x", type = tensor<?x{type}>}}],
      krnl.outputs = [{{name = "y", type = tensor<?x{type}>}}]}} {{
    %c0 = arith.constant 0 : index
    %c16 = arith.constant {lanes} : index
    %n = memref.dim %x, %c0 : memref<?x{type}>
    %y = krnl.output 0(%n) : memref<?x{type}>
    %tiles = arith.divui %n, %c16 : index
    krnl.launch @k ins(%x : memref<?x{type}>) outs(%y : memref<?x{type}>) tiles(%tiles)
    return
  }}
}} }}
"""

FUNCTIONS = {
    "exp": np.exp, "expm1": np.expm1, "log": np.log, "log1p": np.log1p,
    "log2": np.log2, "tanh": np.tanh, "erf": np.vectorize(math.erf),
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "atan": np.arctan,
    "sinh": np.sinh, "asinh": np.arcsinh, "asin": np.arcsin,
    "rsqrt": lambda x: 1 / np.sqrt(x), "roundeven": np.rint, "acos": np.arccos,
}  # fmt: skip
# Units in the last place that those of f32 may be off by that are better than the others.
UNITS = {"erf": 3, "exp": 2, "expm1": 2, "tanh": 5}
# With the units in the last place that they may be off by. Of long doubles there is no erf: the reference is rounded.
DOUBLES = {
    "exp": (np.exp, 2), "expm1": (np.expm1, 2), "log": (np.log, 2), "log1p": (np.log1p, 2), "tanh": (np.tanh, 3),
    "sin": (np.sin, 2), "cos": (np.cos, 2), "tan": (np.tan, 3),
    "asin": (np.arcsin, 4), "acos": (np.arccos, 4), "atan": (np.arctan, 2),
    "erf": (np.vectorize(lambda x: math.erf(float(x)), otypes=[np.longdouble]), 2),
}  # fmt: skip
# The exponential of what is negated has a range reduction of its own.
SIGMOID = """%n = arith.negf %v : vector<16xf32>
%p = math.exp %n : vector<16xf32>
%one = arith.constant dense<1.0> : vector<16xf32>
%s = arith.addf %p, %one : vector<16xf32>
%w = arith.divf %one, %s"""
POWERS = [-3, -1, -0.0, 0.3, 1, 2.2, 3, 11, 100.5, 1e9, math.inf, -math.inf, math.nan]


def arguments():
    """Special values and random ones of several ranges."""
    special = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1, -1, 3.4e38, -3.4e38, 88.7, -104, 1e-8, 2.5, 1e-45, -1e-45, 1e-39, 1.1754942e-38]
    rng = np.random.default_rng(0)
    values = np.concatenate([special, *(rng.uniform(-r, r, 4000) for r in (1, 10, 100)),
                             np.exp(rng.uniform(-80, 80, 4000))])  # fmt: skip
    return np.resize(values, -(-len(values) // 16) * 16)


def double_arguments():
    """The ends of the exponents as well; both signs of small and large numbers."""
    special = [709.7, 710, -708, -745, -746, 5e-324, 1e-310, 1.7e308, -1.7e308, 0.5, 6, -6, 131071, 1e300]
    powers = np.exp(np.random.default_rng(1).uniform(-700, 700, 4000))
    values = np.concatenate([arguments(), special, powers, -powers])
    return np.resize(values, -(-len(values) // 16) * 16)


def bits(value):
    """As a constant of the IR; infinities and NaN have no other form."""
    return f"0x{np.float32(value).view(np.uint32):08X}"


def check(name, op, function, folder, x, units):
    """Returns what is wrong with a function, "" if nothing is."""
    kind, lanes, wide = ("f32", 16, np.float64) if x.dtype == np.float32 else ("f64", 8, np.longdouble)
    smallest = float(np.finfo(x.dtype).tiny)
    (folder / "f.mlir").write_text(IR.format(op=f"{op} : vector<{lanes}x{kind}>", type=kind, lanes=lanes))
    np.save(folder / "x.npy", x)
    options = ["--resume=loops", *sys.argv[2:]]
    subprocess.run(["onnx-compile", folder / "f.mlir", *options, "-o", folder / "f.so"], check=True)
    subprocess.run(["onnx-run", folder / "f.so", "--quiet", f"--input=@{folder}/x.npy", f"--save={folder}"], check=True)
    got = np.load(folder / "y.npy")
    with np.errstate(all="ignore"):
        exact = function(x.astype(wide))
        want = exact.astype(x.dtype)
        unit = np.spacing(np.maximum(np.abs(want), smallest)).astype(wide)
        wrong = ~((got == want) | (np.isnan(got) & np.isnan(want)))
        wrong &= ~(np.abs(got - exact) <= units * unit)
        wrong &= ~((np.abs(want) < 2 * smallest) & (np.abs(got) < 2 * smallest))
    if not wrong.any():
        return ""
    i = int(np.argmax(wrong))
    return f"{name} of {kind} ({x[i]}) is {got[i]} and should be {want[i]}; {wrong.sum()} values are wrong"


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    floats, doubles = arguments().astype(np.float32), double_arguments()
    cases = [(name, f"%w = math.{name} %v", function, folder, floats, UNITS.get(name, 8)) for name, function in FUNCTIONS.items()]
    cases += [(name, f"%w = math.{name} %v", function, folder, doubles, units) for name, (function, units) in DOUBLES.items()]
    cases.append(("sigmoid", SIGMOID, lambda x: 1 / (1 + np.exp(-x)), folder, floats, 3))
    cases.append(("exp of -x", "%n = arith.negf %v : vector<16xf32>\n%w = math.exp %n", lambda x: np.exp(-x), folder, floats, 2))
    # The smallest results may be 0 in one step.
    cases.append(("exp", "%w = math.exp %v fastmath<afn>", np.exp, folder, floats, 2))
    for y in np.float32(POWERS):
        op = f"%p = arith.constant dense<{bits(y)}> : vector<16xf32>\n%w = math.powf %v, %p"
        cases.append((f"pow {y}", op, lambda x, y=np.float64(y): np.power(x, y), folder, floats, 8))
        wide = op.replace(bits(y), f"{float(y)!r}" if math.isfinite(y) else f"0x{np.float64(y).view(np.uint64):016X}").replace("16xf32", "8xf64")
        cases.append((f"pow {y}", wide, lambda x, y=np.longdouble(y): np.power(x, y), folder, doubles, 2))
        # A remainder has no error.
        op = op.replace("math.powf", "arith.remf")
        cases.append((f"remainder by {y}", op, lambda x, y=np.float64(y): np.fmod(x, y), folder, floats, 0))
        wide = wide.replace("math.powf", "arith.remf")
        cases.append((f"remainder by {y}", wide, lambda x, y=np.longdouble(y): np.fmod(x, y), folder, doubles, 0))
    problems = [p for p in (check(*case) for case in cases) if p]
    sys.exit("\n".join(problems) or 0)


if __name__ == "__main__":
    main()
