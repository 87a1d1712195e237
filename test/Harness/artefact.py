# ===- artefact.py - Compile a model and run the result --------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Through the Python package, in this process: a parent that has loaded it forks
# children with a warm compiler. Without the package: the tool and ctypes.
# ===------------------------------------------------------------------------===//
"""Compiles a model to a shared object and runs it."""

import ctypes
import os
import re
import subprocess
import sys
import tempfile

from Harness import BUILD
from Harness.emulated import EmulatedSession
from Harness.isolation import StageError
from Harness.native import NativeSession, RunError

sys.path.insert(0, str(BUILD / "python"))
try:
    import onnx_compile
    from onnx_compile import _compiler  # noqa: F401, loaded here once for all children
except ImportError:
    onnx_compile = None

# Options of each compilation of this process and of its children: the IR is verified after each pass.
ALWAYS = {"verify_each": True}

# The exit status of an instrumented tool with a finding: utils/sanitize/DefaultOptions.c.
SANITIZER_STATUS = 99

# What a message of the compiler says about where it gave up; the first match counts.
STAGES = [
    ("refused", re.compile(r"compile the model for the processor")),
    ("lower", re.compile(r"failed to legalize|lowering|is not supported for|'(krnl|linalg|tensor|arith|memref|scf|vector)\.")),
    ("infer", re.compile(r"infer|rank|shape|type")),
    ("import", re.compile(r"opset|unknown operator|upgrade|attribute|import|initiali[sz]er")),
    ("codegen", re.compile(r"LLVM|codegen|lld|link|object")),
]


def stage_of(message):
    for stage, pattern in STAGES:
        if pattern.search(message):
            return stage
    return "compile"


def error_line(text):
    """The first error of a compiler's output, without the folder of the file."""
    lines = [" ".join(l.split()) for l in text.splitlines() if l.strip()]
    for mark in ("ERROR: AddressSanitizer", "runtime error:", "error:", "Assertion", "LLVM ERROR", "UNREACHABLE"):
        for line in lines:
            if mark in line:
                return re.sub(r"^\S*?([^/\s]+\.onnx:)", r"\1", line)
    return lines[0] if lines else ""


def compile_with_tool(model, output, options):
    """(status, messages) of the onnx-compile binary."""
    texts = {k: str(v).lower() if isinstance(v, bool) else v for k, v in options.items()}
    flags = [f"-{k}{v}" if len(k) == 1 else f"--{k.replace('_', '-')}={v}" for k, v in texts.items()]
    tool = BUILD / "bin" / "onnx-compile"
    if not tool.exists():
        raise StageError("compile", "the build has no onnx-compile")
    done = subprocess.run([tool, model, "-o", output, *flags], capture_output=True, text=True, errors="replace")
    if done.returncode < 0 or done.returncode == SANITIZER_STATUS or "Stack dump" in done.stderr:
        raise StageError("crash", error_line(done.stderr))
    return done.returncode, done.stderr


def try_compile(model, output, **options):
    """(exit status, all messages) of a compilation of the model file to `output`."""
    options = {**ALWAYS, **options}
    if not onnx_compile:
        return compile_with_tool(model, output, options)
    try:
        onnx_compile.compile(model, output, **options)
    except onnx_compile.CompileError as error:
        return error.status, str(error)
    return 0, ""


def compile_model(model, output, **options):
    """Compiles the model file to `output` and returns it; a refusal raises StageError with the first error."""
    status, messages = try_compile(model, output, **options)
    if status:
        message = error_line(messages) or f"exit status {status}"
        raise StageError(stage_of(message), message)
    return output


def warm_up():
    """Compiles a small model here, so that forked children find schemas, tables of the target and much memory ready.

    A child tries first: a compiler that crashes is the failure of each job, not of the whole suite.
    """
    if not onnx_compile:
        return
    child = os.fork()
    if child == 0:
        status = 1
        try:
            compile_small_model()
            status = 0
        finally:
            os._exit(status)
    if os.waitpid(child, 0)[1] == 0:
        compile_small_model()


def compile_small_model():
    """On one thread: no other may be left in a process that forks."""
    from onnx import TensorProto, helper

    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n"]) for name in "xy"]
    graph = helper.make_graph([helper.make_node("Neg", ["x"], ["y"])], "small", values[:1], values[1:])
    with tempfile.TemporaryDirectory(prefix="onnxc-") as folder:
        onnx_compile.compile(helper.make_model(graph), f"{folder}/model.so", O=1, threads=1)


def add_target_options(parser):
    """--triple and --cpu of a suite that may compile for another machine and run its code under an emulator."""
    parser.add_argument("--triple", help="compile for it, and run under QEMU; inputs and outputs are tensors then")
    parser.add_argument("--cpu", help="the processor to compile for")


def target_of(arguments):
    """The options of the compiler for what add_target_options read."""
    return {name: value for name in ("triple", "cpu") if (value := getattr(arguments, name))}


def add_device_option(parser):
    """--device of a suite that may run its kernels on the simulated GPU."""
    parser.add_argument("--device", action="store_true", help="compile for a GPU, and run on the simulated one")


def use_device(arguments):
    """What add_device_option reads counts for all compilations and runs from here on, in children too."""
    if arguments.device:
        ALWAYS["device"] = "cuda:simulator"


class DeviceSession:
    """A session that gives the results of its second run, whose launches are graphs in a random order."""

    def __init__(self, session):
        self.session = session

    def __getattr__(self, name):
        return getattr(self.session, name)

    def run(self, *arguments, **options):
        self.session.run(*arguments, **options)
        return self.session.run(*arguments, **options)


def load_session(path, triple=None):
    """Loads an artefact; the result has run(list of values) -> list of values."""
    if triple:
        return EmulatedSession(path, triple)
    if "device" in ALWAYS:
        # The runtime finds it as the driver.
        ctypes.CDLL(str(BUILD / "test/Simulator/libcuda.so.1"))
    session = onnx_compile.ExecutionSession(str(path)) if onnx_compile else NativeSession(path)
    return DeviceSession(session) if "device" in ALWAYS else session


__all__ = ["RunError", "add_device_option", "add_target_options", "compile_model", "load_session", "target_of", "try_compile", "use_device"]
