//===- ImageTIFF.cpp - TIFF files by libtiff -------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Image.h"

#include <cstdio>
#include <cstring>

#include <tiffio.h>

namespace onnxc::rt {

namespace {
/// The open file, as the library's callbacks get it.
struct Stream {
  ImageFile file;
  Image *image;
  int64_t at;
};
} // namespace

static tmsize_t readBytes(thandle_t handle, void *to, tmsize_t count) {
  auto *stream = static_cast<Stream *>(handle);
  int64_t left = stream->file.size - stream->at;
  if (count > left)
    count = left;
  // The library calls this for each strip and tile.
  if (count <= 0 || !stream->image->inTime())
    return 0;
  memcpy(to, stream->file.bytes + stream->at, size_t(count));
  stream->at += count;
  return count;
}

static tmsize_t refuseToWrite(thandle_t, void *, tmsize_t) { return 0; }

static toff_t seekTo(thandle_t handle, toff_t offset, int whence) {
  auto *stream = static_cast<Stream *>(handle);
  int64_t base = whence == SEEK_CUR   ? stream->at
                 : whence == SEEK_END ? stream->file.size
                                      : 0;
  int64_t position;
  if (__builtin_add_overflow(base, int64_t(offset), &position) ||
      position < 0 || position > stream->file.size)
    return toff_t(-1);
  stream->at = position;
  return toff_t(position);
}

static int closeNothing(thandle_t) { return 0; }

static toff_t sizeOf(thandle_t handle) {
  return toff_t(static_cast<Stream *>(handle)->file.size);
}

/// Nothing is printed; failures show in the results.
static int ignoreMessage(TIFF *, void *, const char *, const char *, va_list) {
  return 1;
}

static TIFF *open(Stream &stream) {
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
  if (!options)
    return nullptr;
  TIFFOpenOptionsSetErrorHandlerExtR(options, ignoreMessage, nullptr);
  TIFFOpenOptionsSetWarningHandlerExtR(options, ignoreMessage, nullptr);
  // A strip or tile with 16 bits for each of four colours.
  TIFFOpenOptionsSetMaxSingleMemAlloc(options, stream.image->maxPixels() * 8);
  // m: read, do not map.
  TIFF *tiff = TIFFClientOpenExt("image", "rm", &stream, readBytes,
                                 refuseToWrite, seekTo, closeNothing, sizeOf,
                                 nullptr, nullptr, options);
  TIFFOpenOptionsFree(options);
  return tiff;
}

/// Pixels come as words of alpha, blue, green and red.
static bool readPixels(TIFF *tiff, Image &image) {
  uint32_t width = 0, height = 0;
  TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
  TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
  if (!image.resize(width, height))
    return false;
  auto *raster = static_cast<uint32_t *>(
      onnxc_rt_alloc(image.call, image.width * image.height * 4));
  if (onnxc_rt_status(image.call) != ONNXC_OK)
    return false;
  bool ok = TIFFReadRGBAImageOriented(tiff, width, height, raster,
                                      ORIENTATION_TOPLEFT, 1);
  for (int64_t y = 0; ok && y < image.height; ++y)
    for (int64_t x = 0; x < image.width; ++x) {
      uint32_t pixel = raster[y * image.width + x];
      image.set(x, y, TIFFGetR(pixel), TIFFGetG(pixel), TIFFGetB(pixel));
    }
  onnxc_rt_release(image.call, raster);
  return ok || image.fail("ImageDecoder: TIFF: %s", "the file is damaged");
}

bool decodeTIFF(ImageFile file, Image &image) {
  Stream stream{file, &image, 0};
  TIFF *tiff = open(stream);
  if (!tiff)
    return image.fail("ImageDecoder: TIFF: %s", "the file is damaged");
  bool done = readPixels(tiff, image);
  TIFFClose(tiff);
  return done;
}

} // namespace onnxc::rt
