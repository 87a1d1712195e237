# ===- peers.py - The engines that bench.py sets side by side --------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Each engine is a callable on the same prepared inputs, float32 arithmetic,
# all its own optimisations on, the same number of threads.
# ===------------------------------------------------------------------------===//
"""The engines that bench.py sets side by side."""

import contextlib
import os
import subprocess
import sys
import tempfile
import time

import numpy as np


class Ours:
    """The compiled model. The compiler runs as a process of its own, so that its peak memory can be told."""

    name = "onnx-compile"

    def __init__(self, build, model, library, threads, level):
        os.environ["OM_NUM_THREADS"] = str(threads)
        self.compile_seconds, self.compile_peak_mb = compile_model(build, model, library, level)
        sys.path[:0] = [str(build / "python"), str(build.parent / "test")]
        try:
            from onnx_compile import ExecutionSession
        except ImportError:
            from Harness.native import NativeSession as ExecutionSession
        self.session = ExecutionSession(str(library))

    def bind(self, inputs):
        values = list(inputs.values())
        return lambda: self.session.run(values)


def peak_mb(pid):
    """The most memory the process has held so far; getrusage would count this process as well, across the fork."""
    with contextlib.suppress(OSError, StopIteration), open(f"/proc/{pid}/status") as status:
        return int(next(line for line in status if line.startswith("VmHWM")).split()[1]) / 1024
    return 0.0


def compile_model(build, model, library, level):
    """Returns (seconds, peak MB); raises RuntimeError with the compiler's first error."""
    command = [build / "bin" / "onnx-compile", model, "-o", library, f"-O{level}"]
    started, peak = time.monotonic(), 0.0
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
        while process.poll() is None:
            peak = max(peak, peak_mb(process.pid))
            time.sleep(0.005)
        seconds = time.monotonic() - started
        errors.seek(0)
        lines = errors.read().splitlines()
    if process.returncode:
        found = [line for line in lines if "error" in line] or lines or [f"exit status {process.returncode}"]
        raise RuntimeError(found[0][:300])
    return seconds, peak


class OnnxRuntime:
    """onnxruntime, all graph optimisations; its workers spin between runs as they do by default."""

    name = "onnxruntime"

    def __init__(self, model, threads, optimize=True):
        import onnxruntime

        self.version = onnxruntime.__version__
        options = onnxruntime.SessionOptions()
        levels = onnxruntime.GraphOptimizationLevel
        options.graph_optimization_level = levels.ORT_ENABLE_ALL if optimize else levels.ORT_DISABLE_ALL
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])

    def bind(self, inputs):
        return lambda: self.session.run(None, inputs)


class OpenVino:
    """OpenVINO for latency, float32 also where the processor has bfloat16."""

    name = "openvino"

    def __init__(self, model, threads):
        import openvino

        self.version = openvino.__version__.split("-")[0]
        settings = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1,
                    "INFERENCE_PRECISION_HINT": "f32"}  # fmt: skip
        core = openvino.Core()
        self.request = core.compile_model(core.read_model(str(model)), "CPU", settings).create_infer_request()

    def bind(self, inputs):
        from openvino import Tensor

        for index, value in enumerate(inputs.values()):
            self.request.set_input_tensor(index, Tensor(value, shared_memory=True))

        def run():
            self.request.infer()
            return [t.data for t in self.request.output_tensors]

        return run


def random_inputs(model, seed=1):
    """Seeded inputs by the model's signature: masks are ones, identifiers small, images normal; dynamic sizes are 1."""
    import onnx

    rng, inputs = np.random.default_rng(seed), {}
    stored = {t.name for t in model.graph.initializer}
    for info in model.graph.input:
        if info.name in stored:
            continue
        tensor = info.type.tensor_type
        shape = [d.dim_value or 1 for d in tensor.shape.dim]
        dtype = np.dtype(onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type))
        if "mask" in info.name:
            inputs[info.name] = np.ones(shape, dtype)
        elif dtype.kind in "iu":
            inputs[info.name] = rng.integers(0, 1000, shape).astype(dtype)
        else:
            inputs[info.name] = rng.standard_normal(shape).astype(dtype)
    return inputs
