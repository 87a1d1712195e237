//===- ImageBMP.cpp - Windows bitmaps --------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Uncompressed bitmaps of 1, 4, 8, 16, 24 and 32 bits, bottom up or top down,
// with headers of 12 bytes or of 40 and more.
//
//===----------------------------------------------------------------------===//

#include "Image.h"

namespace onnxc::rt {

namespace {
struct Header {
  int64_t width, height;
  bool topDown;
  unsigned bits, compression;
  int64_t palette, paletteEntry, colors, pixels;
  /// Where red, green and blue are in a pixel of 16 or 32 bits.
  uint32_t masks[3];
};
} // namespace

static void readMasks(ImageFile file, int64_t infoSize, Header &header) {
  constexpr unsigned bitFields = 3;
  for (int i = 0; i < 3; ++i)
    if (header.compression == bitFields)
      header.masks[i] = file.le32(14 + 40 + 4 * i);
    else
      header.masks[i] =
          header.bits == 16 ? 0x7c00u >> (5 * i) : 0xff0000u >> (8 * i);
  // The masks of a short header stand between it and the palette.
  if (header.compression == bitFields && infoSize == 40)
    header.palette += 12;
}

static bool readHeader(ImageFile file, Image &image, Header &header) {
  int64_t infoSize = file.le32(14);
  header.pixels = file.le32(10);
  if (infoSize == 12) {
    header.width = file.le16(18);
    header.height = file.le16(20);
    header.topDown = false;
    header.bits = file.le16(24);
    header.compression = 0;
    header.paletteEntry = 3;
    header.colors = 0;
  } else if (infoSize >= 40 && infoSize < file.size) {
    header.width = int32_t(file.le32(18));
    header.height = int32_t(file.le32(22));
    header.topDown = header.height < 0;
    header.height = header.topDown ? -header.height : header.height;
    header.bits = file.le16(28);
    header.compression = file.le32(30);
    header.paletteEntry = 4;
    header.colors = file.le32(46);
  } else {
    return image.fail("ImageDecoder: BMP: %s", "unknown kind of header");
  }
  header.palette = 14 + infoSize;
  readMasks(file, infoSize, header);
  bool wide = header.bits == 16 || header.bits == 32;
  if (header.compression != 0 && !(header.compression == 3 && wide))
    return image.fail("ImageDecoder: BMP: %s", "compressed pixels");
  if (header.bits <= 8) {
    if (header.bits != 1 && header.bits != 4 && header.bits != 8)
      return image.fail("ImageDecoder: BMP: %s", "unknown bits per pixel");
    if (header.colors == 0 || header.colors > 1 << header.bits)
      header.colors = 1 << header.bits;
  } else if (header.bits != 24 && !wide) {
    return image.fail("ImageDecoder: BMP: %s", "unknown bits per pixel");
  }
  return true;
}

/// The part of `value` under `mask`, scaled to 0 to 255.
static int channel(uint32_t value, uint32_t mask) {
  if (mask == 0)
    return 0;
  int shift = __builtin_ctz(mask);
  uint64_t largest = mask >> shift;
  return int(((value & mask) >> shift) * uint64_t(255) / largest);
}

static void setPixel(ImageFile file, const Header &header, int64_t row,
                     int64_t x, int64_t y, Image &image) {
  if (header.bits <= 8) {
    int64_t bit = x * header.bits;
    unsigned shift = 8 - header.bits - unsigned(bit % 8);
    unsigned index =
        file.byte(row + bit / 8) >> shift & ((1u << header.bits) - 1);
    if (index >= header.colors)
      index = 0;
    int64_t entry = header.palette + index * header.paletteEntry;
    image.set(x, y, file.byte(entry + 2), file.byte(entry + 1),
              file.byte(entry));
    return;
  }
  int64_t at = row + x * (header.bits / 8);
  if (header.bits == 24) {
    image.set(x, y, file.byte(at + 2), file.byte(at + 1), file.byte(at));
    return;
  }
  uint32_t value = header.bits == 16 ? file.le16(at) : file.le32(at);
  image.set(x, y, channel(value, header.masks[0]),
            channel(value, header.masks[1]), channel(value, header.masks[2]));
}

bool decodeBMP(ImageFile file, Image &image) {
  Header header;
  if (!readHeader(file, image, header))
    return false;
  if (header.width > Image::kMaxSide)
    return image.fail("ImageDecoder: BMP: %s", "the image is too large");
  int64_t stride = (header.width * header.bits + 31) / 32 * 4;
  if (header.width > 0 && header.height > (file.size - header.pixels) / stride)
    return image.fail("ImageDecoder: BMP: %s", "the file ends early");
  if (!image.resize(header.width, header.height))
    return false;
  for (int64_t y = 0; y < image.height && image.inTime(); ++y) {
    int64_t line = header.topDown ? y : image.height - 1 - y;
    for (int64_t x = 0; x < image.width; ++x)
      setPixel(file, header, header.pixels + line * stride, x, y, image);
  }
  return onnxc_rt_status(image.call) == ONNXC_OK;
}

} // namespace onnxc::rt
