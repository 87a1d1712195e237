# ===- _peer_commands.py - onnx-run verify and bench --against --------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""onnx-run verify|bench MODEL.so --against=ENGINE: onnx-run starts this with its own arguments."""

from __future__ import annotations

import argparse
import json
import pathlib
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from onnx_compile._bench import bench
from onnx_compile._compile import CompileError
from onnx_compile._execution_session import ExecutionSession
from onnx_compile._verify import verify

# The statuses of onnx-run.
_OK, _REJECTED, _USAGE, _DIFFERS = 0, 1, 2, 3
_ENGINES = ("onnxruntime", "openvino", "reference")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="onnx-run", allow_abbrev=False)
    verbs = parser.add_subparsers(dest="verb", required=True)
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("artefact")
    common.add_argument("--against", required=True)
    common.add_argument("--model")
    common.add_argument("--input", action="append", default=[])
    common.add_argument("--data-set")
    common.add_argument("--shape", action="append", default=[], type=_shape)
    common.add_argument("--dim", action="append", default=[], type=_dim)
    common.add_argument("--range", action="append", default=[], type=_range)
    common.add_argument("--seed", type=int, default=0)
    common.add_argument("--threads", type=int)
    common.add_argument("--device", type=int)
    common.add_argument("--json", action="store_true")
    common.add_argument("--quiet", action="store_true")
    of_verify = verbs.add_parser("verify", parents=[common], allow_abbrev=False)
    of_verify.add_argument("--rtol", type=float)
    of_verify.add_argument("--atol", type=float)
    of_verify.add_argument("--quanta", type=int, default=1)
    of_verify.add_argument("--no-locate", action="store_true")
    of_bench = verbs.add_parser("bench", parents=[common], allow_abbrev=False)
    of_bench.add_argument("--rounds", type=int, default=15)
    of_bench.add_argument("--seconds", type=float, default=0.15)
    of_bench.add_argument("--csv", metavar="FILE")
    of_bench.add_argument("--svg", metavar="FILE")
    return parser


def _pair(text: str, separator: str, form: str) -> tuple[str, str]:
    name, found, value = text.rpartition(separator)
    if not found:
        raise argparse.ArgumentTypeError(f"'{text}' should be {form}")
    return name, value


def _shape(text: str) -> tuple[str, tuple[int, ...]]:
    name, sizes = _pair(text, ":", "NAME:1x3x224")
    return name, tuple(int(size) for size in sizes.split("x") if size)


def _dim(text: str) -> tuple[str, int]:
    name, size = _pair(text, "=", "SYMBOL=SIZE")
    return name, int(size)


def _range(text: str) -> tuple[str, tuple[float, float]]:
    name, ends = _pair(text, "=", "NAME=LOW:HIGH")
    low, high = _pair(ends, ":", "NAME=LOW:HIGH")
    return name, (float(low), float(high))


def _read(path: str, type: str) -> Any:
    """The value in the file of an input of this type, as ONNX writes it."""
    if path.endswith(".npy"):
        return np.load(path)
    if not path.endswith(".pb"):
        raise ValueError(f"{path}: inputs are .npy or .pb files with --against")
    import onnx
    import onnx.numpy_helper as helper

    readers = {"seq": (onnx.SequenceProto, helper.to_list), "map": (onnx.MapProto, helper.to_dict),
               "optional": (onnx.OptionalProto, helper.to_optional)}  # fmt: skip
    proto, convert = readers.get(type.partition("(")[0], (onnx.TensorProto, helper.to_array))
    try:
        return convert(proto.FromString(pathlib.Path(path).read_bytes()))
    except Exception as error:  # protobuf and onnx have exceptions of their own
        raise ValueError(f"{path}: it is no {type}: {error}") from error


def _given(arguments: argparse.Namespace, types: Mapping[str, str]) -> dict[str, Any]:
    """Inputs from files, by name or in the order of the model, which `types` has."""
    names = list(types)
    files: dict[str, str] = {}
    if arguments.data_set:
        paths = {name: pathlib.Path(arguments.data_set, f"input_{i}.pb") for i, name in enumerate(names)}
        files = {name: str(path) for name, path in paths.items() if path.exists()}
    for i, text in enumerate(arguments.input):
        if not text.startswith("@"):
            name, path = _pair(text, "=@", "NAME=@FILE or @FILE")
        elif i < len(names):
            name, path = names[i], text[1:]
        else:
            raise ValueError(f"the model has only {len(names)} inputs: {', '.join(names)}")
        files[name] = path
    return {name: _read(path, types.get(name, "tensor")) for name, path in files.items()}


def _model_of(arguments: argparse.Namespace, engines: Sequence[str], info: dict[str, Any]) -> str | None:
    """The model file: --model, else the file beside the artefact that it was compiled from."""
    if arguments.model or not set(_ENGINES) & set(engines):
        return str(arguments.model) if arguments.model else None
    beside = pathlib.Path(arguments.artefact).resolve().with_name(str(info.get("model", "")) or "model.onnx")
    if not beside.is_file():
        raise ValueError(f"cannot find the model that {arguments.artefact} was compiled from: it is not {beside}; use --model=FILE")
    return str(beside)


def _options(info: dict[str, Any]) -> dict[str, Any]:
    """How the artefact was compiled, for the parts that are compiled to find a node."""
    # The processors of code for a device are devices.
    names = ("level", "strict", "device", "tf32") if "device" in info else ("level", "strict", "cpu")
    return {"O" if name == "level" else name: info[name] for name in names if name in info}


def _run(arguments: argparse.Namespace) -> int:
    session = ExecutionSession(arguments.artefact)
    info = json.loads(session.compilation_info())
    engines = arguments.against.split(",") if arguments.verb == "bench" else [arguments.against]
    inputs = {
        "artefact": arguments.artefact,
        "inputs": _given(arguments, {value.name: value.type for value in session.inputs}),
        "dims": dict(arguments.dim),
        "shapes": dict(arguments.shape),
        "ranges": dict(arguments.range),
        "seed": arguments.seed,
        "gpu": arguments.device,
    }
    model = _model_of(arguments, engines, info)
    if arguments.verb == "bench":
        return _bench(model, engines, arguments, inputs)
    if arguments.threads:
        session.threads = arguments.threads
    return _verify(model, arguments, inputs, _options(info))


def _verify(
    model: str | None, arguments: argparse.Namespace, inputs: dict[str, Any], options: dict[str, Any]
) -> int:
    found = verify(
        model,
        arguments.against,
        **inputs,
        rtol=arguments.rtol,
        atol=arguments.atol,
        quanta=arguments.quanta,
        locate=not arguments.no_locate,
        progress=None if arguments.quiet else lambda line: print(line, file=sys.stderr),
        **options,
    )
    print(json.dumps(found.as_dict(), indent=2) if arguments.json else found, flush=True)
    print("PASSED" if found.passed else "FAILED", file=sys.stderr)
    return _OK if found.passed else _DIFFERS


def _bench(model: str | None, engines: Sequence[str], arguments: argparse.Namespace, inputs: dict[str, Any]) -> int:
    measured = bench(
        model, engines, **inputs, threads=arguments.threads or None, rounds=arguments.rounds, seconds=arguments.seconds
    )
    if arguments.csv:
        measured.write_csv(arguments.csv)
    if arguments.svg:
        measured.write_svg(arguments.svg)
    print(json.dumps(measured.as_dict(), indent=2) if arguments.json else measured)
    return _OK if any(timing.ratio for timing in measured.timings) else _REJECTED


def main(words: Sequence[str] | None = None) -> int:
    """Exit status: 0 done or all outputs agree, 1 a model or an input was rejected, 2 usage, 3 an output differs."""
    try:
        arguments = _parser().parse_args(words)
    except SystemExit as error:
        return _USAGE if error.code else _OK
    try:
        return _run(arguments)
    except Exception as error:  # engines raise exceptions of their own
        print(f"onnx-run: error: {error}", file=sys.stderr)
        return error.status if isinstance(error, CompileError) else _REJECTED
