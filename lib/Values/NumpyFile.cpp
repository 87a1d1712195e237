//===- NumpyFile.cpp - .npy files -------------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A magic, a version, the length of a header, the header (a Python dict with
// descr, fortran_order and shape), and the elements.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Values/Tensor.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace onnxc;
using namespace onnxc::run;

namespace {
struct NumpyType {
  OM_DATA_TYPE type;
  StringRef code; ///< kind and bytes
};
} // namespace

// Types below stand for themselves in NumPy; the rest are opaque (V) there.
static const NumpyType numpyTypes[] = {
    {ONNX_TYPE_FLOAT, "f4"},     {ONNX_TYPE_DOUBLE, "f8"},
    {ONNX_TYPE_FLOAT16, "f2"},   {ONNX_TYPE_INT8, "i1"},
    {ONNX_TYPE_INT16, "i2"},     {ONNX_TYPE_INT32, "i4"},
    {ONNX_TYPE_INT64, "i8"},     {ONNX_TYPE_UINT8, "u1"},
    {ONNX_TYPE_UINT16, "u2"},    {ONNX_TYPE_UINT32, "u4"},
    {ONNX_TYPE_UINT64, "u8"},    {ONNX_TYPE_BOOL, "b1"},
    {ONNX_TYPE_COMPLEX64, "c8"}, {ONNX_TYPE_COMPLEX128, "c16"}};

constexpr StringLiteral magic = "\x93NUMPY";

/// The text after 'key': up to the given end.
static StringRef headerField(StringRef header, StringRef key, char end) {
  StringRef rest = header.split(("'" + key + "':").str()).second;
  return rest.take_until([&](char c) { return c == end; }).trim();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Unicode (4 bytes a character) or byte strings of `width` characters.
static Error readStrings(StringRef path, StringRef data, char kind,
                         int64_t width, Tensor &tensor) {
  int64_t bytes = width * (kind == 'U' ? 4 : 1);
  if (int64_t(data.size()) < bytes * tensor.elements())
    return failure("%s: the file is truncated", path.str().c_str());
  for (std::string &string : tensor.strings) {
    StringRef cell = data.take_front(size_t(bytes));
    data = data.drop_front(size_t(bytes));
    if (kind == 'S') {
      string = cell.rtrim('\0').str();
      continue;
    }
    for (; cell.size() >= 4; cell = cell.drop_front(4)) {
      unsigned code = support::endian::read32le(cell.data());
      char utf8[UNI_MAX_UTF8_BYTES_PER_CODE_POINT], *end = utf8;
      if (code && ConvertCodePointToUTF8(code, end))
        string.append(utf8, end);
    }
  }
  return Error::success();
}

/// Column-major elements into row-major order.
static void transpose(Tensor &tensor) {
  std::vector<char> source = tensor.bytes;
  int64_t element = elementBytes(tensor.type);
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    int64_t rest = i, from = 0, scale = tensor.elements();
    for (size_t d = tensor.shape.size(); d-- > 0; rest /= tensor.shape[d]) {
      scale /= tensor.shape[d];
      from += rest % tensor.shape[d] * scale;
    }
    memcpy(&tensor.bytes[size_t(i * element)], &source[size_t(from * element)],
           size_t(element));
  }
}

static Error parseShape(StringRef path, StringRef text, Tensor &tensor) {
  SmallVector<StringRef> parts;
  text.trim(" (").split(parts, ',', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    int64_t dim;
    if (part.trim().empty())
      continue;
    if (part.trim().getAsInteger(10, dim))
      return failure("%s: the header has no shape", path.str().c_str());
    tensor.shape.push_back(dim);
  }
  return Error::success();
}

/// The element type of a NumPy type code.
static OM_DATA_TYPE typeOfCode(StringRef code, const OMArgument *expected) {
  for (const NumpyType &known : numpyTypes)
    if (known.code == code)
      return known.type;
  // Types of ml_dtypes are opaque in files (one of them is f1); the model has
  // them.
  int64_t bytes;
  bool opaque = code.consume_front("V") || code.consume_front("f");
  if (expected && opaque && !code.getAsInteger(10, bytes) &&
      bytes == elementBytes(expected->type))
    return OM_DATA_TYPE(expected->type);
  return ONNX_TYPE_UNDEFINED;
}

namespace {
/// A file without what its header begins with.
struct NumpyParts {
  StringRef header, data;
};
} // namespace

static Expected<NumpyParts> splitNumpy(const std::string &file,
                                       StringRef content) {
  if (!content.starts_with(magic) || content.size() < 12)
    return failure("%s is not a .npy file", file.c_str());
  bool version1 = content[6] == 1;
  size_t start = version1 ? 10 : 12;
  size_t length = version1 ? support::endian::read16le(content.data() + 8)
                           : support::endian::read32le(content.data() + 8);
  if (content.size() < start + length)
    return failure("%s: the file is truncated", file.c_str());
  return NumpyParts{content.substr(start, length),
                    content.drop_front(start + length)};
}

Expected<Tensor> run::readNumpy(StringRef path, StringRef content,
                                const OMArgument *expected) {
  std::string file = path.str();
  Expected<NumpyParts> parts = splitNumpy(file, content);
  if (!parts)
    return parts.takeError();
  auto [header, data] = *parts;
  StringRef descr = headerField(header, "descr", ',').trim("'");
  if (descr.consume_front(">"))
    return failure("%s: big-endian elements are not supported", file.c_str());
  descr = descr.ltrim("<|=");

  Tensor tensor;
  int64_t width = 0;
  bool text = (descr.starts_with("U") || descr.starts_with("S")) &&
              !descr.drop_front().getAsInteger(10, width) && width >= 0 &&
              width <= INT32_MAX;
  tensor.type = text ? ONNX_TYPE_STRING : typeOfCode(descr, expected);
  if (tensor.type == ONNX_TYPE_UNDEFINED)
    return failure("%s: element type '%s' is not supported", file.c_str(),
                   descr.str().c_str());
  if (Error error = parseShape(path, headerField(header, "shape", ')'), tensor))
    return std::move(error);
  int64_t cell =
      text ? width * (descr[0] == 'U' ? 4 : 1) : elementBytes(tensor.type);
  if (!tensor.allocate(int64_t(data.size()) / std::max<int64_t>(cell, 1)))
    return failure("%s: the file is truncated, or its shape is invalid",
                   file.c_str());
  if (text) {
    if (Error error = readStrings(path, data, descr[0], width, tensor))
      return std::move(error);
    return tensor;
  }
  llvm::copy(data.take_front(tensor.bytes.size()), tensor.bytes.begin());
  if (headerField(header, "fortran_order", ',') == "True")
    transpose(tensor);
  return tensor;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Strings as unicode cells of the longest one's width.
static std::string stringCells(const Tensor &tensor, size_t &width) {
  std::vector<std::u32string> wide;
  width = 1;
  for (const std::string &string : tensor.strings) {
    std::u32string &codes = wide.emplace_back();
    const UTF8 *at = reinterpret_cast<const UTF8 *>(string.data());
    const UTF8 *end = at + string.size();
    while (at < end) {
      UTF32 code;
      if (convertUTF8Sequence(&at, end, &code, lenientConversion) !=
          conversionOK)
        code = *at++; // no UTF-8: the byte itself
      codes.push_back(char32_t(code));
    }
    width = std::max(width, codes.size());
  }
  std::string cells;
  for (std::u32string &codes : wide) {
    codes.resize(width);
    for (char32_t code : codes) {
      char bytes[4];
      support::endian::write32le(bytes, uint32_t(code));
      cells.append(bytes, 4);
    }
  }
  return cells;
}

Error run::writeNumpy(StringRef path, const Tensor &tensor) {
  std::string code = "|V" + std::to_string(elementBytes(tensor.type));
  std::string cells;
  for (const NumpyType &known : numpyTypes)
    if (known.type == tensor.type)
      code = (known.code.ends_with("1") ? "|" : "<") + known.code.str();
  if (tensor.type == ONNX_TYPE_STRING) {
    size_t width;
    cells = stringCells(tensor, width);
    code = "<U" + std::to_string(width);
  }
  std::string header =
      "{'descr': '" + code + "', 'fortran_order': False, " + "'shape': (";
  for (int64_t dim : tensor.shape)
    header += std::to_string(dim) + ",";
  header += "), }";
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';

  return writeFile(path, [&](raw_ostream &os) {
    char length[2];
    support::endian::write16le(length, uint16_t(header.size()));
    os << magic << '\1' << '\0' << StringRef(length, 2) << header << cells
       << StringRef(tensor.bytes.data(), tensor.bytes.size());
  });
}
