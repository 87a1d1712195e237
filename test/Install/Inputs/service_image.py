# ===- service_image.py - The image of a service, asked for a digit ----------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""service_image.py DOCKERFILE CONTEXT FOLDER IMAGE.npy: carries out the steps of the stage `service`, and asks it.

It begins with a root folder of Python and the packages that pip would download. Run by the Python that has them.
"""

import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time
import urllib.request

import numpy as np
from python_root import add, fill, run

dockerfile, context, folder, image = map(pathlib.Path, sys.argv[1:])
base = folder / "base"
LARGE = ("ray", "dask", "distributed", "onnx_compile")  # MLServer does without


def fill_base():
    packages = pathlib.Path(np.__file__).parents[1]
    base.mkdir(parents=True)
    python = fill(base, [p for p in packages.iterdir() if not p.name.startswith((*LARGE, "pip", "__pycache__"))])
    run(base, python, "-m", "ensurepip", "--default-pip")
    server = base / str(python.parent).lstrip("/") / "mlserver"
    server.write_text(f"#!{python}\nfrom mlserver.cli import main\nmain()\n")
    server.chmod(0o755)
    (base / "usr" / "local").mkdir(parents=True, exist_ok=True)
    (base / "usr" / "local" / "bin").symlink_to(python.parent)
    add(base, pathlib.Path("/bin/sh"))  # needs a C library alone


def ask(port, path, body=None):
    url = f"http://127.0.0.1:{port}/v2/{path}"
    request = urllib.request.Request(url, body and json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=300) as answer:
        return json.loads(answer.read() or "{}")


def is_ready(port):
    try:
        ask(port, "models/model/ready")
        return True
    except OSError:
        return False


def main():
    fill_base()
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
    http, grpc, metrics = (str(one.getsockname()[1]) for one in sockets)
    for one in sockets:
        one.close()
    ports = {"MLSERVER_HTTP_PORT": http, "MLSERVER_GRPC_PORT": grpc, "MLSERVER_METRICS_PORT": metrics}
    builder = pathlib.Path(__file__).with_name("build_image.py")
    words = [sys.executable, builder, dockerfile, context, base, folder, "service", "MODEL=digits.onnx", "CPU=x86-64-v2", "--"]
    process = subprocess.Popen(words, env=os.environ | ports | {"PIP_NO_INDEX": "1"}, start_new_session=True, stdout=sys.stderr)
    try:
        while not is_ready(http):
            assert process.poll() is None, "the image was not made, or its server has ended"
            time.sleep(0.2)
        tensor = {"name": "image", "datatype": "FP32", "shape": [1, 1, 8, 8], "data": np.load(image).ravel().tolist()}
        (output,) = ask(http, "models/model/infer", {"inputs": [tensor]})["outputs"]
        print("the service says", int(np.argmax(output["data"])))
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
        process.wait()


main()
