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
    microsoft::registerDiffusion();
    microsoft::registerExperts();
    microsoft::registerFused();
    microsoft::registerFusedPairs();
    microsoft::registerGroupedAttention();
    microsoft::registerHyperConnections();
    microsoft::registerIndexing();
    microsoft::registerIntegers();
    microsoft::registerInverse();
    microsoft::registerMaskedAttention();
    microsoft::registerMovement();
    microsoft::registerNormalization();
    microsoft::registerPositionBias();
    microsoft::registerQuantized();
    microsoft::registerQuantizedLSTM();
    microsoft::registerQuantizedLayers();
    microsoft::registerQuantizedMatMul();
    microsoft::registerRecurrent();
    microsoft::registerSignal();
    return true;
  }();
  return once;
}
