// The test program of reference/: its suites stand in the *_test.cc files beside it.

#define BOOST_TEST_MODULE reference
#include <boost/test/unit_test.hpp>
