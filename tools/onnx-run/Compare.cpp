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
/// What a comparison found.
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

bool run::compareOutput(const OMArgument &argument, const Tensor &actual,
                        const Tensor &expected, const Options &options) {
  errs() << "output " << argument.name << ": ";
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
