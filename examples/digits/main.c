/*===- main.c - Recognise a handwritten digit from C --------------*- C -*-===*
 *
 * Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
 *
 * Reads 8x8 images from .npy files, runs the compiled digits network on each
 * and prints the image with the digit that the network sees in it:
 *   cc -I runtime/include main.c digits.so -Wl,-rpath,'$ORIGIN' -o digits
 *   ./digits images/7.npy
 *
 *===----------------------------------------------------------------------===*/

#include "OnnxMlirRuntime.h"

#include <stdio.h>
#include <string.h>

enum { PIXELS = 64, DIGITS = 10 };

/* Reads the 64 floats at the end of a .npy file of an 8x8 image. */
static int readImage(const char *path, float *pixels) {
  unsigned char header[10];
  FILE *file = fopen(path, "rb");
  if (!file)
    return 0;
  int ok = fread(header, 1, sizeof header, file) == sizeof header &&
           memcmp(header, "\x93NUMPY\x01", 7) == 0 &&
           fseek(file, header[8] + 256 * header[9], SEEK_CUR) == 0 &&
           fread(pixels, sizeof *pixels, PIXELS, file) == PIXELS;
  fclose(file);
  return ok;
}

static void printImage(const float *pixels) {
  static const char shades[] = " .:-=+*#%@";
  for (int i = 0; i < PIXELS; ++i) {
    int level = pixels[i] >= 0.9f ? 9 : (int)(pixels[i] * 10);
    printf("%c%c%s", shades[level], shades[level], i % 8 == 7 ? "\n" : "");
  }
}

/* Returns the most probable digit, or -1 when the model refuses the image. */
static int recognise(float *pixels, float *probability) {
  const int64_t shape[] = {1, 1, 8, 8};
  OMTensor *image = omTensorCreate(pixels, shape, 4, ONNX_TYPE_FLOAT);
  OMTensorList *inputs = omTensorListCreate(&image, 1);
  OMTensorList *outputs = run_main_graph(inputs);
  omTensorListDestroy(inputs);
  if (!outputs)
    return -1;
  const float *p = omTensorGetDataPtr(omTensorListGetOmtByIndex(outputs, 0));
  int best = 0;
  for (int digit = 1; digit < DIGITS; ++digit)
    if (p[digit] > p[best])
      best = digit;
  *probability = p[best];
  omTensorListDestroy(outputs);
  return best;
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    float pixels[PIXELS], probability;
    if (!readImage(argv[i], pixels)) {
      fprintf(stderr, "%s is not a .npy file of an 8x8 image\n", argv[i]);
      return 1;
    }
    int digit = recognise(pixels, &probability);
    if (digit < 0) {
      fprintf(stderr, "%s: %s\n", argv[i], omGetLastError());
      return 1;
    }
    printImage(pixels);
    printf("%s: this is a %d (%.1f%%)\n", argv[i], digit, 100 * probability);
  }
  return 0;
}
