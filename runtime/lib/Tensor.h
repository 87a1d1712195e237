//===- Tensor.h - OMTensor, OMTensorList and OMValue ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_RUNTIME_LIB_TENSOR_H
#define ONNXC_RUNTIME_LIB_TENSOR_H

#include "OnnxMlirRuntime.h"

#include "ValueMemory.h"

#include <stddef.h>

/// Shape and strides follow in the same block.
struct OMTensor {
  void *allocated; ///< memory to free
  void *data;      ///< where the elements are
  OMValue *value;  ///< not null: the slot is no tensor
  int64_t owning;
  int64_t capacity; ///< of an owned block that runs may use again; 0: free it
  int64_t rank;
  OM_DATA_TYPE type;
  int64_t shapeAndStrides[];

  int64_t *shape() { return shapeAndStrides; }
  const int64_t *shape() const { return shapeAndStrides; }
  int64_t *strides() { return shapeAndStrides + rank; }
  const int64_t *strides() const { return shapeAndStrides + rank; }
};

struct OMTensorList {
  OMTensor **tensors;
  int64_t size;
  int64_t owning; ///< the array itself is the list's
};

struct OMValue {
  OM_VALUE_KIND kind;
  int64_t size;
  OMTensor *tensor;   ///< of a tensor; keys of a map
  OMValue **elements; ///< of the other kinds
  /// All that is inside lies in memory of the outermost value, and so does that
  /// value itself.
  bool isPart;
  onnxc::rt::ValueMemory::Chunk *memory; ///< of an outermost value
};

namespace onnxc::rt {

/// Bytes of a tensor of this rank without its data.
inline size_t tensorHeaderBytes(int64_t rank) {
  return sizeof(OMTensor) + size_t(rank) * 2 * sizeof(int64_t);
}
/// Makes a tensor in `memory`. The shape is in order.
OMTensor *placeTensor(void *memory, void *data, const int64_t *shape,
                      int64_t rank, OM_DATA_TYPE type, int64_t owning);
/// Frees the data if the tensor owns it.
void freeData(OMTensor &tensor);
/// Returns true if the elements lie in row-major order without gaps.
bool isContiguous(const OMTensor &tensor);
/// Writes the elements in row-major order.
void copyElements(const OMTensor &tensor, void *to);

/// Appends text to memory that grows, for printing in one go.
class TextBuffer {
public:
  ~TextBuffer();
  void add(const char *text, size_t length);
  void add(const char *text);
  void format(const char *format, ...) __attribute__((format(printf, 2, 3)));
  const char *text() const { return memory ? memory : ""; }
  size_t size() const { return length; }

private:
  char *memory = nullptr;
  size_t length = 0;
  size_t capacity = 0;
};

/// "4x3xf32".
void printType(TextBuffer &out, const OMTensor &tensor);
/// The values in nested brackets.
void printValues(TextBuffer &out, const OMTensor &tensor);

} // namespace onnxc::rt

#endif // ONNXC_RUNTIME_LIB_TENSOR_H
