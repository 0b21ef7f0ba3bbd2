/* SPDX-License-Identifier: MIT */
/* Where no link can be made, a tree has a copy. */
#include "release/release_tree.c"

#include "release_fixture.h"

int main(void)
{
    struct buf manifest, large;

    fixture_begin();
    buf_init(&manifest), buf_init(&large);
    while (large.len < 3 * COPY_BYTES / 2)
        buf_printf(&large, "%zu ", large.len);
    add_file(&manifest, "large", large.data);
    add_link(&manifest, "link", "large");
    const char *sha256 = keep_manifest(&manifest);
    CHECK_INT(__LINE__, "built", fixture_build(sha256), RELEASE_STANDS);
    char content[RELEASE_CONTENT_LEN + 1];
    release_content_name(content, fixture.things[0].sha256, "");
    CHECK_INT(__LINE__, "copied", copy(&fixture.store, content, fixture.state_fd, "copy"), 0);
    expect_in(sha256, "cmp ../../../copy large && test $(stat -c %h ../../../copy) = 1");
    CHECK_INT(__LINE__, "never over what is there",
              copy(&fixture.store, content, fixture.state_fd, "copy"), -1);
    CHECK_INT(__LINE__, "why", errno, EEXIST);
    buf_fini(&large);
    fixture_end();
    return check_end("release_tree");
}
