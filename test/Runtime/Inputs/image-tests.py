# ===- image-tests.py - ImageDecoder on good files and bad ones --------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Usage: image-tests.py MODEL.so, a model that decodes its input to RGB."""

import ctypes
import struct
import sys
import zlib

import numpy as np
from onnx_compile import ExecutionSession

session = ExecutionSession(sys.argv[1])


def decode(data):
    return session.run([np.frombuffer(data, np.uint8)])[0]


def expect(data, pixels):
    np.testing.assert_array_equal(decode(data), np.array(pixels, np.uint8))


def expect_error(data, text):
    try:
        decode(data)
    except Exception as error:
        assert text in str(error), f"expected '{text}' in '{error}'"
    else:
        raise AssertionError(f"{data[:20]} was decoded")


def bmp(width, height, bits, pixels, palette=b""):
    start = 54 + len(palette)
    header = struct.pack("<2sIHHI", b"BM", start + len(pixels), 0, 0, start)
    return header + struct.pack("<IiiHHIIiiII", 40, width, height, 1, bits, 0, len(pixels), 0, 0, 0, 0) + palette + pixels


# Rows of a bitmap are four bytes at least and start at the bottom, unless the
# height is negative.
red, blue, grey = [255, 0, 0], [0, 0, 255], [7, 7, 7]
rows = b"\0\0\xff\0" + b"\xff\0\0\0"
expect(bmp(1, 2, 24, rows), [[blue], [red]])
expect(bmp(1, -2, 24, rows), [[red], [blue]])
# One bit for a pixel, the highest first; colours come from the palette.
expect(bmp(3, 1, 1, b"\xa0\0\0\0", b"\x07\x07\x07\0" + b"\0\0\xff\0"), [[red, grey, red]])

expect(b"P6 1 1 255\n\xff\0\0", [[red]])
expect(b"P3\n# a comment\n1 1 15\n15 0 0\n", [[red]])
# In a bitmap 1 is black.
expect(b"P1 3 1 101", [[[0] * 3, [255] * 3, [0] * 3]])
expect(b"P4 1 2\n\x80\0", [[[0] * 3], [[255] * 3]])
# Two bytes to a sample.
expect(b"P5 1 1 65535\n\xff\xff", [[[255] * 3]])

expect_error(b"", "the bytes are none of these")
expect_error(b"BM", "BMP: unknown kind of header")
expect_error(bmp(1 << 19, 1 << 19, 24, rows), "BMP: the file ends early")
expect_error(bmp(-5, 2, 24, rows), "the image is empty")
expect_error(bmp(1, 2, 24, rows[:3]), "BMP: the file ends early")
expect_error(bmp(1, 1, 7, rows), "BMP: unknown bits per pixel")
expect_error(b"P6 99999 99999 255\n", "PNM: the file ends early")
expect_error(b"P6 1 1 255\n\xff", "PNM: the file ends early")
expect_error(b"P5 1 1 0\n\xff", "PNM: the header is not complete")
expect_error(b"\xff\xd8\xff\xe0" + bytes(40), "JPEG: the file is damaged")
expect_error(b"\x89PNG\r\n\x1a\n" + bytes(40), "PNG: the file is damaged")
expect_error(b"II*\0" + bytes(40), "TIFF: the file is damaged")
expect_error(b"RIFF" + bytes(4) + b"WEBP" + bytes(40), "WebP: the file is damaged")
expect_error(b"\xff\x4f\xff\x51" + bytes(40), "JPEG 2000: the file is damaged, or too small for its image")


# What a file makes the decoder allocate and do is in proportion to its length:
# a small one may not claim millions of pixels, nor thousands of walks over them.
def png(width, height, rows):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def jpeg(side, scans):
    """A progressive file of one colour, whose scans have a bit for thousands of blocks."""

    def segment(marker, data):
        return b"\xff" + bytes([marker]) + struct.pack(">H", len(data) + 2) + data

    def huffman(kind, symbol):
        return segment(0xC4, bytes([kind, 1]) + bytes(15) + bytes([symbol]))

    def scan(first, last, bits):
        padded = bits + "1" * (-len(bits) % 8)
        data = bytes(int(padded[i : i + 8], 2) for i in range(0, len(padded), 8)).replace(b"\xff", b"\xff\0")
        return segment(0xDA, bytes([1, 1, 0, first, last, 0])) + data

    blocks = ((side + 7) // 8) ** 2
    # The code 0, then 14 bits: so many blocks more than 2^14 have nothing left.
    runs = ("0" + "1" * 14) * (blocks // 32767 + 1)
    head = segment(0xDB, bytes([0]) + bytes([1] * 64)) + segment(0xC2, struct.pack(">BHHB", 8, side, side, 1) + bytes([1, 0x11, 0]))
    body = huffman(0x00, 0) + huffman(0x10, 0xE0) + scan(0, 0, "0" * blocks) + scan(1, 63, runs) * (scans - 1)
    return b"\xff\xd8" + head + body + b"\xff\xd9"


def jpeg2000(width, tile, components):
    size = struct.pack(">HHIIIIIIIIH", 38 + 3 * components, 0, width, width, 0, 0, tile, tile, 0, 0, components)
    return b"\xff\x4f\xff\x51" + size + b"\x07\x01\x01" * components


many = jpeg(4096, 300)
assert len(png(1 << 14, 1 << 14, bytes((2049 << 14)))) < 50000
expect_error(png(1 << 14, 1 << 14, bytes(2049 << 14)), "an image of 16384 x 16384 pixels is too large for a file of")
assert len(many) < 60000
expect_error(many, "JPEG: too many scans for its size")
assert decode(jpeg(512, 10)).shape == (512, 512, 3)
for hostile in (jpeg2000(64, 64, 4000), jpeg2000(1 << 14, 64, 1), jpeg2000(1 << 16, 1 << 16, 3)):
    expect_error(hostile, "JPEG 2000: the file is damaged, or too small for its image")


# And the deadline is looked at before the pixels: a file that would fail later
# ends the run with the status of the deadline, 5.
class Buffer(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("bytes", ctypes.c_int64), ("shape", ctypes.c_void_p),
                ("rank", ctypes.c_int64), ("type", ctypes.c_int)]  # fmt: skip


def status_after_deadline(data):
    library = ctypes.CDLL(sys.argv[1])
    library.omContextCreate.restype = ctypes.c_void_p
    context = ctypes.c_void_p(library.omContextCreate(None))
    library.omContextSetDeadline(context, ctypes.c_int64(1))
    shape = (ctypes.c_int64 * 1)(len(data))
    memory = ctypes.create_string_buffer(data, len(data))
    given = Buffer(ctypes.addressof(memory), len(data), ctypes.addressof(shape), 1, 2)
    status = library.omContextRun(context, ctypes.byref(given), ctypes.c_int64(1), None, ctypes.c_int64(0))
    library.omContextDestroy(context)
    return status


tiff = b"II*\0\x08\0\0\0" + struct.pack("<H", 2) + b"".join(struct.pack("<HHII", tag, 4, 1, 9) for tag in (256, 257)) + bytes(4)
webp = b"RIFF" + struct.pack("<I", 26) + b"WEBPVP8L" + struct.pack("<I", 13) + b"\x2f" + struct.pack("<I", 99 | 99 << 14) + bytes(9)
for data in (many, png(64, 64, b"short"), bmp(1, 2, 24, rows), b"P6 1 1 255\n\xff", b"P3 9 9 15\n1", tiff, webp, jpeg2000(64, 64, 1)):
    assert status_after_deadline(data) == 5, data[:20]
print("PASSED")
