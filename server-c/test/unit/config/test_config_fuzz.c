/* SPDX-License-Identifier: MIT */
/* Checks the fuzzer's properties for its saved inputs, in every run of the tests. */
#include "../../fuzz/config/fuzz_config.c"

#include "check.h"

#include <dirent.h>

static int run_folder(const char *folder)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    int count = 0;

    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        char path[512];
        struct buf text;
        size_t got;
        FILE *file;

        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        file = entry->d_name[0] != '.' ? fopen(path, "rb") : NULL;
        if (file == NULL)
            continue;
        buf_init(&text);
        while ((got = fread(buf_reserve(&text, 4096), 1, 4096, file)) > 0)
            buf_advance(&text, got);
        fclose(file);
        LLVMFuzzerTestOneInput((const uint8_t *)text.data, text.len);
        buf_fini(&text);
        count++;
    }
    if (dir != NULL)
        closedir(dir);
    return count;
}

int main(void)
{
    CHECK_TRUE(run_folder(SOURCE_DIR "/config-corpus/good") > 0, "no good configs");
    CHECK_TRUE(run_folder(SOURCE_DIR "/config-corpus/bad") > 0, "no bad configs");
    CHECK_TRUE(run_folder(SOURCE_DIR "/test/fuzz/corpus/config") > 0, "no saved inputs");
    return check_end("config_fuzz");
}
