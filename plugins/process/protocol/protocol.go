// Package protocol speaks the protocol of ../README.md, for adapters in Go.
package protocol

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"reflect"
	"runtime/debug"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// M is an object of the protocol.
type M map[string]any

// Question is what the harness asks; Metadata and Tensors come with write.
type Question struct {
	ID       json.RawMessage `json:"id"`
	Op       string          `json:"op"`
	Path     string          `json:"path"`
	Stage    string          `json:"stage"`
	Metadata []Value         `json:"metadata"`
	Tensors  []Tensor        `json:"tensors"`
}

// Value is a value of a model to write, with its key if it has one.
type Value struct {
	Key         any     `json:"key"`
	Type        string  `json:"type"`
	Value       string  `json:"value"`
	Hex         string  `json:"hex"`
	Bits        string  `json:"bits"`
	ElementType string  `json:"element_type"`
	Values      []Value `json:"values"`
}

// Tensor is a tensor of a model to write.
type Tensor struct {
	Name   any      `json:"name"`
	Type   uint32   `json:"type"`
	Dims   []string `json:"dims"`
	Base64 []byte   `json:"base64"`
}

// Adapter is what an adapter does with the operations that it offers. An error is a reject;
// an error of package os that says that a file cannot be opened or written is an error.
type Adapter struct {
	Hello M
	Read  func(path, stage string) (M, error)
	Write func(ask Question) error
}

// Serve answers until it is asked to exit. A panic is left to be one.
func Serve(a Adapter) {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var ask Question
		if err := json.Unmarshal(line, &ask); err != nil {
			panic(err)
		}
		answer := a.answer(ask)
		answer["id"] = ask.ID
		out, err := json.Marshal(answer)
		if err != nil {
			panic(err)
		}
		os.Stdout.Write(append(out, '\n'))
		if ask.Op == "exit" {
			return
		}
	}
}

func (a Adapter) answer(ask Question) M {
	switch {
	case ask.Op == "hello":
		return a.Hello
	case ask.Op == "exit":
		return M{"verdict": "accept"}
	case ask.Op == "read" && a.Read != nil:
		if file, err := os.Open(ask.Path); err != nil {
			return M{"verdict": "error", "message": err.Error()}
		} else {
			file.Close()
		}
		out, err := a.Read(ask.Path, ask.Stage)
		if err != nil {
			return M{"verdict": "reject", "message": err.Error()}
		}
		out["verdict"] = "accept"
		return out
	case ask.Op == "write" && a.Write != nil:
		if err := a.Write(ask); err != nil {
			verdict := "reject"
			if _, is := err.(*os.PathError); is {
				verdict = "error"
			}
			return M{"verdict": verdict, "message": err.Error()}
		}
		return M{"verdict": "accept"}
	}
	return M{"verdict": "unsupported", "message": "no such operation"}
}

// Version is the version of a module that this program is built from.
func Version(module string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			if dep.Path == module {
				return strings.TrimPrefix(dep.Version, "v")
			}
		}
	}
	return "unknown"
}

// Text is text that may not be UTF-8.
func Text(s string) any {
	if utf8.ValidString(s) {
		return s
	}
	return M{"hex": hex.EncodeToString([]byte(s))}
}

// RawText gives back what Text made, or what a question holds in its place.
func RawText(v any) string {
	if s, is := v.(string); is {
		return s
	}
	object, _ := v.(map[string]any)
	digits, _ := object["hex"].(string)
	raw, _ := hex.DecodeString(digits)
	return string(raw)
}

// Of spells a Go value out: its kind is the type that the protocol names.
func Of(v any) M {
	switch v := v.(type) {
	case float32:
		return M{"type": "float32", "bits": fmt.Sprintf("%08x", math.Float32bits(v))}
	case float64:
		return M{"type": "float64", "bits": fmt.Sprintf("%016x", math.Float64bits(v))}
	case string:
		if out, is := Text(v).(M); is {
			return M{"type": "string", "hex": out["hex"]}
		}
	}
	value := reflect.ValueOf(v)
	if value.Kind() != reflect.Slice {
		return M{"type": value.Kind().String(), "value": fmt.Sprint(v)}
	}
	values := make([]any, value.Len())
	for i := range values {
		values[i] = Of(value.Index(i).Interface())
	}
	out := M{"type": "array", "values": values}
	if element := value.Type().Elem().Kind(); element == reflect.Slice {
		out["element_type"] = "array"
	} else if element != reflect.Interface {
		out["element_type"] = element.String()
	}
	return out
}

// Kinds by the protocol's names.
var kinds = map[string]any{"string": "", "bool": false, "float32": float32(0), "float64": float64(0), "int8": int8(0), "int16": int16(0),
	"int32": int32(0), "int64": int64(0), "uint8": uint8(0), "uint16": uint16(0), "uint32": uint32(0), "uint64": uint64(0), "array": []any{}}

// Go is a value of a question in the Go type of its name; an array is a slice of its
// elements' type. An error says what no Go value can hold.
func (v Value) Go() (any, error) {
	if v.Type == "array" {
		slice := reflect.MakeSlice(reflect.SliceOf(reflect.TypeOf(kinds[v.ElementType])), 0, len(v.Values))
		for _, e := range v.Values {
			element, err := e.Go()
			if err != nil {
				return nil, err
			}
			if !reflect.TypeOf(element).AssignableTo(slice.Type().Elem()) {
				return nil, fmt.Errorf("a slice of %s holds no %s", v.ElementType, e.Type)
			}
			slice = reflect.Append(slice, reflect.ValueOf(element))
		}
		return slice.Interface(), nil
	}
	out := reflect.New(reflect.TypeOf(kinds[v.Type])).Elem()
	var err error
	switch kind := out.Kind(); {
	case kind == reflect.String:
		out.SetString(v.Value + RawText(map[string]any{"hex": v.Hex}))
	case kind == reflect.Bool:
		out.SetBool(v.Value == "true")
	case kind == reflect.Float32:
		bits, _ := strconv.ParseUint(v.Bits, 16, 32)
		return math.Float32frombits(uint32(bits)), nil
	case kind == reflect.Float64:
		bits, _ := strconv.ParseUint(v.Bits, 16, 64)
		return math.Float64frombits(bits), nil
	case out.CanInt():
		var n int64
		n, err = strconv.ParseInt(v.Value, 10, out.Type().Bits())
		out.SetInt(n)
	default:
		var n uint64
		n, err = strconv.ParseUint(v.Value, 10, out.Type().Bits())
		out.SetUint(n)
	}
	return out.Interface(), err
}

// Hidden is a field that a package does not export: the value itself, where what is exported
// gives it in another type alone.
func Hidden(pointer any, field string) any {
	v := reflect.ValueOf(pointer).Elem().FieldByName(field)
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem().Interface()
}

// Decimal spells whole numbers out.
func Decimal[T uint64 | int64 | uint32](values ...T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = fmt.Sprint(v)
	}
	return out
}
