//===- CustomCall.h - A call of a library while compiling ------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_SCHEMA_CUSTOM_CUSTOMCALL_H
#define ONNXC_LIB_SCHEMA_CUSTOM_CUSTOMCALL_H

#include "onnxc/Schema/CustomOps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Allocator.h"

#include <deque>

namespace onnxc::schema {

/// The argument of a library's `infer` for an onnx.Custom. A symbolic size is a
/// number below -1, the same for the same name.
class CustomCall : public OMCustomCall {
public:
  CustomCall(mlir::Operation *op, const ValueFacts &facts);
  CustomCall(const CustomCall &) = delete;

  struct Output {
    bool isPresent = false;
    int64_t type = 0;
    int64_t rank = -1;
    llvm::SmallVector<int64_t, 4> dims;
  };

  /// The name of such a size; empty if there is none.
  std::string symbolOf(int64_t size) const;

  /// The operands by slot; null for absent ones.
  llvm::SmallVector<mlir::Value> operands;
  /// The results by slot, the argument of setOutput.
  std::vector<Output> results;
  /// The first error; empty if there is none.
  std::string message;

private:
  void addInput(mlir::Value value, const ValueFacts &facts);
  void addAttribute(llvm::StringRef name, mlir::Attribute value);
  const void *elementsOf(mlir::Value value, const ValueFacts &facts);
  const void *constantElements(mlir::Attribute value);
  OMCustomTensor tensorOf(mlir::Attribute value);

  template <typename T>
  const T *copy(llvm::ArrayRef<T> values) {
    return values.copy(memory).data();
  }
  const char *copy(llvm::StringRef text);

  static int onFail(OMCustomCall *call, const char *format, ...);
  static int onSetOutput(OMCustomCall *call, int64_t output, int64_t type,
                         int64_t rank, const int64_t *dims);
  static void *onAllocate(OMCustomCall *call, int64_t output, int64_t rank,
                          const int64_t *dims);
  static void *onMemory(OMCustomCall *call, int64_t bytes);
  static void onParallel(OMCustomCall *call, int64_t count,
                         void (*body)(void *, int64_t, int64_t), void *user);

  llvm::BumpPtrAllocator memory;
  std::vector<OMCustomTensor> inputViews, outputViews;
  std::vector<OMCustomAttribute> attributeViews;
  llvm::DenseMap<int64_t, std::string> symbols;
};

} // namespace onnxc::schema

#endif // ONNXC_LIB_SCHEMA_CUSTOM_CUSTOMCALL_H
