//===- TypeText.cpp - Types in messages for users --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Dialect/ONNX/IR/TypeText.h"

#include "onnxc/Dialect/ONNX/IR/ONNXTypes.h"

#include "mlir/IR/Diagnostics.h"
#include "onnxc/Support/ElementBytes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace onnxc::onnx;

static std::string printed(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static std::string elementText(Type type) {
  return isa<StringType>(type) ? "string" : printed(type);
}

/// "[1, 3, ?]"
static std::string sizesText(ShapedType type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(type.getShape(), os, [&](int64_t size) {
    if (ShapedType::isDynamic(size))
      os << '?';
    else
      os << size;
  });
  os << ']';
  return text;
}

std::string onnxc::onnx::typeText(Type type) {
  auto inside = [](StringRef container, Type element) {
    return (container + "(" + typeText(element) + ")").str();
  };
  return llvm::TypeSwitch<Type, std::string>(type)
      .Case([&](ShapedType shaped) {
        return elementText(shaped.getElementType()) +
               (shaped.hasRank() ? sizesText(shaped) : "[...]");
      })
      .Case([&](SeqType list) { return inside("seq", list.getElementType()); })
      .Case([&](OptType optional) {
        return inside("optional", optional.getElementType());
      })
      .Case([&](MapType map) {
        return "map(" + elementText(map.getKeyType()) + ", " +
               typeText(map.getValueType()) + ")";
      })
      .Case([](NoneType) { return std::string("unknown"); })
      .Default(printed);
}

std::string onnxc::onnx::typeText(Type type, StringRef dims) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? elementText(tensor.getElementType()) + dims.str()
                : typeText(type);
}

std::string onnxc::onnx::tooLargeText(RankedTensorType type) {
  return "a tensor of type " + typeText(type) + " is too large: at most " +
         std::to_string(onnxc::maxTensorBytes) + " bytes";
}

std::string onnxc::onnx::messageText(Diagnostic &diagnostic) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (DiagnosticArgument &argument : diagnostic.getArguments())
    if (argument.getKind() == DiagnosticArgument::DiagnosticArgumentKind::Type)
      os << typeText(argument.getAsType());
    else
      argument.print(os);
  return text;
}
