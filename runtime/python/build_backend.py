# ===- build_backend.py - pip install . packs the build ---------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# The functions that pip asks of a build backend (PEP 517, PEP 660). A wheel is a
# zip file with three text files in it, which is no reason to need a network.
# ===------------------------------------------------------------------------===#
import base64
import hashlib
import io
import json
import os
import pathlib
import re
import stat
import subprocess
import sysconfig
import tarfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("ONNXC_BUILD_DIR", ROOT / "build"))
# The stable ABI of this version, so for all later ones too.
PYTHON = "cp310-abi3"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """One wheel for all versions of Python. Missing parts are built first."""
    _ensure_built()
    files = _package_files()
    return _write_wheel(wheel_directory, files, _platform(files))


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The package as it is in the build: `ninja -C build ONNXCPython` after a change."""
    _ensure_built()
    path = f"{BUILD.resolve() / 'python'}\n".encode()
    return _write_wheel(wheel_directory, {"onnx_compile.pth": path}, sysconfig.get_platform())


def build_sdist(sdist_directory, config_settings=None):
    """The files that git knows; where there is no git, all but the build."""
    project = _read_project()
    folder = f"{_file_name(project)}-{project['version']}"
    path = pathlib.Path(sdist_directory) / f"{folder}.tar.gz"
    with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for name in _source_names():
            archive.add(ROOT / name, f"{folder}/{name}", recursive=False)
        entry, data = tarfile.TarInfo(f"{folder}/PKG-INFO"), _metadata(project).encode()
        entry.size = len(data)
        archive.addfile(entry, io.BytesIO(data))
    return path.name


def _source_names():
    command = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\0")
    except (OSError, subprocess.CalledProcessError):
        listed = [path.relative_to(ROOT).as_posix() for path in sorted(ROOT.rglob("*"))]
    return [n for n in listed if n and (ROOT / n).is_file() and not n.startswith("build/") and n != "PKG-INFO"]


def _ensure_built():
    if not (BUILD / "python" / "onnx_compile" / "_session.abi3.so").exists():
        # The variables of the pip that runs this would confuse those that the scripts run.
        own = ("PEP517_", "_PYPROJECT_HOOKS_", "PIP_BUILD_TRACKER", "PYTHON")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(own)}
        for script, *targets in (("setup.sh",), ("build.sh", "ONNXCPython", "onnxc-self-contained")):
            subprocess.run([str(ROOT / "utils" / script), *targets], check=True, cwd=ROOT, env=environment)


def _write_wheel(folder, files, platform):
    project = _read_project()
    name = _file_name(project)
    tag = f"{PYTHON}-{platform.replace('-', '_').replace('.', '_')}"
    info = f"{name}-{project['version']}.dist-info"
    files[f"{info}/METADATA"] = _metadata(project).encode()
    files[f"{info}/entry_points.txt"] = _entry_points(project).encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    record = "".join(f"{path},{_digest(data)},{len(data)}\n" for path, data in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    wheel = f"{name}-{project['version']}-{tag}.whl"
    with zipfile.ZipFile(pathlib.Path(folder) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            mode = 0o755 if path.startswith("onnx_compile/bin/") else 0o644
            entry.external_attr = (stat.S_IFREG | mode) << 16
            archive.writestr(entry, data)
    return wheel


def _file_name(project):
    return project["name"].replace("-", "_")


def _read_project():
    """The table [project] of pyproject.toml. Python 3.10 reads no TOML; our values are JSON as well."""
    tables, table = {}, None
    for line in (ROOT / "pyproject.toml").read_text().splitlines():
        if header := re.fullmatch(r"\[(.+)\]", line):
            table = tables.setdefault(header[1], {})
        elif pair := re.fullmatch(r"(\S+) = (.+)", line):
            table[pair[1]] = json.loads(pair[2])
    inner = {name: tables[f"project.{name}"] for name in ("optional-dependencies", "scripts")}
    groups = "project.entry-points."
    inner["entry-points"] = {name.removeprefix(groups): t for name, t in tables.items() if name.startswith(groups)}
    return {**tables["project"], **inner}


def _package_files():
    """Path in the wheel to content: the package, and the files of the compiler, if it is there without LLVM's
    libraries (ninja onnxc-self-contained), else as it is in the build."""
    package = BUILD / "python"
    programs, suffix = (BUILD / "self-contained", "-self-contained") if _is_self_contained() else (BUILD, "")
    paths = {path: path.relative_to(package) for path in package.rglob("*") if path.suffix != ".pyc"}
    paths |= {programs / "bin" / (name + suffix): f"onnx_compile/bin/{name}" for name in ("onnx-compile", "onnx-run")}
    library = next((programs / "lib").glob("libonnxc.so.[0-9]"))
    paths[library] = f"onnx_compile/lib/{library.name}"
    runtime = BUILD / "lib" / "onnxc"
    paths |= {path: f"onnx_compile/lib/onnxc/{path.relative_to(runtime)}" for path in runtime.rglob("*")}
    return {str(name): path.read_bytes() for path, name in sorted(paths.items()) if path.is_file()}


def _is_self_contained():
    return (BUILD / "self-contained" / "lib" / "libonnxc.so").exists()


def _platform(files):
    """Other machines can use files that need glibc alone, from the version of the newest function that is called."""
    if not _is_self_contained():
        return sysconfig.get_platform()
    libraries = [data for name, data in files.items() if data.startswith(b"\x7fELF") and "/onnxc/" not in name]
    needed = max(int(minor) for data in libraries for minor in re.findall(rb"\0GLIBC_2\.(\d+)(?=[.\0])", data))
    return f"manylinux_2_{needed}_{sysconfig.get_platform().removeprefix('linux-')}"


def _metadata(project):
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}"]
    lines += [f"Summary: {project['description']}", f"Requires-Python: {project['requires-python']}"]
    lines += [f"Requires-Dist: {dependency}" for dependency in project["dependencies"]]
    for extra, dependencies in project.get("optional-dependencies", {}).items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {dependency}; extra == "{extra}"' for dependency in dependencies]
    return "\n".join(lines) + "\n"


def _entry_points(project):
    lines = []
    for group, entries in {"console_scripts": project["scripts"], **project["entry-points"]}.items():
        lines += [f"[{group}]", *(f"{name} = {target}" for name, target in entries.items())]
    return "\n".join(lines) + "\n"


def _digest(data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"sha256={digest}"
