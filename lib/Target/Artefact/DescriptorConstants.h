//===- DescriptorConstants.h - Constants of a descriptor -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_TARGET_ARTEFACT_DESCRIPTORCONSTANTS_H
#define ONNXC_LIB_TARGET_ARTEFACT_DESCRIPTORCONSTANTS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace onnxc::target {

/// Makes the constants of the descriptor in an LLVM module.
class Constants {
public:
  explicit Constants(llvm::Module &module)
      : module(module), context(module.getContext()),
        pointer(llvm::PointerType::get(context, 0)),
        i64(llvm::Type::getInt64Ty(context)) {}

  llvm::Constant *number(int64_t value) {
    return llvm::ConstantInt::getSigned(i64, value);
  }
  llvm::Constant *address(const void *where) {
    return llvm::ConstantExpr::getIntToPtr(
        number(static_cast<int64_t>(reinterpret_cast<intptr_t>(where))),
        pointer);
  }
  llvm::Constant *null() { return llvm::ConstantPointerNull::get(pointer); }

  llvm::Constant *text(llvm::StringRef value) {
    return global(llvm::ConstantDataArray::getString(context, value));
  }
  /// Null for an empty string.
  llvm::Constant *textOrNull(llvm::StringRef value) {
    return value.empty() ? null() : text(value);
  }
  /// The address of an array; null if it has no elements.
  llvm::Constant *array(llvm::ArrayRef<llvm::Constant *> elements) {
    if (elements.empty())
      return null();
    return global(llvm::ConstantArray::get(
        llvm::ArrayType::get(elements.front()->getType(), elements.size()),
        elements));
  }
  llvm::Constant *record(llvm::ArrayRef<llvm::Constant *> fields) {
    return llvm::ConstantStruct::getAnon(context, fields);
  }

  /// A hidden symbol of this or another object.
  llvm::GlobalVariable *hidden(llvm::StringRef name, llvm::Type *type,
                               llvm::Constant *value) {
    auto *variable = new llvm::GlobalVariable(
        module, type, /*isConstant=*/true, llvm::GlobalValue::ExternalLinkage,
        value, name);
    variable->setVisibility(llvm::GlobalValue::HiddenVisibility);
    return variable;
  }

  /// The address of a hidden variable of another object.
  llvm::Constant *external(llvm::StringRef name) {
    if (llvm::GlobalVariable *known = module.getNamedGlobal(name))
      return known;
    return hidden(name, llvm::Type::getInt8Ty(context), nullptr);
  }

  /// The address of raw memory with the alignment of any element. It is never
  /// merged with other constants: the linker orders these by their contents,
  /// and other contents must leave all else where it is.
  llvm::Constant *bytes(llvm::ArrayRef<char> values) {
    llvm::GlobalVariable *variable =
        global(llvm::ConstantDataArray::get(context, values));
    variable->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::None);
    variable->setAlignment(llvm::Align(64));
    return variable;
  }
  /// The address of memory that the run writes to, all zero at first.
  llvm::Constant *zeroWords(uint64_t count) {
    llvm::Type *type = llvm::ArrayType::get(i64, count);
    return new llvm::GlobalVariable(module, type, /*isConstant=*/false,
                                    llvm::GlobalValue::PrivateLinkage,
                                    llvm::ConstantAggregateZero::get(type));
  }
  /// A function of another object or library.
  llvm::Constant *function(llvm::StringRef name, llvm::FunctionType *type,
                           bool isHidden) {
    auto found = module.getOrInsertFunction(name, type);
    auto *function = llvm::cast<llvm::Function>(found.getCallee());
    if (isHidden)
      function->setVisibility(llvm::GlobalValue::HiddenVisibility);
    return function;
  }

  llvm::Type *pointerType() const { return pointer; }
  llvm::LLVMContext &getContext() const { return context; }

private:
  llvm::GlobalVariable *global(llvm::Constant *value) {
    auto *variable =
        new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/true,
                                 llvm::GlobalValue::PrivateLinkage, value);
    variable->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    return variable;
  }

  llvm::Module &module;
  llvm::LLVMContext &context;
  llvm::PointerType *pointer;
  llvm::Type *i64;
};

/// The nodes of `module` that libraries of the user's compute, as OnnxcModel
/// has them: their number, their address, and how to let go of their libraries.
llvm::SmallVector<llvm::Constant *> customNodes(Constants &make,
                                                mlir::ModuleOp module);

} // namespace onnxc::target

#endif // ONNXC_LIB_TARGET_ARTEFACT_DESCRIPTORCONSTANTS_H
