# ===- image-tests.py - ImageDecoder on good files and bad ones --------------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
# ===------------------------------------------------------------------------===//
"""Usage: image-tests.py MODEL.so, a model that decodes its input to RGB."""

import struct
import sys

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
expect_error(b"\xff\x4f\xff\x51" + bytes(40), "JPEG 2000: the file is damaged")
print("PASSED")
