# ===- torch_times.py - Times of a model in PyTorch --------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""Runs a model of write_graph.py in PyTorch: torch_times.py GRAPH.npz [--device cpu] [--save OUT.npz] [--seconds S].

Prints two medians in milliseconds: of eager operators, which take cuBLASLt and cuDNN, and of
torch.compile with mode="max-autotune", which takes Triton as well. On a GPU each is a CUDA graph, so that
the launches of the host do not count. Products of f32 are exact, as those of onnx-compile without --tf32.
--save writes the outputs of eager operators for inputs of ones.

Ends with 1 and a message where the model has an operator that is not in OPERATORS.
"""

import argparse
import json
import statistics
import sys
import time

import numpy as np
import torch
from torch.nn import functional as F

TYPES = {1: torch.float32, 2: torch.uint8, 3: torch.int8, 6: torch.int32, 7: torch.int64, 9: torch.bool,
         10: torch.float16, 11: torch.float64, 16: torch.bfloat16}  # fmt: skip


def padded(x, a, dimensions, value=0.0):
    """The image with the padding of a convolution or pool, which ONNX gives as all begins and then all ends."""
    if a.get("auto_pad", "NOTSET") not in ("NOTSET", "VALID"):
        raise NotImplementedError("auto_pad")
    pads = a.get("pads", [0] * 2 * dimensions)
    ends = [pads[i + side * dimensions] for i in reversed(range(dimensions)) for side in (0, 1)]
    return F.pad(x, ends, value=value) if any(ends) else x


def convolution(a, x, w, b=None):
    n = x.dim() - 2
    pads = a.get("pads", [0] * 2 * n)
    symmetric = pads[:n] == pads[n:] and a.get("auto_pad", "NOTSET") == "NOTSET"
    run = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}[n]
    return run(x if symmetric else padded(x, a, n), w, b, stride=a.get("strides", 1), padding=pads[:n] if symmetric else 0,
               dilation=a.get("dilations", 1), groups=a.get("group", 1))  # fmt: skip


def max_pool(a, x):
    n = x.dim() - 2
    run = {1: F.max_pool1d, 2: F.max_pool2d, 3: F.max_pool3d}[n]
    image = padded(x, a, n, -torch.inf)
    return run(image, a["kernel_shape"], a.get("strides", [1] * n), 0, a.get("dilations", 1), bool(a.get("ceil_mode")))


def gemm(a, x, w, c=None):
    x, w = (x.T if a.get("transA") else x), (w.T if a.get("transB") else w)
    alpha, beta = a.get("alpha", 1.0), a.get("beta", 1.0)
    return alpha * (x @ w) if c is None else torch.addmm(c, x, w, beta=beta, alpha=alpha)


def gather(a, x, indices):
    axis = a.get("axis", 0) % x.dim()
    indices = torch.where(indices < 0, indices + x.shape[axis], indices)
    taken = torch.index_select(x, axis, indices.flatten())
    return taken.reshape(x.shape[:axis] + indices.shape + x.shape[axis + 1 :])


def reshape(a, x, shape):
    sizes = [x.shape[i] if size == 0 and not a.get("allowzero") else size for i, size in enumerate(shape)]
    return x.reshape(sizes)


def layer_norm(a, x, scale, bias=None):
    return F.layer_norm(x, x.shape[a.get("axis", -1) % x.dim() :], scale, bias, a.get("epsilon", 1e-5))


OPERATORS = {
    "Add": lambda a, x, y: x + y,
    "And": lambda a, x, y: x & y,
    "Cast": lambda a, x: x.to(TYPES[a["to"]]),
    "Clip": lambda a, x, low=None, high=None: torch.clamp(x, low, high),
    "Concat": lambda a, *xs: torch.cat(xs, a["axis"]),
    "Conv": convolution,
    "Div": lambda a, x, y: x / y,
    "Erf": lambda a, x: torch.erf(x),
    "Flatten": lambda a, x: x.reshape(int(np.prod(x.shape[: a.get("axis", 1)])), -1),
    "Gather": gather,
    "Gelu": lambda a, x: F.gelu(x, approximate=a.get("approximate", "none")),
    "Gemm": gemm,
    "GlobalAveragePool": lambda a, x: x.mean(tuple(range(2, x.dim())), keepdim=True),
    "HardSigmoid": lambda a, x: torch.clamp(a.get("alpha", 0.2) * x + a.get("beta", 0.5), 0, 1),
    "HardSwish": lambda a, x: F.hardswish(x),
    "LayerNormalization": layer_norm,
    "MatMul": lambda a, x, y: x @ y,
    "MaxPool": max_pool,
    "Mul": lambda a, x, y: x * y,
    "Relu": lambda a, x: torch.relu(x),
    "Reshape": reshape,
    "Sigmoid": lambda a, x: torch.sigmoid(x),
    "Softmax": lambda a, x: torch.softmax(x, a.get("axis", -1)),
    "Sqrt": lambda a, x: torch.sqrt(x),
    "Sub": lambda a, x, y: x - y,
    "Tanh": lambda a, x: torch.tanh(x),
    "Transpose": lambda a, x: x.permute(a.get("perm", list(reversed(range(x.dim()))))),
    "Where": lambda a, condition, x, y: torch.where(condition, x, y),
}
# Operators whose second input is a list of sizes, which the function has when it is traced.
SHAPES = {"Reshape"}


class Model(torch.nn.Module):
    def __init__(self, path, device):
        super().__init__()
        file = np.load(path)
        self.graph = json.loads(str(file["graph"]))
        missing = sorted({op for op, *_ in self.graph["nodes"]} - OPERATORS.keys())
        if missing:
            sys.exit(f"error: torch_times.py does not know {', '.join(missing)}")
        shapes = {inputs[1] for op, inputs, *_ in self.graph["nodes"] if op in SHAPES}
        self.constants = {}
        for key in file.files:
            name = key.removeprefix("constant:")
            if name == key:
                continue
            value = torch.from_numpy(file[key])
            value = value.view(torch.bfloat16) if name in self.graph["bfloat16"] else value
            self.constants[name] = value.tolist() if name in shapes else value.to(device)

    def ones(self, device):
        return [torch.ones(sizes, dtype=TYPES[kind], device=device) for kind, sizes in self.graph["inputs"].values()]

    def forward(self, *inputs):
        values = self.constants | dict(zip(self.graph["inputs"], inputs))
        for op, names, results, attributes in self.graph["nodes"]:
            operands = [values[name] if name else None for name in names]
            values[results[0]] = OPERATORS[op](attributes, *operands)
        return [values[name] for name in self.graph["outputs"]]


def replayed(run):
    """A CUDA graph of the function."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            run()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        run()
    return graph.replay


def median(run, device, seconds):
    """Milliseconds of a run, on a GPU by its events."""
    times, end = [], time.perf_counter() + seconds
    while len(times) < 10 or (time.perf_counter() < end and len(times) < 200):
        if device == "cuda":
            begin, done = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            run()
            done.record()
            done.synchronize()
            times.append(begin.elapsed_time(done))
        else:
            begin = time.perf_counter()
            run()
            times.append(1000 * (time.perf_counter() - begin))
    return statistics.median(times[2:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graph")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--save", metavar="OUT.npz")
    parser.add_argument("--seconds", type=float, default=2)
    options = parser.parse_args()
    if options.device == "cuda" and not torch.cuda.is_available():
        sys.exit("error: PyTorch finds no GPU")
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
    model = Model(options.graph, options.device).eval()
    inputs = model.ones(options.device)
    wrap = replayed if options.device == "cuda" else lambda run: run
    with torch.no_grad():
        if options.save:
            np.savez(options.save, *[x.float().cpu().numpy() for x in model(*inputs)])
        print(f"{median(wrap(lambda: model(*inputs)), options.device, options.seconds):.4g}", end=" ", flush=True)
        # The graph is made here: that of mode="max-autotune" would copy its inputs.
        compiled = torch.compile(model, mode="max-autotune-no-cudagraphs", fullgraph=True)
        print(f"{median(wrap(lambda: compiled(*inputs)), options.device, options.seconds):.4g}")


if __name__ == "__main__":
    main()
