//===- ValueFuzzer.cpp - Test data from random bytes -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The readers of onnx-run: the first byte says which format the others are of
// and which argument they are for. What is read can be printed.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Values/Value.h"

#include "llvm/Support/Error.h"

using namespace llvm;
using namespace onnxc;
using namespace onnxc::run;

/// An argument of the type, of any shape.
static OMArgument argumentOf(int64_t type) {
  return {"x", OM_VALUE_TENSOR, type, -1, nullptr, nullptr, 0, nullptr};
}

static void expectPrintable(Expected<Value> value) {
  if (!value)
    return consumeError(value.takeError());
  (void)valueText("x", *value);
}

static Expected<Value> asValue(Expected<Tensor> tensor) {
  if (!tensor)
    return tensor.takeError();
  return Value(std::move(*tensor));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  StringRef content(reinterpret_cast<const char *>(data + 1), size - 1);
  OMArgument tensor = argumentOf(1 + data[0] / 8 % 23);
  OMArgument expected = tensor;
  expected.kind = data[0] / 2 % 4;
  expected.key = data[0] % 16 < 8 ? ONNX_TYPE_STRING : ONNX_TYPE_INT64;
  expected.element = &tensor;
  switch (data[0] % 8) {
  case 0:
  case 1:
  case 2:
    expectPrintable(asValue(readNumpy("x.npy", content, &tensor)));
    break;
  case 3:
    expectPrintable(asValue(readTensorProto("x.pb", content)));
    break;
  default:
    expectPrintable(readValueProto("x.pb", content, expected));
  }
  return 0;
}
