// Adapter for github.com/gpustack/gguf-parser-go: its reader, which follows shards.
package main

import (
	"gguf-cts/protocol"

	parser "github.com/gpustack/gguf-parser-go"
)

type M = protocol.M

// Value types by their ids in the file.
var names = []string{"uint8", "int8", "uint16", "int16", "uint32", "int32", "float32", "bool", "string", "array", "uint64", "int64", "float64"}

func value(v any) M {
	array, is := v.(parser.GGUFMetadataKVArrayValue)
	if !is {
		return protocol.Of(v)
	}
	values := make([]any, len(array.Array))
	for i, element := range array.Array {
		values[i] = value(element)
	}
	return M{"type": "array", "element_type": names[array.Type], "values": values}
}

func read(path, stage string) (M, error) {
	file, err := parser.ParseGGUFFile(path)
	if err != nil {
		return nil, err
	}
	metadata, tensors := []M{}, []M{}
	for _, kv := range file.Header.MetadataKV {
		pair := value(kv.Value)
		pair["key"] = protocol.Text(kv.Key)
		metadata = append(metadata, pair)
	}
	for _, t := range file.TensorInfos {
		tensors = append(tensors, M{"name": protocol.Text(t.Name), "type": t.Type, "dims": protocol.Decimal(t.Dimensions...),
			"offset": protocol.Decimal(t.Offset)[0], "size": protocol.Decimal(t.Bytes())[0]})
	}
	order := "little"
	if file.Header.Magic == parser.GGUFMagicGGUFBe {
		order = "big"
	}
	return M{"version": file.Header.Version, "byte_order": order, "alignment": file.Metadata().Alignment,
		"metadata": metadata, "tensors": tensors}, nil
}

func main() {
	protocol.Serve(protocol.Adapter{
		Hello: M{"protocol": 1, "name": "gguf-parser-go", "version": protocol.Version("github.com/gpustack/gguf-parser-go"),
			"language": "Go", "reads": []string{"file", "shards"}},
		Read: read,
	})
}
