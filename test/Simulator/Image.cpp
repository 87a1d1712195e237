//===- Image.cpp - A simulated image that is loaded -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Image.h"

#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace onnxc::simulator;

static bool isELF(const char *code) {
  return std::memcmp(code, ELFMAG, SELFMAG) == 0;
}

bool Image::isCubin(const void *code) {
  const char *bytes = static_cast<const char *>(code);
  return isELF(bytes) &&
         reinterpret_cast<const ElfW(Ehdr) *>(bytes)->e_machine == EM_CUDA;
}

/// The section headers lie at the end of the file.
static size_t sizeOf(const char *code) {
  const auto &header = *reinterpret_cast<const ElfW(Ehdr) *>(code);
  return header.e_shoff + size_t(header.e_shnum) * header.e_shentsize;
}

/// The address of a section, relative to where the file is loaded.
static Span sectionOf(const char *code, const char *name) {
  const auto &header = *reinterpret_cast<const ElfW(Ehdr) *>(code);
  auto *sections = reinterpret_cast<const ElfW(Shdr) *>(code + header.e_shoff);
  const char *names = code + sections[header.e_shstrndx].sh_offset;
  for (unsigned i = 0; i < header.e_shnum; ++i)
    if (std::strcmp(names + sections[i].sh_name, name) == 0)
      return {sections[i].sh_addr, sections[i].sh_addr + sections[i].sh_size};
  return {};
}

/// The machine that this is code for.
static ElfW(Half) ownMachine() {
#ifdef __aarch64__
  return EM_AARCH64;
#else
  return EM_X86_64;
#endif
}

/// Loads code as a file in memory, which stays open.
static void *openFromMemory(const char *code, int &file, std::string &problem) {
  file = memfd_create("kernels", MFD_CLOEXEC);
  std::vector<char> bytes(code, code + sizeOf(code));
  reinterpret_cast<ElfW(Ehdr) *>(bytes.data())->e_machine = ownMachine();
  void *handle = nullptr;
  if (file >= 0 &&
      write(file, bytes.data(), bytes.size()) == ssize_t(bytes.size())) {
    std::string path = "/proc/self/fd/" + std::to_string(file);
    handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  const char *reason = handle ? nullptr : dlerror();
  if (!handle)
    problem = reason ? reason : "no file in memory";
  return handle;
}

std::unique_ptr<Image> Image::load(const void *code, std::string &problem) {
  const char *bytes = static_cast<const char *>(code);
  if (!isELF(bytes)) {
    problem = "no image for a simulated device";
    return nullptr;
  }
  // Their functions are called by images.
  Dl_info self;
  if (dladdr(reinterpret_cast<void *>(&openFromMemory), &self))
    dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
  std::unique_ptr<Image> image(new Image);
  image->handle = openFromMemory(bytes, image->file, problem);
  if (!image->handle)
    return nullptr;
  link_map *map = nullptr;
  dlinfo(image->handle, RTLD_DI_LINKMAP, &map);
  Span section = sectionOf(bytes, "sim_shared");
  if (section.end > section.begin)
    image->shared = {map->l_addr + section.begin, map->l_addr + section.end};
  return image;
}

Image::~Image() {
  if (handle)
    dlclose(handle);
  if (file >= 0)
    close(file);
}

Image::Kernel *Image::find(const char *name) {
  void *function = dlsym(handle, name);
  auto *parameters = static_cast<const int32_t *>(
      dlsym(handle, (std::string("sim_parameters_") + name).c_str()));
  if (!function || !parameters)
    return nullptr;
  auto numberOr = [&](const char *prefix, int32_t otherwise) {
    auto *number = static_cast<const int32_t *>(
        dlsym(handle, (std::string(prefix) + name).c_str()));
    return number ? *number : otherwise;
  };
  kernels.push_back(std::make_unique<Kernel>(
      Kernel{name, function, *parameters, numberOr("sim_maps_", 0),
             numberOr("sim_cluster_", 1), shared}));
  return kernels.back().get();
}
