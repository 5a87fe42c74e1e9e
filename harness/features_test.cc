// The gate in front of kernels that need CPU features, on machines made up for it.

#include "harness/worker/features.h"

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <set>

#include "harness/suite_run_test.h"

namespace gcts {
namespace {

using worker::Machine;
using worker::missing_feature;

// What the machine of a test case is made of.
struct Made {
  std::set<std::string, std::less<>> there, absent;
  uint32_t leaf7[4] = {}, leaf7_1[4] = {};
  uint64_t xcr0 = 0xe7;   // x87, SSE, AVX, AVX-512
  bool tiles = true;
  int asked = 0;          // how often tile data were asked for
} made;

int made_named(std::string_view name) {
  if (made.there.contains(name)) return 1;
  return made.absent.contains(name) ? 0 : -1;
}
void made_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t r[4]) {
  for (int i = 0; i < 4; ++i) r[i] = leaf != 7 ? 0 : subleaf == 1 ? made.leaf7_1[i] : subleaf == 0 ? made.leaf7[i] : 0;
}
uint64_t made_xcr0() { return made.xcr0; }
bool made_tiles() { return ++made.asked, made.tiles; }
constexpr Machine kMade{made_named, made_cpuid, made_xcr0, made_tiles};

std::string missing(std::string_view needs) { return missing_feature(needs, kMade); }

struct Fresh {
  Fresh() {
    unsetenv("GCTS_HIDE_FEATURES");
    made = Made{};
    made.there = {"sse4_1", "avx", "avx2", "fma3", "f16c", "avx512f", "avx512vnni", "amx_tile", "amx_int8"};
    made.absent = {"avx512_bf16", "sse4a"};
  }
  ~Fresh() { unsetenv("GCTS_HIDE_FEATURES"); }
};

BOOST_FIXTURE_TEST_SUITE(features, Fresh)

BOOST_AUTO_TEST_CASE(the_first_that_is_absent_is_named) {
  BOOST_TEST(missing("") == "");
  BOOST_TEST(missing("avx2 fma3 f16c") == "");
  BOOST_TEST(missing("  avx2   fma3 ") == "");
  BOOST_TEST(missing("avx512_bf16") == "avx512_bf16");
  BOOST_TEST(missing("avx2 sse4a avx512_bf16") == "sse4a");
}

BOOST_AUTO_TEST_CASE(a_name_that_nobody_knows_is_missing) {
  BOOST_TEST(missing("avx2 hypersse") == "hypersse");
  BOOST_TEST(missing("avx") == "");
  BOOST_TEST(missing("av") == "av");
  BOOST_TEST(missing("AVX2") == "AVX2");
}

BOOST_AUTO_TEST_CASE(registers_that_the_system_does_not_keep_do_not_count) {
  made.xcr0 = 0x7;  // AVX, without the opmasks and upper halves of AVX-512
  BOOST_TEST(missing("avx2 fma3 f16c") == "");
  BOOST_TEST(missing("avx2 avx512f") == "avx512f");
  made.xcr0 = 0x67;  // one of the three AVX-512 components is not enough
  BOOST_TEST(missing("avx512vnni") == "avx512vnni");
  made.xcr0 = 0xe3;  // AVX-512 without AVX's own
  BOOST_TEST(missing("avx512f") == "avx512f");
  made.xcr0 = 0x3;
  for (const char* name : {"avx", "avx2", "fma3", "f16c"}) BOOST_TEST(missing(name) == name);
  BOOST_TEST(missing("sse4_1") == "");
  made.xcr0 = 0;
  BOOST_TEST(missing("sse4_1") == "");
  BOOST_TEST(missing("avx2") == "avx2");
}

BOOST_AUTO_TEST_CASE(tiles_need_state_and_permission) {
  BOOST_TEST(missing("amx_int8") == "amx_int8");
  BOOST_TEST(made.asked == 0);  // nothing to ask for
  for (const uint64_t half : {0x200e7u, 0x400e7u}) {
    made.xcr0 = half;  // tile configuration or tile data alone
    BOOST_TEST(missing("amx_tile") == "amx_tile");
  }
  made.xcr0 = 0x600e7;
  made.tiles = false;
  BOOST_TEST(missing("avx512f amx_tile amx_int8") == "amx_tile");
  BOOST_TEST(made.asked == 1);
  made.tiles = true;
  BOOST_TEST(missing("avx512f amx_tile amx_int8") == "");
  made.asked = 0;
  BOOST_TEST(missing("avx512f") == "");
  BOOST_TEST(made.asked == 0);  // a row without tiles asks for none
}

BOOST_AUTO_TEST_CASE(features_that_the_library_has_no_name_for) {
  for (const char* name : {"avx_vnni", "avx512_fp16", "gfni"}) BOOST_TEST(missing(name) == name);
  made.leaf7_1[0] = 1u << 4;
  BOOST_TEST(missing("avx_vnni") == "");
  BOOST_TEST(missing("gfni avx_vnni") == "gfni");
  made.leaf7[3] = 1u << 23;
  BOOST_TEST(missing("avx512_fp16") == "");
  made.leaf7[2] = 1u << 8;
  BOOST_TEST(missing("gfni avx512_fp16 avx_vnni") == "");
  made.xcr0 = 0x7;
  BOOST_TEST(missing("gfni avx_vnni avx512_fp16") == "avx512_fp16");
  made.xcr0 = 0x3;
  BOOST_TEST(missing("gfni avx_vnni") == "avx_vnni");
  // Once the library knows the name, its word counts.
  made.xcr0 = 0xe7;
  made.absent.insert("avx_vnni");
  BOOST_TEST(missing("avx_vnni") == "avx_vnni");
}

BOOST_AUTO_TEST_CASE(hidden_features_are_missing) {
  setenv("GCTS_HIDE_FEATURES", "fma3 avx512vnni", 1);
  BOOST_TEST(missing("avx2") == "");
  BOOST_TEST(missing("avx2 fma3") == "fma3");
  BOOST_TEST(missing("avx512f avx512vnni") == "avx512vnni");
  setenv("GCTS_HIDE_FEATURES", "fma avx512", 1);  // whole names only
  BOOST_TEST(missing("fma3 avx512f") == "");
}

BOOST_AUTO_TEST_CASE(this_machine_answers) {
  BOOST_TEST(missing_feature("") == "");
  BOOST_TEST(missing_feature("no_such_feature") == "no_such_feature");
#if defined(__x86_64__)
  BOOST_TEST(missing_feature("sse2") == "");  // part of x86-64
#endif
}

#if defined(__x86_64__)
BOOST_AUTO_TEST_CASE(a_kernel_without_its_feature_is_a_skip_that_names_it) {
  const std::vector<std::string> arguments = {"--plugin", GCTS_CPU_PLUGIN, "--run", "kernel/vec_dot/q4_0/avx512/*"};
  const std::string row = "kernel/vec_dot/q4_0/avx512/";
  // A machine without VNNI lacks one of the row's features anyway; hidden or not, the
  // skip names the first that is missing.
  const std::string first = missing_feature("avx2 fma3 f16c avx512f avx512bw avx512vl avx512dq");
  const std::string named = first.empty() ? "avx512vnni" : first;
  setenv("GCTS_HIDE_FEATURES", "avx512vnni", 1);
  const SuiteRan hidden = run_suite(arguments);
  unsetenv("GCTS_HIDE_FEATURES");
  BOOST_TEST(hidden.status == 3);  // nothing was tested
  BOOST_TEST(hidden.cases.size() > 10);
  for (const auto& [id, result] : hidden.cases) {
    BOOST_TEST(result.outcome == "skip", id);
    BOOST_TEST(result.message == "this machine lacks " + named, id);
  }
  if (!missing_feature("avx2 fma3 f16c avx512f avx512bw avx512vl avx512dq avx512vnni").empty()) return;
  const SuiteRan seen = run_suite(arguments);
  BOOST_TEST(seen.status == 0);
  BOOST_TEST(seen.count(row, "pass") > 10);
}
#endif

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace gcts
