//===- main.cpp - Editor support for the IR ---------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Pipeline/Registration.h"
#include "onnxc/Support/Tool.h"
#include "onnxc/Support/WrapHelp.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/LogicalResult.h"

int main(int argc, char **argv) {
  onnxc::prepareTool();
  onnxc::setVersion("onnx-lsp-server");
  mlir::DialectRegistry registry;
  onnxc::registerAllDialects(registry);
  return onnxc::wrapHelp(argc, argv, [&] {
    return int(llvm::failed(mlir::MlirLspServerMain(argc, argv, registry)));
  });
}
