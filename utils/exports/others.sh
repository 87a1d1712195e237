#!/bin/sh
# ===- others.sh - Export models with exporters other than torch's ----------===//
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Makes build/exports-others-venv/NAME for each exporter, as they want different
# versions of the same packages, writes the models to build/exports-others and
# compares them with onnxruntime. Arguments name some of the exporters. Nothing
# of it is used by the build or the tests; delete the folders when done.
# ===------------------------------------------------------------------------===//
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
exports=$root/utils/exports
venvs=$root/build/exports-others-venv

# write NAME PACKAGES...: installs once, then runs others_NAME.py.
write() {
  name=$1
  shift
  if [ ! -e "$venvs/$name/ready" ]; then
    python3 -m venv "$venvs/$name"
    "$venvs/$name/bin/pip" install --quiet --disable-pip-version-check \
      --no-cache-dir "$@"
    touch "$venvs/$name/ready"
  fi
  "$venvs/$name/bin/python" "$exports/others_$name.py"
}

for exporter in ${*:-onnx classical tensorflow paddle}; do
  case $exporter in
  onnx) write onnx onnx onnxruntime ;;
  classical) write classical scikit-learn skl2onnx onnxmltools lightgbm xgboost ;;
  tensorflow) write tensorflow "tensorflow-cpu<2.19" tf2onnx ;;
  paddle) write paddle paddlepaddle paddle2onnx ;;
  *)
    echo "others.sh: there is no exporter $exporter" >&2
    exit 2
    ;;
  esac
done
exec "$root/build/venv/bin/python" "$exports/check.py" \
  --folder "$root/build/exports-others" --no-times --tolerance 1e-4
