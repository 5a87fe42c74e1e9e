// Finding peers; see peer.h.

#include "harness/peer.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "harness/locations.h"

namespace gcts {
namespace {

namespace fs = std::filesystem;

// The plugins that are implementations in their own right; the others are examples, or wrong.
constexpr std::string_view kPlugins[] = {"reference", "ggml"};

std::string first_line(const fs::path& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

// The first of the paths that is a file; "" if none is.
std::string first_file(std::initializer_list<fs::path> paths) {
  std::error_code error;
  for (const fs::path& path : paths) {
    if (fs::is_regular_file(path, error)) return path.lexically_normal().string();
  }
  return "";
}

// Adds the subfolders that hold one of these files.
void add_folders(const fs::path& folder, std::initializer_list<const char*> files, std::set<std::string>& names) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    for (const char* file : files) {
      if (fs::exists(entry.path() / file, error)) names.insert(entry.path().filename().string());
    }
  }
}

}  // namespace

std::vector<Peer> all_peers() {
  const fs::path peers = peers_folder();
  const fs::path sources = peers / ".." / ".." / "plugins";  // where the peers folder is build/peers
  std::vector<Peer> out;
  std::set<std::string> names;
  add_folders(sources / "process", {"xfail.json"}, names);
  add_folders(peers, {"command", "left_out"}, names);
  for (const std::string_view name : kPlugins) {
    Peer peer{std::string(name), Launch::Kind::plugin, own_plugin(name), "", "", ""};
    peer.xfail = first_file({peers / name / "xfail.json", sources / name / "xfail.json"});
    if (peer.locator.empty()) peer.absent = "the plugin does not come with this program";
    peer.left_out = first_line(peers / name / "left_out");
    names.erase(peer.name);
    out.push_back(std::move(peer));
  }
  for (const std::string& name : names) {
    Peer peer{name, Launch::Kind::process, first_line(peers / name / "command"), "", "", ""};
    peer.xfail = first_file({peers / name / "xfail.json", sources / "process" / name / "xfail.json"});
    peer.left_out = first_line(peers / name / "left_out");
    if (peer.locator.empty()) peer.absent = peer.left_out;
    if (peer.locator.empty() && peer.absent.empty()) peer.absent = "not installed: ./dev peers " + name;
    out.push_back(std::move(peer));
  }
  return out;
}

}  // namespace gcts
