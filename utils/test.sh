#!/usr/bin/env bash
#===- test.sh - Set up, build, run all tests -------------------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
#   utils/test.sh [SUITE...]        default: all of utils/run-suites
# The last line is "N passed, N failed"; the status is 0 if none failed.
#===------------------------------------------------------------------------===#
set -euo pipefail
utils=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python=$utils/../build/venv/bin/python
suites=$(grep -cE "^    (lit|script)\(" "$utils/run-suites")
if [ $# -gt 0 ]; then suites=$#; fi
export ONNXC_STEPS=$((6 + suites))

if ! ONNXC_STEP=0 "$utils/setup.sh" || ! ONNXC_STEP=4 "$utils/build.sh" all onnxc-self-contained onnxc-static onnxc-unit-tests; then
  echo "0 passed, 1 failed"
  exit 1
fi
"$utils/tutorial-setup.sh" > "$utils/../build/tutorial-setup.log" 2>&1 &
tutorial=$!
"$utils/serve-setup.sh" > "$utils/../build/serve-setup.log" 2>&1 ||
  echo "MLServer, Dask and Ray cannot be installed (build/serve-setup.log): tests that need them are skipped"
"$python" "$utils/bump-onnx" 1.22.0 --fetch ||
  echo "tests that need onnx 1.22.0 are skipped"
wait $tutorial ||
  echo "TensorFlow cannot be installed (build/tutorial-setup.log): its lesson is not tested"
ONNXC_STEP=6 exec "$python" "$utils/run-suites" "$@"
