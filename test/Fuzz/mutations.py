# ===- mutations.py - Damage to messages, bytes and texts -------------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Messages are changed field by field, by what protobuf knows of them: most such
# models still parse, and are wrong somewhere deeper than random bytes reach.
# ===------------------------------------------------------------------------===//
"""Random changes of protobuf messages, of bytes and of texts."""

import re
import string

from google.protobuf.descriptor import FieldDescriptor as Field

ODD_INTEGERS = (-(2**63), -(2**31), -129, -2, -1, 0, 1, 2, 3, 7, 8, 64, 255, 2**16, 2**31 - 1, 2**31, 2**40, 2**62, 2**63 - 1)
ODD_NUMBERS = (0.0, -0.0, -1.0, 1e-45, 1e38, -1e300, float("inf"), float("-inf"), float("nan"))
ODD_STRINGS = ("", "\0", "a" * 300, "%s%n", "../../x", "Zürich\n", "1e400", "\x7f\t")
INTEGERS = (Field.CPPTYPE_INT32, Field.CPPTYPE_INT64, Field.CPPTYPE_UINT32, Field.CPPTYPE_UINT64, Field.CPPTYPE_ENUM)
REALS = (Field.CPPTYPE_FLOAT, Field.CPPTYPE_DOUBLE)


def one(rng, choices):
    return choices[int(rng.integers(len(choices)))]


# --- Messages -------------------------------------------------------------------


def copy_of(message):
    return type(message).FromString(message.SerializeToString())


def places(message):
    """All [(message, field)] in it that are set."""
    for field, content in message.ListFields():
        yield message, field
        if field.cpp_type == Field.CPPTYPE_MESSAGE:
            for inner in content if field.is_repeated else [content]:
                yield from places(inner)


def scalar(rng, field, old, words):
    """Another value of a field that is not a message."""
    if field.cpp_type == Field.CPPTYPE_ENUM:
        return int(rng.integers(0, 28))
    if field.cpp_type in INTEGERS:
        return old + int(rng.integers(-2, 3)) if rng.random() < 0.4 else one(rng, ODD_INTEGERS)
    if field.cpp_type in REALS:
        return one(rng, ODD_NUMBERS)
    if field.cpp_type == Field.CPPTYPE_BOOL:
        return not old
    if field.type == Field.TYPE_BYTES:
        return damaged(rng, old)
    return one(rng, words) if rng.random() < 0.7 else one(rng, ODD_STRINGS)


def change_list(rng, items, field, words):
    """Drops, doubles, moves or changes an element."""
    at, kind = int(rng.integers(len(items))), rng.random()
    if kind < 0.2:
        del items[at]
    elif kind < 0.35:
        items.append(items[int(rng.integers(len(items)))])
    elif kind < 0.5 and len(items) > 1:
        copies = list(items)
        copies.insert(int(rng.integers(len(items))), copies.pop(at))
        copies = [copy_of(c) for c in copies] if field.cpp_type == Field.CPPTYPE_MESSAGE else copies
        del items[:]
        items.extend(copies)
    elif field.cpp_type != Field.CPPTYPE_MESSAGE:
        items[at] = scalar(rng, field, items[at], words)


def change_field(rng, message, field, words, others):
    """One change of one field; `others` are all messages by type."""
    content = getattr(message, field.name)
    if field.is_repeated:
        return change_list(rng, content, field, words)
    if rng.random() < 0.15:
        return message.ClearField(field.name)
    if field.cpp_type != Field.CPPTYPE_MESSAGE:
        return setattr(message, field.name, scalar(rng, field, content, words))
    alike = others.get(field.message_type.full_name)
    # A copy, for a message does not hold itself.
    return content.CopyFrom(copy_of(one(rng, alike))) if alike else message.ClearField(field.name)


def add_field(rng, message, words):
    """Sets a field that is not set."""
    unset = [f for f in message.DESCRIPTOR.fields if f not in dict(message.ListFields()) and f.cpp_type != Field.CPPTYPE_MESSAGE]
    if not unset:
        return
    field = one(rng, unset)
    old = b"abcdefgh" if field.type == Field.TYPE_BYTES else 0
    value = scalar(rng, field, old, words)
    if field.is_repeated:
        getattr(message, field.name).append(value)
    else:
        setattr(message, field.name, value)


# How often a place is changed: what nodes do and what is in tensors, more than names, whose loss is noticed at once.
WEIGHTS = {"onnx.AttributeProto": 4, "onnx.TensorProto": 3, "onnx.TensorShapeProto.Dimension": 4, "onnx.TypeProto.Tensor": 3}


def weight(message, field):
    is_name = field.type == Field.TYPE_STRING and field.name in ("input", "output", "name", "op_type", "domain")
    return 0.3 if is_name else WEIGHTS.get(message.DESCRIPTOR.full_name, 1)


def chosen_place(rng, found):
    weights = [weight(*place) for place in found]
    return found[int(rng.choice(len(found), p=[w / sum(weights) for w in weights]))]


def strings_of(found):
    """The texts in it."""
    for message, field in found:
        if field.type == Field.TYPE_STRING:
            content = getattr(message, field.name)
            yield from content if field.is_repeated else [content]


def change_message(rng, message, words, times):
    """Changes some fields of the message or of one inside; `words` are strings to put in, beside its own."""
    for _ in range(times):
        found, others = list(places(message)), {}
        if not found:
            return
        for holder, _ in found:
            others.setdefault(holder.DESCRIPTOR.full_name, []).append(holder)
        pool = [*2 * list(strings_of(found)), *words]
        holder, field = chosen_place(rng, found)
        try:
            if rng.random() < 0.1:
                add_field(rng, holder, pool)
            else:
                change_field(rng, holder, field, pool, others)
        except (ValueError, TypeError, OverflowError):  # the field cannot hold it
            continue


# --- Bytes and texts ------------------------------------------------------------


def damaged(rng, data):
    """Bytes with a bit flipped, a byte set, or a span dropped, doubled or moved."""
    if not data:
        return bytes(rng.integers(0, 256, 4, dtype="uint8"))
    data = bytearray(data)
    at, kind = int(rng.integers(len(data))), rng.random()
    span = slice(at, at + int(rng.integers(1, 1 + min(64, len(data)))))
    if kind < 0.3:
        data[at] ^= 1 << int(rng.integers(8))
    elif kind < 0.5:
        data[at] = one(rng, (0, 1, 0x7F, 0x80, 0xFF))
    elif kind < 0.65:
        del data[span]
    elif kind < 0.8:
        data[at:at] = data[span]
    elif kind < 0.9:
        data[at:at] = bytes(rng.integers(0, 256, int(rng.integers(1, 9)), dtype="uint8"))
    else:
        del data[at:]
    return bytes(data)


def change_text(rng, text):
    """The text with a word or number changed, dropped, doubled or exchanged with another."""
    words = list(re.finditer(r"\w+|[^\w\s]", text))
    if not words:
        return one(rng, ODD_STRINGS)
    chosen, other, kind = one(rng, words), one(rng, words), rng.random()
    new = ""
    if kind < 0.3:
        new = str(one(rng, ODD_INTEGERS))
    elif kind < 0.5:
        new = other[0]
    elif kind < 0.6:
        new = chosen[0] * 2
    elif kind < 0.7:
        new = one(rng, string.punctuation)
    elif kind < 0.75:
        new = chosen[0] + one(rng, ODD_STRINGS)
    elif kind < 0.8:
        return text[: chosen.start()]
    return text[: chosen.start()] + new + text[chosen.end() :]
