// The test program of the harness; the suites stand beside what they test.

#define BOOST_TEST_MODULE harness
#include <boost/test/unit_test.hpp>
