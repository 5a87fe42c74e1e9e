// Adapter for ollama's package fs/ggml: its reader, which keeps pairs in a map, and its writer.
package main

import (
	"bytes"
	"os"
	"reflect"
	"strconv"

	"gguf-cts/protocol"

	"github.com/ollama/ollama/fs/ggml"
)

type M = protocol.M

// The reader adds this key, with what it counts.
const own = "general.parameter_count"

func value(v any) M {
	if reflect.TypeOf(v).Kind() == reflect.Pointer { // an array
		v = protocol.Hidden(v, "values")
	}
	return protocol.Of(v)
}

func read(path, stage string) (M, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	model, err := ggml.Decode(file, -1)
	if err != nil {
		return nil, err
	}
	metadata, tensors := []M{}, []M{}
	for key, v := range model.KV() {
		if key != own {
			pair := value(v)
			pair["key"] = protocol.Text(key)
			metadata = append(metadata, pair)
		}
	}
	for _, t := range model.Tensors().Items() {
		tensors = append(tensors, M{"name": protocol.Text(t.Name), "type": t.Kind, "dims": protocol.Decimal(t.Shape...),
			"offset": protocol.Decimal(t.Offset)[0], "size": protocol.Decimal(t.Size())[0]})
	}
	return M{"metadata": metadata, "tensors": tensors}, nil
}

func write(ask protocol.Question) error {
	kv := ggml.KV{}
	for _, p := range ask.Metadata {
		v, err := p.Go()
		if err != nil {
			return err
		}
		kv[protocol.RawText(p.Key)] = v
	}
	var tensors []*ggml.Tensor
	for _, t := range ask.Tensors {
		shape := make([]uint64, len(t.Dims))
		for i, d := range t.Dims {
			shape[i], _ = strconv.ParseUint(d, 10, 64)
		}
		tensors = append(tensors, &ggml.Tensor{Name: protocol.RawText(t.Name), Kind: t.Type, Shape: shape, WriterTo: bytes.NewReader(t.Base64)})
	}
	file, err := os.Create(ask.Path)
	if err != nil {
		return err
	}
	defer file.Close()
	return ggml.WriteGGUF(file, kv, tensors)
}

func main() {
	protocol.Serve(protocol.Adapter{
		Hello: M{"protocol": 1, "name": "ollama-ggml", "version": protocol.Version("github.com/ollama/ollama"),
			"language": "Go", "reads": []string{"file", "unordered"}, "writes": []string{"file"}},
		Read: read, Write: write,
	})
}
