// One fault gives one root finding, its rule, and the same from a map and from chunks.

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <set>
#include <string>

#include "reference/faults_for_test.h"
#include "reference/reader.h"

namespace gcts {
namespace {

BOOST_AUTO_TEST_SUITE(single_faults)

BOOST_AUTO_TEST_CASE(the_sound_model_has_no_findings) {
  for (const uint32_t version : {2u, 3u}) {
    File file = sound_model();
    file.layout.version = version;
    BOOST_TEST(describe(read(write_bytes(file)).findings) == "");
  }
}

BOOST_AUTO_TEST_CASE(every_rule_that_is_reported_has_a_fault) {
  std::set<rule::Index> covered;
  for (const Fault& fault : faults()) covered.insert(fault.rule);
  for (const Rule& r : rules())
    if (r.kind == RuleKind::decode || r.kind == RuleKind::check)
      BOOST_TEST_CONTEXT(r.name) BOOST_TEST(covered.count(static_cast<rule::Index>(&r - rules().data())) == 1u);
}

BOOST_AUTO_TEST_CASE(one_fault_is_one_root) {
  for (const Fault& fault : faults()) {
    const Reading reading = read(fault.bytes);
    std::set<rule::Index> roots;
    uint64_t count = 0;
    for (const Finding& f : reading.findings.all()) {
      if (f.root) roots.insert(f.rule);
      if (f.root) ++count;
      BOOST_TEST(f.offset <= fault.bytes.size());
      BOOST_TEST(!f.message.empty());
    }
    const bool single = count == 1 && roots == std::set<rule::Index>{fault.rule};
    BOOST_TEST(single, rule_at(fault.rule).name << " (" << fault.what << ") gives\n" << describe(reading.findings));
  }
}

BOOST_AUTO_TEST_CASE(chunks_give_the_findings_of_a_map) {
  for (const Fault& fault : faults()) {
    for (const Stage stage : {Stage::metadata, Stage::data}) {
      const std::string mapped = describe(read(fault.bytes, {stage, true}).findings);
      for (const size_t size : {size_t{1}, size_t{7}, size_t{4096}}) {
        const Reading streamed = read(chunks_of(fault.bytes, size), {stage, true});
        BOOST_TEST(describe(streamed.findings) == mapped,
                   rule_at(fault.rule).name << " in chunks of " << size << ":\n" << describe(streamed.findings) << "not\n" << mapped);
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace gcts
