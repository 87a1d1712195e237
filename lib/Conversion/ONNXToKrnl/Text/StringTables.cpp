//===- StringTables.cpp - Tensors of strings, and calls on them -*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "Elementwise/Elementwise.h"
#include "Text/Strings.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"
#include "onnxc/Dialect/ONNX/IR/TensorAttr.h"

#include "calls/StringHash.h"

using namespace mlir;

namespace onnxc {

bool isString(Type onnxType) { return isa<onnx::StringType>(onnxType); }

SmallVector<StringRef> textsOf(std::optional<ArrayAttr> attribute) {
  SmallVector<StringRef> texts;
  if (attribute)
    for (auto text : attribute->getAsRange<StringAttr>())
      texts.push_back(text.getValue());
  return texts;
}

Value callTensor(OpBuilder &b, Location loc, StringRef callee,
                 RankedTensorType type, ValueRange operands,
                 ArrayRef<int64_t> params) {
  return krnl::CallOp::create(b, loc, type, callee, operands, params,
                              /*stateful=*/false)
      .getResult(0);
}

/// Slots at most half full; equal texts have one, that of the first.
static std::vector<int64_t> hashSlots(ArrayRef<StringRef> texts) {
  std::vector<int64_t> slots(llvm::bit_ceil(2 * texts.size() + 1), -1);
  for (auto [i, text] : llvm::enumerate(texts)) {
    size_t at = rt::hashString(text.data(), text.size()) & (slots.size() - 1);
    while (slots[at] >= 0 && texts[slots[at]] != text)
      at = (at + 1) & (slots.size() - 1);
    if (slots[at] < 0)
      slots[at] = static_cast<int64_t>(i);
  }
  return slots;
}

Value stringTable(OpBuilder &b, Location loc, ArrayRef<StringRef> texts,
                  bool isSearched) {
  std::vector<int64_t> slots;
  if (isSearched)
    slots = hashSlots(texts);
  std::vector<int64_t> words{int64_t(texts.size()), int64_t(slots.size())};
  int64_t offset =
      int64_t(2 + texts.size() + slots.size()) * int64_t(sizeof(int64_t));
  for (StringRef text : texts) {
    words.push_back(offset);
    offset += int64_t(text.size()) + 1;
  }
  llvm::append_range(words, slots);
  std::vector<char> bytes(llvm::alignTo(offset, sizeof(int64_t)));
  std::memcpy(bytes.data(), words.data(), words.size() * sizeof(int64_t));
  for (auto [i, text] : llvm::enumerate(texts))
    llvm::copy(text, bytes.begin() + words[2 + i]);
  auto type = RankedTensorType::get({int64_t(bytes.size() / sizeof(int64_t))},
                                    b.getI64Type());
  return krnl::ConstantOp::create(b, loc,
                                  onnx::makeTensorAttr(type, std::move(bytes)),
                                  krnl::PackedLayoutAttr());
}

Value stringConstant(OpBuilder &b, Location loc, ArrayRef<StringRef> texts,
                     ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, krnl::StrType::get(b.getContext()));
  Value table = stringTable(b, loc, texts, /*isSearched=*/false);
  return callTensor(b, loc, "onnxc_call_string_constant", type, table, shape);
}

Value stringIndex(OpBuilder &b, Location loc, Value x,
                  ArrayRef<StringRef> keys) {
  auto type = cast<RankedTensorType>(x.getType());
  Value table = stringTable(b, loc, keys, /*isSearched=*/true);
  return callTensor(b, loc, "onnxc_call_string_index",
                    RankedTensorType::get(type.getShape(), b.getI64Type()),
                    {x, table});
}

Value castNumbers(OpBuilder &b, Location loc, Value x, Type from, Type to) {
  if (from == to)
    return x;
  return buildElementwise(
      b, loc, "Cast", x, to, [&](OpBuilder &nb, Location l, ValueRange v) {
        ScalarBuilder s(nb, l, from);
        return ScalarBuilder(nb, l, to).narrow(s.castTo(s.widen(v[0]), to));
      });
}

} // namespace onnxc
