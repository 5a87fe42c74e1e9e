module gguf-cts/ollama-ggml

go 1.24.1

require (
	gguf-cts/protocol v0.0.0
	github.com/ollama/ollama v0.17.4
)

require golang.org/x/sync v0.17.0 // indirect

replace gguf-cts/protocol => ../protocol
