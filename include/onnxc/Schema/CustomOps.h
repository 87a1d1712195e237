//===- CustomOps.h - Operators of the user's libraries ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Declarations of custom operator libraries (onnxc/CustomOp.h) become schemas
// of the onnx library, so that the importer checks nodes as it does others. The
// schemas belong to one compilation, not to the library's registry: another
// compilation of this process may use other libraries.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_SCHEMA_CUSTOMOPS_H
#define ONNXC_SCHEMA_CUSTOMOPS_H

#include "onnxc/CustomOp.h"
#include "onnxc/Schema/TypeInference.h"

#include "mlir/IR/DialectInterface.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <vector>

namespace onnxc::schema {

/// One operator of a library.
struct CustomOp {
  /// The library's declaration; valid as long as the library is loaded.
  const OMCustomOp *declared;
  /// Name of the function by which the library is found.
  std::string entry;
  /// The equivalent schema, an OpSchema of the onnx library: see schemaOf in
  /// ProtoConversion.h.
  std::shared_ptr<const void> schema;

  bool isPure() const { return declared->flags & OM_CUSTOM_PURE; }
  bool replacesFunction() const {
    return declared->flags & OM_CUSTOM_REPLACES_FUNCTION;
  }
};

/// The custom operators of a compilation: an interface of the onnx dialect, so
/// that whoever has the context finds them.
class CustomOps final : public mlir::DialectInterface::Base<CustomOps> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CustomOps)

  explicit CustomOps(mlir::Dialect *dialect);
  ~CustomOps() override;

  /// The custom operators of the context; null if there are no libraries.
  static const CustomOps *find(mlir::MLIRContext *context);

  /// Adds the operators of the library that `function`, called `entry`, gives.
  /// Fails on an invalid declaration, with a message that names `path`.
  llvm::Error add(llvm::StringRef path, llvm::StringRef entry,
                  OMCustomEntry function);

  /// The newest version of an operator that `version` of its domain has; null
  /// if there is none.
  const CustomOp *find(llvm::StringRef domain, llvm::StringRef name,
                       int64_t version) const;
  /// Returns true if some library has operators of the domain.
  bool hasDomain(llvm::StringRef domain) const;

  /// The functions by which the libraries are found.
  struct Entry {
    std::string name;
    OMCustomEntry function;
  };
  llvm::ArrayRef<Entry> getEntries() const { return entries; }

private:
  llvm::Error addOperator(llvm::StringRef path, llvm::StringRef entry,
                          const OMCustomOp *declared);

  std::vector<CustomOp> ops;
  std::vector<Entry> entries;
};

/// The error in a library's declaration of an operator; empty if it is valid.
std::string checkDeclaration(const OMCustomOp &op);

/// The schema (CustomOp::schema) of a declaration that has been checked.
std::shared_ptr<const void> makeSchema(const OMCustomOp &op,
                                       llvm::StringRef path);

/// The operator of an onnx.Custom; null if no library of the context has it.
const CustomOp *customOpOf(mlir::Operation *op);

/// Infers the results of an onnx.Custom whose operator is `custom`, as
/// inferResults does.
mlir::FailureOr<llvm::SmallVector<InferredValue>>
inferCustom(mlir::Operation *op, const CustomOp &custom,
            const ValueFacts &facts,
            llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace onnxc::schema

#endif // ONNXC_SCHEMA_CUSTOMOPS_H
