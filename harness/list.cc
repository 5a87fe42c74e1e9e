// The verb list: what there is to select from, one a line, the name first.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "harness/case_source.h"
#include "harness/fault_table.h"
#include "harness/implementation.h"
#include "harness/locations.h"
#include "harness/options.h"
#include "reference/rule.h"
#include "reference/tensor_type.h"
#include "reports/report.h"

namespace gcts {
namespace {

struct ListOptions {
  Selection selection;
  std::string tier = "full";
  std::vector<std::string> plugins;
};

struct List {
  const char* name;
  const char* summary;
  int (*print)(const Options& options, const ListOptions& given);
};

int print_cases(const Options& options, const ListOptions& given) {
  CaseRequest request;
  request.selection = given.selection;
  if (!parse_tier(given.tier, request.tier)) return options.usage_error("there is no tier '" + given.tier + "'");
  CaseList list;
  collect_cases(request, list);
  for (const Case* c : list.all()) fmt::print("{}\n", c->id);
  return 0;
}

int print_rules(const Options&, const ListOptions& given) {
  for (const Rule& rule : rules()) {
    if (!given.selection.contains(rule.name)) continue;
    fmt::print("{:<34} {:<9} {:<9} spec {:<6} ggml {:<6} {}\n", rule.name, rule.id, level_name(rule.level),
               severity_name(rule.spec), severity_name(rule.ggml), rule.statement);
  }
  return 0;
}

int print_types(const Options&, const ListOptions& given) {
  for (const TensorType& type : tensor_types()) {
    if (!given.selection.contains(type.name)) continue;
    if (type.status == TensorStatus::removed) {
      fmt::print("{:<10} id {:<3} removed\n", type.name, type.id);
    } else {
      fmt::print("{:<10} id {:<3} {:>4} elements in {:>4} bytes\n", type.name, type.id, type.block_elements, type.block_bytes);
    }
  }
  return 0;
}

int print_formats(const Options&, const ListOptions&) {
  for (const Format& format : formats()) fmt::print("{:<10} {}\n", format.name, format.description);
  return 0;
}

int print_faults(const Options&, const ListOptions& given) {
  for (const FaultRow& fault : fault_rows()) {
    if (given.selection.contains(fault.name)) fmt::print("{:<36} {:<16} {}\n", fault.name, fault.target, fault.check);
  }
  return 0;
}

// The operations in the order of gcts_op.
constexpr const char* kOperations[] = {"dequantize", "quantize", "vec_dot", "matmul", "matmul_id"};

int print_kernels(const Options& options, const ListOptions& given) {
  std::vector<std::string> plugins = given.plugins;
  if (plugins.empty()) {
    for (const char* name : {"template", "cpu"}) {
      if (const std::string path = own_plugin(name); !path.empty()) plugins.push_back(path);
    }
  }
  for (const std::string& path : plugins) {
    Launch launch;
    launch.locator = path.find('/') == std::string::npos ? "./" + path : path;
    Description description;
    std::string error;
    if (!gcts::launch(launch)->describe(description, error)) return options.usage_error(path + ": " + error);
    for (const KernelDescription& kernel : description.kernels) {
      const TensorType* type = find_tensor_type(kernel.row.tensor_type);
      fmt::print("{:<12} {:<11} {:<8} {:<12} {}\n", description.name,
                 kernel.row.op < std::size(kOperations) ? kOperations[kernel.row.op] : "?",
                 type ? std::string(type->name) : std::to_string(kernel.row.tensor_type), kernel.variant, kernel.features);
    }
  }
  return 0;
}

constexpr List kLists[] = {
    {"cases", "case ids", print_cases},
    {"rules", "the rules of the format: name, id, level, what the profiles demand", print_rules},
    {"types", "tensor types: name, id, block", print_types},
    {"formats", "report formats", print_formats},
    {"faults", "the deliberate bugs of the self-test: name, what has it, the check that must catch it", print_faults},
    {"kernels", "the kernels of plugins", print_kernels},
};

}  // namespace

int verb_list(int argc, char** argv) {
  std::vector<std::string> what;
  ListOptions given;
  std::string names;
  for (const List& list : kLists) names += (names.empty() ? "" : "|") + std::string(list.name);
  Options options("list", names + " [options]", "Prints what there is, one a line.");
  options.positional("WHAT", what, names, 1, 1);
  options.values("run", given.selection.run, "GLOB", "only those whose name the glob selects");
  options.values("skip", given.selection.skip, "GLOB", "none of those");
  options.value("tier", given.tier, "TIER", "cases of a tier (default: full)");
  options.values("plugin", given.plugins, "LIB", "whose kernels to list (default: those that come with the program)");
  std::string note = "WHAT is one of:";
  for (const List& list : kLists) note += fmt::format("\n  {:<8} {}", list.name, list.summary);
  options.note(note);
  if (auto status = options.parse(argc, argv)) return *status;
  for (const List& list : kLists) {
    if (what[0] == list.name) return list.print(options, given);
  }
  return options.usage_error("there is no list of '" + what[0] + "'; there are " + names);
}

}  // namespace gcts
