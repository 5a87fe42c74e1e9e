// Tests of the mutator: bounded, repeatable, total, and of use.

#include <sys/resource.h>

#include "corpus/mutator.h"

#include <boost/test/unit_test.hpp>
#include <set>

#include "reference/finding.h"
#include "reference/reader.h"

using namespace gcts;

namespace {

Bytes model() {
  File file;
  file.set("general.architecture", Value::string("llama"));
  file.set("a.nested", Value::array(ValueType::array, {Value::array(ValueType::uint8, {Value::u8(1)}),
                                                       Value::strings({"x", "y"})}));
  file.set("a.count", Value::u64(7));
  file.tensors.push_back({"t", 0, {4, 2}, Bytes(32), {}});
  file.tensors.push_back({"u", 2, {32}, Bytes(18), {}});
  return write_bytes(file);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(mutator)

BOOST_AUTO_TEST_CASE(scan_finds_the_fields_that_the_writer_wrote) {
  File file;
  file.set("a.b", Value::strings({"x", "yy"}));
  file.tensors.push_back({"t", 0, {4, 2}, Bytes(32), {}});
  const Written written = write(file);
  const Scan scan = scan_fields(written.bytes);
  BOOST_REQUIRE(scan.fields.size() <= written.fields.size());
  for (const Field& field : scan.fields) {
    if (field.kind == FieldKind::tensor_data) continue;  // padding and data are one field to a scan
    const Field* same = written.find(field.kind, field.item, field.part);
    BOOST_REQUIRE_MESSAGE(same, field_kind_name(field.kind) << " " << field.item << " " << field.part);
    BOOST_TEST(same->offset == field.offset);
    BOOST_TEST(same->size == field.size);
  }
  BOOST_TEST(scan.end == written.find(FieldKind::tensor_offset)->offset + 8);
}

BOOST_AUTO_TEST_CASE(scan_is_total) {
  const Bytes whole = model();
  for (size_t n = 0; n <= whole.size(); ++n) BOOST_TEST(scan_fields(std::span(whole).first(n)).end <= n);
}

BOOST_AUTO_TEST_CASE(the_same_seed_gives_the_same_bytes) {
  const Bytes from = model();
  for (uint64_t seed = 0; seed < 200; ++seed)
    BOOST_TEST(mutate(from, Generator(seed), 4096) == mutate(from, Generator(seed), 4096));
}

BOOST_AUTO_TEST_CASE(results_stay_within_the_size_asked_for) {
  const Bytes from = model();
  for (uint64_t seed = 0; seed < 500; ++seed) {
    BOOST_TEST(mutate(from, Generator(seed), 100).size() <= 100);
    BOOST_TEST(cross_over(from, from, Generator(seed), 100).size() <= 100);
  }
}

// The alignment of a file without tensors, and the tensors of another.
BOOST_AUTO_TEST_CASE(what_is_written_in_between_stays_small) {
  File wide, many;
  wide.set("general.alignment", Value::u32(1u << 24));
  for (int i = 0; i < 60; ++i) many.tensors.push_back({"t" + std::to_string(i), 0, {1}, Bytes(4), {}});
  const Bytes a = write_bytes(wide), b = write_bytes(many);
  const auto peak = [] {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;  // KB
  };
  const auto before = peak();
  for (uint64_t seed = 0; seed < 20; ++seed) BOOST_TEST(cross_over(a, b, Generator(seed), 4096).size() <= 4096);
  BOOST_TEST(peak() - before < 200'000);  // half of the tensors, so far apart, are 500 MB
}

// A mutator that only breaks magics would pass every other test here.
BOOST_AUTO_TEST_CASE(mutations_reach_most_rules_and_leave_some_files_valid) {
  const Bytes from = model();
  const Profile profile = Profile::builtin(BuiltinProfile::spec);
  std::set<rule::Index> met;
  int valid = 0;
  constexpr int kTimes = 4000;
  for (uint64_t seed = 0; seed < kTimes; ++seed) {
    const Bytes bytes = mutate(from, Generator(seed, "mutations"), 4096);
    const Reading reading = read(bytes);
    valid += judge(reading.findings, profile) == Verdict::valid;
    for (const Finding& f : reading.findings.all())
      if (f.root) met.insert(f.rule);
  }
  BOOST_TEST(met.size() >= 60);
  BOOST_TEST(valid >= kTimes / 20);
  BOOST_TEST(valid <= kTimes / 2);
}

BOOST_AUTO_TEST_CASE(any_bytes_can_be_mutated_and_crossed) {
  Generator random(1);
  for (uint64_t i = 0; i < 300; ++i) {
    Bytes a(random.below(200)), b(random.below(200));
    random.fill(a.data(), a.size());
    random.fill(b.data(), b.size());
    read(mutate(a, Generator(i), 4096));
    read(cross_over(a, b, Generator(i), 4096));
    read(cross_over(model(), b, Generator(i), 4096));
  }
}

BOOST_AUTO_TEST_SUITE_END()
