//===- ImagePNG.cpp - PNG files by libpng ----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Image.h"

#include <cstring>

#include <png.h>

#include <csetjmp>

namespace onnxc::rt {

namespace {
/// All that outlives a jump out of the library is here, in memory.
struct Decoder {
  png_structp png;
  png_infop info;
  ImageFile file;
  int64_t at;
  bool damaged;
};
} // namespace

static void readBytes(png_structp png, png_bytep to, size_t count) {
  auto *decoder = static_cast<Decoder *>(png_get_io_ptr(png));
  if (count > size_t(decoder->file.size - decoder->at))
    png_error(png, "the file ends early");
  memcpy(to, decoder->file.bytes + decoder->at, count);
  decoder->at += int64_t(count);
}

static void onWarning(png_structp, png_const_charp) {}

/// Pixels of all formats become red, green and blue of 8 bits; an alpha channel
/// is left out, not blended.
static void askForRGB(png_structp png) {
  png_set_expand(png);
  png_set_scale_16(png);
  png_set_gray_to_rgb(png);
  png_set_strip_alpha(png);
}

static bool readAll(Decoder &decoder, Image &image) {
  png_structp png = decoder.png;
  png_set_user_limits(png, Image::kMaxSide, Image::kMaxSide);
  // Texts and profiles, of which nothing is used.
  png_set_chunk_malloc_max(png, 1 << 22);
  png_set_chunk_cache_max(png, 16);
  png_set_read_fn(png, &decoder, readBytes);
  png_read_info(png, decoder.info);
  askForRGB(png);
  int passes = png_set_interlace_handling(png);
  png_read_update_info(png, decoder.info);
  if (!image.resize(png_get_image_width(png, decoder.info),
                    png_get_image_height(png, decoder.info)))
    return false;
  if (png_get_rowbytes(png, decoder.info) != size_t(image.width) * 3)
    png_error(png, "unknown colours");
  for (int pass = 0; pass < passes; ++pass)
    for (int64_t y = 0; y < image.height; ++y) {
      if (!image.inTime())
        return false;
      png_read_row(png, image.row(y), nullptr);
    }
  return true;
}

static void onError(png_structp png, png_const_charp) {
  auto *decoder = static_cast<Decoder *>(png_get_io_ptr(png));
  if (decoder)
    decoder->damaged = true;
  png_longjmp(png, 1);
}

bool decodePNG(ImageFile file, Image &image) {
  Decoder decoder{nullptr, nullptr, file, 0, false};
  decoder.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, onError,
                                       onWarning);
  if (decoder.png)
    decoder.info = png_create_info_struct(decoder.png);
  bool done = false;
  if (!decoder.info)
    onnxc_rt_fail(image.call, ONNXC_ERR_MEMORY,
                  "ImageDecoder: PNG: out of memory");
  else if (setjmp(png_jmpbuf(decoder.png)) == 0)
    done = readAll(decoder, image);
  else
    decoder.damaged = true;
  png_destroy_read_struct(&decoder.png, &decoder.info, nullptr);
  if (decoder.damaged)
    return image.fail("ImageDecoder: PNG: %s", "the file is damaged");
  return done;
}

} // namespace onnxc::rt
