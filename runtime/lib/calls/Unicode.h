//===- Unicode.h - UTF-8 and simple case mapping ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_RUNTIME_LIB_CALLS_UNICODE_H
#define ONNXC_RUNTIME_LIB_CALLS_UNICODE_H

#include <stdint.h>

namespace onnxc::rt {

/// The code point at `text`, which moves past it. A byte that begins no
/// well-formed sequence is taken by itself, as 0x110000 + its value, so that
/// writing it gives the byte again.
uint32_t readUtf8(const char *&text);
/// Writes a code point (or a byte, as above) and returns the end of it: at most
/// four bytes.
char *writeUtf8(char *to, uint32_t code);

/// Simple case mapping, one code point to one, the same in every locale: Latin
/// with its extensions, Greek, Cyrillic, Armenian and full-width letters.
uint32_t lowerCase(uint32_t code);
uint32_t upperCase(uint32_t code);

/// The blanks of Python's str.split().
bool isBlank(uint32_t code);

} // namespace onnxc::rt

#endif // ONNXC_RUNTIME_LIB_CALLS_UNICODE_H
