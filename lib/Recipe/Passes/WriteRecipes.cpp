//===- WriteRecipes.cpp - krnl-write-recipes ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Passes/ConstantForms.h"
#include "onnxc/Dialect/Krnl/IR/Kernels.h"
#include "onnxc/Recipe/Passes.h"
#include "onnxc/Recipe/RecipeChooser.h"
#include "onnxc/Recipe/RecipeFile.h"
#include "onnxc/Support/NewFile.h"
#include "onnxc/Target/IR/Levels.h"
#include "onnxc/Target/IR/Target.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {
#define GEN_PASS_DEF_KRNLWRITERECIPESPASS
#include "onnxc/Recipe/Passes.h.inc"

/// Recipes are a text that people write; a device may never end.
static constexpr size_t maxTextBytes = 64 << 20;

/// All of a file or pipe.
static llvm::Expected<std::string> readText(StringRef path) {
  llvm::Expected<llvm::sys::fs::file_t> file =
      llvm::sys::fs::openNativeFileForRead(path);
  if (!file)
    return file.takeError();
  llvm::scope_exit close([&] { (void)llvm::sys::fs::closeFile(*file); });
  std::string text;
  std::vector<char> part(1 << 16);
  while (true) {
    llvm::Expected<size_t> count =
        llvm::sys::fs::readNativeFile(*file, llvm::MutableArrayRef(part));
    if (!count)
      return count.takeError();
    if (*count == 0)
      return text;
    text.append(part.data(), *count);
    if (text.size() > maxTextBytes)
      return llvm::createStringError("it has more than " +
                                     llvm::Twine(maxTextBytes) + " bytes");
  }
}

namespace {
struct KrnlWriteRecipesPass
    : impl::KrnlWriteRecipesPassBase<KrnlWriteRecipesPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<KernelOp> kernels = kernelsOf(getOperation());
    if (!recipes.empty() && failed(readRecipes(kernels)))
      return signalPassFailure();
    auto &chooser = getAnalysis<RecipeChooser>();
    ConstantForms forms(kernels);
    for (KernelOp kernel : kernels) {
      if (choose && kernel.getRecipe().empty() && !fromFile.contains(kernel))
        kernel.setRecipeAttr(forms.share(
            kernel, chooser.choose(kernel, {keepOrder}), {keepOrder}));
      forms.add(kernel);
    }
    if (!emitRecipes.empty() && failed(saveRecipes(kernels)))
      signalPassFailure();
  }

private:
  /// The file of the module's target: of several targets each has one.
  std::string fileOf(StringRef path) {
    auto level = dyn_cast<ModuleOp>(getOperation());
    return level && target::isOneOfSeveral(level)
               ? target::fileOfTarget(path, TargetAttr::of(level).getCpu())
               : path.str();
  }

  LogicalResult readRecipes(ArrayRef<KernelOp> kernels) {
    std::string path = fileOf(recipes);
    llvm::Expected<std::string> text = readText(path);
    if (!text)
      return emitError(getOperation()->getLoc())
             << "cannot read recipes from '" << path
             << "': " << llvm::toString(text.takeError())
             << (path == recipes ? "" : "; of several targets each has a file");
    auto entries = parseRecipes(*text, path, &getContext());
    if (failed(entries) || failed(applyRecipes(*entries, kernels)))
      return failure();
    fromFile.clear();
    for (auto [key, kernel] : llvm::zip_equal(kernelKeys(kernels), kernels))
      for (const RecipeEntry &entry : *entries)
        if (entry.key == key)
          fromFile.insert(kernel);
    return success();
  }

  LogicalResult saveRecipes(ArrayRef<KernelOp> kernels) {
    llvm::Error error =
        writeFile(fileOf(emitRecipes), [&](llvm::raw_ostream &os) {
          printRecipes(os, kernels);
          return llvm::Error::success();
        });
    if (error)
      return emitError(getOperation()->getLoc())
             << llvm::toString(std::move(error));
    return success();
  }

  /// Kernels whose recipe, perhaps the empty one, a file has set.
  llvm::DenseSet<Operation *> fromFile;
};
} // namespace
} // namespace onnxc
