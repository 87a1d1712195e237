//===- FunctionAttributes.cpp - Of all arguments at once -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Support/FunctionAttributes.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

/// Adds the values that are not null to the dictionaries; false if there are
/// none.
static bool addValues(SmallVector<DictionaryAttr> &dictionaries, StringRef name,
                      ArrayRef<Attribute> values) {
  bool any = false;
  for (auto [dictionary, value] : llvm::zip(dictionaries, values)) {
    if (!value)
      continue;
    NamedAttrList attributes(dictionary);
    attributes.set(name, value);
    dictionary = attributes.getDictionary(value.getContext());
    any = true;
  }
  return any;
}

void onnxc::setArgAttrs(FunctionOpInterface function, StringRef name,
                        ArrayRef<Attribute> values) {
  SmallVector<DictionaryAttr> dictionaries;
  function.getAllArgAttrs(dictionaries);
  if (addValues(dictionaries, name, values))
    function.setAllArgAttrs(dictionaries);
}

void onnxc::setResultAttrs(FunctionOpInterface function, StringRef name,
                           ArrayRef<Attribute> values) {
  SmallVector<DictionaryAttr> dictionaries;
  function.getAllResultAttrs(dictionaries);
  if (addValues(dictionaries, name, values))
    function.setAllResultAttrs(dictionaries);
}
