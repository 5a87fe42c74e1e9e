// The test program of harness/.

#define BOOST_TEST_MODULE harness
#include <boost/test/unit_test.hpp>
