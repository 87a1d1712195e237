//===- Operators.cpp - Registering com.microsoft ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Schema/Microsoft.h"

#include "Body.h"

using namespace onnxc::schema;

bool onnxc::schema::registerMicrosoftOperators() {
  static const bool once = [] {
    ::onnx::OpSchemaRegistry::DomainToVersionRange::Instance()
        .AddDomainToVersion("com.microsoft", 1, 1);
    microsoft::registerActivations();
    microsoft::registerAttention();
    microsoft::registerFused();
    microsoft::registerGroupedAttention();
    microsoft::registerMovement();
    microsoft::registerNormalization();
    microsoft::registerQuantized();
    microsoft::registerQuantizedLayers();
    microsoft::registerQuantizedMatMul();
    return true;
  }();
  return once;
}
