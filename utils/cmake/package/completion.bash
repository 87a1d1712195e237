# Completion of onnx-compile and onnx-run in bash: the options of --help, their
# values where --help lists them (--weights=embedded|external), the subcommands
# that it lists as the first word, else files.
_onnx_compile() {
  local word=$2 help values commands command
  help=$("$1" --help 2> /dev/null)
  commands=$(sed -n '/^commands:$/,/^[^ ]*$/s/^  \([a-z-]*\) .*/\1/p' <<< "$help")
  command=${COMP_LINE#* }
  command=${command%% *}
  if [[ $COMP_LINE == *' '*' '* ]] && grep -qxF -- "$command" <<< "$commands"; then
    help=$("$1" "$command" --help 2> /dev/null)
    commands=
  fi
  case $COMP_LINE in
    *' '--*=*)
      local option=${COMP_LINE##* }
      values=$(sed -nE "s/^  ${option%%=*}=([a-z0-9]+(\\|[a-z0-9]+)+)( .*)?$/\\1/p" <<< "$help")
      word=${option#*=}
      if [ -n "$values" ]; then
        mapfile -t COMPREPLY < <(compgen -W "${values//|/ }" -- "$word")
        return
      fi
      ;;
    *' '-*)
      if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(grep -oE '^  (-[a-z], )?--[a-z-]+=?' <<< "$help" | grep -oE -- '--.*')" -- "$word")
        compopt -o nospace
        return
      fi
      ;;
  esac
  mapfile -t COMPREPLY < <(compgen -f -- "${word#@}")
  if [[ $COMP_LINE != *' '*' '* ]]; then
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$commands" -- "$word")
  fi
  compopt -o filenames
}
complete -F _onnx_compile onnx-compile onnx-run
