//===- ONNXToKrnl.h - Operators become kernels ------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// The conversion from the onnx dialect to kernels and the host program around
// them: one populate function per operator family, one file each.
//===----------------------------------------------------------------------===//

#ifndef ONNXC_CONVERSION_ONNXTOKRNL_ONNXTOKRNL_H
#define ONNXC_CONVERSION_ONNXTOKRNL_ONNXTOKRNL_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/StringSet.h"

#include <functional>

namespace onnxc {

/// Types at the krnl border: signless integers, everything of a byte or less
/// (bool, int4, float8, ...) as i8, strings as !krnl.str, containers and
/// tensors of unknown rank as !krnl.obj.
mlir::Type krnlType(mlir::Type type);

class KrnlTypeConverter : public mlir::TypeConverter {
public:
  KrnlTypeConverter();
};

#define ONNXC_FAMILY(NAME)                                                     \
  void populateONNXToKrnl##NAME##Patterns(mlir::TypeConverter &converter,      \
                                          mlir::RewritePatternSet &patterns);
#include "onnxc/Conversion/ONNXToKrnl/Families.def"

/// All families together.
void populateONNXToKrnlPatterns(mlir::TypeConverter &converter,
                                mlir::RewritePatternSet &patterns);

/// Numbers the nodes that libraries of the user's compute, once all operators
/// are lowered, and makes the table of them (CustomNodes.h).
void numberCustomNodes(mlir::ModuleOp module);

/// Names of the operators that some pattern lowers itself; the others are
/// expanded from their function bodies beforehand.
llvm::StringSet<> directlyLoweredOps(mlir::MLIRContext *context);

/// Returns a predicate for operations that some pattern lowers itself: of some
/// operators only a few forms are lowered, and the others expanded. `strict`
/// excludes the forms whose results differ from those of their bodies.
std::function<bool(mlir::Operation *)>
directlyLoweredForms(mlir::MLIRContext *context, bool strict);

} // namespace onnxc

#endif // ONNXC_CONVERSION_ONNXTOKRNL_ONNXTOKRNL_H
