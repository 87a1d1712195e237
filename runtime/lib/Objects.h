//===- Objects.h - Sequences, optionals, maps, boxed tensors ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The runtime side of !krnl.obj: a value in the pool of the call. Objects have
// reference counts. The caller of a function that makes one or returns "a new
// reference" owns it and passes it on or releases it; operands of calls are
// borrowed. An object with other references is never changed. After an error
// nothing need be released: the pool does at the end of the call.
//
// Functions that return a pointer return null after recording an error.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_RUNTIME_LIB_OBJECTS_H
#define ONNXC_RUNTIME_LIB_OBJECTS_H

#include "OnnxMlirRuntime.h"
#include "onnxc/rt/model.h"

namespace onnxc::rt {

struct Object {
  int32_t kind; ///< ONNXC_KIND_*
  int32_t type; ///< OM_DATA_TYPE of a tensor's elements
  int64_t references;
};

/// Contiguous and row-major. A tensor of unknown rank, or inside of a value.
struct TensorObject : Object {
  void *data;      ///< a counted block of the pool, unless borrowed
  bool isBorrowed; ///< memory of the caller's, which outlives the call
  int64_t rank;
  int64_t dims[];
};

/// A sequence; an optional with one element or none.
struct ListObject : Object {
  int64_t size;
  int64_t capacity;
  Object *elements[];
};

/// Value i belongs to key i. Keys are a tensor of one dimension, integers or
/// strings. Values that are scalars are one tensor as long as the keys, others
/// a sequence.
struct MapObject : Object {
  TensorObject *keys;
  Object *values;
};

/// A tensor as calls read it, wherever it is.
struct TensorView {
  const void *data;
  int64_t type;
  int64_t rank;
  const int64_t *dims;

  int64_t count() const;
  int64_t bytes() const;
};

//===----------------------------------------------------------------------===//
// Making and counting
//===----------------------------------------------------------------------===//

/// One more reference to the same object.
inline Object *retain(Object *object) {
  ++object->references;
  return object;
}
/// Null is allowed.
void release(OnnxcCall *call, Object *object);

/// A tensor with elements yet to be written.
TensorObject *makeTensor(OnnxcCall *call, int64_t type, int64_t rank,
                         const int64_t *dims);
/// A tensor with a copy of the elements. Strings are shared: their characters
/// live until the end of the call.
TensorObject *copyTensor(OnnxcCall *call, const TensorView &view);
/// A tensor over the elements of `tensor`, of which these sizes have as many.
TensorObject *shareTensor(OnnxcCall *call, TensorObject &tensor, int64_t rank,
                          const int64_t *dims);
/// A tensor over memory that outlives the call.
TensorObject *borrowTensor(OnnxcCall *call, const TensorView &view);
/// An empty sequence or optional with room for `capacity` elements.
ListObject *makeList(OnnxcCall *call, int32_t kind, int64_t capacity);
/// Takes over both references, also when it fails.
MapObject *makeMap(OnnxcCall *call, TensorObject *keys, Object *values);

inline TensorView viewOf(const TensorObject &tensor) {
  return {tensor.data, tensor.type, tensor.rank, tensor.dims};
}

//===----------------------------------------------------------------------===//
// Operands and results of krnl.call
//===----------------------------------------------------------------------===//

/// The object that an operand of type !krnl.obj is.
inline Object *objectOf(const OnnxcValue &operand) {
  return static_cast<Object *>(operand.data);
}

/// The tensor that an operand is, in a buffer or boxed. Elements of a byte
/// look alike in buffers: `type` is their type.
TensorView tensorOf(const OnnxcValue &operand, int64_t type);
/// An operand as an object: a new reference.
Object *boxed(OnnxcCall *call, const OnnxcValue &operand, int64_t type);

/// Gives an object away as the result of a call, and its reference with it.
inline int32_t give(OnnxcValue &result, Object *object) {
  result.data = object;
  return ONNXC_OK;
}
/// Writes a result, borrowing `object`: into a buffer if the result is one (the
/// elements are shared, not copied), with an error that begins with `what`
/// where the object is not such a tensor. `type` is that of the elements.
int32_t giveElement(OnnxcCall *call, OnnxcValue &result, Object *object,
                    int64_t type, const char *what);

//===----------------------------------------------------------------------===//
// The border of the model (ObjectBorder.cpp)
//===----------------------------------------------------------------------===//

/// The object for a value of the caller's that should be of type `arg`: a new
/// reference. The error names input number `index`.
Object *takeValue(OnnxcCall *call, const OMValue *value, const OnnxcArg &arg,
                  int64_t index);
/// A value of the caller's own with a copy of everything.
OMValue *makeValue(OnnxcCall *call, const Object *object);

} // namespace onnxc::rt

#endif // ONNXC_RUNTIME_LIB_OBJECTS_H
