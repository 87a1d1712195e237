//===- Registration.cpp - Dialects and passes of textual IR -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// MLIR's dialects and passes are listed one by one: its InitAll headers would
// pull in everything, and cost half a minute to compile.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Pipeline/Registration.h"

#include "Evaluate.h"
#include "SelectTarget.h"

#include "onnxc/Conversion/ExpandMath/Passes.h"
#include "onnxc/Conversion/KrnlToLLVM/Passes.h"
#include "onnxc/Conversion/ONNXToKrnl/Passes.h"
#include "onnxc/Dialect/Krnl/Emit/Passes.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/Transforms/Passes.h"
#include "onnxc/Dialect/ONNX/IR/ONNXDialect.h"
#include "onnxc/Dialect/ONNX/Ranks/Passes.h"
#include "onnxc/Dialect/ONNX/Transforms/Passes.h"
#include "onnxc/Importer/Passes.h"
#include "onnxc/Pipeline/Phases.h"
#include "onnxc/Recipe/Passes.h"
#include "onnxc/Recipe/TabulateBytes.h"
#include "onnxc/Training/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"

void onnxc::registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<
      // Ours.
      krnl::KrnlDialect, onnx::ONNXDialect,
      // MLIR's.
      mlir::LLVM::LLVMDialect, mlir::affine::AffineDialect,
      mlir::arith::ArithDialect, mlir::bufferization::BufferizationDialect,
      mlir::cf::ControlFlowDialect, mlir::complex::ComplexDialect,
      mlir::func::FuncDialect, mlir::linalg::LinalgDialect,
      mlir::math::MathDialect, mlir::memref::MemRefDialect,
      mlir::scf::SCFDialect, mlir::tensor::TensorDialect,
      mlir::vector::VectorDialect>();
  mlir::tensor::registerInferTypeOpInterfaceExternalModels(registry);
  // How they become code: constants are computed in the middle of a pass,
  // where nothing can be registered any more.
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerNVVMDialectTranslation(registry);
}

void onnxc::registerAllPasses() {
  mlir::registerTransformsPasses();
  krnl::registerKrnlEmitPasses();
  krnl::registerKrnlTransformsPasses();
  // The first of a name counts: the pass with an evaluator.
  mlir::registerPass([] {
    return onnx::createFoldConstants(makeEvaluator(CompileOptions()));
  });
  mlir::registerPass(
      [] { return createTabulateBytes(makeEvaluator(CompileOptions())); });
  onnx::registerONNXRanksPasses();
  onnx::registerONNXTransformsPasses();
  registerConvertONNXToKrnlPass();
  registerONNXChooseConvolutionsPass();
  registerONNXChoosePoolsPass();
  registerONNXCExpandMathPasses();
  registerONNXCKrnlToLLVMPasses();
  registerRecipePasses();
  importer::registerImporterPasses();
  training::registerTrainingPasses();
  registerSelectTargetPass();
  registerPhasePipelines();
}
