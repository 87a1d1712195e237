//===- ImageWebP.cpp - WebP files by libwebp -------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Image.h"

#include <webp/decode.h>

namespace onnxc::rt {

bool decodeWebP(ImageFile file, Image &image) {
  int width = 0, height = 0;
  size_t size = size_t(file.size);
  if (!WebPGetInfo(file.bytes, size, &width, &height))
    return image.fail("ImageDecoder: WebP: %s", "the file is damaged");
  if (!image.resize(width, height))
    return false;
  if (!WebPDecodeRGBInto(file.bytes, size, image.pixels,
                         size_t(image.width * image.height * 3),
                         int(image.width * 3)))
    return image.fail("ImageDecoder: WebP: %s", "the file is damaged");
  return true;
}

} // namespace onnxc::rt
