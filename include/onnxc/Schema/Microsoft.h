//===- Microsoft.h - Operators of the domain com.microsoft -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Exporters and optimisers write operators of this domain, which the onnx
// library lacks. They are registered with it like its own: a schema, and a
// function body of standard operators that defines them. All code that works
// from schemas (the dialect, the importer's checks, inference, expansion) then
// works for them.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_SCHEMA_MICROSOFT_H
#define ONNXC_SCHEMA_MICROSOFT_H

#include <string>

namespace onnxc::schema {

/// Adds the operators to the library's registry, at the first call. May be
/// called from several threads. Returns true, for use in initialisers.
bool registerMicrosoftOperators();

/// The reason why the operator `op` of com.microsoft, or with `form` that form
/// of it, is not compiled; empty if it is not refused.
std::string refusalReason(const std::string &op, const std::string &form = "");

/// The reason why no operator of `domain` is compiled; empty if it is not
/// refused.
std::string domainRefusalReason(const std::string &domain);

} // namespace onnxc::schema

#endif // ONNXC_SCHEMA_MICROSOFT_H
