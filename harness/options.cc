// Options on Boost.Program_options, which appears in this file alone.

#include "harness/options.h"

#include <boost/program_options.hpp>
#include <charconv>
#include <functional>
#include <iostream>
#include <sstream>

namespace gcts {

namespace po = boost::program_options;

struct Options::State {
  std::string verb, usage, description;
  po::options_description visible{"Options", 110, 55};
  po::variables_map variables;
  std::string positional_name, positional_help;
  std::vector<std::string>* positional = nullptr;
  size_t least = 0, most = 0;
  std::vector<std::string> notes;
  // Conversions that po does not do: each takes its raw text, explains or is silent.
  std::vector<std::function<std::string()>> conversions;
};

namespace {

constexpr const char* kPositional = "gcts-positional";

std::string long_name(const std::string& names) { return names.substr(0, names.find(',')); }

std::string& name_storage() {
  static std::string name = "gguf-cts";
  return name;
}

}  // namespace

const std::string& invoked_as() { return name_storage(); }
void set_invoked_as(std::string name) { name_storage() = std::move(name); }

bool parse_number(std::string_view text, uint64_t& out) {
  int base = 10;
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    base = 16;
    text.remove_prefix(2);
  }
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return false;
  out = value;
  return true;
}

Options::Options(std::string verb, std::string usage, std::string description)
    : state_(std::make_unique<State>()) {
  state_->verb = std::move(verb);
  state_->usage = std::move(usage);
  state_->description = std::move(description);
}

Options::~Options() = default;

void Options::flag(std::string names, bool& out, std::string help) {
  state_->visible.add_options()(names.c_str(), po::bool_switch(&out), help.c_str());
}

void Options::value(std::string names, std::string& out, std::string value_name, std::string help) {
  state_->visible.add_options()(names.c_str(), po::value<std::string>(&out)->value_name(value_name),
                                help.c_str());
}

void Options::number(std::string names, uint64_t& out, std::string value_name, std::string help) {
  state_->visible.add_options()(names.c_str(), po::value<std::string>()->value_name(value_name),
                                help.c_str());
  state_->conversions.push_back([this, name = long_name(names), &out]() -> std::string {
    if (!given(name)) return "";
    const std::string text = state_->variables[name].as<std::string>();
    return parse_number(text, out) ? "" : "--" + name + " takes a whole number, not '" + text + "'";
  });
}

void Options::values(std::string names, std::vector<std::string>& out, std::string value_name,
                     std::string help) {
  state_->visible.add_options()(
      names.c_str(), po::value<std::vector<std::string>>(&out)->composing()->value_name(value_name),
      help.c_str());
}

void Options::positional(std::string value_name, std::vector<std::string>& out, std::string help,
                         size_t least, size_t most) {
  state_->positional_name = std::move(value_name);
  state_->positional_help = std::move(help);
  state_->positional = &out;
  state_->least = least;
  state_->most = most;
}

void Options::note(std::string text) { state_->notes.push_back(std::move(text)); }

bool Options::given(std::string_view name) const {
  const auto found = state_->variables.find(std::string(name));
  return found != state_->variables.end() && !found->second.defaulted();
}

int Options::usage_error(std::string_view message) const {
  std::cerr << "gguf-cts " << state_->verb << ": " << message << "\n"
            << "usage: gguf-cts " << state_->verb << " " << state_->usage << "   (--help explains)\n";
  return kUsageError;
}

std::optional<int> Options::parse(int argc, char** argv) {
  State& s = *state_;
  bool help = false;
  s.visible.add_options()("help,h", po::bool_switch(&help), "this text");
  po::options_description all;
  all.add(s.visible);
  std::vector<std::string> arguments;
  all.add_options()(kPositional, po::value<std::vector<std::string>>(&arguments));
  po::positional_options_description places;
  places.add(kPositional, -1);
  try {
    const auto style = po::command_line_style::default_style & ~po::command_line_style::allow_guessing;
    po::store(po::command_line_parser(argc, argv).options(all).positional(places).style(style).run(),
              s.variables);
    po::notify(s.variables);
  } catch (const po::error& error) {
    return usage_error(error.what());
  }
  if (help) {
    std::cout << "usage: gguf-cts " << s.verb << " " << s.usage << "\n\n" << s.description << "\n\n";
    if (s.positional) std::cout << "  " << s.positional_name << ": " << s.positional_help << "\n\n";
    std::cout << s.visible;
    for (const std::string& note : s.notes) std::cout << "\n" << note << "\n";
    return 0;
  }
  for (const auto& convert : s.conversions) {
    if (const std::string message = convert(); !message.empty()) return usage_error(message);
  }
  if (!s.positional && !arguments.empty()) return usage_error("unexpected argument '" + arguments[0] + "'");
  if (s.positional) {
    if (arguments.size() < s.least) return usage_error(s.positional_name + " is missing");
    if (arguments.size() > s.most) return usage_error("unexpected argument '" + arguments[s.most] + "'");
    *s.positional = std::move(arguments);
  }
  return std::nullopt;
}

}  // namespace gcts
