#pragma once

/// The version of warpkit: the build reads it from here, so that it is written once.
/// Semantic versioning: before 1.0 any minor version may change an interface.

#define WARPKIT_VERSION_MAJOR 0
#define WARPKIT_VERSION_MINOR 1
#define WARPKIT_VERSION_PATCH 0
