#===- steps.sh - Numbered steps with progress and seconds ------------------===#
# Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
#
# Sourced by the scripts beside it:
#   begin_steps N         N steps follow; a script called by another one
#                         continues the caller's numbers (ONNXC_STEP*)
#   step TITLE COMMAND..  runs the command, its output in build/logs, and prints
#                         "[3/8] TITLE: 12.3 s"; at failure the end of the log
#   step_done TITLE       a step with nothing to do
#   die SENTENCE          ends everything with one sentence
#===------------------------------------------------------------------------===#

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build
venv=$build/venv
export ONNXC_STEP=${ONNXC_STEP:-0} ONNXC_STEPS=${ONNXC_STEPS:-0}
step_child=

# Nothing of ours outlives the script that was interrupted.
stop_child() {
  [ -z "$step_child" ] || kill -TERM -- "-$step_child" 2> /dev/null || true
  printf '\nInterrupted.\n' >&2
  exit 130
}
trap stop_child INT TERM

die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

begin_steps() {
  [ "$ONNXC_STEPS" -gt 0 ] || ONNXC_STEPS=$1
  mkdir -p "$build/logs" 2> /dev/null ||
    die "cannot write to $build: is the disk full or read-only?"
}

now() { date +%s.%N; }
seconds_since() { awk -v a="$1" -v b="$(now)" 'BEGIN { printf "%.1f", b - a }'; }

# The part of the log's last line that says how far the command is.
progress_of() {
  tail -c 400 "$1" 2> /dev/null | tr '\r' '\n' | grep -v '^ *$' | tail -n 1 |
    cut -c 1-60
}

# Prints the progress of the running child: in place on a terminal, else a line
# a minute.
watch_child() {
  local title=$1 log=$2 began=$3 ticks=0
  while kill -0 "$step_child" 2> /dev/null; do
    ticks=$((ticks + 1))
    if [ -t 1 ]; then
      printf '\r\033[K[%d/%d] %s: %s s  %s' "$ONNXC_STEP" "$ONNXC_STEPS" \
        "$title" "$(seconds_since "$began")" "$(progress_of "$log")"
    elif [ $((ticks % 300)) = 0 ]; then
      printf '      ... %s s  %s\n' "$(seconds_since "$began")" \
        "$(progress_of "$log")"
    fi
    sleep 0.2
  done
  [ ! -t 1 ] || printf '\r\033[K'
}

# Runs the command of a step with its output in $step_log; returns its status.
try_step() {
  local title=$1 status=0
  shift
  ONNXC_STEP=$((ONNXC_STEP + 1))
  step_log=$build/logs/$(printf %s "$title" | tr -cs 'a-zA-Z0-9' - |
    tr A-Z a-z | sed 's/-*$//').log
  step_began=$(now)
  set -m
  (
    set -e
    "$@"
  ) < /dev/null > "$step_log" 2>&1 &
  step_child=$!
  set +m
  watch_child "$title" "$step_log" "$step_began"
  wait "$step_child" || status=$?
  step_child=
  step_seconds=$(seconds_since "$step_began")
  return $status
}

step() {
  local title=$1 status
  # Not as an `if` condition: there, bash goes on after a failed command.
  set +e
  try_step "$@"
  status=$?
  set -e
  if [ $status = 0 ]; then
    printf '[%d/%d] %s: %s s\n' "$ONNXC_STEP" "$ONNXC_STEPS" "$title" \
      "$step_seconds"
    return
  fi
  printf '[%d/%d] %s: failed after %s s\n' "$ONNXC_STEP" "$ONNXC_STEPS" \
    "$title" "$step_seconds"
  explain_log "$step_log" "$title"
}

step_done() {
  ONNXC_STEP=$((ONNXC_STEP + 1))
  printf '[%d/%d] %s: nothing to do\n' "$ONNXC_STEP" "$ONNXC_STEPS" "$1"
}

# Ends with one sentence; with the end of the log too if the cause is not one of
# the usual ones.
explain_log() {
  if grep -qiE 'no space left|disk quota' "$1"; then
    die "there is no space left on the disk for \"$2\" (log: $1)"
  elif grep -qiE "could not resolve|temporary failure (in name|resolving)|network is unreachable|connection (timed out|refused)|NewConnectionError|could not connect|Max retries exceeded" "$1"; then
    die "\"$2\" could not reach the network (log: $1)"
  fi
  tail -n "${step_tail:-25}" "$1" | sed 's/^/      | /' >&2
  die "\"$2\" failed (log: $1)"
}
