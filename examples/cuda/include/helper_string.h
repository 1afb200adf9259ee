/* Options of the form -name or --name=value on a command line. */
#ifndef WARPKIT_CUDA_HELPER_STRING_H
#define WARPKIT_CUDA_HELPER_STRING_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What stands behind "name=", an empty string for "name" alone, null where it is not there. */
static inline char const* warpkit_cuda_option(int argc, char const** argv, char const* name) {
    size_t const length = strlen(name);
    for (int i = 1; i < argc; ++i) {
        char const* a = argv[i];
        if (*a != '-') continue;
        while (*a == '-') ++a;
        if (strncmp(a, name, length) != 0) continue;
        if (a[length] == '\0') return a + length;
        if (a[length] == '=') return a + length + 1;
    }
    return 0;
}
static inline bool checkCmdLineFlag(int argc, char const** argv, char const* name) {
    return warpkit_cuda_option(argc, argv, name) != 0;
}
static inline int getCmdLineArgumentInt(int argc, char const** argv, char const* name) {
    char const* const value = warpkit_cuda_option(argc, argv, name);
    return value == 0 ? 0 : atoi(value);
}
static inline float getCmdLineArgumentFloat(int argc, char const** argv, char const* name) {
    char const* const value = warpkit_cuda_option(argc, argv, name);
    return value == 0 ? 0.0f : (float)atof(value);
}
static inline bool getCmdLineArgumentString(int argc, char const** argv, char const* name, char** text) {
    char const* const value = warpkit_cuda_option(argc, argv, name);
    *text = (char*)value;
    return value != 0;
}
/* A file as named, or in a folder data/ beside; null where there is none. The caller frees it. */
static inline char* sdkFindFilePath(char const* name, char const*) {
    char const* const folders[] = {"", "data/", "./data/", "../data/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; ++i) {
        size_t const length = strlen(folders[i]) + strlen(name) + 1;
        char* const path = (char*)malloc(length);
        snprintf(path, length, "%s%s", folders[i], name);
        FILE* const file = fopen(path, "rb");
        if (file != 0) {
            fclose(file);
            return path;
        }
        free(path);
    }
    return 0;
}

#endif
