module gguf-cts/protocol

go 1.24
