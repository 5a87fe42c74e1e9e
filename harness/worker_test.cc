// Plugins that misbehave: each is told apart, and only its own case is lost.

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <map>

#include "gcts/plugin.h"
#include "harness/implementation.h"
#include "harness/worker_channel.h"

namespace gcts {
namespace {

struct Told {
  AnswerKind kind = AnswerKind::verdict;
  int32_t status = 0;
  std::string message, misuse;
  uint64_t leaked_bytes = 0;
  int32_t leaked_fds = 0;
};

Launch misbehaving() {
  Launch launch;
  launch.locator = GCTS_MISBEHAVING_PLUGIN;
  launch.limits = {.wall_seconds = 3, .cpu_seconds = 0.5, .memory_bytes = 64u << 20};
  return launch;
}

// Answers of one batch whose files are the words.
std::vector<Told> tell(const std::vector<std::string>& words, const Launch& launch = misbehaving()) {
  std::vector<std::vector<CaseFile>> files;
  for (const std::string& word : words) {
    Bytes bytes;
    for (char c : word) bytes.push_back(static_cast<std::byte>(c));
    files.push_back({{"model.gguf", bytes}});
  }
  std::vector<Task> tasks;
  for (const auto& file : files) {
    Task task;
    task.tag = tasks.size();
    task.files = &file;
    tasks.push_back(task);
  }
  std::vector<Told> out;
  gcts::launch(launch)->run(tasks, [&](const Task& task, const Answer& answer) {
    BOOST_TEST(task.tag == out.size());
    out.push_back({answer.kind, answer.status, answer.message, answer.misuse, answer.leaked_bytes, answer.leaked_fds});
    return true;
  });
  return out;
}

}  // namespace


BOOST_AUTO_TEST_SUITE(worker)

BOOST_AUTO_TEST_CASE(faults_are_told_apart) {
  const std::vector<std::pair<std::string, std::string>> crashes = {
      {"over_read", "SIGSEGV: touches 1 byte past the end of the file"},
      {"under_read", "before the start of the file"},
      {"write_input", "the read-only file at offset 0"},
      {"null", "SIGSEGV at address 0x8"},
      {"divide", "SIGFPE"},
      {"illegal", "SIGILL"},
      {"recurse", "SIGSEGV: the stack is used up"},
      {"abort", "SIGABRT (it printed: the assertion that failed)"},
      {"exit", "the process ended: exit status 0"},
      {"kill", "the process ended: killed by SIGKILL"},
  };
  std::vector<std::string> words;
  for (const auto& [word, message] : crashes) words.push_back(word);
  const std::vector<Told> told = tell(words);
  BOOST_REQUIRE(told.size() == crashes.size());
  for (size_t i = 0; i < told.size(); ++i) {
    BOOST_TEST_CONTEXT(words[i]) {
      BOOST_TEST((told[i].kind == AnswerKind::crash));
      BOOST_TEST(told[i].message.find(crashes[i].second) != std::string::npos, told[i].message);
    }
  }
}

BOOST_AUTO_TEST_CASE(only_the_case_that_kills_is_lost) {
  const std::vector<Told> told = tell({"ok", "over_read", "reject", "abort", "exit", "ok", "spin", "ok"});
  const AnswerKind kinds[] = {AnswerKind::verdict, AnswerKind::crash, AnswerKind::verdict, AnswerKind::crash,
                              AnswerKind::crash,   AnswerKind::verdict, AnswerKind::timeout, AnswerKind::verdict};
  BOOST_REQUIRE(told.size() == std::size(kinds));
  for (size_t i = 0; i < told.size(); ++i) BOOST_TEST((told[i].kind == kinds[i]), i << ": " << told[i].message);
  BOOST_TEST(told[2].status == GCTS_REJECTED);
  BOOST_TEST(told[2].message == "as told");
  BOOST_TEST(told[7].status == GCTS_OK);
}

BOOST_AUTO_TEST_CASE(limits_hold) {
  const double start = now_seconds();
  const std::vector<Told> told = tell({"spin", "sleep", "memory", "ok"});
  BOOST_TEST((told[0].kind == AnswerKind::timeout));
  BOOST_TEST(told[0].message.find("CPU time") != std::string::npos, told[0].message);
  BOOST_TEST((told[1].kind == AnswerKind::timeout));
  BOOST_TEST(told[1].message.find("no answer within 3 s") != std::string::npos, told[1].message);
  BOOST_TEST((told[2].kind == AnswerKind::memory));
  BOOST_TEST((told[3].kind == AnswerKind::verdict));
  BOOST_TEST(now_seconds() - start < 20);
}

BOOST_AUTO_TEST_CASE(leaks_show_in_the_steady_state) {
  const std::vector<Told> told = tell({"ok", "leak", "leak_fd", "ok", "shout"});
  BOOST_TEST(told[0].leaked_bytes == 0);
  BOOST_TEST(told[1].leaked_bytes >= 1000);
  BOOST_TEST(told[1].leaked_bytes < 1100);
  BOOST_TEST(told[2].leaked_fds == 1);
  BOOST_TEST(told[3].leaked_bytes == 0);
  BOOST_TEST(told[3].leaked_fds == 0);
  BOOST_TEST((told[4].kind == AnswerKind::verdict));
}

BOOST_AUTO_TEST_CASE(nonsense_is_reported) {
  const std::vector<Told> told = tell({"status", "array_end", "flood", "ok"});
  BOOST_TEST(told[0].status == 77);
  BOOST_TEST(told[1].misuse == "array_end without array_begin");
  BOOST_TEST(told[2].misuse.find("more contents than the file can hold") != std::string::npos, told[2].misuse);
  BOOST_TEST(told[3].misuse == "");
}

BOOST_AUTO_TEST_CASE(files_come_whole) {
  // Empty files and sizes around pages: the reader sees the size it is told.
  std::vector<std::string> words;
  for (size_t size : {size_t{0}, size_t{1}, size_t{4095}, size_t{4096}, size_t{4097}, size_t{65536}, size_t{200000}}) {
    words.push_back(std::string(size, 'x'));
  }
  for (const Told& told : tell(words)) BOOST_TEST((told.kind == AnswerKind::verdict), told.message);
}

BOOST_AUTO_TEST_CASE(an_emulator_goes_in_front) {
  Launch launch = misbehaving();
  launch.emulator = "env GCTS_UNUSED='a b'";
  const std::vector<Told> told = tell({"ok", "over_read", "ok"}, launch);
  BOOST_TEST((told[0].kind == AnswerKind::verdict));
  BOOST_TEST((told[1].kind == AnswerKind::crash));
  BOOST_TEST((told[2].kind == AnswerKind::verdict));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_loaded_is_explained) {
  const auto why = [](const std::string& path, const std::string& emulator = "") {
    Launch launch;
    launch.locator = path;
    launch.emulator = emulator;
    Description description;
    std::string error;
    BOOST_TEST(!gcts::launch(launch)->describe(description, error));
    return error;
  };
  BOOST_TEST(why("/nowhere/none.so").find("/nowhere/none.so") != std::string::npos);
  BOOST_TEST(why("/proc/self/exe").size() > 0);
  BOOST_TEST(why("libm.so.6").find("gcts_plugin_entry") != std::string::npos);
  BOOST_TEST(why(GCTS_MISBEHAVING_PLUGIN, "/nowhere/emulator").find("cannot start") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_command_is_judged_by_exit_status) {
  Launch launch;
  launch.kind = Launch::Kind::command;
  launch.locator = "sh -c 'case $(cat \"$0\") in ok) exit 0;; no) echo bad file; exit 1;; odd) exit 2;; gone) kill -9 $$;; "
                   "sleep) sleep 60;; esac; exit 126' {file}";
  launch.reject_pattern = "bad file";
  launch.limits.wall_seconds = 1;
  std::vector<CaseFile> file{{"model.gguf", {}}};
  std::map<std::string, Answer> answers;
  for (const char* word : {"ok", "no", "odd", "gone", "other", "sleep"}) {
    file[0].bytes.assign(reinterpret_cast<const std::byte*>(word), reinterpret_cast<const std::byte*>(word) + std::strlen(word));
    Task task;
    task.files = &file;
    gcts::launch(launch)->run({&task, 1}, [&](const Task&, const Answer& answer) {
      answers[word] = answer;
      return true;
    });
  }
  BOOST_TEST(answers["ok"].status == GCTS_OK);
  BOOST_TEST(answers["no"].status == GCTS_REJECTED);
  BOOST_TEST(answers["no"].weak);
  BOOST_TEST(answers["no"].weak_matches);
  BOOST_TEST(answers["odd"].weak);
  BOOST_TEST(!answers["odd"].weak_matches);
  BOOST_TEST((answers["gone"].kind == AnswerKind::crash));
  BOOST_TEST((answers["other"].kind == AnswerKind::crash));
  BOOST_TEST((answers["sleep"].kind == AnswerKind::timeout));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace gcts
