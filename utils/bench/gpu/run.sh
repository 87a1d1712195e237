#!/usr/bin/env bash
# ===- run.sh - Packed models on a GPU, beside the processor ----------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
#   FOLDER/run.sh [RESULTS]
#
# In a folder of pack.sh, on a machine with a GPU; needs no network. Takes at most
# $BUDGET seconds, else 540, and one program at most $EACH of them, else 60, of tests/ $EACH_TEST,
# else 15: what does not fit is left out and says so. In this order:
# the small models of tests/ against the processor, with three inputs each, and with one by the
# code for sm_80, where they have code for a later GPU, too; the models
# against the processor, and their times, with the copies of inputs and outputs, and of the
# kernels alone; the least time that the GPU's rates allow (RATES="TFLOP/s of f32, TB/s" for
# a GPU that is not in the list below); for a quarter of the budget the small models under
# compute-sanitizer, if that is installed; the times of trtexec, onnxruntime with CUDA and
# PyTorch, as it is (cuBLASLt, cuDNN) and by torch.compile (Triton), if installed.
# A model of code for several GPUs that does not agree is tried once more with that of sm_80.
#
# Prints Markdown, and writes RESULTS.md and RESULTS.json (else results.* in the current
# folder). Ends with 1 if outputs do not agree or a model does not run.
# ===------------------------------------------------------------------------===#
set -euo pipefail
results=$(readlink -m "${1:-results}")
cd "$(dirname "$(readlink -f "$0")")"
libraries=$PWD/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
budget=${BUDGET:-540}
each=${EACH:-60}
each_test=${EACH_TEST:-15}
end=$((SECONDS + budget))
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# Seconds that one program may take, at most so many.
limit() {
  local left=$((end - SECONDS))
  echo $((left < $1 ? left : $1))
}

# Ends what takes too long: a kernel may wait for ever.
run() {
  local seconds rc=0
  seconds=$(limit "$each")
  [ "$seconds" -gt 0 ] || { echo "no time left" >&2; return 1; }
  LD_LIBRARY_PATH=$libraries timeout -k 5 "$seconds" ${sanitizer:-} ./onnx-run "$@" || rc=$?
  [ $rc -ne 124 ] && [ $rc -ne 137 ] || echo "no end within $seconds s" >&2
  return $rc
}

# --expect for each output, in the files that --save has written.
expectations() {
  run info "$1" | sed -n '/^outputs:/,/^[^ o]/s/^  \(.*\): [a-z0-9]*\[.*$/\1/p' | while read -r name; do
    echo "--expect=$name=@$work/expected/${name//[^A-Za-z0-9._-]/_}.npy"
  done
}

# MODEL SEED: true if the outputs are those of the processor, else $work/log says why.
agrees() {
  local host=${1%.cuda.so}.host.so
  rm -rf "$work/expected"
  sanitizer='' run "$host" --quiet --seed="$2" --save="$work/expected" >"$work/log" 2>&1 || return 1
  mapfile -t expected < <(sanitizer='' expectations "$host")
  [ ${#expected[@]} -gt 0 ] || return 1
  run "$1" --quiet --seed="$2" --atol=1e-4 --rtol=1e-3 "${expected[@]}" >"$work/log" 2>&1
}

# The last line of the log without what Markdown or JSON would read.
reason() {
  tail -n 1 "$work/log" | tr -d '|"\\' | tr -c '[:print:]' ' ' | sed 's/ *$//'
}

# Milliseconds; empty if the model does not run.
median() {
  run bench "$1" --iterations=50 --warmup=5 2>"$work/log" | awk '$1 == "p50" { print $2 }' || true
}

# Milliseconds of the kernels of a run, by events of the GPU.
kernels() {
  run profile "$1" --iterations=50 --warmup=5 --json 2>"$work/log" |
    awk '/"device_times"/ { found = 1 } found && $1 == "\"launches\":" { print $2 + 0; exit }' || true
}

# The sum of a number of the launches.
total() {
  awk -F': ' -v key="\"$2\"" 'index($1, key) { sum += $2 } END { printf "%.0f", sum }' "$1"
}

# Milliseconds of trtexec and onnxruntime, empty where they are not installed.
tensorrt() {
  command -v trtexec >/dev/null && [ $end -gt $SECONDS ] || return 0
  timeout "$(limit $((3 * each)))" trtexec --onnx="$1" --noTF32 2>/dev/null |
    sed -n 's/.*Latency:.*median = \([0-9.]*\) ms.*/\1/p' | head -n 1 || true
}
onnxruntime() {
  command -v python3 >/dev/null && [ $end -gt $SECONDS ] || return 0
  timeout "$(limit "$each")" python3 - "$1" <<'PYTHON' 2>/dev/null || true
import statistics, sys, time
import numpy, onnxruntime
if "CUDAExecutionProvider" not in onnxruntime.get_available_providers():
    sys.exit()
session = onnxruntime.InferenceSession(sys.argv[1], providers=["CUDAExecutionProvider"])
types = {"tensor(float)": "float32", "tensor(int64)": "int64", "tensor(int32)": "int32", "tensor(float16)": "float16", "tensor(bool)": "bool"}
inputs = {x.name: numpy.ones([d if isinstance(d, int) else 1 for d in x.shape], types[x.type]) for x in session.get_inputs()}
times = []
for i in range(55):
    begin = time.perf_counter()
    session.run(None, inputs)
    times.append(time.perf_counter() - begin)
print(f"{1000 * statistics.median(times[5:]):.4g}")
PYTHON
}

# Milliseconds of PyTorch's operators, and of what torch.compile makes of them.
pytorch() {
  [ -f "$1" ] && command -v python3 >/dev/null && [ $end -gt $SECONDS ] || return 0
  timeout "$(limit $((3 * each)))" python3 torch_times.py "$1" 2>/dev/null || true
}

# TFLOP/s of f32 without tensor cores and TB/s of the GPU.
gpu=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -n 1 || true)
case ${RATES:-$gpu} in
*H200*) rates='67 4.8' ;;
*H100*PCIe*) rates='51 2.0' ;;
*H100*) rates='67 3.35' ;;
*A100*80GB*) rates='19.5 2.0' ;;
*A100*) rates='19.5 1.56' ;;
*) rates=$(echo "${RATES:-}" | tr ',' ' ') ;;
esac

# JSON FILE: "a, b" of lines.
joined() {
  paste -sd, "$1" 2>/dev/null || true
}
report=$work/report.md
: >"$work/tests.json"
: >"$work/models.json"
say() {
  echo "$*" | tee -a "$report"
}

# MODEL: true if it has code for several GPUs, among which alone OM_CPU chooses.
has_several() {
  [ "$(run info "$1" --json 2>>"$work/log" | grep -c '"runs_here"')" -gt 1 ]
}

say "GPU: ${gpu:-unknown}; $(date -u +%Y-%m-%d)"
say
say "| test | agrees | by the code for sm_80 |"
say "|---|---|---|"
for model in tests/*.cuda.so; do
  name=$(basename "$model" .cuda.so)
  verdict=yes older=''
  for seed in 1 2 3; do
    each=$each_test agrees "$model" $seed || { verdict="no: $(reason)"; status=1; break; }
  done
  if each=$each_test has_several "$model"; then
    older=yes
    each=$each_test OM_CPU=sm_80 agrees "$model" 1 || { older="no: $(reason)"; status=1; }
  fi
  say "| $name | $verdict | $older |"
  echo "{\"name\": \"$name\", \"agrees\": \"$verdict\", \"sm_80\": \"$older\"}" >>"$work/tests.json"
done

# MODEL: its verdict, and whose code runs in the times.
compare() {
  verdict=yes code=''
  agrees "$1" 0 && return
  verdict="no: $(reason)" status=1 code=none
  has_several "$1" || return 0
  ! OM_CPU=sm_80 agrees "$1" 0 || { code=sm_80 verdict="$verdict; with OM_CPU=sm_80: yes"; }
}

# MODEL: time, device, host, least and share.
measure() {
  local path=${1%.cuda.so}
  time='' device='' host='' least='' share=''
  [ "$code" != none ] || return 0
  time=$(OM_CPU=$code median "$1")
  device=$(OM_CPU=$code kernels "$1")
  host=$(median "$path.host.so")
  [ -n "$rates" ] || return 0
  least=$(echo "$rates $(total "$path.launches.json" operations) $(total "$path.launches.json" bytes)" |
    awk '{ a = $3 / $1 / 1e9; b = $4 / $2 / 1e9; printf "%.4g", (a > b ? a : b) }')
  share=$(awk -v a="$least" -v b="${device:-0}" 'BEGIN { if (b > 0) printf "%.1f %%", 100 * a / b }')
}

say
say "| model | agrees | GPU, ms | kernels, ms | processor, ms | least, ms | share |"
say "|---|---|---|---|---|---|---|"
for model in ./*.cuda.so; do
  name=$(basename "$model" .cuda.so)
  compare "$model"
  measure "$model"
  say "| $name | $verdict | $time | $device | $host | $least | $share |"
  echo "\"name\": \"$name\", \"agrees\": \"$verdict\", \"gpu_ms\": ${time:-null}, \"kernels_ms\": ${device:-null}," \
    "\"processor_ms\": ${host:-null}, \"least_ms\": ${least:-null}" >"$work/$name.json"
done

check=$(command -v compute-sanitizer || true)
if [ -n "$check" ]; then
  say
  say "| test | under compute-sanitizer |"
  say "|---|---|"
  until=$((SECONDS + budget / 4))
  for model in tests/*.cuda.so; do
    verdict=yes
    if [ $SECONDS -ge $until ] || [ $SECONDS -ge $end ]; then
      verdict="no time left"
    else
      sanitizer="$check --error-exitcode 9" agrees "$model" 1 || { verdict="no: $(reason)"; status=1; }
    fi
    say "| $(basename "$model" .cuda.so) | $verdict |"
    echo "{\"name\": \"$(basename "$model" .cuda.so)\", \"passes\": \"$verdict\"}" >>"$work/sanitizer.json"
  done
fi

say
say "| model | TensorRT, ms | onnxruntime, ms | torch, ms | torch.compile, ms |"
say "|---|---|---|---|---|"
for model in ./*.cuda.so; do
  path=${model%.cuda.so}
  name=$(basename "$path")
  eager='' compiled=''
  trt=$(tensorrt "$path.onnx")
  ort=$(onnxruntime "$path.onnx")
  read -r eager compiled <<<"$(pytorch "$path.graph.npz")"
  say "| $name | $trt | $ort | $eager | $compiled |"
  echo "{$(cat "$work/$name.json"), \"tensorrt_ms\": ${trt:-null}, \"onnxruntime_ms\": ${ort:-null}," \
    "\"torch_ms\": ${eager:-null}, \"torch_compile_ms\": ${compiled:-null}}" >>"$work/models.json"
done
cp "$report" "$results.md"
echo "{\"schema\": 1, \"gpu\": \"${gpu:-unknown}\", \"tests\": [$(joined "$work/tests.json")]," \
  "\"sanitizer\": [$(joined "$work/sanitizer.json")], \"models\": [$(joined "$work/models.json")]}" >"$results.json"
exit $status
