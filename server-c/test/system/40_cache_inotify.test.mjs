// SPDX-License-Identifier: MIT
// The stat cache that is told of changes by the kernel.
import { changesAreSeen } from '../support/changing-site.mjs'

changesAreSeen('inotify')
