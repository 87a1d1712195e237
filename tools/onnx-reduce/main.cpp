//===- main.cpp - Makes failing IR smaller ---------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Pipeline/Registration.h"
#include "onnxc/Support/Tool.h"
#include "onnxc/Support/WrapHelp.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"

int main(int argc, char **argv) {
  onnxc::prepareTool();
  onnxc::setVersion("onnx-reduce");
  mlir::DialectRegistry registry;
  onnxc::registerAllDialects(registry);
  onnxc::registerAllPasses();
  mlir::MLIRContext context(registry);
  return onnxc::wrapHelp(argc, argv, [&] {
    return int(llvm::failed(mlir::mlirReduceMain(argc, argv, context)));
  });
}
