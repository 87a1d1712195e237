//===- Rows.h - Operators as rows of a table -------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_SCHEMA_MICROSOFT_ROWS_H
#define ONNXC_LIB_SCHEMA_MICROSOFT_ROWS_H

#include "Body.h"

namespace onnxc::schema::microsoft {

/// The source of the results' types before the body takes the node's position.
enum class Results {
  /// The types of results are those of the body's nodes.
  OfBody,
  /// The results have the element type of the first input.
  ElementsOfFirst,
  /// The results have the type of the first input.
  LikeFirst
};

/// One operator with its schema in short form.
struct Row {
  const char *name;
  const char *doc;
  /// "X:T, k:i64?, inputs:T*": a question mark for an optional parameter, a
  /// star for a variadic one.
  const char *inputs;
  const char *outputs;
  /// "upper:i=1, scale:f=0.5, mode:s=linear, axes:is, limit:f?": without a
  /// default an attribute is required, with a question mark it is optional.
  const char *attributes;
  /// "T=f32 f16, M=i32": the types of each constraint.
  const char *types;
  Fill fill;
  /// The source of the results' types; not the body if it has operators whose
  /// types only their bodies infer.
  Results results = Results::OfBody;
};

/// Registers one operator of com.microsoft.
void define(const Row &row);

} // namespace onnxc::schema::microsoft

#endif // ONNXC_LIB_SCHEMA_MICROSOFT_ROWS_H
