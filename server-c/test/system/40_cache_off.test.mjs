// SPDX-License-Identifier: MIT
// A node that asks the disk each time.
import { changesAreSeen } from '../support/changing-site.mjs'

changesAreSeen('off')
