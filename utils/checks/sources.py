# ===- sources.py - Form of the sources ------------------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Checks of the form of sources: format, length, headers, names."""

import concurrent.futures
import os
import pathlib
import re
import subprocess

from .tree import CXX, ROOT

LICENCE = "Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions."
# Lines of a file, and of one below test/, which may be a list of cases.
MAX_LINES = 550
MAX_TEST_LINES = 800
# Files that may be longer, each with its reason. A reason for a file that is short
# enough is itself an error.
LONG_FILES = {"lib/Report/Report.html": "a page without other files"}
# Lines of a function, from its signature to the brace that closes it.
MAX_FUNCTION_LINES = 45


def clang_format(names, *flags):
    command = ["clang-format-22", *flags, *names]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def check_cpp_is_formatted(tree):
    """C and C++ look as clang-format-22 writes them."""
    names = tree.of(*CXX)
    chunks = [names[i :: os.cpu_count()] for i in range(os.cpu_count())]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for result in pool.map(lambda c: clang_format(c, "--dry-run", "--ferror-limit=1") if c else None, chunks):
            for name in sorted(set(re.findall(r"^(\S+?):\d+:\d+: (?:warning|error):", result.stderr, re.M)) if result else ()):
                yield f"{name} is not formatted (utils/check --fix)"


def check_runtime_is_tidy(tree):
    """clang-tidy finds nothing in the runtime, if it was built; the suite tidy is about all sources."""
    if not (ROOT / "build" / "compile_commands.json").exists():
        return
    result = subprocess.run([ROOT / "utils" / "tidy", "runtime"], cwd=ROOT, capture_output=True, text=True)
    if result.returncode:
        yield from (result.stdout + result.stderr).splitlines()


def guard_of(name):
    """include/onnxc/A/B.h -> ONNXC_A_B_H, lib/A/B.h -> ONNXC_LIB_A_B_H."""
    path = re.sub(r"^(runtime/)?include/(onnxc/)?", "", name)
    return "ONNXC_" + re.sub(r"\W", "_", path).upper()


def check_headers_have_guards(tree):
    """Every header has the include guard of its path, and so one of its own."""
    for name in tree.of(".h", ".hpp"):
        if name.startswith("utils/pch/"):
            continue
        found = re.search(r"^#ifndef (\S+)\n#define (\S+)$", tree.texts[name], re.M)
        if not found or found[1] != found[2]:
            yield f"{name} has no include guard"
        elif found[1] != guard_of(name):
            yield f"{name}: the guard {found[1]} should be {guard_of(name)}"


def check_files_are_short(tree):
    """No file has more than 550 lines, or 800 below test/, except with a reason."""
    for name, text in tree.texts.items():
        lines = text.count("\n")
        is_long = lines > (MAX_TEST_LINES if name.startswith("test/") else MAX_LINES)
        if is_long and name not in LONG_FILES and not name.endswith("expectations.txt"):
            yield f"{name} has {lines} lines; split it or give a reason in LONG_FILES of utils/checks/sources.py"
        if name in LONG_FILES and not is_long:
            yield f"{name} has {lines} lines and needs no reason in LONG_FILES of utils/checks/sources.py"


def functions_of(text):
    """The first line and the number of lines of each function of formatted C++.

    A function's brace is closed on a line of its own with the indentation of its first line; what is
    closed so inside of it are its blocks. Types end with `};`, namespaces with a comment.
    """
    lines, begins, found, is_complete = text.split("\n"), {}, [], True
    for number, line in enumerate(lines, 1):
        code = line.strip()
        if not code or code.startswith(("//", "#")):
            continue
        indent = len(line) - len(line.lstrip())
        if is_complete and code != "}":
            begins = {i: begin for i, begin in begins.items() if i < indent} | {indent: number}
        elif code == "}" and indent in begins:
            begin = begins[indent]
            while found and found[-1][0] > begin:
                found.pop()
            header = next(i for i in range(begin, number + 1) if i == number or lines[i - 1].endswith("{"))
            if any("(" in each for each in lines[begin - 1 : header]):
                found.append((begin, number - begin + 1))
        is_complete = re.sub(r"\s*//.*", "", code).endswith((";", "{", "}", ":"))
    return found


def check_functions_are_short(tree):
    """No function of C++ has more than 45 lines."""
    for name in tree.of(*CXX):
        if name.startswith(("lib/", "include/", "runtime/", "tools/")):
            for begin, length in functions_of(tree.texts[name]):
                if length > MAX_FUNCTION_LINES:
                    yield f"{name}:{begin} begins a function of {length} lines; divide it into steps"


def check_files_name_the_licence(tree):
    """Every source file begins with its name, what it is, and the licence."""
    for name in [*tree.of(*CXX, ".td", ".py", ".cmake", ".sh"), *tree.scripts("sh"), *tree.scripts("python")]:
        head = "\n".join(tree.texts[name].split("\n")[:8])
        if LICENCE not in head:
            yield f"{name} does not begin with a header that names the licence"
        elif pathlib.Path(name).name not in head:
            yield f"{name}: the header names another file"
        elif head.startswith("//===-") and not head.split("\n")[0].endswith("===//"):
            yield f"{name}: the first line of the header is divided"


def check_text_is_clean(tree):
    """No trailing blanks, no tabs in C++, a newline at the end."""
    for name, text in tree.texts.items():
        if text and not text.endswith("\n"):
            yield f"{name} does not end with a newline"
        for number, line in enumerate(text.split("\n"), 1):
            if line.endswith((" ", "\t", "\r")) and not name.endswith(".md"):
                yield f"{name}:{number} ends with blanks"
                break


def check_shell_parses(tree):
    """Shell scripts parse."""
    for name in sorted({*tree.scripts("sh"), *tree.of(".sh")}):
        result = subprocess.run(["bash", "-n", name], cwd=ROOT, capture_output=True, text=True)
        if result.returncode:
            yield result.stderr.strip()


def check_scripts_are_executable(tree):
    """A file that starts an interpreter may be executed."""
    for name in [*tree.scripts("sh"), *tree.scripts("python")]:
        if not os.access(ROOT / name, os.X_OK):
            yield f"{name} starts with #! but is not executable"


def check_sources_are_built(tree):
    """Every .cpp file of lib/ and tools/ is named by its folder's CMakeLists.txt."""
    for name in tree.of(".cpp"):
        folder, _, file = name.rpartition("/")
        if not name.startswith(("lib/", "tools/", "test/Unit/")):
            continue
        lists = tree.texts.get(f"{folder}/CMakeLists.txt")
        while lists is None and "/" in folder:
            folder, _, last = folder.rpartition("/")
            file = f"{last}/{file}"
            lists = tree.texts.get(f"{folder}/CMakeLists.txt")
        if lists is not None and file not in re.split(r"[\s()]+", lists) and "GLOB" not in lists:
            yield f"{name} is not named in {folder}/CMakeLists.txt"


def check_commit_of_generated_files(tree):
    """Nothing generated is in the tree."""
    for name in tree.files:
        if name.endswith((".inc", ".so", ".o", ".a", ".pyc", ".whl")):
            yield f"{name} looks generated"
