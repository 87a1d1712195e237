# ===- undefined-symbols.py - What an object wants that no stub has ---------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# undefined-symbols.py LLVM-NM OBJECT STUBS-FOLDER
# ===------------------------------------------------------------------------===#
import pathlib
import subprocess
import sys

nm, object_file, stubs = sys.argv[1:]
listed = set()
for path in pathlib.Path(stubs).glob("*.symbols"):
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            name, version, *_ = line.split()
            # A number is a version of glibc; optional libraries have names or none.
            assert not version[0].isdigit() or tuple(map(int, version.split("."))) <= (2, 17), line
            listed.add(name)
output = subprocess.run([nm, "-u", object_file], check=True, capture_output=True, text=True).stdout
wanted = {line.split()[-1] for line in output.splitlines()}
print("unlisted:", *sorted(wanted - listed))
