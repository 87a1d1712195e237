#!/usr/bin/env python3
# ===- export.py - Write small exports of well-known architectures ----------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# The weights are random. Each model is written by both exporters of torch, which
# emit very different graphs, and with it inputs of several sizes, so that what
# compares needs no torch.
# ===------------------------------------------------------------------------===//
"""Exports the models of the tables beside this file to build/exports.

utils/exports/setup.sh                                   install torch and related packages (once)
build/exports-venv/bin/python utils/exports/export.py    write all models
... export.py --filter vit --force                       write some again
"""

import argparse
import contextlib
import inspect
import logging
import os
import pathlib
import sys
import time
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import numpy as np
import torch
from rows import DYNAMO, SCRIPT

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "exports"


def all_rows():
    import detection
    import hub
    import language
    import structured
    import vision

    return vision.ROWS + detection.ROWS + language.ROWS + hub.ROWS + structured.ROWS


def write_inputs(row, path):
    """All sizes in one file; the names are NUMBER/INPUT."""
    arrays = {}
    for number, size in enumerate(row.sizes):
        torch.manual_seed(number)
        arrays |= {f"{number}/{name}": value.numpy() for name, value in row.inputs(**size).items()}
    np.savez(path, **arrays)


def measure_several_values(module, inputs):
    """A normalisation takes its statistics from what it sees; one value has none."""
    module.training = inputs[0].numel() > inputs[0].shape[1]


def prepare(row):
    """The model with weights under which its results vary: random detectors would give all places the same score."""
    torch.manual_seed(7)
    model = row.make().eval().requires_grad_(False)
    # What begins with zeros (last layers, biases) would hide what is before it.
    for parameter in model.parameters():
        if parameter.is_floating_point() and not parameter.any():
            torch.nn.init.normal_(parameter, std=0.1)
    normalisations = [m for m in model.modules() if isinstance(m, torch.nn.modules.batchnorm._BatchNorm)]
    for module in normalisations:
        module.momentum = 1.0
        module.register_forward_pre_hook(measure_several_values)
    if normalisations:
        model(*row.inputs(**row.sizes[0]).values())
    for module in normalisations:
        module._forward_pre_hooks.clear()
    return model.eval()


def export_by_script(row, path):
    inputs = row.inputs(**row.sizes[0])
    torch.onnx.export(
        prepare(row),
        tuple(inputs.values()),
        str(path),
        dynamo=False,
        opset_version=row.opset,
        input_names=list(inputs),
        dynamic_axes=row.axes,
        do_constant_folding=True,
    )


def export_by_dynamo(row, path):
    inputs, model = row.inputs(**row.sizes[0]), prepare(row)
    shapes = [row.axes.get(name) for name in inputs]
    # The sizes of *arguments are a tuple of their own.
    for place, parameter in enumerate(inspect.signature(model.forward).parameters.values()):
        if parameter.kind is parameter.VAR_POSITIONAL:
            shapes = [*shapes[:place], tuple(shapes[place:])]
    torch.onnx.export(
        model,
        tuple(inputs.values()),
        str(path),
        dynamo=True,
        opset_version=row.dynamo_opset,
        input_names=list(inputs),
        dynamic_shapes=tuple(shapes),
        external_data=False,
        verbose=False,
    )


@contextlib.contextmanager
def silence():
    """Whatever the exporters print, from C++ too, goes nowhere."""
    sys.stdout.flush()
    kept, nowhere = [os.dup(1), os.dup(2)], os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1), os.dup2(nowhere, 2)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept[0], 1), os.dup2(kept[1], 2)
        for handle in (*kept, nowhere):
            os.close(handle)


def export(row, exporter, path):
    """Writes one model; returns None, or why it could not be."""
    torch.manual_seed(0)
    with silence(), torch.no_grad():
        try:
            {SCRIPT: export_by_script, DYNAMO: export_by_dynamo}[exporter](row, path)
        except Exception as error:  # whatever the exporter does not know
            path.unlink(missing_ok=True)
            if os.environ.get("ONNXC_EXPORT_TRACE"):
                raise
            return f"{type(error).__name__}: {' '.join(str(error).split())}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filter", default="", help="only models whose name contains this")
    parser.add_argument("--exporter", choices=[SCRIPT, DYNAMO], help="only by this exporter")
    parser.add_argument("--force", action="store_true", help="also what is there already")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    # Fused attention in evaluation is an operator that only one of the exporters knows.
    torch.backends.mha.set_fastpath_enabled(False)
    FOLDER.mkdir(parents=True, exist_ok=True)
    written = failed = 0
    for row in all_rows():
        for exporter in row.exporters:
            name = f"{row.name}.{exporter}"
            path = FOLDER / f"{name}.onnx"
            if arguments.filter not in name or arguments.exporter not in (None, exporter) or (path.exists() and not arguments.force):
                continue
            write_inputs(row, FOLDER / f"{row.name}.npz")
            started = time.monotonic()
            reason = export(row, exporter, path)
            failed, written = failed + bool(reason), written + (not reason)
            fate = f"NOT EXPORTED: {reason[:300]}" if reason else f"{path.stat().st_size / 1e6:.1f} MB"
            print(f"{name}: {fate}, {time.monotonic() - started:.1f} s", flush=True)
    print(f"{written} exported, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
