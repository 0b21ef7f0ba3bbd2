// SPDX-License-Identifier: MIT
import { preload } from './preload.mjs'

/** For startNode's `wrap`: the node's disk fails where bad_disk.c says. */
export const badDisk = () => preload('bad_disk')
