//===- Optionals.cpp - Optionals for krnl.call ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// As in Sequences.cpp, params[0] is the element type of the tensors among the
// operands or results.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "Objects.h"

using namespace onnxc;
using namespace onnxc::rt;

/// (value?) -> optional
ONNXC_CALL(onnxc_call_optional) {
  ListObject *optional = makeList(call, ONNXC_KIND_OPTIONAL, 1);
  if (optional && nin > 0) {
    optional->elements[0] = boxed(call, ins[0], params[0]);
    optional->size = 1;
  }
  give(outs[0], optional);
  return call->status;
}

/// (optional) -> 0 or 1
ONNXC_CALL(onnxc_call_optional_has_element) {
  *static_cast<int64_t *>(outs[0].data) =
      static_cast<ListObject *>(objectOf(ins[0]))->size;
  return ONNXC_OK;
}

/// (optional) -> its element
ONNXC_CALL(onnxc_call_optional_get_element) {
  const ListObject &optional = *static_cast<ListObject *>(objectOf(ins[0]));
  if (optional.size == 0)
    return call->fail(ONNXC_ERR_VALUE,
                      "OptionalGetElement: the optional is empty");
  return giveElement(call, outs[0], optional.elements[0], params[0],
                     "OptionalGetElement");
}
