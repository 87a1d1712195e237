# ===- _make_command.py - Commands that make a model of a model --------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""What python -m onnx_compile.saliency and onnx_compile.training have in common."""

from __future__ import annotations

import argparse
import pathlib
import sys
from collections.abc import Callable, Sequence

import onnx
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]

from onnx_compile._compile import CompileError, compile
from onnx_compile._training_step import TrainingError


def make_parser(module: str, description: str, epilog: str) -> argparse.ArgumentParser:
    """A parser of the arguments that the programs have in common: the model and the output."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=description, epilog=epilog,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("model", help="an ONNX model; its initializers are the weights")
    parser.add_argument("-o", "--output", required=True, metavar="FILE",
                        help="FILE.onnx: a model; any other name: compiled")  # fmt: skip
    return parser


def run(parser: argparse.ArgumentParser, arguments: Sequence[str] | None,
        make: Callable[[argparse.Namespace], tuple[onnx.ModelProto, str]]) -> int:  # fmt: skip
    """Writes the model that `make` makes, prints its line about it if there is one, and returns the exit status."""
    chosen = parser.parse_args(arguments)
    try:
        model, line = make(chosen)
        if pathlib.Path(chosen.output).suffix == ".onnx":
            onnx.save(model, chosen.output)
        else:
            compile(model, chosen.output)
    except CompileError as error:  # its text has the file and the severity
        print(error, file=sys.stderr)
        return error.status
    except DecodeError:
        print(f"{chosen.model}: error: it is not an ONNX model, or the file is truncated or damaged", file=sys.stderr)
        return 1
    except (TrainingError, OSError, RuntimeError) as error:
        print(f"{chosen.model}: error: {error}", file=sys.stderr)
        return 1
    if line:
        print(line)
    return 0
