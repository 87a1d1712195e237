//===- Tensor.h - A tensor in memory of the tool ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_VALUES_TENSOR_H
#define ONNXC_VALUES_TENSOR_H

#include "onnxc/Runtime.h"
#include "onnxc/Values/ElementTypes.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <deque>
#include <string>
#include <vector>

namespace onnxc::run {

/// Contiguous and row-major. Elements narrower than a byte take one each; the
/// elements of a string tensor are in `strings`.
struct Tensor {
  OM_DATA_TYPE type = ONNX_TYPE_UNDEFINED;
  std::vector<int64_t> shape;
  std::vector<char> bytes;
  std::deque<std::string> strings;
  std::string name; ///< from a file, or empty

  int64_t elements() const;
  /// Sizes `bytes` (or `strings`) for the shape; false if that is excessive, or
  /// more than `maxElements` elements: as many as a file has bytes for.
  bool allocate(int64_t maxElements = int64_t(1) << 40);
  /// A buffer for the runtime; `pointers` holds a string tensor's data.
  OMBuffer buffer(std::vector<char *> &pointers);
  /// A copy of the runtime's output.
  static Tensor copyOf(const OMBuffer &buffer);
};

/// "f32", ...
llvm::StringRef typeName(int64_t type);
/// Bytes of one element; 0 for strings.
int64_t elementBytes(int64_t type);
/// The name of an input, output or dimension with a question mark for each
/// character that drives terminals.
std::string shownName(llvm::StringRef name);
/// "f32[1, 3, ?]"; dimensions below zero take their symbol.
std::string typeText(int64_t type, llvm::ArrayRef<int64_t> shape,
                     const char *const *symbols = nullptr);

/// The real part (or the whole) of element `index`; `imaginary` is 0 unless
/// the type is complex. Not for strings.
double elementAsDouble(const Tensor &tensor, int64_t index, double &imaginary);
/// An element of an integer type (bool too). uint64 keeps its bits.
int64_t elementAsInteger(const Tensor &tensor, int64_t index);

/// Reads .npy, .pb (TensorProto) or raw bytes by the file's extension. The
/// expected argument determines the type of raw bytes and of NumPy's opaque
/// types.
llvm::Expected<Tensor> readTensor(llvm::StringRef path,
                                  const OMArgument *expected);
llvm::Expected<Tensor> readNumpy(llvm::StringRef path, llvm::StringRef content,
                                 const OMArgument *expected);
llvm::Expected<Tensor> readTensorProto(llvm::StringRef path,
                                       llvm::StringRef content);
llvm::Error writeNumpy(llvm::StringRef path, const Tensor &tensor);

/// The values, shortened in the middle where there are many.
std::string valuesText(const Tensor &tensor);

/// An error with a printf-style message.
template <typename... Args>
llvm::Error failure(const char *format, const Args &...args) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), format,
                                 args...);
}

/// Makes a file of what `write` writes.
llvm::Error writeFile(llvm::StringRef path,
                      llvm::function_ref<void(llvm::raw_ostream &)> write);

} // namespace onnxc::run

#endif // ONNXC_VALUES_TENSOR_H
