// SPDX-License-Identifier: MIT
/** A loopback address of its own: what else runs on this machine listens on 127.0.0.1. */
export const HOST = '127.77.0.1'
