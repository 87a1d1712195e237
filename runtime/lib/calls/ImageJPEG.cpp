//===- ImageJPEG.cpp - JPEG files by libjpeg -------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Image.h"

#include <cstdio>
#include <cstring>

#include <jpeglib.h>

#include <csetjmp>

namespace onnxc::rt {

namespace {
/// All that outlives a jump out of the library is here, in memory.
struct Decoder {
  jpeg_decompress_struct info;
  jpeg_error_mgr errors;
  jpeg_progress_mgr progress;
  jmp_buf failed;
  const char *problem; ///< null: the error is recorded
  Image *image;
  uint8_t *line; ///< four colours to a pixel, if the file has them
};
} // namespace

static void onError(j_common_ptr info) {
  auto *decoder = static_cast<Decoder *>(info->client_data);
  // The library's own messages depend on its build: use a fixed one.
  decoder->problem = "the file is damaged";
  longjmp(decoder->failed, 1);
}

static void onMessage(j_common_ptr) {}

/// A warning is a damaged file too, which some decoders fill with grey: the
/// image that can be made of it is returned, as elsewhere.
static void onWarning(j_common_ptr, int) {}

/// Called for every row of blocks of every scan. A scan of a progressive file
/// may take hardly a byte, but goes through all blocks.
static void onProgress(j_common_ptr info) {
  constexpr int64_t always = 1 << 28, perByte = 512;
  auto *decoder = static_cast<Decoder *>(info->client_data);
  const jpeg_decompress_struct &file = decoder->info;
  const Image &image = *decoder->image;
  if (int64_t(file.input_scan_number) * file.image_width * file.image_height >
      always + image.fileBytes * perByte)
    decoder->problem = "too many scans for its size";
  else if (decoder->image->inTime())
    return;
  longjmp(decoder->failed, 1);
}

static void begin(Decoder &decoder, ImageFile file) {
  jpeg_create_decompress(&decoder.info);
  decoder.progress.progress_monitor = onProgress;
  decoder.info.progress = &decoder.progress;
  jpeg_mem_src(&decoder.info, file.bytes,
               static_cast<unsigned long>(file.size));
  jpeg_read_header(&decoder.info, TRUE);
  bool fourColours = decoder.info.jpeg_color_space == JCS_CMYK ||
                     decoder.info.jpeg_color_space == JCS_YCCK;
  decoder.info.out_color_space = fourColours ? JCS_CMYK : JCS_RGB;
  decoder.info.mem->max_memory_to_use = 1l << 30;
}

static void readRow(Decoder &decoder, Image &image) {
  uint8_t *row = image.row(decoder.info.output_scanline);
  if (!decoder.line) {
    jpeg_read_scanlines(&decoder.info, &row, 1);
    return;
  }
  jpeg_read_scanlines(&decoder.info, &decoder.line, 1);
  // Adobe stores the four colours inverted.
  bool inverted = decoder.info.saw_Adobe_marker;
  for (int64_t x = 0; x < image.width; ++x) {
    const uint8_t *from = decoder.line + 4 * x;
    for (int c = 0; c < 3; ++c) {
      int colour = inverted ? from[c] : 255 - from[c];
      int black = inverted ? from[3] : 255 - from[3];
      row[3 * x + c] = uint8_t((colour * black + 127) / 255);
    }
  }
}

/// Returns false without a problem: the image itself has failed.
static bool readAll(Decoder &decoder, ImageFile file, Image &image) {
  begin(decoder, file);
  if (!image.resize(decoder.info.image_width, decoder.info.image_height))
    return false;
  if (decoder.info.out_color_space == JCS_CMYK) {
    decoder.line =
        static_cast<uint8_t *>(onnxc_rt_alloc(image.call, 4 * image.width));
    if (onnxc_rt_status(image.call) != ONNXC_OK)
      return false;
  }
  jpeg_start_decompress(&decoder.info);
  while (decoder.info.output_scanline < decoder.info.output_height) {
    if (!image.inTime())
      return false;
    readRow(decoder, image);
  }
  jpeg_finish_decompress(&decoder.info);
  return true;
}

bool decodeJPEG(ImageFile file, Image &image) {
  Decoder decoder;
  memset(&decoder, 0, sizeof(decoder));
  decoder.info.err = jpeg_std_error(&decoder.errors);
  decoder.info.client_data = &decoder;
  decoder.image = &image;
  decoder.errors.error_exit = onError;
  decoder.errors.output_message = onMessage;
  decoder.errors.emit_message = onWarning;
  // Only `decoder` and `image` change after this point.
  bool done = setjmp(decoder.failed) == 0 && readAll(decoder, file, image);
  jpeg_destroy_decompress(&decoder.info);
  if (decoder.problem)
    return image.fail("ImageDecoder: JPEG: %s", decoder.problem);
  return done;
}

} // namespace onnxc::rt
