//===- Sequences.cpp - Sequences for krnl.call ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Each function is an OnnxcCallFn. params[0] is the element type of the tensors
// among the operands or results, as buffers do not distinguish bool from int8.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "Objects.h"
#include "Steps.h"

#include <string.h>

using namespace onnxc;
using namespace onnxc::rt;

static ListObject &listOf(const OnnxcValue &operand) {
  return *static_cast<ListObject *>(objectOf(operand));
}

static int64_t scalarOf(const OnnxcValue &operand) {
  return *static_cast<const int64_t *>(operand.data);
}

/// A position in a sequence; -1 counts from the end. `end` is the first that is
/// not allowed. Fails with -1.
static int64_t positionOf(OnnxcCall *call, const OnnxcValue &operand,
                          const ListObject &list, int64_t end,
                          const char *what) {
  int64_t given = scalarOf(operand);
  int64_t position = given < 0 ? given + list.size : given;
  if (position >= 0 && position < end)
    return position;
  call->fail(ONNXC_ERR_VALUE,
             "%s: position %lld is outside of a sequence of %lld elements",
             what, (long long)given, (long long)list.size);
  return -1;
}

/// A list that may be changed, with room for `size` elements, in exchange for a
/// reference: the same one if it has no other reference.
static ListObject *ownList(OnnxcCall *call, ListObject &list, int64_t size) {
  if (list.references == 1 && list.capacity >= size)
    return &list;
  ListObject *own = makeList(call, list.kind, size + size / 2 + 2);
  if (!own)
    return nullptr;
  own->size = list.size;
  for (int64_t i = 0; i < list.size; ++i)
    own->elements[i] = retain(list.elements[i]);
  release(call, &list);
  return own;
}

//===----------------------------------------------------------------------===//
// One element more or less
//===----------------------------------------------------------------------===//

/// (tensors...) -> sequence
ONNXC_CALL(onnxc_call_sequence_construct) {
  ListObject *list = makeList(call, ONNXC_KIND_SEQUENCE, nin);
  for (int32_t i = 0; list && i < nin; ++i) {
    list->elements[i] = boxed(call, ins[i], params[0]);
    if (!list->elements[i])
      return call->status;
    list->size = i + 1;
  }
  give(outs[0], list);
  return call->status;
}

/// (sequence, taken over; tensor; position?) -> sequence
ONNXC_CALL(onnxc_call_sequence_insert) {
  ListObject &list = listOf(ins[0]);
  int64_t position = list.size;
  if (nin > 2)
    position = positionOf(call, ins[2], list, list.size + 1, "SequenceInsert");
  Object *element = position < 0 ? nullptr : boxed(call, ins[1], params[0]);
  ListObject *own = element ? ownList(call, list, list.size + 1) : nullptr;
  if (!own)
    return call->status;
  memmove(own->elements + position + 1, own->elements + position,
          size_t(own->size - position) * sizeof(Object *));
  own->elements[position] = element;
  ++own->size;
  return give(outs[0], own);
}

/// (sequence, taken over; position?) -> sequence
ONNXC_CALL(onnxc_call_sequence_erase) {
  ListObject &list = listOf(ins[0]);
  OnnxcValue last = {};
  int64_t minusOne = -1;
  last.data = &minusOne;
  int64_t position = positionOf(call, nin > 1 ? ins[1] : last, list, list.size,
                                "SequenceErase");
  ListObject *own = position < 0 ? nullptr : ownList(call, list, list.size);
  if (!own)
    return call->status;
  release(call, own->elements[position]);
  --own->size;
  memmove(own->elements + position, own->elements + position + 1,
          size_t(own->size - position) * sizeof(Object *));
  return give(outs[0], own);
}

/// (sequence, position) -> element
ONNXC_CALL(onnxc_call_sequence_at) {
  ListObject &list = listOf(ins[0]);
  int64_t position = positionOf(call, ins[1], list, list.size, "SequenceAt");
  if (position < 0)
    return call->status;
  return giveElement(call, outs[0], list.elements[position], params[0],
                     "SequenceAt");
}

/// (sequence) -> length
ONNXC_CALL(onnxc_call_sequence_length) {
  *static_cast<int64_t *>(outs[0].data) = listOf(ins[0]).size;
  return ONNXC_OK;
}

//===----------------------------------------------------------------------===//
// One tensor and many
//===----------------------------------------------------------------------===//

/// The dimensions before an axis, multiplied; of a tensor with elements.
static int64_t extentBefore(const int64_t *dims, int64_t axis) {
  int64_t extent = 1;
  for (int64_t d = 0; d < axis; ++d)
    extent *= dims[d] > 0 ? dims[d] : 1;
  return extent;
}

/// An axis of a tensor of this rank, or -1 after an error.
static int64_t axisOf(OnnxcCall *call, int64_t axis, int64_t rank,
                      const char *what) {
  int64_t positive = axis < 0 ? axis + rank : axis;
  if (positive >= 0 && positive < rank)
    return positive;
  call->fail(ONNXC_ERR_VALUE, "%s: axis %lld of a tensor of rank %lld", what,
             (long long)axis, (long long)rank);
  return -1;
}

namespace {

/// How tensors become one.
struct Joining {
  const char *what; ///< begins messages
  const char *part; ///< the message's name for one of the tensors
  int64_t axis;
  bool isNewAxis;
  bool reverse; ///< the last one comes first
};

} // namespace

/// Checks that element `i` can stand beside the first one.
static int32_t checkPart(OnnxcCall *call, const ListObject &list, int64_t i,
                         const Joining &how) {
  const Object *object = list.elements[i];
  const TensorObject &first =
      *static_cast<const TensorObject *>(list.elements[0]);
  const TensorObject &part = *static_cast<const TensorObject *>(object);
  bool fits = object->kind == ONNXC_KIND_TENSOR && part.type == first.type &&
              part.rank == first.rank;
  for (int64_t d = 0; fits && d < part.rank; ++d)
    fits = (d == how.axis && !how.isNewAxis) || part.dims[d] == first.dims[d];
  if (fits)
    return ONNXC_OK;
  return call->fail(ONNXC_ERR_VALUE,
                    "%s: %s %lld has another shape or type than the first",
                    how.what, how.part, (long long)i);
}

/// The shape of the whole, and the axis counted from the front; -1 after an
/// error.
static int64_t joinShapes(OnnxcCall *call, const ListObject &list, Joining &how,
                          int64_t *dims) {
  const TensorObject &first =
      *static_cast<const TensorObject *>(list.elements[0]);
  int64_t rank = first.rank + how.isNewAxis;
  if (rank > kMaxRank) {
    call->fail(ONNXC_ERR_VALUE, "%s: a rank above %d", how.what, kMaxRank);
    return -1;
  }
  how.axis = axisOf(call, how.axis, rank, how.what);
  if (how.axis < 0)
    return -1;
  for (int64_t d = 0; d < rank; ++d)
    dims[d] =
        d == how.axis ? 0 : first.dims[d - (how.isNewAxis && d > how.axis)];
  for (int64_t i = 0; i < list.size; ++i) {
    if (checkPart(call, list, i, how) != ONNXC_OK)
      return -1;
    const TensorObject &part =
        *static_cast<const TensorObject *>(list.elements[i]);
    if (__builtin_add_overflow(dims[how.axis],
                               how.isNewAxis ? 1 : part.dims[how.axis],
                               &dims[how.axis])) {
      call->fail(ONNXC_ERR_VALUE, "%s: a size is too large", how.what);
      return -1;
    }
  }
  return rank;
}

/// The elements of a list with tensors as one; null after an error.
static TensorObject *joined(OnnxcCall *call, const ListObject &list,
                            Joining how) {
  int64_t dims[kMaxRank + 1];
  int64_t rank = joinShapes(call, list, how, dims);
  TensorObject *whole =
      rank < 0 ? nullptr : makeTensor(call, list.elements[0]->type, rank, dims);
  if (!whole)
    return nullptr;
  int64_t before = extentBefore(dims, how.axis);
  int64_t wholeBytes = viewOf(*whole).bytes();
  int64_t rowBytes = wholeBytes > 0 ? wholeBytes / before : 0;
  char *out = static_cast<char *>(whole->data);
  for (int64_t i = 0; i < list.size && rowBytes > 0; ++i) {
    const TensorObject &part = *static_cast<const TensorObject *>(
        list.elements[how.reverse ? list.size - 1 - i : i]);
    int64_t bytes = viewOf(part).bytes() / before;
    for (int64_t b = 0; bytes > 0 && b < before; ++b)
      memcpy(out + b * rowBytes,
             static_cast<const char *>(part.data) + b * bytes, size_t(bytes));
    out += bytes;
  }
  return whole;
}

/// (sequence) params [type, axis, new_axis] -> tensor
ONNXC_CALL(onnxc_call_concat_from_sequence) {
  const ListObject &list = listOf(ins[0]);
  if (list.size == 0 || list.elements[0]->kind != ONNXC_KIND_TENSOR)
    return call->fail(ONNXC_ERR_VALUE, "ConcatFromSequence: the sequence %s",
                      list.size ? "holds no tensors" : "is empty");
  const char *what = "ConcatFromSequence";
  TensorObject *whole =
      joined(call, list, {what, "element", params[1], params[2] != 0, false});
  if (!whole)
    return call->status;
  int32_t status = giveElement(call, outs[0], whole, params[0], what);
  release(call, whole);
  return status;
}

/// The scan output of a loop of no iterations: empty, of the rank and sizes
/// that the result is known to have, or a list of nothing.
static TensorObject *noRows(OnnxcCall *call, const OnnxcValue &result,
                            int64_t type) {
  int64_t dims[kMaxRank] = {};
  int64_t rank = result.type == ONNX_TYPE_UNDEFINED ? 1 : result.rank;
  for (int64_t d = 1; d < rank && result.type != ONNX_TYPE_UNDEFINED; ++d)
    dims[d] = result.dims[d] > 0 ? result.dims[d] : 0;
  return makeTensor(call, type, rank, dims);
}

/// (sequence of the rows of a loop's iterations) params [type, axis, reverse]
/// -> tensor
ONNXC_CALL(onnxc_call_stack_rows) {
  const ListObject &list = listOf(ins[0]);
  const char *what = "a scan output";
  TensorObject *rows =
      list.size == 0
          ? noRows(call, outs[0], params[0])
          : joined(call, list, {what, "row", params[1], true, params[2] != 0});
  if (!rows)
    return call->status;
  int32_t status = giveElement(call, outs[0], rows, params[0], what);
  release(call, rows);
  return status;
}

namespace {

/// Where a tensor is cut along its axis.
struct Cuts {
  int64_t size; ///< of the axis
  int64_t parts = 0;
  int64_t width = 1; ///< of all parts but the last, unless there are widths
  const OnnxcValue *widths = nullptr;

  int64_t widthOf(int64_t i) const {
    if (!widths)
      return i + 1 < parts ? width : size - width * (parts - 1);
    if (widths->type == ONNX_TYPE_INT32)
      return static_cast<const int32_t *>(widths->data)[i];
    return static_cast<const int64_t *>(widths->data)[i];
  }
};

} // namespace

/// Reads `split`: absent, one number, or a width for each part. A vector of one
/// number is a width if it is the axis' size, and else as good as a scalar.
static bool readCuts(OnnxcCall *call, const OnnxcValue *split, Cuts &cuts) {
  if (!split) {
    cuts.parts = cuts.size;
    return true;
  }
  cuts.widths = split;
  int64_t count = split->rank == 1 ? split->dims[0] : 1;
  if (split->rank == 0 || count == 1) {
    cuts.width = cuts.widthOf(0);
    cuts.widths = nullptr;
    if (cuts.width > 0) {
      cuts.parts = cuts.size / cuts.width + (cuts.size % cuts.width != 0);
      return true;
    }
    call->fail(ONNXC_ERR_VALUE, "SplitToSequence: parts of %lld elements",
               (long long)cuts.width);
    return false;
  }
  cuts.parts = count;
  int64_t sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    int64_t width = cuts.widthOf(i);
    if (width < 0 || width > cuts.size - sum) {
      call->fail(ONNXC_ERR_VALUE,
                 "SplitToSequence: the parts do not add up to the %lld "
                 "elements of the axis",
                 (long long)cuts.size);
      return false;
    }
    sum += width;
  }
  if (sum == cuts.size)
    return true;
  call->fail(ONNXC_ERR_VALUE,
             "SplitToSequence: the parts add up to %lld of the %lld elements "
             "of the axis",
             (long long)sum, (long long)cuts.size);
  return false;
}

/// The elements [begin, begin + width) along the axis.
static TensorObject *cutOut(OnnxcCall *call, const TensorView &whole,
                            int64_t axis, bool keepDims, int64_t begin,
                            int64_t width) {
  int64_t dims[kMaxRank], rank = 0;
  for (int64_t d = 0; d < whole.rank; ++d)
    if (d != axis || keepDims)
      dims[rank++] = d == axis ? width : whole.dims[d];
  TensorObject *part = makeTensor(call, whole.type, rank, dims);
  if (!part || viewOf(*part).bytes() == 0)
    return part;
  int64_t before = extentBefore(whole.dims, axis);
  int64_t bytes = viewOf(*part).bytes() / before, element = bytes / width;
  for (int64_t b = 0; b < before; ++b)
    memcpy(static_cast<char *>(part->data) + b * bytes,
           static_cast<const char *>(whole.data) +
               (b * whole.dims[axis] + begin) * element,
           size_t(bytes));
  return part;
}

/// (tensor, split?) params [type, axis, keepdims] -> sequence
ONNXC_CALL(onnxc_call_split_to_sequence) {
  TensorView whole = tensorOf(ins[0], params[0]);
  int64_t axis = axisOf(call, params[1], whole.rank, "SplitToSequence");
  if (axis < 0 || whole.rank > kMaxRank)
    return call->status;
  Cuts cuts;
  cuts.size = whole.dims[axis];
  const OnnxcValue *split = nin > 1 ? &ins[1] : nullptr;
  if (!readCuts(call, split, cuts))
    return call->status;
  ListObject *list = makeList(call, ONNXC_KIND_SEQUENCE, cuts.parts);
  bool keepDims = split || params[2] != 0;
  Steps steps(call);
  for (int64_t i = 0, begin = 0; list && i < cuts.parts; ++i) {
    // A part costs as much as 64 steps.
    if (!steps.goOn(64))
      return call->status;
    int64_t width = cuts.widthOf(i);
    list->elements[i] = cutOut(call, whole, axis, keepDims, begin, width);
    if (!list->elements[i])
      return call->status;
    list->size = i + 1;
    begin += width;
  }
  give(outs[0], list);
  return call->status;
}
