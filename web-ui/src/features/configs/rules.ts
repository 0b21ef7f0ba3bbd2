// SPDX-License-Identifier: MIT
// What the screens of a config must know of its texts.

/** The control plane's bound. */
export const MAX_MESSAGE_LENGTH = 500
