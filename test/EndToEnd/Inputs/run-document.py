# ===- run-document.py - Do what a document says ----------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# run-document.py FILE.md: runs its ```sh blocks in order and compares what they
# print with the ```text block that follows, so that no document goes stale.
# ===------------------------------------------------------------------------===//
"""Runs the commands of a Markdown document.

In a ```text block, a line `...` stands for any lines and `...` within a line for any text.
`<!-- file: NAME -->` before a block of another language writes that block to NAME first.
`<!-- needs: PATH; else: FOLDER -->` before a ```sh block: where the build folder has no PATH,
the files of FOLDER, which the commands would have written, are copied instead.
Commands run in a fresh folder with links to the repository's folders, after `. utils/env.sh`,
which the document has to tell its readers.
"""

import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("ONNXC_BUILD", ROOT / "build"))
BLOCK = re.compile(r"(?:<!-- (?:file: (?P<file>\S+)|needs: (?P<needs>\S+); else: (?P<stored>\S+)) -->\n)?```(?P<language>\w*)\n(?P<body>.*?)^```$", re.M | re.S)


def blocks_of(text):
    """Yields (line number, match with the named groups of BLOCK) of each fenced block."""
    for match in BLOCK.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match


def pattern_of(expected):
    """A regular expression for an expected output with ellipses."""
    parts = []
    for line in expected.strip("\n").split("\n"):
        if line.strip() == "...":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(".*".join(re.escape(piece.rstrip()) for piece in line.split("...")) + r"[ \t]*\n")
    return re.compile("".join(parts))


def make_workplace(folder):
    """Links what documents refer to: the repository's folders and the build."""
    for entry in ROOT.iterdir():
        if entry.name != "build" and not entry.name.startswith(".git"):
            (folder / entry.name).symlink_to(entry)
    (folder / "build").symlink_to(BUILD)


def run_block(body, folder, groups):
    """Returns the exit status and the output; adds the process group, of which commands in the background may be left."""
    child = subprocess.Popen(["sh", "-eu", "-c", f". utils/env.sh\n{body}"], cwd=folder, text=True, errors="replace",
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)  # fmt: skip
    groups.append(child.pid)
    output, _ = child.communicate()
    return child.returncode, "".join(line.rstrip() + "\n" for line in output.splitlines())


def run_document(path, folder, groups):
    """Returns (number of blocks run, list of what went wrong)."""
    ran, wrong, output, where, text = 0, [], None, 0, path.read_text()
    if ". utils/env.sh" not in text:
        return 0, [f"{path.name} does not say that commands run after `. utils/env.sh`"]
    for line, block in blocks_of(text):
        language, body = block["language"], block["body"]
        if block["file"]:
            file = folder / block["file"]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(body)
        elif block["needs"] and not (BUILD / block["needs"]).exists():
            shutil.copytree(ROOT / block["stored"], folder, dirs_exist_ok=True)
            output = None
        elif language == "sh":
            status, output = run_block(body, folder, groups)
            ran, where = ran + 1, line
            if status:
                return ran, [*wrong, f"{path.name}:{line}: exit status {status}\n{body}{output}"]
        elif language == "text" and output is not None:
            if not pattern_of(body).fullmatch(output):
                wrong.append(f"{path.name}:{line}: the command at line {where} prints\n{output}instead of\n{body}")
            output = None
    return ran, wrong


def main():
    with tempfile.TemporaryDirectory(prefix="onnxc-document-") as scratch:
        make_workplace(pathlib.Path(scratch))
        groups = []
        try:
            ran, wrong = run_document(pathlib.Path(sys.argv[1]), pathlib.Path(scratch), groups)
        finally:
            # A server of a page that went wrong would answer the next run of the page.
            for group in groups:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(group, signal.SIGKILL)
    for text in wrong:
        print(text)
    print(f"{sys.argv[1]}: {ran} blocks run, {len(wrong)} wrong")
    return 1 if wrong or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
