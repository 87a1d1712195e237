/*===- OnnxMlirRuntime.h - The C API of a compiled model ----------*- C -*-===*
 *
 * Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
 *
 * One C99 header for programs that call a compiled model, source compatible
 * with the established API of compiled ONNX models. The compiled model itself
 * (model.so) defines all these functions: link against it or dlopen it.
 * More (contexts, status codes, buffers the caller owns) is in
 * onnxc/Runtime.h.
 *
 *   int64_t shape[2] = {1, 3};
 *   OMTensor *x = omTensorCreate(data, shape, 2, ONNX_TYPE_FLOAT);
 *   OMTensorList *in = omTensorListCreate(&x, 1);
 *   OMTensorList *out = run_main_graph(in);
 *   if (!out) puts(omGetLastError());
 *   float *y = omTensorGetDataPtr(omTensorListGetOmtByIndex(out, 0));
 *   omTensorListDestroy(out);
 *   omTensorListDestroy(in);
 *
 *===----------------------------------------------------------------------===*/

#ifndef ONNXC_ONNXMLIRRUNTIME_H
#define ONNXC_ONNXMLIRRUNTIME_H

#include <stdint.h>

#if defined(__GNUC__)
#define OM_EXTERNAL_VISIBILITY __attribute__((visibility("default")))
#else
#define OM_EXTERNAL_VISIBILITY
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* --- Element types: ONNX's own numbers ----------------------------------- */

typedef enum OM_DATA_TYPE {
#define OM_TYPE(NAME, NUMBER, SIZE, TEXT) ONNX_TYPE_##NAME = NUMBER,
#include "onnxc/rt/DataTypes.def"
} OM_DATA_TYPE;

/* Bytes of one element by type; 0 for undefined and string. Elements of types
 * narrower than a byte take one byte each. */
OM_EXTERNAL_VISIBILITY extern const int OM_DATA_TYPE_SIZE[];

static inline int64_t getDataTypeSize(OM_DATA_TYPE dataType) {
  return OM_DATA_TYPE_SIZE[dataType];
}

/* --- Tensors --------------------------------------------------------------
 * A tensor has a data pointer, an element type, a shape and strides (counted
 * in elements). A string tensor's data is an array of `char *`.
 * Getters and setters do nothing (or return NULL or 0) for a NULL tensor. */

typedef struct OMTensor OMTensor;

#define OMTENSOR_OWNING_DATA_PTR 1
#define OMTENSOR_OWNING_DATA_PTR_AND_STRING 2

/* The data stays the caller's; the shape is copied. NULL when the rank or a
 * dimension is negative, the type is unknown, or memory is short. */
OM_EXTERNAL_VISIBILITY OMTensor *omTensorCreate(void *data,
                                                const int64_t *shape,
                                                int64_t rank,
                                                OM_DATA_TYPE type);
/* With `owning` non-zero omTensorDestroy frees the data with free(), and with
 * OMTENSOR_OWNING_DATA_PTR_AND_STRING each string of a string tensor too. */
OM_EXTERNAL_VISIBILITY OMTensor *
omTensorCreateWithOwnership(void *data, const int64_t *shape, int64_t rank,
                            OM_DATA_TYPE type, int64_t owning);
/* Allocates the data, 64-byte aligned; uninitialised, but for strings, which
 * are all NULL. */
OM_EXTERNAL_VISIBILITY OMTensor *
omTensorCreateEmpty(const int64_t *shape, int64_t rank, OM_DATA_TYPE type);
OM_EXTERNAL_VISIBILITY void omTensorDestroy(OMTensor *tensor);

OM_EXTERNAL_VISIBILITY void *omTensorGetDataPtr(const OMTensor *tensor);
OM_EXTERNAL_VISIBILITY void *omTensorGetAllocatedPtr(const OMTensor *tensor);
/* Data that the tensor owned is freed. `allocated` is the memory to free later
 * when `owning`; `aligned` is where the elements are, or NULL for `allocated`.
 */
OM_EXTERNAL_VISIBILITY void omTensorSetDataPtr(OMTensor *tensor, int64_t owning,
                                               void *allocated, void *aligned);
OM_EXTERNAL_VISIBILITY OM_DATA_TYPE omTensorGetDataType(const OMTensor *tensor);
OM_EXTERNAL_VISIBILITY void omTensorSetDataType(OMTensor *tensor,
                                                OM_DATA_TYPE type);
OM_EXTERNAL_VISIBILITY int64_t omTensorGetRank(const OMTensor *tensor);
OM_EXTERNAL_VISIBILITY const int64_t *omTensorGetShape(const OMTensor *tensor);
/* Sets the shape (rank entries are read) and the row-major strides of it. */
OM_EXTERNAL_VISIBILITY void omTensorSetShape(OMTensor *tensor,
                                             const int64_t *shape);
OM_EXTERNAL_VISIBILITY const int64_t *
omTensorGetStrides(const OMTensor *tensor);
/* Copies the strides (rank entries), in elements; below in bytes, of which
 * those of no whole element are rounded towards zero. */
OM_EXTERNAL_VISIBILITY void omTensorSetStrides(OMTensor *tensor,
                                               const int64_t *strides);
OM_EXTERNAL_VISIBILITY void
omTensorSetStridesWithPyArrayStrides(OMTensor *tensor,
                                     const int64_t *stridesInBytes);
OM_EXTERNAL_VISIBILITY int64_t omTensorGetNumElems(const OMTensor *tensor);
OM_EXTERNAL_VISIBILITY int64_t omTensorGetBufferSize(const OMTensor *tensor);
OM_EXTERNAL_VISIBILITY int64_t omTensorGetOwning(const OMTensor *tensor);
OM_EXTERNAL_VISIBILITY void omTensorSetOwning(OMTensor *tensor, int64_t owning);
/* Prints `message` to stdout, with %t the type (4x3xf32), %s a longer
 * signature, %d the values, %e a line end and %% a per cent sign. */
OM_EXTERNAL_VISIBILITY void omTensorPrint(const char *message,
                                          const OMTensor *tensor);

/* --- Lists of tensors ---------------------------------------------------- */

typedef struct OMTensorList OMTensorList;

/* The list copies the array and takes over the tensors, which
 * omTensorListDestroy destroys. NULL, and the tensors stay the caller's, if n
 * is negative or memory is short. */
OM_EXTERNAL_VISIBILITY OMTensorList *omTensorListCreate(OMTensor **tensors,
                                                        int64_t n);
/* With `owning` the array is taken over and freed with free() later. */
OM_EXTERNAL_VISIBILITY OMTensorList *
omTensorListCreateWithOwnership(OMTensor **tensors, int64_t n, int64_t owning);
/* Destroys the list and the tensors in it. */
OM_EXTERNAL_VISIBILITY void omTensorListDestroy(OMTensorList *list);
/* Destroys the list and leaves the tensors. */
OM_EXTERNAL_VISIBILITY void omTensorListDestroyShallow(OMTensorList *list);
OM_EXTERNAL_VISIBILITY OMTensor **omTensorListGetOmtArray(OMTensorList *list);
OM_EXTERNAL_VISIBILITY int64_t omTensorListGetSize(OMTensorList *list);
/* NULL if there is no such index. */
OM_EXTERNAL_VISIBILITY OMTensor *omTensorListGetOmtByIndex(OMTensorList *list,
                                                           int64_t index);
/* omTensorPrint for each tensor. */
OM_EXTERNAL_VISIBILITY void omTensorListPrint(const char *message,
                                              OMTensorList *list);

/* --- Values that are no tensors -------------------------------------------
 * In a list a sequence, map or optional stands as an OMTensor of data type
 * ONNX_TYPE_UNDEFINED; omTensorValue opens it. Constructors take over
 * their arguments, also when they fail and return NULL; omValueDestroy and
 * omTensorDestroy destroy all that is inside. Elements stay the container's.
 * An input that is optional may also be given as its element. */

typedef enum OM_VALUE_KIND {
  OM_VALUE_TENSOR = 1,
  OM_VALUE_SEQUENCE = 2,
  OM_VALUE_MAP = 3,
  OM_VALUE_OPTIONAL = 4
} OM_VALUE_KIND;

typedef struct OMValue OMValue;

/* NULL when the tensor is an ordinary one. The value stays the tensor's. */
OM_EXTERNAL_VISIBILITY OMValue *omTensorValue(const OMTensor *tensor);
OM_EXTERNAL_VISIBILITY OMTensor *omTensorCreateFromValue(OMValue *value);

OM_EXTERNAL_VISIBILITY OMValue *omValueCreateTensor(OMTensor *tensor);
OM_EXTERNAL_VISIBILITY OMValue *omValueCreateSequence(OMValue **elements,
                                                      int64_t n);
/* keys: a tensor of n integers or strings; elements[i] belongs to key i. */
OM_EXTERNAL_VISIBILITY OMValue *omValueCreateMap(OMTensor *keys,
                                                 OMValue **elements, int64_t n);
/* element may be NULL: an empty optional. */
OM_EXTERNAL_VISIBILITY OMValue *omValueCreateOptional(OMValue *element);
OM_EXTERNAL_VISIBILITY void omValueDestroy(OMValue *value);

OM_EXTERNAL_VISIBILITY OM_VALUE_KIND omValueGetKind(const OMValue *value);
/* 1 for a tensor, 0 or 1 for an optional, else the number of elements. */
OM_EXTERNAL_VISIBILITY int64_t omValueGetSize(const OMValue *value);
OM_EXTERNAL_VISIBILITY OMValue *omValueGetElement(const OMValue *value,
                                                  int64_t index);
/* The keys of a map; NULL for the other kinds. */
OM_EXTERNAL_VISIBILITY OMTensor *omValueGetKey(const OMValue *value);
/* The tensor of a tensor value; NULL for the other kinds. */
OM_EXTERNAL_VISIBILITY OMTensor *omValueGetTensor(const OMValue *value);

/* --- The model ------------------------------------------------------------
 * Runs the model. The caller keeps the inputs and owns the returned list.
 * NULL on failure: errno is set and omGetLastError() says why. Any number of
 * threads may call it at the same time. */
OM_EXTERNAL_VISIBILITY OMTensorList *run_main_graph(OMTensorList *inputs);

/* The message of the last failure on this thread, "" if there was none. Valid
 * until the next failure on it. */
OM_EXTERNAL_VISIBILITY const char *omGetLastError(void);

/* NULL-terminated names; `count` may be NULL. */
OM_EXTERNAL_VISIBILITY const char *const *omQueryEntryPoints(int64_t *count);
/* JSON text; NULL for an unknown entry point. */
OM_EXTERNAL_VISIBILITY const char *omInputSignature(const char *entryPoint);
OM_EXTERNAL_VISIBILITY const char *omOutputSignature(const char *entryPoint);
OM_EXTERNAL_VISIBILITY const char *omCompilationInfo(void);
OM_EXTERNAL_VISIBILITY const char *omGetRuntimeAPIVersion(void);

#ifdef __cplusplus
}
#endif

#endif /* ONNXC_ONNXMLIRRUNTIME_H */
