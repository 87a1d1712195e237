//===- Boxes.cpp - Tensors of unknown rank for krnl.call --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// As in Sequences.cpp, params[0] is the element type of the tensors among the
// operands or results.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "Objects.h"

#include <stdio.h>

using namespace onnxc;
using namespace onnxc::rt;

static TensorObject &tensorObjectOf(const OnnxcValue &operand) {
  return *static_cast<TensorObject *>(objectOf(operand));
}

/// (tensor) -> object
ONNXC_CALL(onnxc_call_box) {
  give(outs[0], boxed(call, ins[0], params[0]));
  return call->status;
}

/// The set bits as "1, 2 or 3".
static void listBits(uint64_t bits, char *text, size_t size) {
  size_t used = 0;
  text[0] = 0;
  for (int bit = 0; bits >> bit && used < size; ++bit)
    if (bits >> bit & 1) {
      const char *between = used == 0 ? "" : bits >> bit == 1 ? " or " : ", ";
      used += size_t(snprintf(text + used, size - used, "%s%d", between, bit));
    }
}

/// (object) params [type, ranks] -> tensor. If not 0, bit k of `ranks` is set
/// where there is code for rank k.
ONNXC_CALL(onnxc_call_unbox) {
  uint64_t ranks = uint64_t(params[1]);
  int64_t rank = tensorObjectOf(ins[0]).rank;
  if (ranks != 0 && (rank > 62 || (ranks >> rank & 1) == 0)) {
    char text[128];
    listBits(ranks, text, sizeof text);
    return call->fail(ONNXC_ERR_VALUE,
                      "a tensor of unknown rank: the rank has to be %s, and is "
                      "%lld",
                      text, (long long)rank);
  }
  return giveElement(call, outs[0], objectOf(ins[0]), params[0],
                     "a tensor of unknown rank");
}

/// (object) -> number of elements
ONNXC_CALL(onnxc_call_boxed_size) {
  *static_cast<int64_t *>(outs[0].data) =
      viewOf(tensorObjectOf(ins[0])).count();
  return ONNXC_OK;
}

/// A position among `rank` dimensions, cut off at the ends.
static int64_t clampDim(int64_t dim, int64_t rank) {
  dim = dim < 0 ? dim + rank : dim;
  return dim < 0 ? 0 : dim > rank ? rank : dim;
}

/// (object) params [type, start, end] -> the sizes of these dimensions
ONNXC_CALL(onnxc_call_boxed_shape) {
  const TensorObject &tensor = tensorObjectOf(ins[0]);
  int64_t start = clampDim(params[1], tensor.rank);
  int64_t end = clampDim(params[2], tensor.rank);
  int64_t count = end > start ? end - start : 0;
  TensorObject *shape = makeTensor(call, ONNX_TYPE_INT64, 1, &count);
  if (!shape)
    return call->status;
  for (int64_t d = 0; d < count; ++d)
    static_cast<int64_t *>(shape->data)[d] = tensor.dims[start + d];
  int32_t status = giveElement(call, outs[0], shape, ONNX_TYPE_INT64, "Shape");
  release(call, shape);
  return status;
}

/// The dimensions of the result by a shape: 0 copies one unless `allowZero`, -1
/// is the rest. False after an error.
static bool reshapedDims(OnnxcCall *call, const TensorView &x,
                         const TensorView &shape, bool allowZero,
                         int64_t *dims) {
  const int64_t *asked = static_cast<const int64_t *>(shape.data);
  int64_t rank = shape.count(), unknown = -1, known = 1;
  if (rank > kMaxRank) {
    call->fail(ONNXC_ERR_VALUE, "Reshape: a rank of %lld, above %d",
               (long long)rank, kMaxRank);
    return false;
  }
  bool fits = true;
  for (int64_t d = 0; fits && d < rank; ++d) {
    dims[d] = asked[d];
    if (asked[d] == 0 && !allowZero) {
      fits = d < x.rank;
      dims[d] = fits ? x.dims[d] : 0;
    } else if (asked[d] == -1) {
      fits = unknown < 0;
      unknown = d;
      continue;
    }
    fits &= dims[d] >= 0 && multiply(known, dims[d], known);
  }
  int64_t count = x.count();
  if (fits && unknown >= 0) {
    fits = known > 0 && count % known == 0;
    dims[unknown] = fits ? count / known : 0;
  } else if (fits) {
    fits = known == count;
  }
  if (!fits)
    call->fail(ONNXC_ERR_VALUE,
               "Reshape: the new shape has another number of elements: input "
               "%.240s, requested %.240s",
               shapeText(x.rank, x.dims).text, shapeText(rank, asked).text);
  return fits;
}

/// The elements of `x` with other dimensions as a result. Elements in a buffer
/// may be anywhere, those of an object are counted.
static int32_t giveView(OnnxcCall *call, OnnxcValue &out, const OnnxcValue &in,
                        const TensorView &x, int64_t rank, const int64_t *dims,
                        const char *what) {
  bool isBoxed = in.type == ONNX_TYPE_UNDEFINED;
  TensorObject *result = isBoxed
                             ? shareTensor(call, tensorObjectOf(in), rank, dims)
                             : copyTensor(call, {x.data, x.type, rank, dims});
  if (!result)
    return call->status;
  int32_t status = giveElement(call, out, result, x.type, what);
  release(call, result);
  return status;
}

/// (tensor, shape) params [type, allowzero] -> tensor
ONNXC_CALL(onnxc_call_boxed_reshape) {
  TensorView x = tensorOf(ins[0], params[0]);
  TensorView shape = tensorOf(ins[1], ONNX_TYPE_INT64);
  int64_t dims[kMaxRank];
  if (!reshapedDims(call, x, shape, params[1] != 0, dims))
    return call->status;
  return giveView(call, outs[0], ins[0], x, shape.count(), dims, "Reshape");
}

/// (tensor) params [type] -> tensor without the dimensions of size 1
ONNXC_CALL(onnxc_call_boxed_squeeze) {
  TensorView x = tensorOf(ins[0], params[0]);
  int64_t dims[kMaxRank], rank = 0;
  for (int64_t d = 0; d < x.rank; ++d)
    if (x.dims[d] != 1)
      dims[rank++] = x.dims[d];
  return giveView(call, outs[0], ins[0], x, rank, dims, "Squeeze");
}
