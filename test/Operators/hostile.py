#!/usr/bin/env python3
# ===- hostile.py - Every operator with values that nobody means ------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# A small node of each operator is compiled with every size unknown and with its
# shapes, axes, pads and their like as inputs, and run with the ends of integer
# types, with repeated and far too large values, and with tensors that have no
# element but a huge size. A child has little memory and time, and what it reads
# beyond its inputs ends it.
# ===------------------------------------------------------------------------===//
"""Runs every operator with hostile values and with huge empty tensors.

  hostile.py                        the suite: nothing crashes or hangs, errors name the node
  hostile.py --operator Tile        one operator
  hostile.py --draws 20             more forms of each: axes, modes, optional operands
  hostile.py --print                what became of each run
"""

import argparse
import itertools
import math
import os
import pathlib
import re
import resource
import sys
import tempfile
import zlib

os.environ.setdefault("OM_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import numpy as np
import onnx
import references
import schemas
import sizes
import table
from onnx import helper

from Harness import artefact, isolation

INTEGERS = (-(2**63), 1 - 2**63, -(2**62), -(2**40), -2, -1, 0, 1, 2, 2**31, 2**40, 2**40 + 1, 2**60, 2**62, 2**62 + 4, 2**63 - 1)
FLOATS = (np.nan, np.inf, -np.inf, -1.0, 0.0, 1e-30, 1e9, 1e30)
# Sizes beside one of 0.
HUGE = (2**31, 2**40)
# As many iterations as the data says, also without an element: a deadline ends them.
TRIPS = {"Loop", "Scan"}
# A Scan inside: as many steps as the input has, also of an empty batch.
STEPS = {"com.microsoft.DynamicQuantizeLSTM"}
# Values of one operand are changed one by one up to so many.
FEW = 6
# Seconds for a run of a drawn form, which may have as many rows without elements as a size says.
DEADLINE = 0.5
# What runs may allocate in all, beside what the process has.
ROOM = 1 << 30


def values_for(operand):
    """The hostile values of an operand's type; none where the values are not sizes, axes or indices."""
    array = operand.value
    if not isinstance(array, np.ndarray) or array.size == 0:
        return ()
    if array.dtype.kind in "iu":
        limits = np.iinfo(array.dtype)
        return sorted({min(max(v, limits.min), limits.max) for v in INTEGERS})
    return FLOATS if operand.structural and array.dtype.kind == "f" else ()


def value_changes(node):
    """Yields (what is changed, the node then): one value of an operand, and all of them."""
    for i, operand in enumerate(node.inputs):
        for value in values_for(operand) if operand else ():
            places = range(operand.value.size) if 1 < operand.value.size <= FEW else ()
            for place in (None, *places):
                array = np.array(operand.value)
                array.reshape(-1)[slice(None) if place is None else place] = value
                inputs = list(node.inputs)
                inputs[i] = operand._replace(value=array)
                yield f"#{i}[{'all' if place is None else place}] = {value}", node._replace(inputs=inputs)


def shape_changes(node):
    """Yields (what is changed, the node then): two sizes wherever they are, one 0 and the other huge."""
    shapes = sizes.shapes_of(node)
    found = sorted({size for shape in shapes.values() for size in shape})
    for (none, much), huge in itertools.product(itertools.permutations(found, 2), HUGE):
        new = {none: 0, much: huge}
        changed = {i: tuple(new.get(size, size) for size in shape) for i, shape in shapes.items()}
        # A shape without the 0 would have more elements than there is memory for.
        changed = {i: shape if 0 in shape or huge not in shape else shapes[i] for i, shape in changed.items()}
        # NumPy has no array whose sizes have a product that overflows, without the 0 or with it.
        if any(math.prod(max(size, 1) for size in shape) >= 2**56 for shape in changed.values()):
            continue
        yield f"all {none} = 0, all {much} = {huge}", sizes.resized(node, changed)
    for i, shape in shapes.items():
        for (d, e), huge in itertools.product(itertools.permutations(range(len(shape)), 2), HUGE):
            other = [0 if k == d else huge if k == e else size for k, size in enumerate(shape)]
            yield f"shape of #{i} = {other}", sizes.resized(node, {i: tuple(other)})


def model_of(signature, node):
    """The model of the node: all operands are inputs, and only the lengths of structural ones are known."""
    proto, inputs = references.make_node(signature, node, "")
    infos = []
    for name, operand in inputs:
        shape = references.shape_in(operand.value)
        if shape and not operand.structural:
            shape = [f"{name}_{k}" for k in range(len(shape))]
        infos.append(helper.make_value_info(name, schemas.type_proto(operand.kind, shape)))
    outputs = [onnx.ValueInfoProto(name=name) for name in proto.output]
    graph = helper.make_graph([proto], "g", infos, outputs)
    opsets = [helper.make_opsetid(d, references.OPSETS[d]) for d in dict.fromkeys(("", proto.domain))]
    return helper.make_model(graph, opset_imports=opsets, ir_version=12)


def session_of(signature, node):
    """A session of the node's model."""
    with tempfile.TemporaryDirectory(prefix="onnxc-") as scratch:
        folder = pathlib.Path(scratch)
        onnx.save(model_of(signature, node), folder / "model.onnx")
        artefact.compile_model(folder / "model.onnx", folder / "model.so", O=1)
        return artefact.load_session(folder / "model.so")


def limit_memory():
    """Lets this process have little more memory than it has."""
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + ROOM
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def run(session, node, deadline):
    """The error of a run, None if it has none; twice, with either end of the inputs guarded."""
    for at_end in (False, True):
        feeds = [sizes.guarded(operand.value, at_end) for operand in node.inputs if operand is not None]
        feeds += [operand.value for operand in node.captured.values()]
        try:
            session.run(feeds, deadline=deadline)
        except Exception as error:  # the message is judged
            return str(error)
    return None


def kind_of(error):
    """What became of a run."""
    if error is None:
        return "accepted"
    return "refused" if re.search("(nodes?|input|output) '|^the deadline of", error) else "unlocated"


class Choices(table.Maker):
    """Makes nodes of a row by random choices; the first of all where there is nothing to choose by."""

    def __init__(self, signature, types, choose):
        super().__init__(signature, types, np.random.default_rng(zlib.crc32(signature.key.encode())))
        self.choose, self.chosen = choose, []

    def pick(self, *choices):
        self.chosen.append(int(self.choose.integers(len(choices))) if self.choose else 0)
        return choices[self.chosen[-1]]


def forms(signature, draws):
    """Nodes of the operator's row that differ in what it may choose: axes, modes, optional operands."""
    row = table.row_of(signature)
    types, found = sizes.usual_types(signature, row), {}
    choose = np.random.default_rng(zlib.crc32(signature.key.encode()))
    for draw in range(1 + draws):
        maker = Choices(signature, types, choose if draw else None)
        node = row.make(maker)
        found.setdefault(tuple(maker.chosen), node)
    return list(found.values())


class Job:
    """Compiles nodes of an operator and runs them with all changes."""

    def __init__(self, draws):
        self.draws = draws

    def __call__(self, signature, reporter):
        reporter.stage("make")
        nodes, sessions, found = forms(signature, self.draws), [], []
        for number, node in enumerate(nodes):
            reporter.stage(f"compile form {number}, {node.attributes}")
            try:
                sessions.append(session_of(signature, node))
            except isolation.StageError as error:
                sessions.append(None)
                found.append(("refused", f"compile form {number}", str(error)))
        limit_memory()
        for number, (node, session) in enumerate(zip(nodes, sessions, strict=True)):
            for what, changed in itertools.chain(value_changes(node), shape_changes(node)) if session else ():
                reporter.stage(f"run form {number}, {node.attributes}, with {what}")
                error = run(session, changed, DEADLINE if number or signature.key in STEPS else None)
                found.append((kind_of(error), f"form {number}, {what}", error or ""))
        return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--operator", action="append", help="only this operator, with its domain; may be repeated")
    parser.add_argument("--print", action="store_true", help="tell what became of each run")
    parser.add_argument("--draws", type=int, default=2, help="forms of each operator beside its first: other axes, modes, optional operands")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    signatures = [s for s in schemas.all_signatures() if s.key not in TRIPS and table.row_of(s) and (not arguments.operator or s.key in arguments.operator)]
    passed, failed = 0, 0
    for signature, outcome in isolation.run_isolated(signatures, Job(arguments.draws), arguments.jobs, memory=16 << 30):
        if outcome.status != "passed":
            failed += 1
            print(f"FAILED {signature.key}: {outcome.status} {outcome.stage}: {' '.join(outcome.message.split())[:300]}", flush=True)
            continue
        for kind, what, text in outcome.value:
            failed += kind == "unlocated"
            passed += kind != "unlocated"
            if arguments.print or kind == "unlocated" or "compile" in what:
                mark = "FAILED " if kind == "unlocated" else ""
                print(f"{mark}{signature.key}: {kind} with {what}: {' '.join(text.split())[:240]}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
