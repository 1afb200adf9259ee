"""warpkit's headers for Conan 2: conan create .ci/recipes (docs/howto/building.md)."""
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir


class Warpkit(ConanFile):
    name = "warpkit"
    description = "GPU simulation out of compile-time policies"
    license = "MIT"
    topics = ("gpu", "simulation", "scheduling", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    no_copy_source = True

    @property
    def _top(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        text = load(self, os.path.join(self._top, "include", "warpkit", "version.hpp"))
        self.version = ".".join(re.findall(r"#define WARPKIT_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", text))

    def export_sources(self):
        for what in ("CMakeLists.txt", "LICENSE", "README.md", "include/*", "tests/cmake/*"):
            copy(self, what, self._top, self.export_sources_folder)

    def requirements(self):
        self.requires("boost/[>=1.74]", options={"header_only": True}, transitive_headers=True)

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for part in ("TESTS", "EXAMPLES", "BENCH"):
            toolchain.cache_variables["WARPKIT_BUILD_" + part] = False
        toolchain.cache_variables["WARPKIT_INSTALL"] = True
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.export_sources_folder, os.path.join(self.package_folder, "licenses"))
        rmdir(self, os.path.join(self.package_folder, "share"))

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.cxxflags = ["-ffp-contract=off"]
        self.cpp_info.system_libs = ["pthread"] if self.settings.os == "Linux" else []
        self.cpp_info.set_property("cmake_target_name", "warpkit::warpkit")
        self.cpp_info.set_property("pkg_config_name", "warpkit")
        self.cpp_info.requires = ["boost::headers"]

    def package_id(self):
        self.info.clear()
