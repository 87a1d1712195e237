//===- Compare.cpp - Outputs against expectations ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace llvm;
using namespace onnxc;
using namespace onnxc::run;

namespace {
/// The result of a comparison.
struct Differences {
  int64_t count = 0;
  int64_t first = -1;
  double largest = 0;         ///< absolute difference
  double largestRelative = 0; ///< to the expected value
};
} // namespace

static bool closeEnough(double actual, double expected, const Options &options,
                        Differences &found) {
  if (std::isnan(actual) || std::isnan(expected))
    return std::isnan(actual) && std::isnan(expected);
  if (std::isinf(actual) || std::isinf(expected))
    return actual == expected;
  double difference = std::fabs(actual - expected);
  found.largest = std::max(found.largest, difference);
  if (expected != 0)
    found.largestRelative =
        std::max(found.largestRelative, difference / std::fabs(expected));
  return difference <= options.atol + options.rtol * std::fabs(expected);
}

static bool sameElement(const Tensor &actual, const Tensor &expected, int64_t i,
                        const Options &options, Differences &found) {
  if (actual.type == ONNX_TYPE_STRING)
    return actual.strings[size_t(i)] == expected.strings[size_t(i)];
  if (isInteger(actual.type) &&
      elementAsInteger(actual, i) == elementAsInteger(expected, i))
    return true;
  double actualImaginary, expectedImaginary;
  double actualReal = elementAsDouble(actual, i, actualImaginary);
  double expectedReal = elementAsDouble(expected, i, expectedImaginary);
  return closeEnough(actualReal, expectedReal, options, found) &&
         closeEnough(actualImaginary, expectedImaginary, options, found);
}

static std::string elementText(const Tensor &tensor, int64_t i) {
  if (tensor.type == ONNX_TYPE_STRING)
    return '"' + tensor.strings[size_t(i)] + '"';
  double imaginary;
  std::string text;
  raw_string_ostream(text) << format("%.9g",
                                     elementAsDouble(tensor, i, imaginary));
  return text;
}

static bool compareTensor(const std::string &name, const Tensor &actual,
                          const Tensor &expected, const Options &options) {
  errs() << "output " << name << ": ";
  if (actual.type != expected.type || actual.shape != expected.shape) {
    errs() << "is " << typeText(actual.type, actual.shape) << " and should be "
           << typeText(expected.type, expected.shape) << "\n";
    return false;
  }
  Differences found;
  for (int64_t i = 0; i < actual.elements(); ++i)
    if (!sameElement(actual, expected, i, options, found)) {
      found.first = found.count ? found.first : i;
      ++found.count;
    }
  if (found.count == 0) {
    errs() << "agrees, largest difference " << format("%.3g", found.largest)
           << " (relative " << format("%.3g", found.largestRelative) << ")\n";
    return true;
  }
  errs() << found.count << " of " << actual.elements()
         << " elements differ; element " << found.first << " is "
         << elementText(actual, found.first) << " and should be "
         << elementText(expected, found.first) << "; largest difference "
         << format("%.3g", found.largest) << ", allowed " << options.atol
         << " + " << options.rtol << " * expected\n";
  return false;
}

/// The number of elements of a container, with its kind.
static std::string sizeText(const Value &value) {
  StringRef kind = value.kind == OM_VALUE_TENSOR     ? "a tensor"
                   : value.kind == OM_VALUE_SEQUENCE ? "a sequence of "
                   : value.kind == OM_VALUE_MAP      ? "a map of "
                                                     : "an optional of ";
  if (value.kind == OM_VALUE_TENSOR)
    return kind.str();
  return kind.str() + std::to_string(value.elements.size());
}

/// Entries of a map may come in any order.
static bool compareMap(const std::string &name, const Value &actual,
                       const Value &expected, const Options &options) {
  StringMap<const Value *> byKey;
  for (auto [i, element] : enumerate(actual.elements))
    byKey[keyText(actual, i)] = &element;
  bool agrees = true;
  for (auto [i, element] : enumerate(expected.elements)) {
    std::string key = keyText(expected, i);
    std::string inside = name + "[" + key + "]";
    if (const Value *found = byKey.lookup(key)) {
      agrees &= compareOutput(inside, *found, element, options);
      continue;
    }
    errs() << "output " << inside << ": is missing\n";
    agrees = false;
  }
  return agrees;
}

bool run::compareOutput(const std::string &name, const Value &actual,
                        const Value &expected, const Options &options) {
  if (actual.kind != expected.kind ||
      actual.elements.size() != expected.elements.size()) {
    errs() << "output " << name << ": is " << sizeText(actual)
           << " and should be " << sizeText(expected) << "\n";
    return false;
  }
  if (actual.kind == OM_VALUE_TENSOR)
    return compareTensor(name, actual.tensor, expected.tensor, options);
  if (actual.kind == OM_VALUE_MAP)
    return compareMap(name, actual, expected, options);
  bool agrees = true;
  for (auto [i, element] : enumerate(actual.elements))
    agrees &= compareOutput(actual.kind == OM_VALUE_OPTIONAL
                                ? name
                                : name + "[" + std::to_string(i) + "]",
                            element, expected.elements[i], options);
  return agrees;
}
