# ===- bad/external.py - Data that are elsewhere ---------------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Bad external data."""

import os

from bad.builders import case, external, tensor, with_weight


@case("'w'", "'nowhere.bin'", "No such file")
def external_missing(_):
    return with_weight(external("w", "nowhere.bin"))


@case("'w'", "not a path beneath")
def external_escapes(folder):
    (folder.parent / "outside.bin").write_bytes(b"0" * 24)
    return with_weight(external("w", "../outside.bin"))


@case("'w'", "not a path beneath")
def external_escapes_from_within(_):
    return with_weight(external("w", "a/../../outside.bin"))


@case("'w'", "not a path beneath")
def external_absolute(_):
    return with_weight(external("w", "/etc/passwd"))


@case("'w'", "symbolic link")
def external_through_a_link(folder):
    (folder.parent / "outside.bin").write_bytes(b"0" * 24)
    link = folder / "link.bin"
    link.unlink(missing_ok=True)
    link.symlink_to("../outside.bin")
    return with_weight(external("w", "link.bin"))


@case("'w'", "symbolic link")
def external_through_a_linked_folder(folder):
    link = folder / "linked"
    link.unlink(missing_ok=True)
    link.symlink_to("/etc")
    return with_weight(external("w", "linked/passwd"))


@case("'w'", "past the end")
def external_too_short(folder):
    (folder / "short.bin").write_bytes(b"0" * 10)
    return with_weight(external("w", "short.bin"))


@case("'w'", "past the end|not a number")
def external_offset_overflows(folder):
    (folder / "short.bin").write_bytes(b"0" * 10)
    return with_weight(external("w", "short.bin", offset=str((1 << 64) - 8)))


@case("'w'", "not a number")
def external_offset_negative(folder):
    (folder / "short.bin").write_bytes(b"0" * 10)
    return with_weight(external("w", "short.bin", offset="-8"))


@case("'w'", "holds 8 bytes|takes 24")
def external_length_of_another_size(folder):
    (folder / "long.bin").write_bytes(b"0" * 100)
    return with_weight(external("w", "long.bin", length="8"))


@case("'w'", "not a regular file")
def external_folder(folder):
    (folder / "folder").mkdir(exist_ok=True)
    return with_weight(external("w", "folder"))


@case("'w'", "not a regular file")
def external_pipe(folder):
    pipe = folder / "pipe"
    if not pipe.exists():
        os.mkfifo(pipe)
    return with_weight(external("w", "pipe"))


@case("'w'", "no location")
def external_nowhere(_):
    return with_weight(external("w", ""))


@case("'w'", "past the end")
def forged_place_in_the_file(_):
    weight = tensor("w", dims=(1 << 20,))
    entry = weight.external_data.add()
    entry.key, entry.value = "onnxc.mapped", f"{1 << 40},{4 << 20}"
    return with_weight(weight)
