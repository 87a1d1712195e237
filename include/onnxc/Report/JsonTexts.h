//===- JsonTexts.h - Texts of models in JSON -------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_REPORT_JSONTEXTS_H
#define ONNXC_REPORT_JSONTEXTS_H

#include "llvm/Support/JSON.h"

namespace onnxc {

/// Writes the attribute `name`, a list of texts that may be no UTF-8.
inline void writeTexts(llvm::json::OStream &json, llvm::StringRef name,
                       llvm::ArrayRef<std::string> texts) {
  json.attributeArray(name, [&] {
    for (const std::string &text : texts)
      json.value(llvm::json::fixUTF8(text));
  });
}

} // namespace onnxc

#endif // ONNXC_REPORT_JSONTEXTS_H
