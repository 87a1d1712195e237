# ===- build_image.py - The steps of a Dockerfile, in root folders ---------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""build_image.py DOCKERFILE CONTEXT BASE FOLDER TARGET [NAME=VALUE]... -- [ARGUMENT]...

Carries out the instructions that Dockerfile has, up to the stage TARGET, whose entry point it runs with the arguments.
BASE is the root folder of every image that is not a stage; each stage gets a root in FOLDER.
"""

import json
import pathlib
import re
import subprocess
import sys
import tarfile

IN_ROOT = pathlib.Path(__file__).resolve().parent / "in-root.sh"


def instructions(path):
    lines = re.sub(r"\\\n", " ", path.read_text()).splitlines()
    return [line.split(None, 1) for line in lines if line.strip() and not line.startswith("#")]


class Builder:
    def __init__(self, context, base, folder, arguments):
        self.context, self.base, self.folder = map(pathlib.Path, (context, base, folder))
        self.given, self.values, self.roots, self.entries = arguments, {}, {}, {}

    def run_in_root(self, command, arguments=()):
        words = [re.sub(r"\$\{(\w+)\}", lambda m: self.values[m[1]], word) for word in json.loads(command)]
        subprocess.run(["sh", IN_ROOT, self.root, *words, *arguments], check=True)

    def start(self, image, _as, name):
        source = self.roots.get(image, self.base)
        self.name, self.root, self.values = name, self.folder / name, {}
        subprocess.run(["cp", "-al", source, self.root], check=True)
        self.roots[name], self.entries[name] = self.root, self.entries.get(image)

    def copy(self, words):
        source = self.context
        if words[0].startswith("--from="):
            source = self.roots[words.pop(0).split("=")[1]]
        path = re.sub(r"\$\{(\w+)\}", lambda m: self.values[m[1]], words[0])
        target = self.root / words[1].lstrip("/")
        if words[1].endswith("/"):
            target.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-L", source / path.lstrip("/"), target], check=True)

    def do(self, name, rest):
        if name == "FROM":
            self.start(*rest.split())
        elif name == "ARG":
            key, _, default = rest.partition("=")
            self.values[key] = self.given.get(key, default)
        elif name == "ADD":
            archive, target = rest.split()
            with tarfile.open(self.context / archive) as file:
                file.extractall(self.root / target.lstrip("/"))
        elif name == "COPY":
            self.copy(rest.split())
        elif name == "RUN":
            self.run_in_root(rest)
        elif name == "ENTRYPOINT":
            self.entries[self.name] = rest
        else:
            raise SystemExit(f"{name} is an instruction that this script does not know")


def main():
    split = sys.argv.index("--")
    dockerfile, context, base, folder, target, *words = sys.argv[1:split]
    builder = Builder(context, base, folder, dict(word.split("=", 1) for word in words))
    for name, rest in instructions(pathlib.Path(dockerfile)):
        if name == "FROM" and target in builder.roots:
            break
        builder.do(name, rest)
    builder.root = builder.roots[target]
    builder.run_in_root(builder.entries[target], sys.argv[split + 1 :])


main()
