module gguf-cts/ollama-gguf

go 1.24.1

require (
	gguf-cts/protocol v0.0.0
	github.com/ollama/ollama v0.17.4
)

replace gguf-cts/protocol => ../protocol
