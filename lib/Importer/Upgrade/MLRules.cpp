//===- MLRules.cpp - Operators of domain ai.onnx.ml -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "Rules.h"

#include <numeric>

using namespace onnxc::importer;
using ::onnx::AttributeProto;
using ::onnx::TensorProto;

/// Classes were numbered from 0, and the type of the input was the direction.
/// LabelEncoder(strings) {classes_strings = ["a", "b"]}
///   --> LabelEncoder(strings) {keys_strings = ["a", "b"],
///                              values_int64s = [0, 1]}
void rules::LabelEncoder_1_to_2(NodeView &view) {
  int32_t type = view.oracle.elementType(view.input(0));
  if (type != TensorProto::STRING && type != TensorProto::INT64)
    return view.fail("the type of the input is not known");
  bool fromStrings = type == TensorProto::STRING;
  int64_t count = 0;
  if (const AttributeProto *classes = view.find("classes_strings"))
    count = classes->strings_size();
  view.rename("classes_strings",
              fromStrings ? "keys_strings" : "values_strings");
  std::vector<int64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  view.setInts(fromStrings ? "values_int64s" : "keys_int64s", numbers);
}
