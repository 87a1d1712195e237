//===- main.cpp - Passes and phases on textual IR --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Pipeline/Registration.h"
#include "onnxc/Support/Tool.h"
#include "onnxc/Support/WrapHelp.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  onnxc::prepareTool();
  onnxc::setVersion("onnx-opt");
  mlir::DialectRegistry registry;
  onnxc::registerAllDialects(registry);
  onnxc::registerAllPasses();
  return onnxc::wrapHelp(argc, argv, [&] {
    return mlir::asMainReturnCode(mlir::MlirOptMain(
        argc, argv, "onnx-opt, the passes of onnx-compile on IR\n", registry));
  });
}
