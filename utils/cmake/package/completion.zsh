#compdef onnx-compile onnx-run
# zsh reads the options from --help.
_gnu_generic
