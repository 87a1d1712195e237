//===- Image.cpp - ImageDecoder --------------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Image.h"

#include <cstring>

using namespace onnxc::rt;

int64_t Image::maxPixels() const {
  // An empty page of 600 dots per inch has less than 2^25 pixels.
  constexpr int64_t always = 1 << 25, perByte = 64, ever = 1 << 28;
  int64_t pixels = always + fileBytes * perByte;
  return pixels < ever ? pixels : ever;
}

bool Image::resize(int64_t newWidth, int64_t newHeight) {
  if (newWidth <= 0 || newHeight <= 0)
    return fail("ImageDecoder: %s", "the image is empty");
  if (newWidth > kMaxSide || newHeight > kMaxSide ||
      newWidth * newHeight > maxPixels()) {
    call->fail(
        ONNXC_ERR_VALUE,
        "ImageDecoder: an image of %lld x %lld pixels is too large for "
        "a file of %lld bytes: it may have %lld pixels",
        static_cast<long long>(newWidth), static_cast<long long>(newHeight),
        static_cast<long long>(fileBytes), static_cast<long long>(maxPixels()));
    return false;
  }
  if (!inTime())
    return false;
  pixels =
      static_cast<uint8_t *>(onnxc_rt_alloc(call, newWidth * newHeight * 3));
  if (onnxc_rt_status(call) != ONNXC_OK)
    return false;
  width = newWidth;
  height = newHeight;
  memset(pixels, 0, width * height * 3);
  return true;
}

bool Image::fail(const char *format, const char *reason) {
  char text[256];
  // Formats are ours, with one %s.
  const char *position = strstr(format, "%s");
  size_t before = position ? position - format : 0;
  size_t length = strnlen(reason, sizeof(text) - before - 1);
  memcpy(text, format, before);
  memcpy(text + before, reason, length);
  text[before + length] = 0;
  onnxc_rt_fail(call, ONNXC_ERR_VALUE, text);
  return false;
}

static bool decode(ImageFile file, Image &image) {
  if (file.startsWith("\xff\xd8\xff", 3))
    return decodeJPEG(file, image);
  if (file.startsWith("\x89PNG\r\n\x1a\n", 8))
    return decodePNG(file, image);
  if (file.startsWith("BM", 2))
    return decodeBMP(file, image);
  if (file.startsWith("RIFF", 4) && file.size >= 12 &&
      memcmp(file.bytes + 8, "WEBP", 4) == 0)
    return decodeWebP(file, image);
  if (file.startsWith("II*\0", 4) || file.startsWith("MM\0*", 4))
    return decodeTIFF(file, image);
  if (file.startsWith("\0\0\0\x0cjP  ", 8) ||
      file.startsWith("\xff\x4f\xff\x51", 4))
    return decodeJPEG2000(file, image);
  if (file.size >= 2 && file.bytes[0] == 'P' && file.bytes[1] >= '1' &&
      file.bytes[1] <= '6')
    return decodePNM(file, image);
  return image.fail("ImageDecoder: %s",
                    "expected a BMP, JPEG, JPEG 2000, PNG, PNM, TIFF or WebP "
                    "file, but the bytes are none of these");
}

/// Luma of ITU-R BT.601, rounded.
static void toGrey(Image &image) {
  int64_t count = image.width * image.height;
  const uint8_t *from = image.pixels;
  uint8_t *to = image.pixels;
  for (int64_t i = 0; i < count; ++i, from += 3)
    to[i] = uint8_t(
        (from[0] * 19595u + from[1] * 38470u + from[2] * 7471u + 0x8000u) >>
        16);
}

static void swapRedAndBlue(Image &image) {
  int64_t count = image.width * image.height;
  uint8_t *pixel = image.pixels;
  for (int64_t i = 0; i < count; ++i, pixel += 3) {
    uint8_t red = pixel[0];
    pixel[0] = pixel[2];
    pixel[2] = red;
  }
}

/// outs: the image, height x width x channels. ins: the file's bytes.
/// params: 0 for RGB, 1 for BGR, 2 for grey.
ONNXC_CALL(onnxc_call_image_decode) {
  ImageFile file{static_cast<const uint8_t *>(ins[0].data), ins[0].dims[0]};
  Image image(call, file.size);
  if (!decode(file, image))
    return onnxc_rt_status(call);
  bool grey = params[0] == 2;
  if (grey)
    toGrey(image);
  else if (params[0] == 1)
    swapRedAndBlue(image);
  int64_t sizes[3] = {image.height, image.width, grey ? 1 : 3};
  for (int d = 0; d < 3; ++d) {
    if (outs[0].dims[d] >= 0 && outs[0].dims[d] != sizes[d])
      return call->fail(ONNXC_ERR_VALUE,
                        "ImageDecoder: the model declares %lld for dimension "
                        "%d of the image, but it has %lld",
                        static_cast<long long>(outs[0].dims[d]), d,
                        static_cast<long long>(sizes[d]));
    outs[0].dims[d] = sizes[d];
  }
  outs[0].data = image.pixels;
  return ONNXC_OK;
}
