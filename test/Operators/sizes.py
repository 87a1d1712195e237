#!/usr/bin/env python3
# ===- sizes.py - Every operator with sizes that are wrong ------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# A small node of each operator is compiled with every size unknown and run with
# sizes that are empty, or disagree with each other; then without any shape, and
# run with one dimension more or less. Memory beside the inputs cannot be read:
# who reads beyond them dies.
# ===------------------------------------------------------------------------===//
"""Runs every operator with empty tensors, and with sizes or ranks that do not fit together.

  sizes.py                        the suite: nothing crashes, errors name the node
  sizes.py --operator Conv        one operator
  sizes.py --ranks                other ranks instead of sizes
  sizes.py --compare              beside the reference implementation and onnxruntime:
                                  what only one side accepts, and other results
"""

import argparse
import collections
import ctypes
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


def compiled(signature, node, folder, keep_ranks):
    """A session of the node with all sizes unknown, and the ranks too if told."""
    proto, inputs = references.make_node(signature, node, "")
    model = references.make_model([proto], inputs, list(proto.output), unknown=True, ranked=keep_ranks)
    onnx.save(model, folder / "model.onnx")
    artefact.compile_model(folder / "model.onnx", folder / "model.so", O=1)
    return artefact.load_session(folder / "model.so")


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


class Job:
    """Compiles a node of an operator and runs it with all changes of its sizes."""

    def __init__(self, compare, ranks):
        self.compare, self.ranks = compare, ranks

    def __call__(self, signature, reporter):
        row = table.row_of(signature)
        reporter.stage("make")
        types = usual_types(signature, row)
        node = row.make(table.Maker(signature, types, np.random.default_rng(zlib.crc32(signature.key.encode()))))
        reporter.stage("compile")
        with tempfile.TemporaryDirectory(prefix="onnxc-") as scratch:
            session = compiled(signature, node, pathlib.Path(scratch), not self.ranks)
        found = []
        for what, shapes in (rank_changes if self.ranks else changes)(shapes_of(node)):
            reporter.stage(f"run with {what}")
            changed = resized(node, shapes)
            results, error = run(session, signature, changed)
            if error is not None and (what == "no change" or not re.search("(node|input) '", error)):
                found.append(("unlocated", what, error))
            elif self.compare:
                reporter.stage(f"opinions on {what}")
                kind, text = verdict(results, error, list(opinions(signature, changed)), row)
                found.append((kind, what, text))
            else:
                found.append(("agreed", what, ""))
        return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--operator", action="append", help="only this operator, with its domain; may be repeated")
    parser.add_argument("--ranks", action="store_true", help="change ranks instead of sizes")
    parser.add_argument("--compare", action="store_true", help="beside other implementations; fails for nothing more")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    signatures = [s for s in schemas.all_signatures() if table.row_of(s) and (not arguments.operator or s.key in arguments.operator)]
    counts, failed = collections.Counter(), 0
    for signature, outcome in isolation.run_isolated(signatures, Job(arguments.compare, arguments.ranks), arguments.jobs, 120, 16 << 30):
        if outcome.status != "passed":
            failed += 1
            print(f"FAILED {signature.key}: {outcome.status} {outcome.stage}: {' '.join(outcome.message.split())[:300]}", flush=True)
            continue
        for kind, what, text in outcome.value:
            counts[kind] += 1
            failed += kind == "unlocated"
            if kind != "agreed":
                mark = "FAILED " if kind == "unlocated" else ""
                print(f"{mark}{signature.key}: {kind} with {what}: {' '.join(text.split())[:240]}", flush=True)
    if arguments.compare:
        print(", ".join(f"{kind} {count}" for kind, count in sorted(counts.items())))
    print(f"{sum(counts.values()) - counts['unlocated']} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
