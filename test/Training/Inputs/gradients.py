# ===- gradients.py - Gradients against differences -------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Compares gradients with differences of what is differentiated, in double precision.

gradients.py BASE [--only TEXT] [--dynamic | --static] [--apart]: files are written beside BASE.
The functions of gradient_cases.py are compiled several to a model, each with the sum of
sin(y) as its loss, and moved along random directions all together.
"""

import argparse
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, compose, helper, parser

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

import gradient_cases
from Harness import artefact
from Harness.isolation import StageError

OPSETS = [helper.make_opsetid("", 28), helper.make_opsetid("ai.onnx.preview.training", 1)]
MANY, DIRECTIONS, STEP = 25, 4, 1e-5
random = np.random.default_rng(5)


def info(name, value, dynamic):
    kind = helper.np_dtype_to_tensor_dtype(value.dtype)
    return helper.make_tensor_value_info(name, kind, [None] * value.ndim if dynamic else value.shape)


def graph_of(number, text, inputs, dynamic):
    """Nodes, inputs, and names of loss and gradients; all names begin with the number of the function."""
    whole = text + " sine = Sin(y) loss = ReduceSum<keepdims = 0>(sine)"
    graph = parser.parse_graph(f"g () => (double loss) {{ {whole} }}")
    graph.input.extend(info(n, v, dynamic) for n, v in inputs.items())
    prefix = f"f{number}."
    graph = compose.add_prefix_graph(graph, prefix)
    names = [prefix + n for n, v in inputs.items() if v.dtype == np.float64]
    results = [prefix + "d" + n[len(prefix) :] for n in names]
    node = helper.make_node("Gradient", names, results, domain="ai.onnx.preview.training", xs=names, y=prefix + "loss")
    return [*graph.node, node], list(graph.input), names, [prefix + "loss", *results]


def compiled(base, nodes, inputs, outputs, dynamic):
    results = [helper.make_tensor_value_info(n, TensorProto.DOUBLE, None) for n in outputs]
    graph = helper.make_graph(nodes, "g", inputs, results)
    onnx.save(helper.make_model(graph, opset_imports=OPSETS), f"{base}.onnx")
    # What is checked with unknown sizes are the rules; their kernels are those of any model.
    artefact.compile_model(f"{base}.onnx", f"{base}.so", O=0 if dynamic else 2)
    return artefact.load_session(f"{base}.so")


def losses_alone(base, nodes, inputs, outputs, feed):
    """What the functions are where nobody differentiates them."""
    losses = [name for name in outputs if name.endswith(".loss")]
    session = compiled(f"{base}.plain", [n for n in nodes if n.op_type != "Gradient"], inputs, losses, dynamic=True)
    return dict(zip(losses, session.run([feed[i.name] for i in inputs])))


def check_together(base, rows, dynamic):
    """Yields what is wrong with rows of (text, inputs)."""
    nodes, inputs, outputs, functions, feed = [], [], [], [], {}
    for number, (text, values) in enumerate(rows):
        own_nodes, own_inputs, names, results = graph_of(number, text, values, dynamic)
        functions.append((text, names, len(outputs)))
        nodes += own_nodes
        inputs += own_inputs
        outputs += results
        feed.update({f"f{number}.{n}": v for n, v in values.items()})
    session = compiled(base, nodes, inputs, outputs, dynamic)
    run = lambda values: session.run([values[i.name] for i in inputs])  # noqa: E731
    gradients = run(feed)
    # What operators were replaced by must be the same function.
    for name, value in ({} if dynamic else losses_alone(base, nodes, inputs, outputs, feed)).items():
        if not np.isclose(value, gradients[outputs.index(name)], rtol=1e-6):
            yield f"{rows[int(name[1:].split('.')[0])][0]}: is {gradients[outputs.index(name)]} instead of {value}"
    for text, names, first in functions:
        for place, name in enumerate(names):
            if gradients[first + 1 + place].shape != feed[name].shape:
                yield f"{text}: the gradient by {name} has shape {gradients[first + 1 + place].shape}"
    for _ in range(DIRECTIONS):
        moves = {n: random.standard_normal(v.shape) for n, v in feed.items() if v.dtype == np.float64}
        above, below = (run({n: v + sign * STEP * moves[n] if n in moves else v for n, v in feed.items()})
                         for sign in (1, -1))  # fmt: skip
        for text, names, first in functions:
            wanted = (above[first] - below[first]) / (2 * STEP)
            got = sum(np.sum(gradients[first + 1 + place] * moves[n]) for place, n in enumerate(names))
            if not np.isclose(got, wanted, rtol=2e-6, atol=2e-7):
                yield f"{text}: the slope is {wanted}, the gradient says {got}"


def check_all(base, rows, dynamic, many):
    """How many rows are wrong; says which."""
    wrong = 0
    for first in range(0, len(rows), many):
        part = rows[first : first + many]
        try:
            problems = list(check_together(base, part, dynamic))
        except StageError as error:
            if len(part) > 1:
                wrong += check_all(base, part, dynamic, 1)
                continue
            problems = [f"{part[0][0]}: {' '.join(str(error).split())[:400]}"]
        for problem in problems:
            print(f"WRONG{' with unknown sizes' if dynamic else ''}: {problem}", flush=True)
        wrong += len({p.split(":")[0] for p in problems})
    return wrong


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("base")
    arguments.add_argument("--only", default="", help="only functions whose text contains this")
    arguments.add_argument("--static", action="store_true", help="known sizes alone")
    arguments.add_argument("--dynamic", action="store_true", help="unknown sizes alone")
    arguments.add_argument("--apart", action="store_true", help="one model for each function")
    chosen = arguments.parse_args()
    modes = [False] * (not chosen.dynamic) + [True] * (not chosen.static)
    for family, rows in gradient_cases.FAMILIES.items():
        rows = [row for row in rows if chosen.only in row[0]]
        for dynamic in modes:
            able = [row for row in rows if not (dynamic and row[0] in gradient_cases.KNOWN_SIZES)]
            if able:
                wrong = check_all(chosen.base, able, dynamic, 1 if chosen.apart else MANY)
                sizes = "unknown sizes" if dynamic else "known sizes"
                print(f"{family}, {sizes}: {len(able) - wrong} of {len(able)} functions agree", flush=True)


if __name__ == "__main__":
    main()
