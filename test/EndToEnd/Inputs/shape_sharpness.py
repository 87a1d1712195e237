# ===- shape_sharpness.py - Our types against the onnx library's ------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# For every model given or of the backend suite: take the shapes away from its
# outputs, infer them again, and compare with what onnx.shape_inference finds
# in the same file. Ours must say at least as much.
# ===------------------------------------------------------------------------===//
"""Checks that inferred output types are at least as sharp as the onnx library's."""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import onnx
import onnx_compile

from Conformance.cases import load_cases
from Harness import BUILD

ELEMENTS = {
    "f32": 1, "ui8": 2, "i8": 3, "ui16": 4, "i16": 5, "i32": 6, "i64": 7, "!onnx.string": 8, "i1": 9, "f16": 10,
    "f64": 11, "ui32": 12, "ui64": 13, "complex<f32>": 14, "complex<f64>": 15, "bf16": 16, "f8E4M3FN": 17,
    "f8E4M3FNUZ": 18, "f8E5M2": 19, "f8E5M2FNUZ": 20, "ui4": 21, "i4": 22, "f4E2M1FN": 23, "f8E8M0FNU": 24,
    "ui2": 25, "i2": 26, "f6E2M3FN": 27, "f6E3M2FN": 28,
}  # fmt: skip
BATCH = 100


def strip_bodies(graph):
    """Takes the sizes of what goes into bodies of nodes and comes out, which are only declared."""
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                for value in [*attribute.g.input, *attribute.g.output]:
                    for dim in value.type.tensor_type.shape.dim:
                        dim.Clear()
                del attribute.g.value_info[:]
                strip_bodies(attribute.g)


def strip_outputs(model, name):
    """A copy called `name` whose outputs have no shapes."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    copy.graph.name = name
    for output in copy.graph.output:
        if output.type.HasField("tensor_type"):
            output.type.tensor_type.ClearField("shape")
    del copy.graph.value_info[:]
    strip_bodies(copy.graph)
    return copy


def declared_rank(output):
    """None if the file does not say."""
    tensor = output.type.tensor_type
    return len(tensor.shape.dim) if tensor.HasField("shape") else None


def forget_sizes(model):
    """Makes every size of the inputs an unknown of its own."""
    for input in model.graph.input:
        if input.type.HasField("tensor_type"):
            for i, dim in enumerate(input.type.tensor_type.shape.dim):
                dim.dim_param = f"{input.name}_{i}"
    for output in model.graph.output:
        if output.type.HasField("tensor_type"):
            output.type.tensor_type.ClearField("shape")
    return model


def parse_tensor(text):
    """'tensor<2x?xf32>' -> (1, [2, None]), unranked -> (1, None), others -> None."""
    match = re.fullmatch(r"tensor<((?:[\d?*]+x)*)(.*)>", text)
    if not match:
        return None
    dims = match[1].split("x")[:-1]
    if dims == ["*"]:
        return ELEMENTS[match[2]], None
    return ELEMENTS[match[2]], [None if d == "?" else int(d) for d in dims]


def split_types(text):
    """Splits 'tensor<..> {..}, !onnx.seq<..>' at the commas between results."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "<({[") - (c in ">)}]")
        if c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    parts.append(text[start:])
    return [part.split(" {")[0].strip() for part in parts]


def our_types(module):
    """The result types of the entry function of a printed module."""
    signature = re.search(r"func\.func @main_graph.*", module)[0]
    results = signature[signature.rindex(") -> ") + 5 :] if ") -> " in signature else ""
    results = results.removesuffix("{").strip()
    if results.startswith("("):
        results = results[1:-1]
    return split_types(results)


def sharpness_error(ours, library):
    """Where `ours` says less than the library's type, or something else; None if nowhere."""
    if not library.HasField("tensor_type") or library.tensor_type.elem_type == 0:
        return None
    found = parse_tensor(ours)
    if not found or found[0] != library.tensor_type.elem_type:
        return f"element type differs: {ours}"
    if not library.tensor_type.HasField("shape"):
        return None
    dims = [d.dim_value if d.HasField("dim_value") else None for d in library.tensor_type.shape.dim]
    if found[1] is None or len(found[1]) != len(dims):
        return f"{ours} where the library has {dims}"
    # Where the library computes with a size that it does not know it says 0.
    known = [None if mine is None and theirs == 0 else theirs for mine, theirs in zip(found[1], dims)]
    if any(theirs is not None and theirs != mine for mine, theirs in zip(found[1], known)):
        return f"{ours} where the library has {dims}"
    return None


def import_model(model, folder):
    """The printed module of `model`; empty, with a message, if it is refused."""
    path = pathlib.Path(folder) / f"{model.graph.name}.mlir"
    try:
        onnx_compile.compile(model.SerializeToString(), output=path, emit="onnx-basic")
    except onnx_compile.CompileError as error:
        return "", str(error)
    return path.read_text(), ""


def infer_batch(modules):
    """Printed modules by model name, of those that could be inferred, and messages."""
    command = [BUILD / "bin" / "onnx-opt", "-", "--split-input-file", "--onnx-infer-shapes=annotate=false"]
    inferred = subprocess.run(command, input="// -----\n".join(modules), capture_output=True, text=True)
    if inferred.returncode < 0:
        sys.exit(f"onnx-opt crashed: {inferred.stderr[-2000:]}")
    printed = re.split(r"^// -----$", inferred.stdout, flags=re.MULTILINE)
    named = {re.search(r'onnx\.model_name = "([^"]*)"', m)[1]: m for m in printed if "onnx.model_name" in m}
    return named, inferred.stderr


def compare_batch(models, folder, verbose):
    """Compares (name, model) pairs; returns how many were inferred and the errors."""
    declared = [[declared_rank(output) for output in model.graph.output] for _, model in models]
    models = [(name, strip_outputs(model, f"case{i}")) for i, (name, model) in enumerate(models)]
    imported = [import_model(model, folder) for _, model in models]
    modules, messages = infer_batch([module for module, _ in imported if module])
    if verbose:
        print("\n".join([m for _, m in imported if m] + [messages]), file=sys.stderr)
    inferred, errors = 0, []
    for i, (name, model) in enumerate(models):
        if f"case{i}" not in modules:
            if verbose:
                print(f"not inferred: {name}", file=sys.stderr)
            continue
        inferred += 1
        library = onnx.shape_inference.infer_shapes(model, data_prop=True)
        for ours, output, rank in zip(our_types(modules[f"case{i}"]), library.graph.output, declared[i], strict=True):
            error = sharpness_error(ours, output.type)
            # In some bodies of Scan the library loses count of the dimensions.
            if error and rank in (None, declared_rank(output)):
                errors.append(f"{name}, output {output.name}: {error}")
    return inferred, errors


def compare(models, verbose):
    """compare_batch for any number of models."""
    inferred, errors = 0, []
    with tempfile.TemporaryDirectory() as folder:
        for start in range(0, len(models), BATCH):
            more, wrong = compare_batch(models[start : start + BATCH], folder, verbose)
            inferred, errors = inferred + more, errors + wrong
    return inferred, errors


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", type=pathlib.Path, help="default: the backend suite's node cases")
    parser.add_argument("--at-least", type=int, default=0, help="how many must be inferred at all")
    parser.add_argument("--dynamic", action="store_true", help="take the sizes away from the inputs first")
    parser.add_argument("-v", "--verbose", action="store_true")
    arguments = parser.parse_args()
    paths = arguments.models or [case.path / "model.onnx" for case in load_cases() if case.kind == "node"]
    models = [(path.stem if arguments.models else path.parent.name, onnx.load(path)) for path in paths]
    if arguments.dynamic:
        models = [(name, forget_sizes(model)) for name, model in models]
    inferred, errors = compare(models, arguments.verbose)
    for error in errors:
        print(error)
    print(f"{inferred} of {len(models)} inferred, {len(errors)} less sharp")
    return 1 if errors or inferred < arguments.at_least else 0


if __name__ == "__main__":
    sys.exit(main())
