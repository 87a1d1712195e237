//===- Image.h - Images out of files ----------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Shared parts of the decoders of ImageDecoder. Each takes the bytes of an
// untrusted file and writes rows of red, green and blue, or a message.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_RUNTIME_LIB_CALLS_IMAGE_H
#define ONNXC_RUNTIME_LIB_CALLS_IMAGE_H

#include "Context.h"

namespace onnxc::rt {

/// A file in memory.
struct ImageFile {
  const uint8_t *bytes;
  int64_t size;

  bool startsWith(const char *magic, int64_t length) const {
    return size >= length && __builtin_memcmp(bytes, magic, length) == 0;
  }
  /// Little-endian numbers; 0 beyond the end.
  uint32_t le16(int64_t at) const { return byte(at) | byte(at + 1) << 8; }
  uint32_t le32(int64_t at) const { return le16(at) | le16(at + 2) << 16; }
  uint32_t byte(int64_t at) const {
    return at >= 0 && at < size ? bytes[at] : 0;
  }
};

/// The image being decoded.
class Image {
public:
  Image(OnnxcCall *call, int64_t fileBytes)
      : call(call), fileBytes(fileBytes) {}

  /// Makes room for rows of 3 bytes a pixel, all black. Fails for sizes that no
  /// honest image in a file of this length has, and after the deadline.
  bool resize(int64_t newWidth, int64_t newHeight);
  /// The most pixels that resize() makes room for: memory and time are in
  /// proportion to the file, but for a constant.
  int64_t maxPixels() const;
  /// Returns false, with the error recorded, when the run is to end. Decoders
  /// call it at least once a row, or wherever their library lets them.
  bool inTime() { return onnxc_rt_poll(call) == ONNXC_OK; }
  uint8_t *row(int64_t y) { return pixels + y * width * 3; }
  void set(int64_t x, int64_t y, int red, int green, int blue) {
    uint8_t *pixel = row(y) + x * 3;
    pixel[0] = uint8_t(red);
    pixel[1] = uint8_t(green);
    pixel[2] = uint8_t(blue);
  }
  /// Ends the run with an error in the file; always false.
  bool fail(const char *format, const char *reason);

  OnnxcCall *call;
  uint8_t *pixels = nullptr;
  int64_t width = 0, height = 0;
  int64_t fileBytes;

  static constexpr int64_t kMaxSide = 1 << 20;
};

/// Each returns false after Image::fail.
bool decodeBMP(ImageFile file, Image &image);
bool decodePNM(ImageFile file, Image &image);
bool decodeJPEG(ImageFile file, Image &image);
bool decodeJPEG2000(ImageFile file, Image &image);
bool decodePNG(ImageFile file, Image &image);
bool decodeTIFF(ImageFile file, Image &image);
bool decodeWebP(ImageFile file, Image &image);

} // namespace onnxc::rt

#endif // ONNXC_RUNTIME_LIB_CALLS_IMAGE_H
