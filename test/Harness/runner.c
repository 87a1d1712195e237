/*===- runner.c - Run an artefact on tensors of a file ------------*- C -*-===*
 *
 * Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
 *
 * What the suites run under an emulator (emulated.py): loads the artefact,
 * calls it once and writes what it gives.
 *
 *   runner MODEL.so INPUTS OUTPUTS
 *
 * Both files are 64-bit words and bytes: the number of tensors, and of each its
 * type, rank, sizes, number of bytes and bytes. Strings end with a zero.
 *
 *===----------------------------------------------------------------------===*/

#include "OnnxMlirRuntime.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *library;

static void *find(const char *name) {
  void *function = dlsym(library, name);
  if (!function) {
    fprintf(stderr, "no %s\n", name);
    exit(3);
  }
  return function;
}

#define CALL(NAME, RESULT, PARAMETERS) ((RESULT(*) PARAMETERS)find(#NAME))

static int64_t readWord(FILE *file) {
  int64_t word = 0;
  if (fread(&word, sizeof word, 1, file) != 1)
    exit(3);
  return word;
}

static void writeWord(FILE *file, int64_t word) {
  fwrite(&word, sizeof word, 1, file);
}

static OMTensor *readTensor(FILE *file) {
  int64_t type = readWord(file), rank = readWord(file), shape[64], count = 1;
  for (int64_t i = 0; i < rank; ++i)
    count *= shape[i] = readWord(file);
  int64_t bytes = readWord(file);
  char *data = malloc(bytes + 1);
  if (fread(data, 1, bytes, file) != (size_t)bytes)
    exit(3);
  if (type == ONNX_TYPE_STRING) {
    char **strings = malloc((count + 1) * sizeof *strings), *next = data;
    for (int64_t i = 0; i < count; next += strlen(next) + 1)
      strings[i++] = next;
    data = (char *)strings;
  }
  return CALL(omTensorCreate, OMTensor *,
              (void *, const int64_t *, int64_t, OM_DATA_TYPE))(
      data, shape, rank, (OM_DATA_TYPE)type);
}

static void writeTensor(FILE *file, OMTensor *tensor) {
  int64_t type =
      CALL(omTensorGetDataType, OM_DATA_TYPE, (const OMTensor *))(tensor);
  int64_t rank = CALL(omTensorGetRank, int64_t, (const OMTensor *))(tensor);
  const int64_t *shape =
      CALL(omTensorGetShape, const int64_t *, (const OMTensor *))(tensor);
  void *data = CALL(omTensorGetDataPtr, void *, (const OMTensor *))(tensor);
  int64_t bytes = 0, count = 1;
  writeWord(file, type);
  writeWord(file, rank);
  for (int64_t i = 0; i < rank; ++i) {
    writeWord(file, shape[i]);
    count *= shape[i];
  }
  if (type != ONNX_TYPE_STRING) {
    bytes = CALL(omTensorGetBufferSize, int64_t, (const OMTensor *))(tensor);
    writeWord(file, bytes);
    fwrite(data, 1, bytes, file);
    return;
  }
  char **strings = data;
  for (int64_t i = 0; i < count; ++i)
    bytes += strlen(strings[i]) + 1;
  writeWord(file, bytes);
  for (int64_t i = 0; i < count; ++i)
    fwrite(strings[i], 1, strlen(strings[i]) + 1, file);
}

int main(int argc, char **argv) {
  FILE *in = argc == 4 ? fopen(argv[2], "rb") : NULL;
  library = in ? dlopen(argv[1], RTLD_NOW) : NULL;
  if (!library) {
    fprintf(stderr, "%s\n", in ? dlerror() : "no inputs");
    return 3;
  }
  int64_t count = readWord(in);
  OMTensor **tensors = malloc((count + 1) * sizeof *tensors);
  for (int64_t i = 0; i < count; ++i)
    tensors[i] = readTensor(in);
  OMTensorList *inputs = CALL(omTensorListCreate, OMTensorList *,
                              (OMTensor **, int64_t))(tensors, count);
  OMTensorList *outputs =
      CALL(run_main_graph, OMTensorList *, (OMTensorList *))(inputs);
  if (!outputs) {
    fprintf(stderr, "%s\n", CALL(omGetLastError, const char *, (void))());
    return 1;
  }
  FILE *out = fopen(argv[3], "wb");
  int64_t results =
      CALL(omTensorListGetSize, int64_t, (OMTensorList *))(outputs);
  writeWord(out, results);
  for (int64_t i = 0; i < results; ++i)
    writeTensor(out, CALL(omTensorListGetOmtByIndex, OMTensor *,
                          (OMTensorList *, int64_t))(outputs, i));
  return fclose(out) == 0 ? 0 : 3;
}
