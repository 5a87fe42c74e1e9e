// A manifest of digests; see model_manifest.h.

#include "harness/model_manifest.h"

#include <istream>
#include <map>
#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "corpus/sha256.h"
#include "reports/escape.h"

namespace gcts {
namespace {

using nlohmann::json;

constexpr int kSchema = 1;

std::string dims_text(const std::vector<uint64_t>& dims) { return fmt::format("{}", fmt::join(dims, "x")); }

// The text as JSON keeps it: what is not UTF-8 becomes U+FFFD.
std::string as_kept(std::string_view text) { return json::parse(json_string(text)).get<std::string>(); }

// The tensors by name; of several of one name, the second is "name (2)" and so on.
std::map<std::string, const ModelManifestTensor*> by_name(const ModelManifest& manifest) {
  std::map<std::string, const ModelManifestTensor*> out;
  for (const ModelManifestTensor& tensor : manifest.tensors) {
    const std::string name = as_kept(tensor.name);
    std::string key = name;
    for (int n = 2; out.contains(key); ++n) key = fmt::format("{} ({})", name, n);
    out[key] = &tensor;
  }
  return out;
}

}  // namespace

std::string ModelManifest::sha256() const {
  Sha256 sha;
  for (const ModelManifestTensor& tensor : tensors) {
    const std::string line = fmt::format("{} {} {} {}\n", as_kept(tensor.name), tensor.type, dims_text(tensor.dims), tensor.sha256);
    sha.add(std::as_bytes(std::span(line.data(), line.size())));
  }
  return sha.finish();
}

void write_manifest(const ModelManifest& manifest, std::ostream& out) {
  out << "{\"schema\":" << kSchema << ",\n\"files\":[";
  for (size_t i = 0; i < manifest.files.size(); ++i) {
    const ModelManifestFile& file = manifest.files[i];
    out << (i == 0 ? "\n" : ",\n")
        << fmt::format("{{\"name\":{},\"size\":{},\"metadata_sha256\":\"{}\"}}", json_string(file.name), file.size, file.metadata_sha256);
  }
  out << "],\n\"tensors\":[";
  for (size_t i = 0; i < manifest.tensors.size(); ++i) {
    const ModelManifestTensor& tensor = manifest.tensors[i];
    out << (i == 0 ? "\n" : ",\n")
        << fmt::format("{{\"name\":{},\"type\":\"{}\",\"dims\":[{}],\"size\":{},\"sha256\":\"{}\"}}", json_string(tensor.name), tensor.type,
                       fmt::join(tensor.dims, ","), tensor.size, tensor.sha256);
  }
  out << "],\n\"sha256\":\"" << manifest.sha256() << "\"}\n";
}

bool read_manifest(std::istream& in, ModelManifest& out, std::string& error) {
  out = {};
  const json root = json::parse(in, nullptr, false);
  auto text = [](const json& object, const char* name) {
    return object.is_object() && object.contains(name) && object[name].is_string() ? object[name].get<std::string>() : std::string();
  };
  auto number = [](const json& object, const char* name) {
    return object.is_object() && object.contains(name) && object[name].is_number_unsigned() ? object[name].get<uint64_t>() : 0;
  };
  if (!root.is_object() || number(root, "schema") != kSchema || !root.contains("tensors") || !root["tensors"].is_array()) {
    error = fmt::format("is not a manifest of schema {}", kSchema);
    return false;
  }
  if (root.contains("files") && root["files"].is_array()) {
    for (const json& file : root["files"]) out.files.push_back({text(file, "name"), number(file, "size"), text(file, "metadata_sha256")});
  }
  for (const json& tensor : root["tensors"]) {
    ModelManifestTensor entry{text(tensor, "name"), text(tensor, "type"), text(tensor, "sha256"), {}, number(tensor, "size")};
    if (tensor.is_object() && tensor.contains("dims") && tensor["dims"].is_array()) {
      for (const json& dim : tensor["dims"]) entry.dims.push_back(dim.is_number_unsigned() ? dim.get<uint64_t>() : 0);
    }
    out.tensors.push_back(std::move(entry));
  }
  if (text(root, "sha256") != out.sha256()) {
    error = "the digest over all is not that of its tensors: the manifest itself was changed";
    return false;
  }
  return true;
}

std::vector<std::string> manifest_differences(const ModelManifest& expected, const ModelManifest& found) {
  std::vector<std::string> out;
  const auto before = by_name(expected), after = by_name(found);
  for (const auto& [name, tensor] : before) {
    const auto at = after.find(name);
    if (at == after.end()) {
      out.push_back(fmt::format("tensor \"{}\" of the manifest is missing", name));
    } else if (at->second->type != tensor->type) {
      out.push_back(fmt::format("tensor \"{}\" is {}, not {}", name, at->second->type, tensor->type));
    } else if (at->second->dims != tensor->dims) {
      out.push_back(fmt::format("tensor \"{}\" is {}, not {}", name, dims_text(at->second->dims), dims_text(tensor->dims)));
    } else if (at->second->sha256 != tensor->sha256) {
      out.push_back(fmt::format("tensor \"{}\" has other bytes: SHA-256 {}, not {}", name,
                                at->second->sha256.empty() ? "unknown (the bytes are not all there)" : at->second->sha256, tensor->sha256));
    }
  }
  for (const auto& [name, tensor] : after) {
    if (!before.contains(name)) out.push_back(fmt::format("tensor \"{}\" is not in the manifest", name));
  }
  if (expected.files.size() != found.files.size()) {
    out.push_back(fmt::format("the model is in {} files, not {}", found.files.size(), expected.files.size()));
    return out;
  }
  for (size_t i = 0; i < expected.files.size(); ++i) {
    if (expected.files[i].metadata_sha256 != found.files[i].metadata_sha256) {
      out.push_back(fmt::format("the metadata of {} differ: SHA-256 {}, not {}", escape_terminal(found.files[i].name),
                                found.files[i].metadata_sha256, expected.files[i].metadata_sha256));
    }
  }
  return out;
}

}  // namespace gcts
