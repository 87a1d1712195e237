//===- Maps.cpp - ZipMap, DictVectorizer and CastMap ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../os/OS.h"
#include "Context.h"
#include "KeyTable.h"
#include "Objects.h"
#include "Ordering.h"
#include "StringTable.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

using namespace onnxc;
using namespace onnxc::rt;

//===----------------------------------------------------------------------===//
// ZipMap
//===----------------------------------------------------------------------===//

/// ins: f32 [n, c] or [c]; keys [c]. outs: a sequence of n maps from key to
/// number, which share their keys.
ONNXC_CALL(onnxc_call_zip_map) {
  const OnnxcValue &x = ins[0];
  int64_t rows = x.rank == 2 ? x.dims[0] : 1, columns = x.dims[x.rank - 1];
  if (columns != ins[1].dims[0])
    return call->fail(ONNXC_ERR_VALUE,
                      "ZipMap: %lld numbers in a row for %lld labels",
                      (long long)columns, (long long)ins[1].dims[0]);
  ListObject *list = makeList(call, ONNXC_KIND_SEQUENCE, rows);
  TensorObject *keys =
      copyTensor(call, {ins[1].data, ins[1].type, 1, &columns});
  if (!list || !keys)
    return call->status;
  const float *row = static_cast<const float *>(x.data);
  for (int64_t i = 0; i < rows; ++i, row += columns) {
    TensorObject *values =
        copyTensor(call, {row, ONNX_TYPE_FLOAT, 1, &columns});
    retain(keys);
    list->elements[i] = makeMap(call, keys, values);
    if (!list->elements[i])
      return call->status;
    list->size = i + 1;
  }
  release(call, keys);
  return give(outs[0], list);
}

//===----------------------------------------------------------------------===//
// Reading maps
//===----------------------------------------------------------------------===//

namespace {

/// The entries of a map whose values are scalars.
class Entries {
public:
  explicit Entries(const OnnxcValue &operand)
      : map(*static_cast<MapObject *>(objectOf(operand))) {
    if (map.values->kind == ONNXC_KIND_TENSOR)
      values = static_cast<TensorObject *>(map.values);
  }

  bool areScalars() const {
    return values && viewOf(*values).count() >= size();
  }
  int64_t size() const { return viewOf(*map.keys).count(); }
  int64_t valueType() const { return values->type; }
  bool hasTextKeys() const { return map.keys->type == ONNX_TYPE_STRING; }
  const char *textKey(int64_t i) const {
    return static_cast<char *const *>(map.keys->data)[i];
  }
  int64_t key(int64_t i) const {
    int64_t wide = 0;
    switch (elementBytes(map.keys->type)) {
    case 1:
      return static_cast<const int8_t *>(map.keys->data)[i];
    case 2:
      return static_cast<const int16_t *>(map.keys->data)[i];
    case 4:
      return static_cast<const int32_t *>(map.keys->data)[i];
    default:
      memcpy(&wide, static_cast<const char *>(map.keys->data) + i * 8, 8);
      return wide;
    }
  }
  const void *data() const { return values->data; }

private:
  const MapObject &map;
  const TensorObject *values = nullptr;
};

} // namespace

static int32_t noScalars(OnnxcCall *call, const char *what) {
  return call->fail(ONNXC_ERR_VALUE,
                    "%s: the values of the map are not scalars", what);
}

/// Copies a value from one position to another of the same type.
static void copyValue(const void *from, int64_t i, void *to, int64_t k,
                      int64_t type) {
  int64_t bytes =
      type == ONNX_TYPE_STRING ? int64_t(sizeof(char *)) : elementBytes(type);
  memcpy(static_cast<char *>(to) + k * bytes,
         static_cast<const char *>(from) + i * bytes, size_t(bytes));
}

/// Zeros or empty strings.
static void clearValues(void *to, int64_t count, int64_t type) {
  static char none[1] = "";
  if (type != ONNX_TYPE_STRING) {
    memset(to, 0, size_t(count * elementBytes(type)));
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    static_cast<char **>(to)[i] = none;
}

//===----------------------------------------------------------------------===//
// DictVectorizer
//===----------------------------------------------------------------------===//

/// ins: a map; the vocabulary, as a table of strings with slots or of
/// positions. outs: [1, n], the values by the positions of their keys, zero
/// where there is none. The parameters are n and the type of the values.
ONNXC_CALL(onnxc_call_dict_vectorizer) {
  Entries entries(ins[0]);
  int64_t dims[2] = {1, params[0]}, type = params[1];
  if (!entries.areScalars() || entries.valueType() != type)
    return noScalars(call, "DictVectorizer");
  int64_t bytes =
      type == ONNX_TYPE_STRING ? int64_t(sizeof(char *)) : elementBytes(type);
  if (!makeResult(call, outs[0], dims, bytes))
    return call->status;
  clearValues(outs[0].data, params[0], type);
  for (int64_t i = 0; i < entries.size(); ++i) {
    int64_t position = entries.hasTextKeys()
                           ? StringTable(ins[1]).find(entries.textKey(i))
                           : KeyTable(ins[1].data).find(entries.key(i));
    if (position >= 0)
      copyValue(entries.data(), i, outs[0].data, position, type);
  }
  return ONNXC_OK;
}

//===----------------------------------------------------------------------===//
// CastMap
//===----------------------------------------------------------------------===//

/// By entry of the map, the position of its key among all in order; null after
/// an error.
static int64_t *ranksOf(OnnxcCall *call, Steps &steps, const Entries &entries) {
  int64_t count = entries.size();
  Keyed *items = allocate<Keyed>(call, count);
  Keyed *scratch = allocate<Keyed>(call, count);
  int64_t *ranks = allocate<int64_t>(call, count);
  if (!items || !scratch || !ranks)
    return nullptr;
  constexpr uint64_t sign = uint64_t(1) << 63;
  for (int64_t i = 0; i < count; ++i)
    items[i] = {uint64_t(entries.key(i)) ^ sign, i};
  const Keyed *sorted = sortByKey(steps, items, scratch, count);
  for (int64_t i = 0; i < count; ++i)
    ranks[sorted[i].index] = i;
  onnxc_rt_release(call, items);
  onnxc_rt_release(call, scratch);
  return ranks;
}

/// Writes value i of the map as element k of a tensor of `to`.
static bool castValue(OnnxcCall *call, Characters &characters,
                      const Entries &entries, int64_t i, OnnxcValue &out,
                      int64_t k, int64_t to) {
  char text[40];
  const char *spelt = text;
  double number = 0;
  if (entries.valueType() == ONNX_TYPE_STRING) {
    spelt = static_cast<char *const *>(entries.data())[i];
    char *end = nullptr;
    if (to != ONNX_TYPE_STRING)
      number = strtod(spelt, &end);
    if (to != ONNX_TYPE_STRING && (end == spelt || *end != 0)) {
      call->fail(ONNXC_ERR_VALUE, "CastMap: '%.60s' is not a number", spelt);
      return false;
    }
  } else {
    number = double(static_cast<const float *>(entries.data())[i]);
    snprintf(text, sizeof text, "%f", number);
  }
  switch (to) {
  case ONNX_TYPE_STRING:
    return (static_cast<char **>(out.data)[k] =
                characters.copy(spelt, int64_t(strlen(spelt)))) != nullptr;
  case ONNX_TYPE_INT64:
    static_cast<int64_t *>(out.data)[k] =
        fabs(number) < 9e18 ? int64_t(number) : 0;
    return true;
  default:
    static_cast<float *>(out.data)[k] = float(number);
    return true;
  }
}

/// ins: a map from integers to numbers or strings. outs: [1, n], the values.
/// The parameters are the type of the result and n, at whose positions the keys
/// are; n = -1: all values, sorted by their keys.
ONNXC_CALL(onnxc_call_cast_map) {
  Entries entries(ins[0]);
  if (!entries.areScalars())
    return noScalars(call, "CastMap");
  bool isDense = params[1] < 0;
  int64_t dims[2] = {1, isDense ? entries.size() : params[1]}, to = params[0];
  int64_t bytes =
      to == ONNX_TYPE_STRING ? int64_t(sizeof(char *)) : elementBytes(to);
  if (!makeResult(call, outs[0], dims, bytes))
    return call->status;
  clearValues(outs[0].data, dims[1], to);
  Steps steps(call);
  int64_t *ranks = isDense ? ranksOf(call, steps, entries) : nullptr;
  Characters characters(call);
  os::PlainNumbers numbers;
  // The conversion of a number costs as much as 64 steps.
  for (int64_t i = 0; call->status == ONNXC_OK && i < entries.size(); ++i) {
    int64_t key = entries.key(i), position = ranks ? ranks[i] : key;
    if (!steps.goOn(64))
      break;
    if (position < 0 || position >= dims[1])
      return call->fail(ONNXC_ERR_VALUE,
                        "CastMap: key %lld is outside of max_map",
                        (long long)key);
    if (!castValue(call, characters, entries, i, outs[0], position, to))
      break;
  }
  if (ranks)
    onnxc_rt_release(call, ranks);
  return call->status;
}
