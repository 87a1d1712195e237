# ===- build_backend.py - pip install . packs the build ---------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# The two functions that pip asks of a build backend (PEP 517). A wheel is a zip
# file with three text files in it, which is no reason to need a network.
# ===------------------------------------------------------------------------===#
import base64
import hashlib
import json
import os
import pathlib
import re
import stat
import sysconfig
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("ONNXC_BUILD_DIR", ROOT / "build"))


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    project = _read_project()
    name = project["name"].replace("-", "_")
    version = project["version"]
    python = "cp" + sysconfig.get_config_var("py_version_nodot")
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    tag = f"{python}-{python}-{platform}"
    info = f"{name}-{version}.dist-info"
    files = _package_files()
    files[f"{info}/METADATA"] = _metadata(project).encode()
    files[f"{info}/entry_points.txt"] = _entry_points(project).encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    record = "".join(f"{path},{_digest(data)},{len(data)}\n" for path, data in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    wheel = f"{name}-{version}-{tag}.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            mode = 0o755 if path.startswith("onnx_compile/bin/") else 0o644
            entry.external_attr = (stat.S_IFREG | mode) << 16
            archive.writestr(entry, data)
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    raise SystemExit("onnx-compile is built from its repository, not from a source archive")


def _read_project():
    """The table [project] of pyproject.toml. Python 3.10 reads no TOML; our values are JSON as well."""
    tables, table = {}, None
    for line in (ROOT / "pyproject.toml").read_text().splitlines():
        if header := re.fullmatch(r"\[(.+)\]", line):
            table = tables.setdefault(header[1], {})
        elif pair := re.fullmatch(r"(\S+) = (.+)", line):
            table[pair[1]] = json.loads(pair[2])
    inner = {name: tables[f"project.{name}"] for name in ("optional-dependencies", "scripts")}
    return {**tables["project"], **inner}


def _package_files():
    """Path in the wheel to content."""
    package = BUILD / "python"
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    for extension in ("_session", "_compiler"):
        if not (package / "onnx_compile" / (extension + suffix)).exists():
            raise SystemExit(f"{package} has no {extension}{suffix}: build the project first, with this Python")
    files = {"PyRuntime.py": (package / "PyRuntime.py").read_bytes()}
    for path in sorted((package / "onnx_compile").iterdir()):
        if path.suffix == ".py" or path.name.endswith(suffix):
            files[f"onnx_compile/{path.name}"] = path.read_bytes()
    for path in sorted((package / "onnx_compile" / "include").rglob("*")):
        if path.is_file():
            files[path.relative_to(package).as_posix()] = path.read_bytes()
    for name in ("onnx-compile", "onnx-run"):
        files[f"onnx_compile/bin/{name}"] = (BUILD / "bin" / name).read_bytes()
    for name in ("onnxc_rt.o", "libonnxc_rt.a", *_stub_names()):
        files[f"onnx_compile/lib/onnxc/{name}"] = (BUILD / "lib" / "onnxc" / name).read_bytes()
    return files


def _stub_names():
    """The libraries that artefacts are linked with, from the table of the runtime."""
    table = ROOT / "runtime" / "include" / "onnxc" / "rt" / "Libraries.def"
    return re.findall(r'^ONNXC_\w+_LIBRARY\("(.+)"\)', table.read_text(), re.MULTILINE)


def _metadata(project):
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}"]
    lines += [f"Summary: {project['description']}", f"Requires-Python: {project['requires-python']}"]
    lines += [f"Requires-Dist: {dependency}" for dependency in project["dependencies"]]
    for extra, dependencies in project.get("optional-dependencies", {}).items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {dependency}; extra == "{extra}"' for dependency in dependencies]
    return "\n".join(lines) + "\n"


def _entry_points(project):
    scripts = [f"{name} = {target}" for name, target in project["scripts"].items()]
    return "\n".join(["[console_scripts]", *scripts]) + "\n"


def _digest(data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"sha256={digest}"
