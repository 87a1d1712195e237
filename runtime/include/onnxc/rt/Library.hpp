//===- Library.hpp - A loaded artefact in C++ -------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_RT_LIBRARY_HPP
#define ONNXC_RT_LIBRARY_HPP

#include "onnxc/rt/Functions.h"

#include <atomic>
#include <cstddef>
#include <dlfcn.h>
#include <memory>
#include <stdexcept>
#include <string>

namespace onnxc::rt {

/// An artefact that stays loaded for the life of this object. Every failure is
/// a std::runtime_error.
class Library {
public:
  explicit Library(const std::string &file) : path(file), handle(open(file)) {}

  bool has(const char *name) const { return dlsym(handle.get(), name); }

  /// The artefact's function of this name.
  template <typename Function>
  Function *find(const char *name) const {
    void *address = dlsym(handle.get(), name);
    if (!address)
      throw std::runtime_error(explainLack(handle.get(), path, name));
    return reinterpret_cast<Function *>(address);
  }

private:
  struct Close {
    void operator()(void *library) const { dlclose(library); }
  };

  /// A name of the file that it has not been loaded by, in which `/` and `/./`
  /// spell a number. The dynamic linker returns the library that it has loaded
  /// by the same name, even if the file is another one by now: a model that was
  /// compiled again. By a new name it looks.
  static std::string freshName(const std::string &file) {
    static std::atomic<unsigned> loads{0};
    size_t slash = file.rfind('/');
    std::string name = slash == std::string::npos ? "." : file.substr(0, slash);
    for (unsigned number = ++loads; number != 0; number >>= 1)
      name += number & 1 ? "/./" : "/";
    return name + file.substr(slash + 1);
  }

  static void *open(const std::string &file) {
    std::string name = freshName(file);
    std::string message;
    if (void *handle = loadArtefact(name, message))
      return handle;
    for (size_t at; (at = message.find(name)) != std::string::npos;)
      message.replace(at, name.size(), file);
    throw std::runtime_error(message);
  }

  std::string path;
  std::unique_ptr<void, Close> handle;
};

} // namespace onnxc::rt

#endif // ONNXC_RT_LIBRARY_HPP
