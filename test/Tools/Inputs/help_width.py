# ===- help_width.py - The lines of --help ----------------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===#
"""help_width.py [--terminal=COLUMNS] PROGRAM...: counts the lines of each help, and the columns of the longest one.

The subcommands of a program are the words below the empty line after its usage or `commands:`.
With --terminal a pseudo terminal of that width is the standard output.
"""

import argparse
import fcntl
import os
import pathlib
import pty
import re
import struct
import subprocess
import termios


def read_help(words, columns):
    if not columns:
        return subprocess.run([*words, "--help"], capture_output=True, text=True, check=True).stdout
    reader, writer = pty.openpty()
    fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    program = subprocess.Popen([*words, "--help"], stdout=writer)
    os.close(writer)
    text = b""
    try:
        while part := os.read(reader, 65536):
            text += part
    except OSError:  # the end of a terminal
        pass
    assert program.wait() == 0
    return text.decode().replace("\r\n", "\n")


def subcommands(text):
    return re.findall(r"^  ([a-z]+)  +[a-z]", text, re.MULTILINE)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--terminal", type=int)
    parser.add_argument("programs", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    for program in arguments.programs:
        text = read_help([program], arguments.terminal)
        for command in ["", *subcommands(text)]:
            lines = read_help([program, command] if command else [program], arguments.terminal).splitlines()
            print(f"{program.name} {command}".strip() + f": {len(lines)} lines, of at most {max(map(len, lines))} columns")


if __name__ == "__main__":
    main()
