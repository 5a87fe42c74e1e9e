// The test program of reports/: what is told must survive the telling.

#define BOOST_TEST_MODULE reports
#include <boost/test/unit_test.hpp>
