// Adapter for ollama's package fs/gguf: the lazy reader, drained.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"gguf-cts/protocol"

	"github.com/ollama/ollama/fs/gguf"
)

type M = protocol.M

func read(path, stage string) (M, error) {
	file, err := gguf.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	metadata, tensors := []M{}, []M{}
	for _, kv := range file.KeyValues() {
		// The accessors give a value in the type that the caller names; the file's own is inside.
		pair := protocol.Of(protocol.Hidden(&kv.Value, "value"))
		pair["key"] = protocol.Text(kv.Key)
		metadata = append(metadata, pair)
	}
	// Iteration ends without a word where the file does: what is missing shows in the counts.
	if len(metadata) != file.NumKeyValues() {
		return nil, fmt.Errorf("%d of %d pairs can be read", len(metadata), file.NumKeyValues())
	}
	for _, t := range file.TensorInfos() {
		tensor := M{"name": protocol.Text(t.Name), "type": t.Type, "dims": protocol.Decimal(t.Shape...),
			"offset": protocol.Decimal(t.Offset)[0], "size": protocol.Decimal(t.NumBytes())[0]}
		if stage == "data" {
			_, bytes, err := file.TensorReader(t.Name)
			if err != nil {
				return nil, err
			}
			digest := sha256.New()
			n, err := io.Copy(digest, bytes)
			if err != nil {
				return nil, err
			}
			if n != t.NumBytes() {
				return nil, fmt.Errorf("tensor %q has %d of %d bytes", t.Name, n, t.NumBytes())
			}
			tensor["sha256"] = hex.EncodeToString(digest.Sum(nil))
		}
		tensors = append(tensors, tensor)
	}
	if len(tensors) != file.NumTensors() {
		return nil, fmt.Errorf("%d of %d tensors can be read", len(tensors), file.NumTensors())
	}
	return M{"version": file.Version, "metadata": metadata, "tensors": tensors}, nil
}

func main() {
	protocol.Serve(protocol.Adapter{
		Hello: M{"protocol": 1, "name": "ollama-gguf", "version": protocol.Version("github.com/ollama/ollama"),
			"language": "Go", "reads": []string{"file", "tensor_bytes"}},
		Read: read,
	})
}
