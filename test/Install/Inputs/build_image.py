# ===- build_image.py - The steps of a Dockerfile, in root folders ---------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""build_image.py DOCKERFILE CONTEXT BASE FOLDER TARGET [NAME=VALUE]... -- [ARGUMENT]...

Carries out the instructions of Dockerfile for the stage TARGET, whose entry point it runs with the arguments.
BASE is the root folder of every image that is not a stage; each stage gets a root in FOLDER.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"  # as in an image
IN_ROOT = pathlib.Path(__file__).resolve().parent / "in-root.sh"


def instructions(path):
    lines = re.sub(r"\\\n", " ", path.read_text()).splitlines()
    return [line.split(None, 1) for line in lines if line.strip() and not line.startswith("#")]


def needed(steps, target):
    """The steps of the stage `target` and, before it, of those that it begins from or copies from."""
    stages = {}
    for name, rest in steps:
        if name == "FROM":
            image, _, stage = rest.split()
            stages[stage] = ([], {image})
        body, sources = stages[stage]
        body.append((name, rest))
        sources.update(re.findall(r"--from=(\S+)", rest))
    found = {target}
    for stage in reversed(stages):
        found |= stages[stage][1] if stage in found else set()
    return [step for stage, (body, _) in stages.items() if stage in found for step in body]


def expand(text, values):
    return re.sub(r"\$\{(\w+)\}", lambda m: values[m[1]], text)


class Builder:
    def __init__(self, context, base, folder, arguments):
        self.context, self.base, self.folder = map(pathlib.Path, (context, base, folder))
        self.given, self.roots, self.entries, self.variables = arguments, {}, {}, {}

    def run_in_root(self, command, values, arguments=()):
        """A command in JSON is started as it is; any other is one of the shell of the root, which expands variables."""
        words = json.loads(command) if command.startswith("[") else ["/bin/sh", "-c", command]
        subprocess.run(["sh", IN_ROOT, self.root, *words, *arguments], check=True, env=os.environ | {"PATH": PATH} | values)

    def start(self, image, _as, name):
        source = self.roots.get(image, self.base)
        self.name, self.root, self.values = name, self.folder / name, {}
        subprocess.run(["cp", "-al", source, self.root], check=True)
        self.roots[name], self.entries[name] = self.root, self.entries.get(image)
        self.variables[name] = dict(self.variables.get(image, {}))

    def copy(self, words):
        source = self.context
        if words[0].startswith("--from="):
            source = self.roots[words.pop(0).split("=")[1]]
        paths = list(source.glob(expand(words[0], self.values).lstrip("/")))
        target = self.root / words[1].lstrip("/")
        (target if words[1].endswith("/") else target.parent).mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-L", *paths, target], check=True)

    def do(self, name, rest):
        if name == "FROM":
            self.start(*rest.split())
        elif name == "ARG":
            key, _, default = rest.partition("=")
            self.values[key] = self.given.get(key, default)
        elif name == "ENV":
            key, _, value = rest.partition("=")
            self.variables[self.name][key] = value
        elif name == "ADD":
            archive, target = rest.split()
            with tarfile.open(self.context / archive) as file:
                file.extractall(self.root / target.lstrip("/"))
        elif name == "COPY":
            self.copy(rest.split())
        elif name == "RUN":
            self.run_in_root(rest, self.variables[self.name] | self.values)
        elif name == "ENTRYPOINT":
            self.entries[self.name] = rest
        else:
            raise SystemExit(f"{name} is an instruction that this script does not know")


def main():
    split = sys.argv.index("--")
    dockerfile, context, base, folder, target, *words = sys.argv[1:split]
    builder = Builder(context, base, folder, dict(word.split("=", 1) for word in words))
    for name, rest in needed(instructions(pathlib.Path(dockerfile)), target):
        builder.do(name, rest)
    builder.run_in_root(builder.entries[target], builder.variables[target], sys.argv[split + 1 :])


main()
