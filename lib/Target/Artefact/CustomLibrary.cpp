//===- CustomLibrary.cpp - Files of custom operators -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Libraries infer types while a model is compiled, and run where their
// operators have constant inputs: they have to be in this process. Objects and
// archives are linked to a shared library in a file that is gone once loaded,
// so that the dynamic linker treats them like others (relocation, initialisers,
// thread-local storage).
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/Artefact/CustomLibrary.h"

#include "onnxc/Target/Code/Linker.h"

#include "onnxc/CustomOp.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <dlfcn.h>

using namespace llvm;
using namespace onnxc::target;

CustomLibrary::CustomLibrary(CustomLibrary &&other)
    : path(std::move(other.path)), shared(other.shared),
      handle(std::exchange(other.handle, nullptr)),
      entries(std::move(other.entries)) {}

CustomLibrary::~CustomLibrary() {
  if (handle)
    ::dlclose(handle);
}

//===----------------------------------------------------------------------===//
// Objects and archives
//===----------------------------------------------------------------------===//

/// Returns true if libc or libm, which every artefact may need, has a symbol.
static bool isInBaseLibrary(StringRef name) {
  static const char *const sonames[] = {
#define ONNXC_BASE_LIBRARY(SONAME) SONAME,
#include "onnxc/rt/Libraries.def"
  };
  return any_of(sonames, [&](const char *soname) {
    void *library = ::dlopen(soname, RTLD_LAZY | RTLD_NOLOAD);
    bool found = library && ::dlsym(library, name.str().c_str());
    if (library)
      ::dlclose(library);
    return found;
  });
}

/// Makes a shared library of an object or archive.
static Error linkObjects(StringRef path, StringRef runtimeDir,
                         StringRef output) {
  std::vector<std::string> arguments = {
      "-shared",  "--hash-style=gnu",  "-z", "now", "--whole-archive",
      path.str(), "--no-whole-archive"};
#define ONNXC_BASE_LIBRARY(SONAME)                                             \
  arguments.push_back((runtimeDir + "/" SONAME).str());
#include "onnxc/rt/Libraries.def"
  auto linked = runLinker(arguments);
  if (!linked)
    return linked.takeError();
  std::error_code code;
  raw_fd_ostream os(output, code);
  if (code)
    return errorCodeToError(code);
  os.write(linked->data(), linked->size());
  os.close();
  code = os.error();
  os.clear_error();
  return errorCodeToError(code);
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

/// Reads the functions that give operators. Objects may call libc and libm
/// only.
Error CustomLibrary::readSymbols(StringRef file) {
  auto buffer = MemoryBuffer::getFile(file);
  if (!buffer)
    return errorCodeToError(buffer.getError());
  auto object = object::ObjectFile::createELFObjectFile(**buffer);
  if (!object)
    return object.takeError();
  auto *elf = cast<object::ELFObjectFileBase>(object->get());
  for (const object::SymbolRef &symbol : elf->getDynamicSymbolIterators()) {
    Expected<StringRef> name = symbol.getName();
    Expected<uint32_t> flags = symbol.getFlags();
    if (!name || !flags)
      return joinErrors(name.takeError(), flags.takeError());
    bool isUndefined = *flags & object::SymbolRef::SF_Undefined;
    if (!shared && isUndefined && !(*flags & object::SymbolRef::SF_Weak) &&
        !name->empty() && !isInBaseLibrary(*name))
      return createStringError(
          "it calls '" + *name +
          "', which neither libc nor libm has; link it to a shared library, "
          "which can need others");
    if (!isUndefined && name->starts_with(OM_CUSTOM_ENTRY_PREFIX))
      entries.push_back({name->str(), nullptr});
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

Error CustomLibrary::open(StringRef file) {
  if (Error error = readSymbols(file))
    return error;
  if (entries.empty())
    return createStringError(
        "it has no function " OM_CUSTOM_ENTRY_PREFIX
        "NAME, by which its operators are found; OM_CUSTOM_LIBRARY of "
        "onnxc/CustomOp.h defines it");
  handle = ::dlopen(file.str().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return createStringError(StringRef(::dlerror()));
  for (Entry &entry : entries) {
    entry.function = ::dlsym(handle, entry.name.c_str());
    if (!entry.function)
      return createStringError(StringRef(::dlerror()));
  }
  return Error::success();
}

static Error inFile(StringRef path, Error error) {
  return createStringError("custom operator library '" + path +
                           "': " + toString(std::move(error)));
}

Expected<CustomLibrary> CustomLibrary::load(StringRef path,
                                            StringRef runtimeDir) {
  file_magic magic;
  if (std::error_code error = identify_magic(path, magic))
    return inFile(path, errorCodeToError(error));
  bool isStatic =
      magic == file_magic::elf_relocatable || magic == file_magic::archive;
  if (!isStatic && magic != file_magic::elf_shared_object)
    return inFile(path, createStringError("it is not a shared library, object "
                                          "file or archive for Linux"));
  CustomLibrary library;
  SmallString<256> absolute(path);
  (void)sys::fs::make_absolute(absolute);
  library.path = absolute.str();
  library.shared = !isStatic;
  SmallString<128> linked;
  if (isStatic) {
    if (std::error_code error =
            sys::fs::createTemporaryFile("onnxc-custom", "so", linked))
      return inFile(path, errorCodeToError(error));
  }
  scope_exit remove([&] {
    if (isStatic)
      (void)sys::fs::remove(linked);
  });
  if (isStatic)
    if (Error error = linkObjects(library.path, runtimeDir, linked))
      return inFile(path, std::move(error));
  if (Error error = library.open(isStatic ? StringRef(linked) : library.path))
    return inFile(path, std::move(error));
  return std::move(library);
}
