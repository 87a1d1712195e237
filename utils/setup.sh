#!/usr/bin/env bash
#===- setup.sh - Install the needs of the build on Debian 12 ---------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Debian packages, a Python environment, protobuf as a static library and the onnx
# C++ library, the latter three under build/. Does only the missing steps: run it as often as you like.
#===------------------------------------------------------------------------===#
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"

packages=(
  ca-certificates ccache chromium-headless-shell clang-22 clang-format-22 clang-tidy-22 git
  libc6-dev-arm64-cross libc6-dev-riscv64-cross
  libbenchmark-dev libclang-rt-22-dev libgmock-dev libgtest-dev liblld-22-dev
  libjpeg62-turbo-dev libmlir-22-dev libopenjp2-7-dev libpng-dev
  libprotobuf-dev libre2-dev libstdc++-12-dev libtiff-dev libwebp-dev
  libxml2-dev libzstd-dev linux-perf lld-22 llvm-22-dev llvm-22-tools locales mlir-22-tools musl-dev
  pkgconf protobuf-compiler python3 python3-dev python3-venv qemu-system-arm
  qemu-user
  zlib1g-dev
)
onnx_version=1.23.2
onnx_sha256=008cb0467b2bbee41448acc7da8b6f4e704624cb0d327a2d5adafc7ce19bc5b8
# Debian's own archive is not position independent, as a library has to be.
protobuf_version=3.21.12
protobuf_sha256=930c2c3b5ecc6c9c12615cf5ad93f1cd6e12d0aba862b572e076259970ac3a53
third_party=$build/third_party
protobuf_prefix=$third_party/protobuf-install
onnx_prefix=$third_party/onnx-install

missing_packages() {
  local installed name
  installed=$(dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' \
    "${packages[@]}" 2> /dev/null | sed -n 's/^ii //p' || true)
  for name in "${packages[@]}"; do
    grep -qxF "$name" <<< "$installed" || echo "$name"
  done
}

check_system() {
  [ -r /etc/os-release ] && grep -q '^ID=debian' /etc/os-release &&
    grep -q '^VERSION_ID="12"' /etc/os-release ||
    die "this script knows Debian 12 only; on another system install the packages it names and build with CMake"
  local free
  free=$(df -Pk "$build" | awk 'NR == 2 { print int($4 / 1024) }')
  [ -x "$venv/bin/ninja" ] || [ "$free" -ge 6000 ] ||
    die "the disk of $build has $free MB free, but 6000 MB are needed"
}

install_packages() {
  local sudo=
  [ "$(id -u)" = 0 ] || sudo=sudo
  export DEBIAN_FRONTEND=noninteractive
  # A failing extra repository must not stop the Debian ones.
  $sudo apt-get update -q || echo "apt-get update was not complete"
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -q -y \
    --no-install-recommends "$@"
}

requirements() { cat "$root"/utils/requirements*.txt; }

make_venv() {
  python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || {
    echo "python3 is older than 3.10"
    return 1
  }
  rm -f "$venv/.requirements"
  [ -x "$venv/bin/python" ] || python3 -m venv "$venv"
  "$venv/bin/python" -m pip install -q --disable-pip-version-check \
    -r "$root/utils/requirements.txt"
  "$venv/bin/python" -m pip install -q --disable-pip-version-check --no-deps \
    -r "$root/utils/requirements-gpu.txt" ||
    echo "without ptxas and nvdisasm: tests do not look at code of GPUs"
  requirements > "$venv/.requirements"
}

# The source package of the distribution, read with sources and lists of our own.
fetch_protobuf() {
  local archive=protobuf_$protobuf_version.orig.tar.gz state=$third_party/apt
  local options=(-q -o "Dir::Etc::sourcelist=$state/sources.list"
    -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$state/lists"
    -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=
    -o "APT::Sandbox::User=$(id -un)")
  mkdir -p "$state/lists/partial"
  echo "deb-src http://deb.debian.org/debian bookworm main" \
    > "$state/sources.list"
  apt-get "${options[@]}" update
  (cd "$state" && apt-get "${options[@]}" source --download-only --tar-only protobuf)
  echo "$protobuf_sha256  $state/$archive" | sha256sum -c
  rm -rf "$third_party/protobuf-$protobuf_version"
  tar -xzf "$state/$archive" -C "$third_party"
  rm -rf "$state"
}

build_protobuf() {
  local objects=$third_party/protobuf-build
  export PATH=$venv/bin:$PATH
  fetch_protobuf
  rm -rf "$objects" "$protobuf_prefix"
  cmake -S "$third_party/protobuf-$protobuf_version" -B "$objects" -G Ninja \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" \
    -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 \
    -DCMAKE_CXX_COMPILER_LAUNCHER="$root/utils/cmake/ccache-launcher" \
    -DCMAKE_CXX_VISIBILITY_PRESET=hidden \
    -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
    -Dprotobuf_BUILD_TESTS=OFF -Dprotobuf_BUILD_PROTOC_BINARIES=OFF
  ninja -C "$objects" libprotobuf
  mkdir -p "$protobuf_prefix/lib"
  mv "$objects/libprotobuf.a" "$protobuf_prefix/lib"
  rm -rf "$objects" "$third_party/protobuf-$protobuf_version"
  echo "$protobuf_stamp" > "$protobuf_prefix/.built"
}
protobuf_stamp="$protobuf_version $(declare -f build_protobuf | sha256sum | cut -c 1-16)"

# The C++ library comes from the source distribution of the Python package, so
# that schemas and test cases are of one version.
fetch_onnx() {
  local archive=$third_party/onnx-$onnx_version.tar.gz
  mkdir -p "$third_party"
  if ! echo "$onnx_sha256  $archive" | sha256sum -c --status 2> /dev/null; then
    "$venv/bin/python" -m pip download -q --disable-pip-version-check \
      --no-binary onnx --no-deps -d "$third_party" "onnx==$onnx_version"
    echo "$onnx_sha256  $archive" | sha256sum -c
  fi
  rm -rf "$third_party/onnx-$onnx_version"
  tar -xzf "$archive" -C "$third_party"
}

build_onnx() {
  local objects=$third_party/onnx-build
  export PATH=$venv/bin:$PATH
  fetch_onnx
  rm -rf "$objects" "$onnx_prefix"
  cmake -S "$third_party/onnx-$onnx_version" -B "$objects" -G Ninja \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" \
    -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 \
    -DCMAKE_CXX_COMPILER_LAUNCHER="$root/utils/cmake/ccache-launcher" \
    -DCMAKE_CXX_STANDARD=20 -DCMAKE_CXX_VISIBILITY_PRESET=hidden \
    -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DBUILD_SHARED_LIBS=OFF \
    -DCMAKE_INSTALL_PREFIX="$onnx_prefix" -DCMAKE_INSTALL_LIBDIR=lib \
    -DPython3_EXECUTABLE="$venv/bin/python" \
    -DONNX_ML=ON -DONNX_NAMESPACE=onnx -DONNX_BUILD_PYTHON=OFF \
    -DONNX_USE_LITE_PROTO=OFF -DONNX_USE_PROTOBUF_SHARED_LIBS=ON \
    -DONNX_GEN_PB_TYPE_STUBS=OFF
  ninja -C "$objects" install
  rm -rf "$objects" "$third_party/onnx-$onnx_version"
  echo "$onnx_stamp" > "$onnx_prefix/.built"
}
# Changing how the library is built builds it again.
onnx_stamp="$onnx_version $(declare -f build_onnx | sha256sum | cut -c 1-16)"

begin_steps 4
check_system
mapfile -t missing < <(missing_packages)
if [ ${#missing[@]} = 0 ]; then
  step_done "Debian packages"
else
  [ "$(id -u)" = 0 ] || command -v sudo > /dev/null ||
    die "installing ${missing[*]} needs root or sudo"
  step "Debian packages" install_packages "${missing[@]}"
fi
if cmp -s <(requirements) "$venv/.requirements"; then
  step_done "Python environment"
else
  step "Python environment" make_venv
fi
if [ "$(cat "$protobuf_prefix/.built" 2> /dev/null)" = "$protobuf_stamp" ]; then
  step_done "protobuf"
else
  step "protobuf" build_protobuf
fi
if [ "$(cat "$onnx_prefix/.built" 2> /dev/null)" = "$onnx_stamp" ]; then
  step_done "onnx C++ library"
else
  step "onnx C++ library" build_onnx
fi
