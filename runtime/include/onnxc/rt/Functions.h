//===- Functions.h - The functions of a loaded artefact ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// For programs that load artefacts with dlopen.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_RT_FUNCTIONS_H
#define ONNXC_RT_FUNCTIONS_H

#include "onnxc/Runtime.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <string>
#include <type_traits>

namespace onnxc::rt {

/// The kind of processor for which the ELF file at `path` is (e_machine in the
/// first bytes of its header), or 0 if it is no such file.
inline int elfMachine(const char *path) {
  unsigned char header[20] = {};
  std::FILE *file = std::fopen(path, "rb");
  bool isElf = file && std::fread(header, sizeof header, 1, file) == 1 &&
               std::memcmp(header, "\177ELF", 4) == 0;
  if (file)
    std::fclose(file);
  return isElf ? header[18] | header[19] << 8 : 0;
}

inline std::string machineName(int machine) {
  switch (machine) {
  case 40:
    return "arm";
  case 62:
    return "x86_64";
  case 183:
    return "aarch64";
  case 243:
    return "riscv64";
  default:
    return "processor kind " + std::to_string(machine);
  }
}

/// The header of an ELF file of 64 bits, as the specification has it. <elf.h>
/// defines macros that programs which include this may have as names.
struct ElfHeader {
  unsigned char ident[16];
  uint16_t type, machine;
  uint32_t version;
  uint64_t entry, segmentsAt, sectionsAt;
  uint32_t flags;
  uint16_t size, segmentSize, segments, sectionSize, sections, names;
};
struct ElfSegment {
  uint32_t type, flags;
  uint64_t offset, address, physical, bytes, memory, alignment;
};

/// Returns true if the ELF file at `path` is shorter than its headers say. The
/// dynamic linker maps such a file, and the process ends with SIGBUS where it
/// reads the missing part.
inline bool isCutOff(const char *path) {
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::fopen(path, "rb"),
                                                        std::fclose);
  constexpr size_t magic = 4;
  constexpr unsigned char is64Bit = 2;
  constexpr uint32_t isLoaded = 1;
  ElfHeader header = {};
  size_t size = file ? std::fread(&header, 1, sizeof header, file.get()) : 0;
  if (size < magic || std::memcmp(header.ident, "\177ELF", magic) != 0)
    return false;
  if (size < sizeof header)
    return true;
  if (header.ident[magic] != is64Bit)
    return false; // the dynamic linker refuses it
  uint64_t end =
      header.sectionsAt + uint64_t(header.sections) * header.sectionSize;
  if (std::fseek(file.get(), long(header.segmentsAt), SEEK_SET) != 0)
    return true;
  for (int i = 0; i < header.segments; ++i) {
    ElfSegment segment = {};
    if (std::fread(&segment, sizeof segment, 1, file.get()) != 1)
      return true;
    if (segment.type == isLoaded)
      end = std::max(end, segment.offset + segment.bytes);
  }
  return std::fseek(file.get(), 0, SEEK_END) != 0 ||
         uint64_t(std::ftell(file.get())) < end;
}

/// Why dlopen has failed to load `path`, with advice if that is no shared
/// object at all, or one for another kind of processor. To be called at once:
/// later calls of the dynamic linker drop the message.
inline std::string explainLoadFailure(const std::string &path) {
  const char *reason = dlerror();
  std::FILE *file = std::fopen(path.c_str(), "rb");
  if (!file)
    return reason ? reason : path + " cannot be opened";
  std::fclose(file);
  int machine = elfMachine(path.c_str()), own = elfMachine("/proc/self/exe");
  if (!machine)
    return path +
           " is not a compiled model; if it is a model in the ONNX format, "
           "compile it first: onnx-compile " +
           path;
  if (own && machine != own)
    return path + " is compiled for " + machineName(machine) +
           ", but this machine is of kind " + machineName(own) +
           ": run it there, or compile the model without --triple";
  return reason ? reason : path + " cannot be loaded";
}

/// Loads the artefact at `path`; null if it cannot, with the reason in
/// `message`.
inline void *loadArtefact(const std::string &path, std::string &message) {
  if (isCutOff(path.c_str())) {
    message = path +
              " is truncated: copy it again, and rename it when it is complete";
    return nullptr;
  }
  // Without a slash dlopen would look in the library path.
  std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void *library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    message = explainLoadFailure(path);
  return library;
}

/// Why a function of `library`, loaded from `path`, is not to be had, with
/// advice.
inline std::string explainLack(void *library, const std::string &path,
                               const char *function) {
  if (!dlsym(library, "omCompilationInfo"))
    return path + " is not a compiled model: it does not define " + function;
  return path + " was compiled by a release without " + function +
         ": compile the model again";
}

/// Pointers to all that an artefact exports, under the names of the C headers.
struct Functions {
#define ONNXC_EXPORT(NAME) std::add_pointer_t<decltype(::NAME)> NAME = nullptr;
#include "onnxc/rt/Exports.def"

  /// Looks them up in the library that dlopen has returned. Returns the name of
  /// a missing one, or null if there are all. Optional ones that are missing
  /// are null pointers: ask before each use.
  const char *resolve(void *library) {
    const char *missing = nullptr;
#define ONNXC_EXPORT_OPTIONAL(SYMBOL)                                          \
  SYMBOL = reinterpret_cast<decltype(SYMBOL)>(dlsym(library, #SYMBOL));
#define ONNXC_EXPORT(SYMBOL)                                                   \
  ONNXC_EXPORT_OPTIONAL(SYMBOL)                                                \
  if (!SYMBOL)                                                                 \
    missing = #SYMBOL;
#include "onnxc/rt/Exports.def"
    return missing;
  }
};

} // namespace onnxc::rt

#endif // ONNXC_RT_FUNCTIONS_H
