/* SPDX-License-Identifier: MIT */
/* Checks the fuzzer's properties for its saved inputs and the protocol's examples, in every run of
 * the tests. */
#include "../../fuzz/agent/fuzz_agent_messages.c"

#include "check.h"

#include <dirent.h>
#include <stdio.h>

static int run_folder(const char *folder)
{
    char path[1024];
    int count = 0;
    snprintf(path, sizeof(path), "%s/%s", SOURCE_DIR, folder);
    DIR *dir = opendir(path);
    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir)) {
        static unsigned char bytes[1 << 16];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), "%s/%s/%s", SOURCE_DIR, folder, entry->d_name);
        FILE *file = fopen(path, "rb");
        CHECK_TRUE(file != NULL, "%s", path);
        if (!file)
            continue;
        LLVMFuzzerTestOneInput(bytes, fread(bytes, 1, sizeof(bytes), file));
        fclose(file);
        count++;
    }
    if (dir)
        closedir(dir);
    return count;
}

int main(void)
{
    CHECK_TRUE(run_folder("test/fuzz/corpus/agent_messages") >= 10, "the corpus is there");
    CHECK_TRUE(run_folder("agent-protocol/examples") >= 20, "the examples are there");
    return check_end("agent_fuzz");
}
