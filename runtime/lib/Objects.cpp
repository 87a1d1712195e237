//===- Objects.cpp - Sequences, optionals, maps, boxed tensors --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Objects.h"

#include "Context.h"

#include <string.h>

using namespace onnxc;
using namespace onnxc::rt;

//===----------------------------------------------------------------------===//
// Making
//===----------------------------------------------------------------------===//

int64_t TensorView::count() const {
  int64_t size = elementBytes(type);
  return size ? bytes() / size : 0;
}

int64_t TensorView::bytes() const { return tensorBytes(type, rank, dims); }

/// A block for an object; null after recording an error.
static void *allocate(OnnxcCall *call, int64_t bytes) {
  void *memory = call->pool.allocate(bytes);
  if (!memory)
    call->fail(ONNXC_ERR_MEMORY, "no memory for a value of %lld bytes",
               (long long)bytes);
  return memory;
}

template <typename T>
static T *makeObject(OnnxcCall *call, int32_t kind, int64_t extraBytes) {
  T *object = static_cast<T *>(allocate(call, int64_t(sizeof(T)) + extraBytes));
  if (!object)
    return nullptr;
  object->kind = kind;
  object->type = ONNX_TYPE_UNDEFINED;
  object->references = 1;
  return object;
}

/// Everything but the data.
static TensorObject *makeHeader(OnnxcCall *call, int64_t type, int64_t rank,
                                const int64_t *dims) {
  if (rank < 0 || rank > kMaxRank || elementBytes(type) == 0 ||
      tensorBytes(type, rank, dims) < 0) {
    call->fail(ONNXC_ERR_VALUE,
               "a value has an invalid size or a rank above %d", kMaxRank);
    return nullptr;
  }
  TensorObject *tensor = makeObject<TensorObject>(
      call, ONNXC_KIND_TENSOR, rank * int64_t(sizeof(int64_t)));
  if (!tensor)
    return nullptr;
  tensor->type = int32_t(type);
  tensor->rank = rank;
  for (int64_t i = 0; i < rank; ++i)
    tensor->dims[i] = dims[i];
  return tensor;
}

TensorObject *rt::makeTensor(OnnxcCall *call, int64_t type, int64_t rank,
                             const int64_t *dims) {
  TensorObject *tensor = makeHeader(call, type, rank, dims);
  if (!tensor)
    return nullptr;
  tensor->isBorrowed = false;
  tensor->data = allocate(call, tensorBytes(type, rank, dims));
  if (tensor->data)
    return tensor;
  call->pool.release(tensor);
  return nullptr;
}

TensorObject *rt::copyTensor(OnnxcCall *call, const TensorView &view) {
  TensorObject *tensor = makeTensor(call, view.type, view.rank, view.dims);
  int64_t bytes = tensor ? view.bytes() : 0;
  if (bytes > 0)
    memcpy(tensor->data, view.data, size_t(bytes));
  return tensor;
}

TensorObject *rt::borrowTensor(OnnxcCall *call, const TensorView &view) {
  TensorObject *tensor = makeHeader(call, view.type, view.rank, view.dims);
  if (!tensor)
    return nullptr;
  tensor->isBorrowed = true;
  tensor->data = const_cast<void *>(view.data);
  return tensor;
}

ListObject *rt::makeList(OnnxcCall *call, int32_t kind, int64_t capacity) {
  constexpr int64_t kMaxElements = int64_t(1) << 29;
  if (capacity < 0 || capacity > kMaxElements) {
    call->fail(ONNXC_ERR_MEMORY, "a sequence of %lld elements is too long",
               (long long)capacity);
    return nullptr;
  }
  ListObject *list =
      makeObject<ListObject>(call, kind, capacity * int64_t(sizeof(Object *)));
  if (!list)
    return nullptr;
  list->size = 0;
  list->capacity = capacity;
  return list;
}

MapObject *rt::makeMap(OnnxcCall *call, TensorObject *keys, Object *values) {
  MapObject *map = nullptr;
  if (keys && values)
    map = makeObject<MapObject>(call, ONNXC_KIND_MAP, 0);
  if (!map) {
    release(call, keys);
    release(call, values);
    return nullptr;
  }
  map->keys = keys;
  map->values = values;
  return map;
}

void rt::release(OnnxcCall *call, Object *object) {
  if (!object || --object->references > 0)
    return;
  switch (object->kind) {
  case ONNXC_KIND_TENSOR: {
    TensorObject *tensor = static_cast<TensorObject *>(object);
    if (!tensor->isBorrowed)
      call->pool.release(tensor->data);
    break;
  }
  case ONNXC_KIND_MAP: {
    MapObject *map = static_cast<MapObject *>(object);
    release(call, map->keys);
    release(call, map->values);
    break;
  }
  default: {
    ListObject *list = static_cast<ListObject *>(object);
    for (int64_t i = 0; i < list->size; ++i)
      release(call, list->elements[i]);
  }
  }
  call->pool.release(object);
}

void onnxc_rt_retain_object(OnnxcCall *, void *object) {
  retain(static_cast<Object *>(object));
}

void onnxc_rt_release_object(OnnxcCall *call, void *object) {
  release(call, static_cast<Object *>(object));
}

//===----------------------------------------------------------------------===//
// Operands and results
//===----------------------------------------------------------------------===//

TensorView rt::tensorOf(const OnnxcValue &operand, int64_t type) {
  if (operand.type != ONNX_TYPE_UNDEFINED)
    return {operand.data, type, operand.rank, operand.dims};
  return viewOf(*static_cast<TensorObject *>(objectOf(operand)));
}

Object *rt::boxed(OnnxcCall *call, const OnnxcValue &operand, int64_t type) {
  if (operand.type == ONNX_TYPE_UNDEFINED)
    return retain(objectOf(operand));
  return copyTensor(call, tensorOf(operand, type));
}

/// Moves the elements to a block of the pool, from where they can be shared.
static bool ownElements(OnnxcCall *call, TensorObject &tensor) {
  if (!tensor.isBorrowed)
    return true;
  int64_t bytes = viewOf(tensor).bytes();
  void *data = allocate(call, bytes);
  if (!data)
    return false;
  if (bytes > 0)
    memcpy(data, tensor.data, size_t(bytes));
  tensor.data = data;
  tensor.isBorrowed = false;
  return true;
}

TensorObject *rt::shareTensor(OnnxcCall *call, TensorObject &tensor,
                              int64_t rank, const int64_t *dims) {
  TensorObject *shared = makeHeader(call, tensor.type, rank, dims);
  if (!shared || !ownElements(call, tensor))
    return nullptr;
  MemoryPool::retain(tensor.data);
  shared->isBorrowed = false;
  shared->data = tensor.data;
  return shared;
}

int32_t rt::giveElement(OnnxcCall *call, OnnxcValue &result, Object *object,
                        int64_t type, const char *what) {
  if (result.type == ONNX_TYPE_UNDEFINED)
    return give(result, retain(object));
  TensorObject *tensor = static_cast<TensorObject *>(object);
  if (object->kind != ONNXC_KIND_TENSOR || tensor->type != type)
    return call->fail(ONNXC_ERR_VALUE,
                      "%s: the element is %s and the model expects %s", what,
                      object->kind == ONNXC_KIND_TENSOR ? typeName(tensor->type)
                                                        : "no tensor",
                      typeName(type));
  if (tensor->rank != result.rank)
    return call->fail(ONNXC_ERR_VALUE,
                      "%s: the element has rank %lld and the model expects %d",
                      what, (long long)tensor->rank, result.rank);
  for (int32_t d = 0; d < result.rank; ++d) {
    if (result.dims[d] >= 0 && result.dims[d] != tensor->dims[d])
      return call->fail(ONNXC_ERR_VALUE,
                        "%s: dimension %d of the element is %lld and the model "
                        "expects %lld",
                        what, d, (long long)tensor->dims[d],
                        (long long)result.dims[d]);
    result.dims[d] = tensor->dims[d];
  }
  if (!ownElements(call, *tensor))
    return ONNXC_ERR_MEMORY;
  MemoryPool::retain(tensor->data);
  result.data = tensor->data;
  return ONNXC_OK;
}
