#!/usr/bin/env bash
#===- build.sh - Configure and build ---------------------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
#   utils/build.sh [TARGET...]      default: all tools, libraries and unit tests, and the
#                                 programs of the package
# Prints how long the build took and adds it to build/build-times.tsv:
# date, commit, seconds, commands run, targets.
#===------------------------------------------------------------------------===#
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"
export PATH=$venv/bin:$PATH
times=$build/build-times.tsv
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(all onnxc-self-contained onnxc-unit-tests)

[ -x "$venv/bin/ninja" ] && [ -d "$build/third_party" ] ||
  die "nothing is set up in $build: run utils/setup.sh first, which installs what the build needs"

configure() { (cd "$root" && cmake --preset default); }
compile() { ninja -C "$build" "${targets[@]}"; }

remember_time() {
  local commit last commands
  if grep -q 'no work to do' "$step_log"; then
    return
  fi
  commit=$(git -C "$root" rev-parse --short HEAD 2> /dev/null || echo unknown)
  commands=$(tr '\r' '\n' < "$step_log" | sed -n 's|^\[[0-9]*/\([0-9]*\)\].*|\1|p' |
    tail -n 1 || true)
  if [ -n "$commands" ]; then
    last=$(tail -n 1 "$times" 2> /dev/null | cut -f 3 || true)
    printf '%s\t%s\t%s\t%s\t%s\n' "$(date -u +%FT%TZ)" "$commit" \
      "$step_seconds" "$commands" "${targets[*]}" >> "$times"
    printf '      build: %s commands in %s s%s\n' "$commands" "$step_seconds" \
      "${last:+ (the build before: $last s)}"
  fi
}

begin_steps 2
if [ -f "$build/build.ninja" ] && [ -f "$build/CMakeCache.txt" ]; then
  step_done "Configure"
else
  step "Configure" configure
fi
step_tail=60 step "Build" compile
remember_time
