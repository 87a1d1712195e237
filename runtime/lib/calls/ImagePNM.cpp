//===- ImagePNM.cpp - Portable bitmaps, greymaps and pixmaps ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// P1 to P6: bits, grey and colour, as text and as bytes.
//
//===----------------------------------------------------------------------===//

#include "Image.h"

namespace onnxc::rt {

namespace {
/// Reads numbers from text with comments, then samples.
struct Reader {
  ImageFile file;
  int64_t at;
  bool failed;

  bool isSpace() const {
    uint8_t c = uint8_t(file.byte(at));
    return c == ' ' || (c >= '\t' && c <= '\r');
  }

  void skipSpace() {
    while (at < file.size) {
      if (file.bytes[at] == '#')
        while (at < file.size && file.bytes[at] != '\n')
          ++at;
      else if (isSpace())
        ++at;
      else
        return;
    }
  }

  /// Up to `digits` digits; a bitmap as text has one for each bit.
  int64_t number(int digits) {
    skipSpace();
    int64_t value = 0;
    int seen = 0;
    for (; seen < digits && at < file.size && file.bytes[at] >= '0' &&
           file.bytes[at] <= '9';
         ++seen)
      value = value * 10 + (file.bytes[at++] - '0');
    failed |= seen == 0;
    return value;
  }

  int64_t bytes(int count) {
    failed |= at + count > file.size;
    int64_t value =
        count == 2 ? file.byte(at) << 8 | file.byte(at + 1) : file.byte(at);
    at += count;
    return value;
  }
};

/// How the samples of P1 to P6 are stored.
struct Format {
  bool isBits, isText;
  int channels;
  int64_t largest;
};
} // namespace

static int sample(Reader &reader, const Format &format) {
  int64_t value = format.isText ? reader.number(format.isBits ? 1 : 5)
                                : reader.bytes(format.largest > 255 ? 2 : 1);
  if (value > format.largest)
    value = format.largest;
  if (format.isBits)
    return value ? 0 : 255; // 1 is black
  return int((value * 255 + format.largest / 2) / format.largest);
}

static void readPixels(Reader &reader, const Format &format, Image &image) {
  for (int64_t y = 0; y < image.height && !reader.failed && image.inTime(); ++y)
    for (int64_t x = 0; x < image.width && !reader.failed; ++x) {
      int red = sample(reader, format);
      int green = format.channels == 3 ? sample(reader, format) : red;
      int blue = format.channels == 3 ? sample(reader, format) : red;
      image.set(x, y, red, green, blue);
    }
}

/// Eight bits to a byte, each row in whole bytes.
static void readBits(Reader &reader, Image &image) {
  for (int64_t y = 0; y < image.height && !reader.failed && image.inTime(); ++y)
    for (int64_t x = 0; x < image.width && !reader.failed; x += 8) {
      int64_t bits = reader.bytes(1);
      for (int64_t i = 0; i < 8 && x + i < image.width; ++i) {
        int value = bits >> (7 - i) & 1 ? 0 : 255;
        image.set(x + i, y, value, value, value);
      }
    }
}

bool decodePNM(ImageFile file, Image &image) {
  int kind = file.bytes[1] - '0';
  Format format{kind % 3 == 1, kind <= 3, kind % 3 == 0 ? 3 : 1, 1};
  Reader reader{file, 2, false};
  int64_t width = reader.number(9), height = reader.number(9);
  if (!format.isBits)
    format.largest = reader.number(5);
  if (reader.failed || format.largest < 1 || format.largest > 65535)
    return image.fail("ImageDecoder: PNM: %s", "the header is not complete");
  // Every eight pixels take a byte at least.
  if (width > Image::kMaxSide || height > Image::kMaxSide ||
      width * height / 8 > file.size)
    return image.fail("ImageDecoder: PNM: %s", "the file ends early");
  if (!image.resize(width, height))
    return false;
  if (!format.isText)
    ++reader.at; // one blank ends the header
  if (format.isBits && !format.isText)
    readBits(reader, image);
  else
    readPixels(reader, format, image);
  if (reader.failed)
    return image.fail("ImageDecoder: PNM: %s", "the file ends early");
  return onnxc_rt_status(image.call) == ONNXC_OK;
}

} // namespace onnxc::rt
