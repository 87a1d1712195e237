//===- ImageJPEG2000.cpp - JPEG 2000 files by OpenJPEG ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Image.h"

#include <cstring>

#include <openjpeg-2.5/openjpeg.h>

namespace onnxc::rt {

namespace {
/// The source of the library's callbacks.
struct Source {
  ImageFile file;
  Image *image;
  int64_t at;
};

/// The objects to release.
struct Decoder {
  opj_codec_t *codec = nullptr;
  opj_stream_t *stream = nullptr;
  opj_image_t *decoded = nullptr;

  ~Decoder() {
    if (decoded)
      opj_image_destroy(decoded);
    if (stream)
      opj_stream_destroy(stream);
    if (codec)
      opj_destroy_codec(codec);
  }
};
} // namespace

static OPJ_SIZE_T readBytes(void *to, OPJ_SIZE_T count, void *user) {
  auto *source = static_cast<Source *>(user);
  int64_t left = source->file.size - source->at;
  if (left <= 0 || !source->image->inTime())
    return OPJ_SIZE_T(-1);
  if (count > OPJ_SIZE_T(left))
    count = OPJ_SIZE_T(left);
  memcpy(to, source->file.bytes + source->at, count);
  source->at += int64_t(count);
  return count;
}

static OPJ_OFF_T skipBytes(OPJ_OFF_T count, void *user) {
  auto *source = static_cast<Source *>(user);
  int64_t left = source->file.size - source->at;
  if (count < 0 || left <= 0)
    return -1;
  if (count > left)
    count = left;
  source->at += count;
  return count;
}

static OPJ_BOOL seekTo(OPJ_OFF_T position, void *user) {
  auto *source = static_cast<Source *>(user);
  if (position < 0 || position > source->file.size)
    return OPJ_FALSE;
  source->at = position;
  return OPJ_TRUE;
}

static int64_t bigEndian(ImageFile file, int64_t at, int bytes) {
  int64_t value = 0;
  for (int i = 0; i < bytes; ++i)
    value = value << 8 | file.byte(at + i);
  return value;
}

/// Where the codestream begins: at once, or in a box. -1 without one.
static int64_t findCodestream(ImageFile file) {
  constexpr int64_t contents = 0x6a703263; // jp2c
  int64_t at = 0, header = 0;
  if (file.bytes[0] == 0xff)
    return 0;
  for (int64_t size = 0; at < file.size; at += size) {
    bool isLong = bigEndian(file, at, 4) == 1;
    header = isLong ? 16 : 8;
    size = isLong ? bigEndian(file, at + 8, 8) : bigEndian(file, at, 4);
    if (bigEndian(file, at + 4, 4) == contents)
      return at + header;
    if (size < header || size > file.size - at)
      return -1;
  }
  return -1;
}

/// The header determines the memory that the library allocates when it reads
/// the header, and the time that it spends on bits that the file need not have:
/// a component is as large as the image, each tile has tables of its own, and
/// the passes over a block may be many times those of a valid file.
static bool isModest(ImageFile file) {
  constexpr int64_t components = 5; // four colours and alpha
  constexpr int64_t always = 1 << 23, perByte = 32, tiles = 8192;
  int64_t size = findCodestream(file) + 2; // the marker SIZ
  if (size < 2 || bigEndian(file, size, 2) != 0xff51)
    return false;
  auto sizeField = [&](int number) {
    return bigEndian(file, size + 6 + 4 * number, 4);
  };
  int64_t sides[2], across[2];
  for (int d = 0; d < 2; ++d) {
    sides[d] = sizeField(d) - sizeField(2 + d);
    int64_t tile = sizeField(4 + d), first = sizeField(6 + d);
    if (sides[d] <= 0 || sides[d] > Image::kMaxSide || tile <= 0 ||
        first > sizeField(d))
      return false;
    across[d] = (sizeField(d) - first + tile - 1) / tile;
  }
  return bigEndian(file, size + 38, 2) <= components &&
         sides[0] * sides[1] <= always + file.size * perByte &&
         across[0] <= tiles && across[1] <= tiles &&
         across[0] * across[1] <= tiles;
}

static bool open(Decoder &decoder, Source &source) {
  bool isBare = source.file.bytes[0] == 0xff;
  decoder.codec = opj_create_decompress(isBare ? OPJ_CODEC_J2K : OPJ_CODEC_JP2);
  decoder.stream = opj_stream_create(1 << 16, OPJ_TRUE);
  if (!decoder.codec || !decoder.stream)
    return false;
  opj_stream_set_user_data(decoder.stream, &source, nullptr);
  opj_stream_set_user_data_length(decoder.stream, OPJ_UINT64(source.file.size));
  opj_stream_set_read_function(decoder.stream, readBytes);
  opj_stream_set_skip_function(decoder.stream, skipBytes);
  opj_stream_set_seek_function(decoder.stream, seekTo);
  opj_dparameters_t parameters;
  opj_set_default_decoder_parameters(&parameters);
  return opj_setup_decoder(decoder.codec, &parameters) &&
         opj_read_header(decoder.stream, decoder.codec, &decoder.decoded);
}

/// The sample of a component that covers the pixel, as 0 to 255.
static int sampleAt(const opj_image_comp_t &part, int64_t x, int64_t y) {
  int64_t column = x / part.dx, line = y / part.dy;
  if (column >= part.w || line >= part.h)
    return 0;
  int64_t value = part.data[line * part.w + column];
  if (part.sgnd)
    value += int64_t(1) << (part.prec - 1);
  int64_t largest = (int64_t(1) << part.prec) - 1;
  value = value < 0 ? 0 : value > largest ? largest : value;
  return int((value * 255 + largest / 2) / largest);
}

static int clampToByte(double value) {
  return value < 0 ? 0 : value > 255 ? 255 : int(value + 0.5);
}

static void setPixel(const opj_image_t &decoded, int64_t x, int64_t y,
                     Image &image) {
  int first = sampleAt(decoded.comps[0], x, y);
  if (decoded.numcomps < 3)
    return image.set(x, y, first, first, first);
  int second = sampleAt(decoded.comps[1], x, y),
      third = sampleAt(decoded.comps[2], x, y);
  if (decoded.color_space != OPJ_CLRSPC_SYCC)
    return image.set(x, y, first, second, third);
  double blue = second - 128, red = third - 128;
  image.set(x, y, clampToByte(first + 1.402 * red),
            clampToByte(first - 0.344136 * blue - 0.714136 * red),
            clampToByte(first + 1.772 * blue));
}

static bool isUsable(const opj_image_t &decoded) {
  if (decoded.numcomps == 0)
    return false;
  for (OPJ_UINT32 i = 0; i < decoded.numcomps && i < 3; ++i) {
    const opj_image_comp_t &part = decoded.comps[i];
    if (!part.data || part.dx == 0 || part.dy == 0 || part.prec == 0 ||
        part.prec > 31)
      return false;
  }
  return true;
}

bool decodeJPEG2000(ImageFile file, Image &image) {
  Source source{file, &image, 0};
  Decoder decoder;
  if (!isModest(file))
    return image.fail("ImageDecoder: JPEG 2000: %s",
                      "the file is damaged, or too small for its image");
  if (!image.inTime())
    return false;
  if (!open(decoder, source))
    return image.fail("ImageDecoder: JPEG 2000: %s", "the file is damaged");
  // Sizes are checked before the library makes room for the samples.
  if (!image.resize(int64_t(decoder.decoded->x1) - decoder.decoded->x0,
                    int64_t(decoder.decoded->y1) - decoder.decoded->y0))
    return false;
  if (!opj_decode(decoder.codec, decoder.stream, decoder.decoded) ||
      !opj_end_decompress(decoder.codec, decoder.stream) ||
      !isUsable(*decoder.decoded))
    return image.fail("ImageDecoder: JPEG 2000: %s", "the file is damaged");
  for (int64_t y = 0; y < image.height && image.inTime(); ++y)
    for (int64_t x = 0; x < image.width; ++x)
      setPixel(*decoder.decoded, x, y, image);
  return onnxc_rt_status(image.call) == ONNXC_OK;
}

} // namespace onnxc::rt
