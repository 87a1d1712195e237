//===- ObjectBorder.cpp - OMValues in, OMValues out -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Values of the caller's become objects of the call before it begins, checked
// against the signature level by level; their tensors are borrowed. Results of
// the call are copied, as objects end with it.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "Objects.h"
#include "Tensor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

using namespace onnxc;
using namespace onnxc::rt;

static const char *kindName(int64_t kind) {
  switch (kind) {
  case ONNXC_KIND_TENSOR:
    return "a tensor";
  case ONNXC_KIND_SEQUENCE:
    return "a sequence";
  case ONNXC_KIND_MAP:
    return "a map";
  case ONNXC_KIND_OPTIONAL:
    return "an optional";
  default:
    return "no value";
  }
}

//===----------------------------------------------------------------------===//
// In
//===----------------------------------------------------------------------===//

namespace {

/// Reads one input. Null after recording an error.
class ValueReader {
public:
  ValueReader(OnnxcCall *call, const OnnxcArg &input, int64_t index)
      : call(call), input(input), index(index) {}

  Object *read(const OMValue *value, const OnnxcArg &arg);

private:
  Object *readList(const OMValue &value, const OnnxcArg &arg);
  Object *readMap(const OMValue &value, const OnnxcArg &arg);
  TensorObject *readTensor(const OMTensor *tensor, int64_t type);
  TensorObject *joinScalars(const OMValue &map, int64_t type);
  bool checkShape(const OMTensor *tensor, const OnnxcArg &arg);
  bool checkStrings(const TensorObject &tensor);
  Object *refuse(const char *format, ...) __attribute__((format(printf, 2, 3)));

  OnnxcCall *call;
  const OnnxcArg &input;
  int64_t index;
};

} // namespace

Object *ValueReader::refuse(const char *format, ...) {
  char reason[160];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason, sizeof reason, format, arguments);
  va_end(arguments);
  call->fail(ONNXC_ERR_INVALID, "input '%s' (number %lld): %s", input.name,
             (long long)index, reason);
  return nullptr;
}

Object *ValueReader::read(const OMValue *value, const OnnxcArg &arg) {
  if (!value)
    return refuse("%s is null", kindName(arg.kind));
  if (arg.kind == ONNXC_KIND_OPTIONAL)
    return readList(*value, arg);
  if (int64_t(value->kind) != arg.kind)
    return refuse("expected %s, but got %s", kindName(arg.kind),
                  kindName(value->kind));
  if (arg.kind == ONNXC_KIND_TENSOR)
    return checkShape(value->tensor, arg) ? readTensor(value->tensor, arg.type)
                                          : nullptr;
  if (arg.kind == ONNXC_KIND_MAP)
    return readMap(*value, arg);
  return readList(*value, arg);
}

/// A sequence or an optional. An optional value may be given bare.
Object *ValueReader::readList(const OMValue &value, const OnnxcArg &arg) {
  bool isPlain = int64_t(value.kind) != arg.kind;
  int64_t size = isPlain ? 1 : value.size;
  ListObject *list = makeList(call, int32_t(arg.kind), size);
  for (; list && list->size < size; ++list->size) {
    const OMValue *inside = isPlain ? &value : value.elements[list->size];
    list->elements[list->size] = read(inside, *arg.element);
    if (!list->elements[list->size])
      return nullptr;
  }
  return list;
}

/// A tensor inside a value has the rank and the sizes of the signature.
bool ValueReader::checkShape(const OMTensor *tensor, const OnnxcArg &arg) {
  if (!tensor || arg.rank < 0)
    return true;
  if (tensor->rank != arg.rank)
    return refuse("expected a tensor of rank %lld, but got one of rank %lld",
                  (long long)arg.rank, (long long)tensor->rank) != nullptr;
  for (int64_t d = 0; d < arg.rank; ++d)
    if (arg.dims[d] >= 0 && tensor->shape()[d] != arg.dims[d])
      return refuse("expected a tensor of size %lld in dimension %lld, but got "
                    "%lld",
                    (long long)arg.dims[d], (long long)d,
                    (long long)tensor->shape()[d]) != nullptr;
  return true;
}

bool ValueReader::checkStrings(const TensorObject &tensor) {
  const char *const *strings = static_cast<const char *const *>(tensor.data);
  for (int64_t i = 0, n = viewOf(tensor).count(); i < n; ++i)
    if (!strings[i])
      return refuse("a string is null") != nullptr;
  return true;
}

TensorObject *ValueReader::readTensor(const OMTensor *tensor, int64_t type) {
  if (!tensor || int64_t(tensor->type) != type) {
    refuse("expected elements of type %s, but got %s", typeName(type),
           tensor ? typeName(tensor->type) : "null");
    return nullptr;
  }
  TensorView view = {tensor->data, tensor->type, tensor->rank, tensor->shape()};
  int64_t bytes = view.bytes();
  if (bytes < 0 || (bytes > 0 && !view.data)) {
    refuse(bytes < 0 ? "a tensor has an invalid size"
                     : "the data of a tensor is null");
    return nullptr;
  }
  int64_t align = elementBytes(type) < 8 ? elementBytes(type) : 8;
  bool isUsable = bytes == 0 || (isContiguous(*tensor) &&
                                 uintptr_t(view.data) % uintptr_t(align) == 0);
  TensorObject *object =
      isUsable ? borrowTensor(call, view)
               : makeTensor(call, view.type, view.rank, view.dims);
  if (object && !isUsable)
    copyElements(*tensor, object->data);
  if (object && type == ONNX_TYPE_STRING && !checkStrings(*object))
    return nullptr;
  return object;
}

/// The values of a map, one element each, as one tensor.
TensorObject *ValueReader::joinScalars(const OMValue &map, int64_t type) {
  TensorObject *joined = makeTensor(call, type, 1, &map.size);
  int64_t bytes = elementBytes(type);
  for (int64_t i = 0; joined && i < map.size; ++i) {
    const OMValue *value = map.elements[i];
    if (!value || value->kind != OM_VALUE_TENSOR) {
      refuse("a value of a map is not a tensor");
      return nullptr;
    }
    TensorObject *scalar = readTensor(value->tensor, type);
    if (!scalar)
      return nullptr;
    if (viewOf(*scalar).count() != 1) {
      refuse("a value of a map has %lld elements",
             (long long)viewOf(*scalar).count());
      return nullptr;
    }
    memcpy(static_cast<char *>(joined->data) + i * bytes, scalar->data,
           size_t(bytes));
    release(call, scalar);
  }
  return joined;
}

Object *ValueReader::readMap(const OMValue &value, const OnnxcArg &arg) {
  TensorObject *keys = readTensor(value.tensor, arg.key);
  if (!keys)
    return nullptr;
  if (keys->rank != 1 || keys->dims[0] != value.size)
    return refuse("a map has other than one key for each value");
  if (arg.element->kind == ONNXC_KIND_TENSOR && arg.element->rank <= 0)
    return makeMap(call, keys, joinScalars(value, arg.element->type));
  OnnxcArg values = {"", ONNXC_KIND_SEQUENCE, arg.type, -1, nullptr, nullptr,
                     0,  arg.element};
  OMValue list = value;
  list.kind = OM_VALUE_SEQUENCE;
  return makeMap(call, keys, readList(list, values));
}

Object *rt::takeValue(OnnxcCall *call, const OMValue *value,
                      const OnnxcArg &arg, int64_t index) {
  return ValueReader(call, arg, index).read(value, arg);
}

/// Returned instead of an object that there was no memory for. Its count is
/// too large to ever reach 0.
static TensorObject noObject = {
    {ONNXC_KIND_TENSOR, ONNX_TYPE_UNDEFINED, int64_t(1) << 62},
    nullptr,
    true,
    0,
    {}};

void *onnxc_rt_input_object(OnnxcCall *call, int32_t index) {
  const OnnxcValue &input = call->inputs[index];
  if (call->entry->inputs[index].kind != ONNXC_KIND_TENSOR)
    return retain(objectOf(input));
  TensorObject *tensor =
      borrowTensor(call, {input.data, input.type, input.rank, input.dims});
  return tensor ? tensor : &noObject;
}

//===----------------------------------------------------------------------===//
// Out
//===----------------------------------------------------------------------===//

namespace {

/// Makes the value of a result. Null where memory is short.
class ValueMaker {
public:
  OMValue *make(const Object *object);
  ValueMemory memory;

private:
  OMValue *makePart(OM_VALUE_KIND kind, int64_t size, OMTensor *tensor);
  OMTensor *copyTensor(const TensorView &view);
  OMValue *makeTensor(const TensorView &view);
  OMValue *makeMap(const MapObject &map);
  OMValue *makeList(const ListObject &list);
};

} // namespace

/// Has room for elements if it is no tensor.
OMValue *ValueMaker::makePart(OM_VALUE_KIND kind, int64_t size,
                              OMTensor *tensor) {
  auto *value = static_cast<OMValue *>(memory.allocate(sizeof(OMValue)));
  OMValue **elements = nullptr;
  if (value && kind != OM_VALUE_TENSOR) {
    elements = static_cast<OMValue **>(
        memory.allocate(size * int64_t(sizeof(OMValue *))));
    if (!elements)
      return nullptr;
  }
  if (value)
    *value = {kind, size, tensor, elements, true, nullptr};
  return value;
}

/// The elements, and after them the characters of strings.
OMTensor *ValueMaker::copyTensor(const TensorView &view) {
  int64_t bytes = view.bytes(), characters = 0;
  bool isString = view.type == ONNX_TYPE_STRING;
  char *const *strings = static_cast<char *const *>(view.data);
  for (int64_t i = 0; isString && i < view.count(); ++i)
    characters += int64_t(strlen(strings[i])) + 1;
  void *data = memory.allocate(bytes + characters);
  void *header = memory.allocate(int64_t(tensorHeaderBytes(view.rank)));
  if (!data || !header)
    return nullptr;
  if (isString)
    copyStrings(strings, static_cast<char **>(data), view.count(),
                static_cast<char *>(data) + bytes);
  else if (bytes > 0)
    memcpy(data, view.data, size_t(bytes));
  return placeTensor(header, data, view.dims, view.rank,
                     OM_DATA_TYPE(view.type), 0);
}

OMValue *ValueMaker::makeTensor(const TensorView &view) {
  OMTensor *tensor = copyTensor(view);
  return tensor ? makePart(OM_VALUE_TENSOR, 1, tensor) : nullptr;
}

OMValue *ValueMaker::makeMap(const MapObject &map) {
  int64_t size = map.keys->dims[0];
  OMTensor *keys = copyTensor(viewOf(*map.keys));
  OMValue *value = keys ? makePart(OM_VALUE_MAP, size, keys) : nullptr;
  for (int64_t i = 0; value && i < size; ++i) {
    OMValue *&element = value->elements[i];
    if (map.values->kind != ONNXC_KIND_TENSOR) {
      element = make(static_cast<const ListObject *>(map.values)->elements[i]);
    } else {
      const TensorView values =
          viewOf(*static_cast<const TensorObject *>(map.values));
      const char *scalar = static_cast<const char *>(values.data) +
                           i * elementBytes(values.type);
      element = makeTensor({scalar, values.type, 0, nullptr});
    }
    if (!element)
      return nullptr;
  }
  return value;
}

OMValue *ValueMaker::makeList(const ListObject &list) {
  OMValue *value =
      makePart(OM_VALUE_KIND(list.kind), list.size, /*tensor=*/nullptr);
  for (int64_t i = 0; value && i < list.size; ++i)
    if (!(value->elements[i] = make(list.elements[i])))
      return nullptr;
  return value;
}

OMValue *ValueMaker::make(const Object *object) {
  switch (object->kind) {
  case ONNXC_KIND_TENSOR:
    return makeTensor(viewOf(*static_cast<const TensorObject *>(object)));
  case ONNXC_KIND_MAP:
    return makeMap(*static_cast<const MapObject *>(object));
  default:
    return makeList(*static_cast<const ListObject *>(object));
  }
}

OMValue *rt::makeValue(OnnxcCall *call, const Object *object) {
  ValueMaker maker;
  OMValue *value = maker.make(object);
  if (value) {
    value->memory = maker.memory.chunks();
    return value;
  }
  freeChunks(maker.memory.chunks());
  call->fail(ONNXC_ERR_MEMORY, "no memory for an output");
  return nullptr;
}
