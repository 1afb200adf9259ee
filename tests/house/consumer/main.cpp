#include <warpkit/version.hpp>

#include <boost/hana/tuple.hpp>

#include <cstdio>

int main() {
    boost::hana::tuple<int, int, int> version{WARPKIT_VERSION_MAJOR, WARPKIT_VERSION_MINOR,
                                              WARPKIT_VERSION_PATCH};
    std::printf("warpkit %d.%d.%d\n", version[boost::hana::size_c<0>], version[boost::hana::size_c<1>],
                version[boost::hana::size_c<2>]);
}
