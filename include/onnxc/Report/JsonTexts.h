//===- JsonTexts.h - Texts of models in JSON -------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_REPORT_JSONTEXTS_H
#define ONNXC_REPORT_JSONTEXTS_H

#include "llvm/Support/JSON.h"

#include <optional>

namespace onnxc {

/// Writes the attribute `name`, a text that may be no UTF-8.
inline void writeText(llvm::json::OStream &json, llvm::StringRef name,
                      llvm::StringRef text) {
  json.attribute(name, llvm::json::fixUTF8(text));
}

/// Writes the attribute `name`, a list of texts that may be no UTF-8.
inline void writeTexts(llvm::json::OStream &json, llvm::StringRef name,
                       llvm::ArrayRef<std::string> texts) {
  json.attributeArray(name, [&] {
    for (const std::string &text : texts)
      json.value(llvm::json::fixUTF8(text));
  });
}

/// Writes the attribute `name`, a number or null.
template <typename Number>
void writeOptional(llvm::json::OStream &json, llvm::StringRef name,
                   const std::optional<Number> &number) {
  json.attribute(name, number ? llvm::json::Value(int64_t(*number))
                              : llvm::json::Value(nullptr));
}

} // namespace onnxc

#endif // ONNXC_REPORT_JSONTEXTS_H
