// SPDX-License-Identifier: MIT
// The stat cache that goes by its time to live.
import { changesAreSeen } from '../support/changing-site.mjs'

changesAreSeen('ttl')
