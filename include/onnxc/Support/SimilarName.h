//===- SimilarName.h - Names that are misspelt ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_SUPPORT_SIMILARNAME_H
#define ONNXC_SUPPORT_SIMILARNAME_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace onnxc {

/// Of the names that are offered the one that differs from a word in the fewest
/// letters: in at most `maxDistance`, and not in all. Of several the first of
/// the alphabet.
class SimilarName {
public:
  SimilarName(llvm::StringRef word, unsigned maxDistance)
      : word(word), best(maxDistance) {}

  void offer(llvm::StringRef name) {
    unsigned distance = name.edit_distance(word, true, best);
    bool isBetter = distance < best || similar.empty() || name < similar;
    if (distance > best || distance >= name.size() || !isBetter)
      return;
    best = distance;
    similar = name.str();
  }

  /// Empty if there is none.
  const std::string &get() const { return similar; }
  /// What an error goes on with: "; did you mean 'x'?", or nothing.
  std::string question() const {
    return similar.empty() ? "" : "; did you mean '" + similar + "'?";
  }

private:
  llvm::StringRef word;
  unsigned best;
  std::string similar;
};

} // namespace onnxc

#endif // ONNXC_SUPPORT_SIMILARNAME_H
