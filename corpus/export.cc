// Writes the corpus out, and checks a directory against its manifest.

#include "corpus/export.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "corpus/contents_json.h"
#include "corpus/sha256.h"
#include "corpus/vectors.h"

namespace gcts {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::string_view kManifest = "manifest.json";
constexpr std::string_view kPrefix = "format/";

// Takes the files one by one: path relative to the directory, and bytes.  Returns ""
// or what went wrong.
using Store = std::function<std::string(const std::string& path, std::span<const std::byte> bytes)>;

Json file_json(const std::string& path, std::span<const std::byte> bytes) {
  Json file = Json::object();
  file["path"] = path;
  file["size"] = bytes.size();
  file["sha256"] = sha256_of(bytes);
  return file;
}

Json rule_names(const std::vector<rule::Index>& indices) {
  Json names = Json::array();
  for (const rule::Index index : indices) names.push_back(rule_at(index).name);
  return names;
}

// The rules broken whose severity the two profiles see differently.
Json divergence_flags(const Case& c) {
  Json flags = Json::array();
  for (const rule::Index index : c.breaks)
    if (rule_at(index).diverges()) flags.push_back(rule_at(index).name);
  return flags;
}

Json case_json(const Case& c) {
  Json entry = Json::object();
  entry["id"] = c.id;
  entry["rule"] = rule_at(c.rule).name;
  entry["rule_id"] = rule_at(c.rule).id;
  entry["expected"] = {{"spec", expectation_name(c.spec)}, {"ggml", expectation_name(c.ggml)}};
  entry["stage"] = c.stage == Stage::metadata ? "metadata" : "data";
  entry["breaks"] = rule_names(c.breaks);
  if (!c.also.empty()) entry["also"] = rule_names(c.also);
  if (Json flags = divergence_flags(c); !flags.empty()) entry["flags"] = std::move(flags);
  if (c.is_lint()) entry["lint"] = true;
  if (!c.parent.empty()) entry["parent"] = c.parent;
  if (!c.reason.empty()) entry["reason"] = c.reason;
  if (!c.tags.empty()) entry["tags"] = c.tags;
  entry["comment"] = c.comment;
  return entry;
}

// Counts what passes through and keeps the first error.
class Exporter {
 public:
  Exporter(const Store& store, ExportResult& result) : store_(store), result_(result) {}

  Json put(const std::string& path, std::span<const std::byte> bytes) {
    if (result_.error.empty()) result_.error = store_(path, bytes);
    ++result_.files;
    result_.bytes += bytes.size();
    return file_json(path, bytes);
  }
  Json put(const std::string& path, const std::string& text) {
    return put(path, std::as_bytes(std::span(text)));
  }

  Json add(const Case& c);
  Json add_vectors();

 private:
  const Store& store_;
  ExportResult& result_;
};

Json Exporter::add(const Case& c) {
  Json entry = case_json(c);
  const std::string base = c.id.substr(kPrefix.size());
  const std::vector<CaseFile> files = c.files();
  const bool is_set = files.size() > 1 || c.has_tag("shards");
  entry["files"] = Json::array();
  if (c.spec != Expectation::invalid) entry["contents"] = Json::array();
  for (const CaseFile& file : files) {
    const std::string path = is_set ? base + "/" + file.name : base + ".gguf";
    entry["files"].push_back(put(path, file.bytes));
    if (c.spec != Expectation::invalid)
      entry["contents"].push_back(
          put(is_set ? path + ".json" : base + ".json", contents_json(read(file.bytes))));
  }
  ++result_.cases;
  return entry;
}

Json Exporter::add_vectors() {
  Json entries = Json::array();
  for (const TensorType& type : tensor_types()) {
    if (type.codec == nullptr) continue;
    const std::string name(type.name);
    Json entry = Json::object();
    entry["type"] = name;
    entry["files"] = Json::array({put("vectors/" + name + ".json", vectors_json(type))});
    entries.push_back(std::move(entry));
  }
  return entries;
}

ExportResult run(const Store& store, const ExportOptions& options) {
  ExportResult result;
  Exporter exporter(store, result);
  Json manifest = Json::object();
  manifest["suite"] = "gguf-cts";
  manifest["suite_version"] = GCTS_VERSION;
  manifest["manifest_version"] = 1;
  manifest["license"] = "CC0-1.0";
  manifest["seed"] = 0;
  manifest["cases"] = Json::array();
  for (const Case& c : cases()) {
    if (c.kind != CaseKind::read || (c.size == CaseSize::large && !options.large)) continue;
    if (options.select && !options.select(c)) continue;
    manifest["cases"].push_back(exporter.add(c));
    if (!result.error.empty()) return result;
  }
  if (!options.select) manifest["vectors"] = exporter.add_vectors();
  if (!result.error.empty()) return result;
  const std::string text = manifest.dump(1) + "\n";
  result.manifest_sha256 = sha256_of(text);
  exporter.put(std::string(kManifest), text);
  return result;
}

std::string store_file(const fs::path& path, std::span<const std::byte> bytes) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) return "cannot make the directory " + path.parent_path().string() + ": " + error.message();
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  out.close();
  return out ? "" : "cannot write " + path.string();
}

bool load_file(const fs::path& path, std::string& text) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return false;
  text.assign(std::istreambuf_iterator<char>(in), {});
  return !in.bad();
}

// Path and digest of every file that the manifest lists.
bool listed_files(const std::string& manifest, std::map<std::string, std::string>& files) {
  const Json root = Json::parse(manifest, nullptr, false);
  if (!root.is_object() || !root.contains("cases") || !root["cases"].is_array()) return false;
  std::vector<Json> entries(root["cases"].begin(), root["cases"].end());
  if (root.contains("vectors")) entries.insert(entries.end(), root["vectors"].begin(), root["vectors"].end());
  for (const Json& entry : entries) {
    for (const char* group : {"files", "contents"}) {
      if (!entry.is_object() || !entry.contains(group)) continue;
      for (const Json& file : entry[group]) {
        if (!file.is_object() || !file.value("path", Json()).is_string() ||
            !file.value("sha256", Json()).is_string())
          return false;
        files[file["path"].get<std::string>()] = file["sha256"].get<std::string>();
      }
    }
  }
  return true;
}

}  // namespace

ExportResult export_corpus(const fs::path& dir, const ExportOptions& options) {
  return run([&](const std::string& path,
                 std::span<const std::byte> bytes) { return store_file(dir / path, bytes); },
             options);
}

ExportResult measure_corpus(const ExportOptions& options) {
  return run([](const std::string&, std::span<const std::byte>) { return std::string(); }, options);
}

std::vector<std::string> verify_corpus(const fs::path& dir) {
  std::string manifest;
  if (!load_file(dir / kManifest, manifest)) return {(dir / kManifest).string() + " cannot be read"};
  std::map<std::string, std::string> listed;
  if (!listed_files(manifest, listed))
    return {(dir / kManifest).string() + " is not a manifest of this suite"};
  std::vector<std::string> problems;
  for (const auto& [path, digest] : listed) {
    std::string text;
    if (!load_file(dir / path, text))
      problems.push_back(path + " is missing");
    else if (sha256_of(text) != digest)
      problems.push_back(path + " differs from what was exported");
  }
  std::error_code error;
  for (auto at = fs::recursive_directory_iterator(dir, error);
       !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    if (!at->is_regular_file()) continue;
    const std::string path = fs::relative(at->path(), dir, error).generic_string();
    if (path != kManifest && !listed.count(path)) problems.push_back(path + " is not listed in the manifest");
  }
  if (error) problems.push_back(dir.string() + " cannot be listed: " + error.message());
  std::sort(problems.begin(), problems.end());
  return problems;
}

}  // namespace gcts
