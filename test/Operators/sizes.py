#!/usr/bin/env python3
# ===- sizes.py - Every operator with sizes that are wrong ------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# A small node of each operator is compiled with every size unknown and run with
# sizes that are empty, or disagree with each other; then without any shape, and
# run with one dimension more or less; then for each of these sizes, alone or with
# constants. Memory beside the inputs cannot be read: who reads beyond them, or
# anything of one that is empty, dies.
# ===------------------------------------------------------------------------===//
"""Runs every operator with empty tensors, and with sizes or ranks that do not fit together.

  sizes.py                        the suite: nothing crashes, errors name the node
  sizes.py --operator Conv        one operator
  sizes.py --mode ranks           other ranks instead of sizes
  sizes.py --mode static          compiled for each of the sizes: results are those of
                                  the model with dynamic sizes
  sizes.py --mode constant        the same with every input but the first a constant
  sizes.py --mode empty           with dynamic sizes for every processor and level of
                                  optimisation, and one input after the other empty
  sizes.py --mode static --share 8  every eighth of what a mode tries
  sizes.py --device               for a GPU, on the simulated one; with any mode
  sizes.py --compare              beside the reference implementation and onnxruntime:
                                  what only one side accepts, and other results
"""

import argparse
import collections
import ctypes
import itertools
import mmap
import os
import pathlib
import re
import sys
import tempfile
import zlib

os.environ.setdefault("OM_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import comparison
import numpy as np
import onnx
import references
import schemas
import table

from Harness import artefact, isolation

# What the processors of a kind need beyond those of the kind before.
PROCESSORS = {
    "generic": set(),
    "x86-64-v2": {"sse4_2", "popcnt", "ssse3", "cx16"},
    "x86-64-v3": {"avx2", "fma", "bmi2", "f16c", "movbe"},
    "x86-64-v4": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
}
LEVELS = (0, 1, 2, 3)
# Findings that fail the suite; others are shown, and counted as what has passed.
FAILURES = ("unlocated", "different")
# How an error of a run or of a compilation says where it is, and words that are none of the user's.
LOCATED = re.compile(r"(nodes?|input) '|:\"[^\"]+\": error:")
INTERNAL = re.compile(r"'(krnl|linalg|tensor|arith|memref|scf|vector|func|builtin)\.")

LIBC = ctypes.CDLL(None, use_errno=True)
PAGE = mmap.PAGESIZE
NO_ACCESS = 0


def guarded(array, at_end):
    """A copy that begins or ends where a page begins that cannot be read."""
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "biufcV":
        return array
    size = -(-array.nbytes // PAGE) * PAGE
    memory = mmap.mmap(-1, size + 2 * PAGE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    start = PAGE + (size - array.nbytes if at_end else 0)
    copy = np.frombuffer(memory, np.uint8, array.nbytes, start).view(array.dtype).reshape(array.shape)
    copy[...] = array
    for page in (address, address + PAGE + size):
        assert LIBC.mprotect(ctypes.c_void_p(page), ctypes.c_size_t(PAGE), NO_ACCESS) == 0, os.strerror(ctypes.get_errno())
    return copy


def usual_types(signature, row):
    """The types that most have: floats and wide integers."""
    usual = {name: table.preferred(allowed) for name, allowed in signature.constraints.items()}
    return table.complete(row, usual) or table.combinations(signature, row)[0]


def shapes_of(node):
    """The shapes of the inputs of the run that are tensors, by their number."""
    return {i: o.value.shape for i, o in enumerate(node.inputs) if o and not o.structural and isinstance(o.value, np.ndarray)}


def changes(shapes):
    """Yields (what is changed, the shapes then): one size alone, and all that were equal."""
    for i, shape in shapes.items():
        for d, size in enumerate(shape):
            for other in sorted({0, 1, size - 1, size + 1} - {size, -1}):
                yield f"#{i}[{d}] = {other}", shapes | {i: shape[:d] + (other,) + shape[d + 1 :]}
    for size in sorted({s for shape in shapes.values() for s in shape}):
        for other in sorted({0, 1, size + 1} - {size}):
            yield f"all {size} = {other}", {i: tuple(other if s == size else s for s in shape) for i, shape in shapes.items()}


def rank_changes(shapes):
    """Yields the shapes as they are, and each with a dimension more or less."""
    yield "no change", shapes
    for i, shape in shapes.items():
        if shape:
            yield f"rank of #{i} = {len(shape) - 1}", shapes | {i: shape[1:]}
        yield f"rank of #{i} = {len(shape) + 1}", shapes | {i: (1, *shape)}


def resized(node, shapes):
    """The node with operands of other shapes; their elements are the old ones, repeated."""
    inputs = [o._replace(value=np.resize(o.value, shapes[i])) if i in shapes else o for i, o in enumerate(node.inputs)]
    return node._replace(inputs=inputs)


def compiled(signature, node, folder, unknown=True, ranked=True, **options):
    """A session of the node, with sizes that are not known, and ranks too if told."""
    proto, inputs = references.make_node(signature, node, "")
    model = references.make_model([proto], inputs, list(proto.output), unknown=unknown, ranked=ranked)
    onnx.save(model, folder / "model.onnx")
    artefact.compile_model(folder / "model.onnx", folder / "model.so", **options)
    return artefact.load_session(folder / "model.so")


def with_constants(node):
    """The node with all inputs but the first stored in the model."""
    first = next((i for i, o in enumerate(node.inputs) if o and not o.structural), 0)

    def stored(i, operand):
        isStored = operand and i > first and isinstance(operand.value, np.ndarray)
        return operand._replace(structural=True) if isStored else operand

    return node._replace(inputs=[stored(i, o) for i, o in enumerate(node.inputs)])


def processors():
    """The kinds of processors that code for is tried: all that this machine has."""
    flags = set(re.findall(r"[\w.]+", pathlib.Path("/proc/cpuinfo").read_text().partition("flags")[2].partition("\n")[0]))
    return list(itertools.takewhile(lambda name: PROCESSORS[name] <= flags, PROCESSORS))


def run(session, signature, node):
    """(results, None) or (None, the error); twice, with either end of the inputs guarded."""
    _, inputs = references.make_node(signature, node, "")
    for at_end in (False, True):
        feeds = [guarded(v, at_end) for v in references.feeds(inputs).values()]
        try:
            results = session.run(feeds)
        except Exception as error:  # the message is judged
            return None, str(error)
    return results, None


def opinions(signature, node):
    """What others compute; a refusal is no opinion."""
    for ask in (references.by_reference, references.by_onnxruntime):
        try:
            yield ask(signature, node)
        except Exception:  # they have many ways to refuse
            continue


def verdict(results, error, others, row):
    """How our outcome compares with those of others: (kind, text)."""
    if error is not None:
        return ("refused", error) if others else ("agreed", "")
    if not others:
        return "accepted", f"shapes {[np.shape(r) for r in results]}"
    complaints = []
    for theirs in others:
        wrong = next((p for i, (o, t) in enumerate(zip(results, theirs)) if i not in row.undefined and (p := comparison.differs(o, t, 1e-3))), None)
        if not wrong or row.random:
            return "agreed", ""
        complaints.append(wrong)
    return "differs", "; ".join(complaints)


def judge(what, results, error):
    """A finding of a run that needs no other: errors name the node, in the user's words."""
    located = error is None or (what != "no change" and LOCATED.search(error) and not INTERNAL.search(error))
    return ("agreed", what, "") if located else ("unlocated", what, error)


class Job:
    """Compiles a node of an operator and runs it with all changes of its sizes."""

    def __init__(self, arguments):
        self.compare, self.mode, self.share = arguments.compare, arguments.mode, arguments.share

    def __call__(self, signature, reporter):
        row = table.row_of(signature)
        reporter.stage("make")
        types = usual_types(signature, row)
        node = row.make(table.Maker(signature, types, np.random.default_rng(zlib.crc32(signature.key.encode()))))
        with tempfile.TemporaryDirectory(prefix="onnxc-") as scratch:
            return list(self.findings(signature, node, row, pathlib.Path(scratch), reporter))

    def picked(self, signature, tries):
        """The share of what there is to try, another one for each operator."""
        return list(tries)[zlib.crc32(signature.key.encode()) % self.share :: self.share]

    def findings(self, signature, node, row, folder, reporter):
        if self.mode == "empty":
            yield from self.empties(signature, node, folder, reporter)
            return
        reporter.stage("compile")
        session = compiled(signature, node, folder, ranked=self.mode != "ranks", O=1)
        tries = (rank_changes if self.mode == "ranks" else changes)(shapes_of(node))
        for what, shapes in self.picked(signature, tries):
            reporter.stage(f"run with {what}")
            changed = resized(node, shapes)
            results, error = run(session, signature, changed)
            if self.mode in ("static", "constant"):
                yield from self.known(signature, changed, row, folder, reporter, what, (results, error))
                continue
            finding = judge(what, results, error)
            if self.compare and finding[0] == "agreed":
                reporter.stage(f"opinions on {what}")
                kind, text = verdict(results, error, list(opinions(signature, changed)), row)
                finding = (kind, what, text)
            yield finding

    def known(self, signature, node, row, folder, reporter, what, expected):
        """Findings of the node compiled for its sizes, beside what it does where they are open."""
        reporter.stage(f"compile with {what}")
        given = with_constants(node) if self.mode == "constant" else node
        try:
            session = compiled(signature, given, folder, unknown=False, O=3)
        except isolation.StageError as refusal:
            results, error = None, str(refusal)
        else:
            reporter.stage(f"run compiled with {what}")
            results, error = run(session, signature, given)
        finding = judge(what, results, error)
        if finding[0] == "agreed" and None not in (results, expected[0]) and not row.random:
            wrong = next((p for i, (o, e) in enumerate(zip(results, expected[0]))
                          if i not in row.undefined and (p := comparison.differs(o, e, 1e-3, row.slack))), None)  # fmt: skip
            finding = ("different", what, wrong) if wrong else finding
        elif finding[0] == "agreed" and (error is None) != (expected[1] is None):
            finding = ("accepted", what, expected[1]) if error is None else ("refused", what, error)
        yield finding

    def empties(self, signature, node, folder, reporter):
        """Findings with one input after the other empty, for each processor and level."""
        tries = [(what, shapes) for what, shapes in changes(shapes_of(node)) if what.endswith(" = 0")]
        for cpu, level in self.picked(signature, itertools.product(processors(), LEVELS)):
            reporter.stage(f"compile for {cpu} -O{level}")
            session = compiled(signature, node, folder, cpu=cpu, O=level)
            for what, shapes in tries:
                what = f"{what} for {cpu} -O{level}"
                reporter.stage(f"run with {what}")
                yield judge(what, *run(session, signature, resized(node, shapes)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--operator", action="append", help="only this operator, with its domain; may be repeated")
    parser.add_argument("--mode", choices=("open", "ranks", "static", "constant", "empty"), default="open")
    parser.add_argument("--share", type=int, default=1, metavar="N", help="every Nth of what the mode tries only")
    parser.add_argument("--compare", action="store_true", help="beside other implementations; fails for nothing more")
    parser.add_argument("--jobs", type=int, default=2)
    artefact.add_device_option(parser)
    arguments = parser.parse_args()
    artefact.use_device(arguments)
    signatures = [s for s in schemas.all_signatures() if table.row_of(s) and (not arguments.operator or s.key in arguments.operator)]
    counts, failed = collections.Counter(), 0
    if arguments.mode in ("constant", "empty"):
        signatures = [s for s in signatures if len(s.inputs) > 1 or s.inputs and s.inputs[0].option == "variadic"]
    for signature, outcome in isolation.run_isolated(signatures, Job(arguments), arguments.jobs, memory=16 << 30):
        if outcome.status != "passed":
            failed += 1
            print(f"FAILED {signature.key}: {outcome.status} {outcome.stage}: {' '.join(outcome.message.split())[:300]}", flush=True)
            continue
        for kind, what, text in outcome.value:
            counts[kind] += 1
            failed += kind in FAILURES
            if kind != "agreed":
                mark = "FAILED " if kind in FAILURES else ""
                print(f"{mark}{signature.key}: {kind} with {what}: {' '.join(text.split())[:240]}", flush=True)
    if arguments.compare:
        print(", ".join(f"{kind} {count}" for kind, count in sorted(counts.items())))
    print(f"{sum(counts.values()) - sum(counts[kind] for kind in FAILURES)} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
