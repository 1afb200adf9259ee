"""The library for Conan 2, from this checkout: conan create examples/packaging

The headers alone, with Boost (of which only Hana is used); the lab is installed by CMake (docs/howto/building.md).
"""
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain
from conan.tools.files import copy, load

top = ("..", "..")


class Warpkit(ConanFile):
    name = "warpkit"
    description = "GPU simulation out of compile-time policies"
    package_type = "header-library"
    settings = "os", "compiler", "build_type", "arch"
    no_copy_source = True

    def set_version(self):
        text = load(self, os.path.join(self.recipe_folder, *top, "include", "warpkit", "version.hpp"))
        parts = [re.search(rf"WARPKIT_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH")]
        self.version = ".".join(parts)

    def export_sources(self):
        sources = os.path.join(self.recipe_folder, *top)
        for pattern in ("CMakeLists.txt", "LICENSE", "README.md", "include/*", "tests/cmake/*"):
            copy(self, pattern, sources, self.export_sources_folder)

    def requirements(self):
        self.requires("boost/[>=1.74]", transitive_headers=True, options={"header_only": True})

    def validate(self):
        check_min_cppstd(self, 20)

    def generate(self):
        chain = CMakeToolchain(self)
        for part in ("TESTS", "EXAMPLES", "BENCH", "FACADE"):
            chain.cache_variables[f"WARPKIT_BUILD_{part}"] = False
        chain.generate()

    def build_requirements(self):
        self.tool_requires("cmake/[>=3.25]")

    def build(self):
        cmake = CMake(self)
        cmake.configure()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_id(self):
        self.info.clear()

    def package_info(self):
        # The package's own CMake files are used, as without Conan.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("share", "cmake", "warpkit")]
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
