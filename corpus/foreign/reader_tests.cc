// The reader's tests for a machine that has no library of Boost.Test.

#define BOOST_TEST_MODULE reader
#include <boost/test/included/unit_test.hpp>
