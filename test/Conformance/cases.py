# ===- cases.py - The cases of ONNX's backend test suite -------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Node cases exist only as Python code of the onnx package, light models only
# as models: both are written to disk once, in ONNX's own folder layout.
# ===------------------------------------------------------------------------===//
"""Lists the cases of the backend suite and keeps those that must be generated on disk."""

import dataclasses
import fcntl
import json
import pathlib
import shutil
import warnings

import numpy as np
import onnx
from onnx.backend.test.loader import DATA_DIR, load_model_tests

from Harness import BUILD, values

CACHE = BUILD / "conformance-cases"
STORED_KINDS = ("simple", "pytorch-converted", "pytorch-operator")


@dataclasses.dataclass(frozen=True)
class Case:
    """One case: model.onnx and test_data_set_N in a folder, and the suite's tolerance."""

    kind: str
    name: str
    folder: str
    operators: tuple
    types: tuple
    rtol: float
    atol: float

    @property
    def path(self):
        return pathlib.Path(self.folder)


def operators_of(model):
    """The operators of the main graph, with their domain unless it is ONNX's own."""
    names = ((n.domain + "." if n.domain not in ("", "ai.onnx") else "") + n.op_type for n in model.graph.node)
    return tuple(dict.fromkeys(names))


def types_of(model):
    """The element types of the graph's tensor inputs and outputs."""
    found = set()
    for info in [*model.graph.input, *model.graph.output]:
        if info.type.HasField("tensor_type"):
            found.add(onnx.TensorProto.DataType.Name(info.type.tensor_type.elem_type).lower())
        else:
            found.add(info.type.WhichOneof("value").removesuffix("_type"))
    return tuple(sorted(found))


def write_case(folder, model, data_sets):
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    for index, (inputs, outputs) in enumerate(data_sets):
        data = folder / f"test_data_set_{index}"
        data.mkdir()
        for kind, items, infos in [("input", inputs, model.graph.input), ("output", outputs, model.graph.output)]:
            for i, (value, info) in enumerate(zip(items, infos)):
                proto = values.value_to_proto(value, info.type, info.name)
                (data / f"{kind}_{i}.pb").write_bytes(proto.SerializeToString())




def generate_node_cases(index):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.random.seed(0)
        tests = load_model_tests(kind="node")
    for test in tests:
        folder = CACHE / "node" / test.name
        write_case(folder, test.model, test.data_sets)
        index.append(describe("node", test, folder, test.model))


def dummy_input(info):
    """The ramp that the suite itself feeds to light models."""
    shape = [d.dim_value if d.HasField("dim_value") else 1 for d in info.type.tensor_type.shape.dim]
    count = int(np.prod(shape))
    return (np.arange(count).reshape(shape) / count).astype(np.float32)


def generate_light_cases(index):
    """Light models carry their expected output beside them; the input is a ramp."""
    package = pathlib.Path(onnx.__file__).parent.parent
    for test in load_model_tests(kind="real"):
        source = package / test.url
        model = onnx.load(source)
        inputs = [dummy_input(i) for i in values.graph_inputs(model)]
        folder = CACHE / "light" / test.name
        (folder / "test_data_set_0").mkdir(parents=True)
        shutil.copy(source, folder / "model.onnx")
        for i, value in enumerate(inputs):
            proto = onnx.numpy_helper.from_array(value)
            (folder / "test_data_set_0" / f"input_{i}.pb").write_bytes(proto.SerializeToString())
        for i in range(len(model.graph.output)):
            stored = source.with_name(f"{source.stem}_output_{i}.pb")
            shutil.copy(stored, folder / "test_data_set_0" / f"output_{i}.pb")
        index.append(describe("light", test, folder, model))


def describe(kind, test, folder, model):
    return {"kind": kind, "name": test.name, "folder": str(folder), "operators": operators_of(model),
            "types": types_of(model), "rtol": test.rtol, "atol": test.atol}  # fmt: skip


def generate():
    """Writes the cases that exist only in the package, and at the end the index of all of them."""
    shutil.rmtree(CACHE, ignore_errors=True)
    CACHE.mkdir(parents=True)
    index = []
    generate_node_cases(index)
    generate_light_cases(index)
    for kind in STORED_KINDS:
        for test in load_model_tests(kind=kind):
            folder = pathlib.Path(DATA_DIR) / kind / test.name
            index.append(describe(kind, test, folder, onnx.load(folder / "model.onnx")))
    names = [entry["name"] for entry in index]
    assert len(names) == len(set(names)), "case names are expected to be unique across kinds"
    index.sort(key=lambda entry: (entry["kind"], entry["name"]))
    (CACHE / "index.json").write_text(json.dumps({"onnx": onnx.__version__, "cases": index}, indent=1))


def load_cases():
    """Returns all cases, generating them first where the cache is missing or of another version.

    Tests that run at the same time wait for the one that generates.
    """
    path = CACHE / "index.json"
    with CACHE.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists() or json.loads(path.read_text())["onnx"] != onnx.__version__:
            generate()
        cases = json.loads(path.read_text())["cases"]
    return [Case(**{k: tuple(v) if isinstance(v, list) else v for k, v in case.items()}) for case in cases]


def cases_of_folder(folder):
    """The cases in a folder of cases, as packages of older versions carry them: onnx/backend/test/data/node."""
    cases = []
    for path in sorted(pathlib.Path(folder).resolve().glob("*/model.onnx")):
        model = onnx.load(path)
        cases.append(Case("folder", path.parent.name, str(path.parent), operators_of(model), types_of(model), 1e-3, 1e-7))
    return cases
